"""Causes that the records do not carry: cause wording on observations, causes turned round, premises taken away, one source made two.

Guards: a swapped cause is another thing than the one that was found. A premise is dropped where the sentence names a metric, an
operation or a passage that only the dropped record has.
"""

import random
import re
from typing import Any

from bench.grounding.families.meanings import is_chinese
from bench.grounding.mutant import Maker, citing
from bench.grounding.scenes import Claim
from bench.grounding.truth import Truth, picked
from superbiz.domain import refs

HALVES = re.compile(r"^(?P<head>.*? is (?:the likely root cause|a suspected cause): )(?P<one>.+?), and (?P<two>.+)\.$")
RESULTS = (
    ", and this caused the alarm.", ", which explains the whole incident.", ", and that is why requests fail.",
    " due to its configuration.",
    ", so it is the root cause.", ", which brought its callers down.", " because of an overload.",
    ", triggering the errors of its callers.",
)  # fmt: skip
RESULTS_CHINESE = ("，这导致了告警。", "，因此它是根本原因。", "，从而引发了调用方的错误。", "，这就是请求失败的原因。")
MARKS = ("metric", "name", "operation", "exception", "why")


def _caused(truth: Truth, chance: random.Random) -> Claim | None:
    """An observation that is told as the cause of something, of type observation still."""
    if truth.kind not in ("observation", "impact"):
        return None
    return truth.saying(truth.text.rstrip(".。") + chance.choice(RESULTS_CHINESE if is_chinese(truth.text) else RESULTS))


def _type_kept(truth: Truth, _: random.Random) -> Claim | None:
    """A cause that calls itself an observation."""
    return truth.saying(truth.text, claim_type="observation") if truth.kind == "cause" else None


def _caused_typed(truth: Truth, chance: random.Random) -> Claim | None:
    """The same of type cause, on one source."""
    made = _caused(truth, chance)
    return None if made is None else {**made, "claim_type": "cause"}


def _effect_for_cause(truth: Truth, chance: random.Random) -> Claim | None:
    """Another thing named as the cause, on the records of the one that was found."""
    if truth.kind != "cause" or truth.subject is None:
        return None
    others = {n for c in truth.scene.claims if c["claim_type"] == "impact" for n in Truth(truth.scene, c).names}
    suspects = [n for n in sorted(others) if n not in truth.record and truth.subject not in n and n not in truth.subject]
    new = picked(chance, suspects)
    return None if new is None else truth.saying(truth.text.replace(truth.subject, new))


def _turned_round(truth: Truth, chance: random.Random) -> Claim | None:
    """ "A's trouble comes from B", where A was found to be at fault: cites both records, says who pulled whom."""
    if truth.kind != "cause" or "likely root" not in truth.text or truth.subject is None:
        return None
    others = [Truth(truth.scene, c) for c in truth.scene.claims if c["claim_type"] in ("cause", "impact") and c is not truth.claim]
    other = picked(chance, [o for o in others if o.subject and o.subject not in truth.subject and truth.subject not in o.subject])
    if other is None:
        return None
    said = chance.choice(
        (
            "{b} caused the failure of {a}.",
            "{a} failed because of {b}.",
            "The trouble of {a} was brought about by {b}.",
            "{b} 导致了 {a} 的故障。",
        )
    )
    evidence = (truth.claim["evidence"][0], other.claim["evidence"][0])
    return citing({**truth.claim, "claim_text": said.format(a=truth.subject, b=other.subject)}, *evidence)


def _half(truth: Truth, _: random.Random) -> Claim | None:
    """One of two premises, with its record alone: a cause on one source."""
    halves = HALVES.match(truth.text) if truth.kind == "cause" else None
    if halves is None or len(truth.claim["evidence"]) < 2:
        return None
    return citing({**truth.claim, "claim_text": f"{halves['head']}{halves['one']}."}, truth.claim["evidence"][0])


def _premise(truth: Truth, chance: random.Random) -> Claim | None:
    """Both premises are told, one record is left."""
    evidence = truth.claim["evidence"]
    if truth.kind != "cause" or len(evidence) < 2 or not HALVES.match(truth.text):
        return None
    needed = [n for n in range(len(evidence)) if _only_there(truth, n)]
    gone = picked(chance, needed)
    return None if gone is None else citing(truth.claim, *(e for n, e in enumerate(evidence) if n != gone))


def _only_there(truth: Truth, n: int) -> bool:
    """Whether the sentence names something that of the cited nodes this one alone has."""
    node, others = truth.nodes[n], [t for k, t in enumerate(truth.texts) if k != n]
    marks = [node.get(m) for m in MARKS] if isinstance(node, dict) else []
    spoken = [m for m in marks if isinstance(m, str) and m in truth.text and len(m) > 3]
    return bool(spoken) and not any(m in t for m in spoken for t in others)


