"""Rules on how a claim is worded: causes, absences and wholes are said only where the cited record can bear them."""

import re
from collections.abc import Iterable, Iterator

from superbiz.domain.absences import absence_text
from superbiz.domain.claims import ClaimType
from superbiz.domain.entailment import absence, predicates
from superbiz.domain.gatekeeper.rule import Statement
from superbiz.domain.reading.parts import QUOTE, Record
from superbiz.domain.verification import CheckResult


def _words(english: str, chinese: str) -> re.Pattern[str]:
    return re.compile(rf"\b(?:{english})\b|{chinese}", re.IGNORECASE)


CAUSAL = _words(
    r"because|caus(?:e[ds]?|ing)|due to|owing to|thanks to|led to|leads to|leading to|result(?:ed|s|ing)? (?:in|from)|as a result"
    r"|trigger(?:ed|s|ing)?|brought (?:about|down)|root cause|consequen(?:ce|tly)|therefore|hence|responsible for|attributable to"
    r"|stem(?:s|med) from|is to blame|provok(?:ed|es)|made \w+ (?:fail|crash|time out)",
    "导致|因为|由于|引起|引发|造成|致使|使得|根因|根本原因|触发|归因于|源于",
)
ABSENT = _words(
    r"there (?:is|are|was|were|have been|has been) (?:no|not any|none)"
    r"|no \w+(?: \w+){0,2} (?:was|were|is|are|had|has|have|occurred|happened|failed|appeared|existed)"
    r"|nothing|nobody|no one|none of|neither|without any|no (?:sign|trace|evidence|indication)s? of"
    r"|did not (?:fail|occur|happen|appear)|has no \w+|had no \w+|free of",
    "没有|未发现|未出现|未见|并无|毫无|不存在",
)
ELSE = _words(
    r"nothing else|no(?:ne| one)? (?:of the )?others?|nobody else|no other \w+|everything else|no further|all others?",
    "其他.{0,8}(?:没有|正常)|别的",
)
WHOLE = _words(
    r"(?<!at )all|every|everything|everyone|each|always|never|only|solely|exclusively|entire(?:ly)?|none|no one|nothing|nobody"
    r"|without exception",
    "所有|全部|全都|每个|每次|每一|从未|从不|从来|总是|一直|始终|只有|仅有|唯一|均",
)
NEVER = _words("never|none|nothing|no one|nobody", "从未|从不|从来")
ONES = _words("all|every|everything|each|always|entire(?:ly)?|100", "所有|全部|全都|每|总是|一直|始终|均")
_RATIO = re.compile(r"\b(\d{1,15})\s?(?:/|of|out of)\s?(\d{1,15})\b")
_PARTS = (
    ("count", "of"),
    ("bad_lines", "lines"),
    ("failed", "total"),
    ("errors", "total"),
    ("errors", "requests"),
    ("calling_spans", "spans"),
)


def causal(s: Statement) -> Iterable[str]:
    """Only a claim of type cause says why, unless the record itself does."""
    for found in CAUSAL.finditer(_plain(s)):
        if s.claim.claim_type is not ClaimType.CAUSE and not any(_stands(found[0], r) for r in s.records):
            yield f"expected a claim of type cause for {found[0]!r}; it is of type {s.claim.claim_type}, and no cited record says so"


def overreach(s: Statement) -> Iterable[str]:
    """An absence is worded as the result of its query and names no more than that. The fixed template is, whatever the query asked for."""
    if s.claim.claim_text in {absence_text(c.call) for c in s.citations}:
        return ()
    return (c.reason for c in absence.complaints(s.said, s.everything) if c.result is not CheckResult.PARTIAL)


def unfounded_absence(s: Statement) -> Iterable[str]:
    """That something was not there is said where a record denies it or counts zero of it; that nothing else was, where it says that."""
    plain = _plain(s)
    if (beyond := ELSE.search(plain)) and not any(ELSE.search(r.flat) for r in s.records):
        yield f"expected a record that says {beyond[0]!r}; the cited ones speak of themselves alone"
    elif (found := ABSENT.search(plain)) and not _denied(s):
        yield f"expected a record that denies it or counts zero of it, for {found[0]!r}; the cited ones do neither"


def whole(s: Statement) -> Iterator[str]:
    """All, never, only and every are shown by an aggregate: a record that says so, n of n, or a count of zero."""
    found = WHOLE.search(_plain(s))
    if found and not any(_aggregated(s, found[0], r) for r in s.records) and not _typed(s):
        yield f"expected a record that speaks of {found[0]!r}, as a count of the whole does; the cited ones speak of themselves alone"


def whole_of_a_part(s: Statement) -> Iterator[str]:
    """The same where the output that is cited is only a part of what there is."""
    parts = [c.where for c in s.citations if c.call.output is not None and not c.call.output.complete]
    if parts:
        yield from (f"{reason}; and {parts[0]} is not complete" for reason in whole(s))


def _plain(s: Statement) -> str:
    return QUOTE.sub(" ", s.claim.claim_text)


def _denied(s: Statement) -> bool:
    """Whether what is denied is denied by a record's clause on the same matter, or counted as zero."""
    meant = frozenset().union(*(c.meanings for c in s.said.clauses if c.denies or not s.said.clauses[1:]))
    denies = any(c.denies and not meant.isdisjoint(c.meanings) for r in s.records for c in r.clauses)
    return denies or predicates.zero(meant, s.records) or any(not n.value for n in s.said.numbers)


def _aggregated(s: Statement, word: str, r: Record) -> bool:
    if _stands(word, r) or any(pattern.search(word) and pattern.search(r.flat) for pattern in (ONES, NEVER)):
        return True
    if NEVER.search(word):
        return _denied(s)
    return bool(ONES.search(word)) and any(part == total > 0 for part, total in _ratios(r))


def _stands(word: str, r: Record) -> bool:
    edge = r"\b" if word.isascii() else ""
    return re.search(f"{edge}{re.escape(word)}{edge}", r.flat, re.IGNORECASE) is not None


def _ratios(r: Record) -> Iterator[tuple[float, float]]:
    """What the record counts, with the whole that it is of: "3/3", a `count` beside its `of`, a share of 1."""
    yield from ((float(part), float(total)) for part, total in _RATIO.findall(r.flat))
    held = {q.field.casefold(): q.value * q.factor for q in r.numbers}
    yield from ((held[part], held[total]) for part, total in _PARTS if part in held and total in held)
    yield from ((held[share], 1.0) for share in ("share", "ratio") if share in held)


def _typed(s: Statement) -> bool:
    """A typed fact with an aggregate is recomputed by rules of its own."""
    return any(str(fact.get("aggregate") or "value") != "value" for fact in s.claim.facts)
