"""Citations of what is not there, and of what is there with something altered.

Guard of an edited excerpt: after NFC and white space it is no passage of the node that begins and ends between words.
"""

import random
import re
import unicodedata
from typing import Any

from bench.grounding.mutant import Twist, bound, citing
from bench.grounding.scenes import Claim
from bench.grounding.truth import Truth, dumped, picked
from superbiz.domain import refs

LEAST = 12  # characters that an excerpt keeps
INVENTED = (
    "FATAL: the disk of the primary is full and writes are refused",
    "connection pool exhausted: 50 of 50 in use, 312 waiting",
    '{"level":"ERROR","message":"certificate has expired"}',
    "OOMKilled: container exceeded its memory limit of 512Mi",
    "java.net.SocketTimeoutException: Read timed out after 30000 ms",
    "ThrottlingException: rate exceeded for table orders",
    "deploy 7.4.1 rolled back by the on-call engineer",
    "upstream connect error or disconnect/reset before headers",
)
ALIKE = {"a": "\u0430", "e": "\u0435", "o": "\u043e", "c": "\u0441", "p": "\u0440"}
INVISIBLE = ("\u200b", "\u200d", "\u2060", "\ufeff", "\u00ad")


def _unknown_call(truth: Truth, chance: random.Random) -> Claim | None:
    first = bound(truth.claim)
    told = first["invocation_id"]
    at = chance.randrange(4, len(told))
    swapped = picked(chance, [c for c in "0123456789abcdef" if c != told[at]])
    new = told[:at] + swapped + told[at + 1 :]
    return citing(truth.claim, first | {"invocation_id": new}, *truth.claim["evidence"][1:])


def _other_run(truth: Truth, _: random.Random) -> Twist:
    first = truth.claim["evidence"][0]["invocation_id"]
    calls = [{**c, "run_id": "run-of-another-day"} if c["invocation_id"] == first else c for c in truth.scene.calls]
    return Twist((truth.claim,), tuple(calls))


def _failed_call(truth: Truth, _: random.Random) -> Twist:
    first = truth.claim["evidence"][0]["invocation_id"]
    calls = [{**c, "status": "FAILED", "output": None} if c["invocation_id"] == first else c for c in truth.scene.calls]
    return Twist((truth.claim,), tuple(calls))


def _no_such_path(truth: Truth, chance: random.Random) -> Claim | None:
    first = bound(truth.claim)
    wrong = re.sub(r"\[(\d+)\]", lambda m: f"[{int(m[1]) + 500}]", first["raw_path"], count=1)
    path = first["raw_path"] + chance.choice((".detail", "[0]", ".message", "['root cause']")) if wrong == first["raw_path"] else wrong
    known = truth.scene.node(first | {"raw_path": path})
    return None if known is not None else citing(truth.claim, first | {"raw_path": path}, *truth.claim["evidence"][1:])


def _many_nodes(truth: Truth, chance: random.Random) -> Claim:
    first = bound(truth.claim)
    path = first["raw_path"]
    wild = re.sub(r"\[\d+\]", lambda _: chance.choice(("[*]", "[-1]", "[?(@.rank==1)]", "[0:9]")), path, count=1)
    return citing(truth.claim, first | {"raw_path": wild if wild != path else "$.." + path.lstrip("$.")}, *truth.claim["evidence"][1:])


def _another_record(truth: Truth, chance: random.Random) -> Claim | None:
    """An excerpt of a neighbour, cited as this record's."""
    first = bound(truth.claim)
    other = picked(chance, [n for n in _neighbours(truth, first) if dumped(n) != dumped(truth.nodes[0])])
    return None if other is None else _with(truth, dumped(other)[:200].rsplit(",", 1)[0])


def _invented(truth: Truth, chance: random.Random) -> Claim | None:
    return _with(truth, chance.choice(INVENTED))


def _neighbours(truth: Truth, first: dict[str, Any]) -> list[Any]:
    parts = refs.parse_path(first["raw_path"]) or ()
    if not parts or not isinstance(parts[-1], int):
        return []
    node = truth.scene.node(first | {"raw_path": refs.format_path(parts[:-1])})
    return [n for n in node if isinstance(n, dict)] if isinstance(node, list) else []


