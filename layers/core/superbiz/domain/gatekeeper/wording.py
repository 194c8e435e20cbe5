"""Rules on how a claim is worded: causes, absences and wholes are said only where the cited record can bear them."""

import re
from collections.abc import Iterable, Iterator

from superbiz.domain.absences import absence_text
from superbiz.domain.claims import ClaimType
from superbiz.domain.entailment import absence, predicates
from superbiz.domain.gatekeeper.rule import Statement
from superbiz.domain.reading import quantities, words
from superbiz.domain.reading.parts import QUOTE, Record, is_base
from superbiz.domain.reading.quantities import Quantity
from superbiz.domain.verification import CheckResult


def _words(english: str, chinese: str) -> re.Pattern[str]:
    return re.compile(rf"\b(?:{english})\b|{chinese}", re.IGNORECASE)


CAUSAL = _words(
    r"because|caus(?:e[ds]?|ing)|due to|owing to|thanks to|led to|leads to|leading to|result(?:ed|s|ing)? (?:in|from)|as a result"
    r"|trigger(?:ed|s|ing)?|brought (?:about|down)|root cause|consequen(?:ce|tly)|therefore|hence|responsible for|attributable to"
    r"|stem(?:s|med) from|(?:is|are|was|were) to blame|blam(?:e[sd]?|ing)|culprits?|provok(?:ed?|es|ing)|made \w+ (?:fail|crash|time out)"
    r"|(?:this|that|which) (?:is|was) (?:\w+ )?(?:why|how|what (?:made|broke|took|brought))|(?:is|was) why"
    r"|(?:the|a) reasons? (?:for|why|that|of|behind)"
    r"|(?:is|was|are|were|lies|lay) behind|at the root of|explain(?:s|ed|ing)?|account(?:s|ed|ing)? for(?! (?:about |some )?\d)"
    r"|on account of"
    r"|thereby|drove|driven by"
    r"|(?:took|taking|pull(?:ed|ing|s)|dragg?(?:ed|ing|s)?|knock(?:ed|ing|s)?|tore) (?:\S{1,60} ){0,3}down|forc(?:ed|es|ing)"
    r"|induc(?:ed|es|ing)"
    r"|so (?:that|it is the|this is the)|as a (?:consequence|consequent)|in consequence|the (?:origin|source|trigger|effect) of|fallout",
    "导致|因为|由于|引起|引发|造成|致使|使得|根因|原因|触发|归因于|归咎|归结|源于|起因|缘于|所致"
    "|害得|拖垮|拖累|连累|罪魁|之所以|从而|因此|因而|于是|都怪",
)
# Fields in which a record itself says why.
REASONS = frozenset({"reason", "statereason", "cause"})
SAID_WHY = _words("because(?: of)?|due to|owing to|on account of|(?:the|a) reasons? (?:for|why|that|of|behind)", "因为|由于|原因")
ABSENT = _words(
    r"there (?:is|are|was|were|have been|has been) (?:no|not any|none)"
    r"|no \w+(?: [\w./:-]{1,80}){0,4} (?:was|were|is|are|had|has|have|occurred|happened|failed|appeared|existed)"
    r"|nothing|nobody|no one|none of|neither|without any|no (?:sign|trace|evidence|indication)s? of"
    r"|did not (?:fail|occur|happen|appear)|has no \w+|had no \w+|free of",
    "没有|未发现|未出现|未见|并无|毫无|不存在",
)
ELSE = _words(
    r"nothing else|no(?:ne| one)? (?:of the )?others?|nobody else|no other \w+|everything else|no further|all others?",
    "其他.{0,8}(?:没有|正常)|别的",
)
WHOLE = _words(
    r"nothing but|(?<!at )all|every|everything|everyone|each|always|never|only(?! (?:about |some |a |the )?[\d.])|solely"
    r"|exclusively|entire(?:ly)?|none|no one|nothing|nobody"
    r"|without exception|when(?:so)?ever|invariably|constantly|at all times|(?:all|the whole) (?:day|night|week|time)",
    r"所有|全部|全都|每个|每次|每一|每当|每条|每天|凡是|从未|从不|从来|总是|一直|始终|只有(?!\s?约?\d)|仅有(?!\s?约?\d)|唯一|均",
)
NEVER = _words("never|none|nothing|no one|nobody", "从未|从不|从来")
EVER = _words("never|nothing but", "从未|从不|从来")  # of all time, which no window shows
ONES = _words("all|every|everything|each|always|entire(?:ly)?|100", "所有|全部|全都|每|总是|一直|始终|均")
NORMAL = words.meaning("normal")
LINES = frozenset(map(words.meaning, ("line", "lines", "log")))
WHOLES = words.table("total of size limit max maximum all capacity desired lines spans requests")
_ZERO = re.compile(r"(?P<before>[A-Za-z]\w{1,40})\s?[=:]\s?0(?![\w.])|(?<![\w.])0 (?P<after>[A-Za-z]\w{1,40})")
_EQUAL = re.compile(r"(?P<field>[A-Za-z]\w{1,40})\s?[=:]\s?(?P<value>\d{1,15})(?![\w.])")
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
        told = any(_stands(found[0], r) or (SAID_WHY.fullmatch(found[0]) and not REASONS.isdisjoint(r.labels)) for r in s.records)
        if s.claim.claim_type is not ClaimType.CAUSE and not told:
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
    else:
        yield from _undenied(s)


def _undenied(s: Statement) -> Iterable[str]:
    """That something was not there, of which no record says so."""
    plain = _plain(s)
    if not ELSE.search(plain) and (found := ABSENT.search(plain)) and not _denied(s):
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
    counted = predicates.zero(meant, s.records) or any(not n.value for n in s.said.numbers)
    return denies or counted or _zero_of_old(s) or _zero_in_text(meant, s.records)


def _zero_of_old(s: Statement) -> bool:
    """ "None in the normal period": a recorded 0 of what is normal."""
    meant = frozenset(words.meaning(w) for c in s.said.clauses for w in c.words)
    held = (frozenset(map(words.meaning, words.words(q.field))) for r in s.records for q in r.numbers if not q.value and is_base(q.field))
    return any(NORMAL in label and label <= meant | LINES for label in held)


def _zero_in_text(meant: frozenset[str], records: Iterable[Record]) -> bool:
    """A 0 that a line tells of a word: `idle=0`, `0 errors`."""
    told = (m["before"] or m["after"] for r in records for t in r.texts for m in _ZERO.finditer(t))
    return any(words.meaning(w) in meant for found in told for w in words.words(found))


def _aggregated(s: Statement, word: str, r: Record) -> bool:
    if _stands(word, r) or any(pattern.search(word) and pattern.search(r.flat) for pattern in (ONES, NEVER)):
        return True
    if NEVER.search(word):
        return not EVER.search(word) and _denied(s)
    if word.lower() == "all" and any(_twice(n, r) for n in s.said.numbers):
        return True
    return bool(ONES.search(word)) and any(part == total > 0 for part, total in _ratios(r))


def _twice(number: Quantity, r: Record) -> bool:
    """ "All 60 connections": the record has that number as a whole, and beside it."""
    held = [q.field.casefold() for q in r.numbers if quantities.same(number, q)]
    held += [m["field"].casefold() for m in _EQUAL.finditer(r.flat) if float(m["value"]) == number.value]
    whole = [f for f in held if not WHOLES.isdisjoint(words.words(f))]
    return bool(whole) and len(set(held)) > 1


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