def _condition(truth: Truth, _: random.Random) -> Claim | None:
    """The sentence without what it was limited to."""
    marked = truth.claim.get("marked", "")
    if "[[" not in marked:
        return None
    bare = " ".join(re.sub(r"\[\[.*?\]\]", "", marked).split())
    bare = re.sub(r" (?=[.,;])", "", bare)
    return truth.saying(bare)


def _log_text(truth: Truth, chance: random.Random) -> Claim | None:
    """A cause on the words of log lines, which anybody who sends a request may have written."""
    lines = [(e, k) for e, node in zip(truth.claim["evidence"], truth.nodes, strict=True) for k in ("line", "statement") if _has(node, k)]
    if not lines or truth.subject is None:
        return None
    evidence = [_leaf(truth, e, k) for e, k in lines][:2]
    words = _passage(str(evidence[0]["evidence_excerpt"]))
    head = chance.choice(("is the root cause", "is the likely root cause", "is a suspected cause"))
    return citing({**truth.claim, "claim_text": f'{truth.subject} {head}: it logged "{words}".', "claim_type": "cause"}, *evidence)


def _alarm_text(truth: Truth, _: random.Random) -> Claim | None:
    """A cause on what an alarm or a change says of itself."""
    key = next((k for k in ("reason", "message") if truth.nodes and _has(truth.nodes[0], k)), None)
    if key is None or truth.subject is None:
        return None
    leaf = _leaf(truth, truth.claim["evidence"][0], key)
    words = _passage(str(leaf["evidence_excerpt"]))
    return citing({**truth.claim, "claim_text": f'{truth.subject} is the root cause: "{words}".', "claim_type": "cause"}, leaf)


def _has(node: Any, key: str) -> bool:
    return isinstance(node, dict) and isinstance(node.get(key), str) and len(node[key]) > 20


def _leaf(truth: Truth, bound: dict[str, str], key: str) -> dict[str, str]:
    path = f"{bound['raw_path']}.{key}"
    return {**bound, "raw_path": path, "evidence_excerpt": str(truth.scene.node({**bound, "raw_path": path}))[:200].rsplit(" ", 1)[0]}


def _passage(text: str) -> str:
    """A few words from the middle, without quotation marks."""
    runs = sorted(re.findall(r"[A-Za-z][A-Za-z ]{10,60}", text), key=len)
    return runs[-1].strip() if runs else text.replace('"', "")[:40]


def _twice(truth: Truth, chance: random.Random) -> Claim | None:
    return _again(truth, chance, lambda e: e)


def _other_spelling(truth: Truth, chance: random.Random) -> Claim | None:
    """The same node by another spelling of its path."""

    def respelled(e: dict[str, str]) -> dict[str, str]:
        parts = refs.parse_path(e["raw_path"]) or ()
        return {**e, "raw_path": "$" + "".join(f"[{p}]" if isinstance(p, int) else f"['{p}']" for p in parts)}

    return _again(truth, chance, respelled)


def _nested(truth: Truth, chance: random.Random) -> Claim | None:
    """A field of the record that is cited already."""
    fields = truth.fields
    key = next((k for k in ("why", "statement", "metric", "name") if isinstance(fields.get(k), str) and len(fields[k]) >= 4), None)
    if key is None:
        return None
    return _again(truth, chance, lambda e: {**e, "raw_path": f"{e['raw_path']}.{key}", "evidence_excerpt": str(fields[key])[:200]})


def _other_passage(truth: Truth, chance: random.Random) -> Claim | None:
    """Another passage of the same record."""

    def later(e: dict[str, str]) -> dict[str, str]:
        rest = truth.texts[0].split(",")
        return {**e, "evidence_excerpt": ",".join(rest[2:6])[:200]}

    return _again(truth, chance, later) if truth.texts and truth.texts[0].count(",") > 6 else None


def _again(truth: Truth, chance: random.Random, change: Any) -> Claim | None:
    """A cause on one record, which is cited twice."""
    one = _half(truth, chance)
    return None if one is None else citing(one, one["evidence"][0], change(dict(one["evidence"][0])))


CAUSAL: dict[str, Maker] = {
    "observation told as cause": _caused, "type observation kept": _type_kept, "one observation typed cause": _caused_typed,
    "effect for cause": _effect_for_cause, "turned round": _turned_round, "cause on one source": _half,
}  # fmt: skip
DROPPED: dict[str, Maker] = {"record of a premise": _premise, "condition": _condition}
OUTSIDER: dict[str, Maker] = {"log text": _log_text, "alarm or change text": _alarm_text}
REPEATED: dict[str, Maker] = {"twice": _twice, "other spelling": _other_spelling, "nested": _nested, "other passage": _other_passage}