def _digit(truth: Truth, chance: random.Random) -> Claim | None:
    return _swapped(truth, chance, re.compile(r"\d"), lambda c: chance.choice([d for d in "123456789" if d != c]))


def _case(truth: Truth, chance: random.Random) -> Claim | None:
    return _swapped(truth, chance, re.compile(r"[A-Za-z]"), str.swapcase)


def _fullwidth(truth: Truth, chance: random.Random) -> Claim | None:
    return _swapped(truth, chance, re.compile(r"[A-Za-z0-9:]"), lambda c: chr(ord(c) + 0xFEE0))


def _homoglyph(truth: Truth, chance: random.Random) -> Claim | None:
    return _swapped(truth, chance, re.compile("[aeocp]"), ALIKE.__getitem__)


def _invisible(truth: Truth, chance: random.Random) -> Claim | None:
    return _swapped(truth, chance, re.compile(r"(?<=\w)\w"), lambda c: chance.choice(INVISIBLE) + c)


def _joined(truth: Truth, chance: random.Random) -> Claim | None:
    """Two passages of the record with what stands between them left out."""
    text = truth.claim["evidence"][0]["evidence_excerpt"]
    places = [m.start() for m in re.finditer(r"[,\s]", text)]
    if len(places) < 4:
        return None
    a, b = sorted(chance.sample(places, 2))
    return _with(truth, text[:a] + chance.choice((" … ", " ... ", " [...] ", ", ", " ")) + text[b + 1 :])


def _cut(truth: Truth, chance: random.Random) -> Claim | None:
    """An excerpt that ends or begins inside a word or number."""
    text = truth.claim["evidence"][0]["evidence_excerpt"]
    inside = [m.start() + 1 for m in re.finditer(r"[A-Za-z0-9](?=[A-Za-z0-9])", text)]
    late = [n for n in inside if n >= LEAST]
    early = [n for n in inside if len(text) - n >= LEAST]
    ends = [text[:n] for n in late] + [text[n:] for n in early]
    return _with(truth, chance.choice(ends)) if ends else None


def _dropped_word(truth: Truth, chance: random.Random) -> Claim | None:
    text = truth.claim["evidence"][0]["evidence_excerpt"]
    found = picked(chance, list(re.finditer(r"(?<=[\s,])[^\s,]+[\s,]", text)))
    return _with(truth, text[: found.start()] + text[found.end() :]) if found else None


def _swapped(truth: Truth, chance: random.Random, what: re.Pattern[str], new: Any) -> Claim | None:
    text = truth.claim["evidence"][0]["evidence_excerpt"]
    found = picked(chance, list(what.finditer(text)))
    return _with(truth, text[: found.start()] + new(found[0]) + text[found.end() :]) if found else None


def _with(truth: Truth, excerpt: str) -> Claim | None:
    """The claim with this excerpt first, unless that is a passage of the record after all."""
    if len(excerpt) < LEAST or _is_passage(excerpt, truth.texts[0]):
        return None
    return citing(truth.claim, bound(truth.claim) | {"evidence_excerpt": excerpt}, *truth.claim["evidence"][1:])


def _is_passage(excerpt: str, text: str) -> bool:
    flat, have = (" ".join(unicodedata.normalize("NFC", t).split()) for t in (excerpt, text))
    head = r"(?<![A-Za-z0-9])" if flat[:1].isalnum() else ""
    tail = r"(?![A-Za-z0-9])" if flat[-1:].isalnum() else ""
    return re.search(head + re.escape(flat) + tail, have) is not None


FABRICATED = {
    "unknown call": _unknown_call, "call of another run": _other_run, "failed call": _failed_call, "no such path": _no_such_path,
    "path of many nodes": _many_nodes, "another record's excerpt": _another_record, "invented excerpt": _invented,
}  # fmt: skip
EDITED = {
    "digit": _digit, "letter case": _case, "full-width form": _fullwidth, "look-alike letter": _homoglyph,
    "invisible character": _invisible,
    "joined passages": _joined, "cut word": _cut, "dropped word": _dropped_word,
}  # fmt: skip
