"""Rules of what is said of a thing: a state that the record denies, a number of another state, and "all" where the record has a part."""

import re
from collections.abc import Iterator, Sequence

from superbiz.domain.entailment import worked_out
from superbiz.domain.entailment.complaint import Complaint
from superbiz.domain.reading import quantities, words
from superbiz.domain.reading.parts import Clause, Record, Saying, is_base
from superbiz.domain.reading.quantities import Quantity
from superbiz.domain.reading.units import UNITS
from superbiz.domain.verification import CheckResult

STATE = re.compile(
    r"\b(?:is|are|was|were|stays?|stayed|remains?|remained|became)\s(?:still\s|now\s|again\s)?(?P<state>[a-z]{4,})\b", re.IGNORECASE
)
WHOLE = re.compile(
    r"\b(?:all|every|always|entire|each|(?<!not )only|solely|exclusively)\b(?!\s(?:the\s|about\s|its\s)?\d)(?<!\bat all)"
    r"|所有|全部|每[个台条次]|只有|唯一",
    re.IGNORECASE,
)
WHOLE_WORDS = words.table("all every always entire each only solely exclusively")
RETURNS = frozenset(map(words.stem, ("recover", "recovered", "recovers", "recovery", "recovering", "restored", "resolved")))
ABLE = words.table("could can able managed succeeded successfully")
PARTED = re.compile(r"\b(\d+)/(\d+)\b")


def complaints(said: Saying, cited: Sequence[Record]) -> Iterator[Complaint]:
    """What the record only ever denies is not so; what it affirms is not denied."""
    for clause in said.clauses:
        for found in STATE.finditer(clause.text) if not clause.denies else ():
            state = found["state"].lower()
            speaking = [c for r in cited for c in r.clauses if state in c.words]
            told_false = any(_false(state, r) for r in cited)
            if told_false or (speaking and all(c.denies for c in speaking)):
                yield Complaint(CheckResult.CONTRADICTED, f"the record denies {state!r}", found[0])
        if clause.denies and not clause.fails and not zero(clause.meanings, cited):
            yield from _affirmed(clause.text, clause.words, cited)


def recoveries(said: Saying, cited: Sequence[Record]) -> Iterator[Complaint]:
    """What came back is not told by a record of how far it went: the record has to speak of the way back."""
    told = any(RETURNS & {words.stem(w) for w in r.raw_words} for r in cited)
    for clause in said.clauses if not told else ():
        back = next((w for w in clause.words if words.stem(w) in RETURNS), None)
        if back and not clause.denies:
            yield Complaint(CheckResult.UNSUPPORTED, f"nothing in the cited record shows that it {back}", back)


def _false(state: str, read: Record) -> bool:
    """A field of that name holds false, and none holds true."""
    held = [t.split(" ", 1)[1] for t in read.texts if t.lower().startswith(f"{state} ") and t.count(" ") == 1]
    return "false" in held and "true" not in held


def _affirmed(text: str, spoken: Sequence[str], cited: Sequence[Record]) -> Iterator[Complaint]:
    """What follows the denial stands in a record that does not deny it, and nothing there failed before it."""
    at = next((n for n, w in enumerate(spoken) if w in words.NEGATIONS), None)
    denied = [] if at is None else [words.stem(w) for w in spoken[at + 1 :] if _says(w)]
    if not denied:
        return
    for clause in (c for r in cited for c in r.clauses if not c.denies):
        have = [words.stem(w) for w in clause.words]
        if all(w in have for w in denied):
            first = min(have.index(w) for w in denied)
            if not any(w in words.FAILURES for w in clause.words[: first + len(denied)]):
                yield Complaint(CheckResult.CONTRADICTED, f"the record affirms it: {clause.text[:120]!r}", text)
                return


def zero(meant: frozenset[str], cited: Sequence[Record]) -> bool:
    """A recorded 0 of the matter in question denies it."""
    none = (q for r in cited for q in r.numbers if q.value == 0 and not is_base(q.field))
    return any(not meant.isdisjoint(map(words.meaning, words.words(q.field))) for q in none)


def never_failed(spoken: Sequence[str], cited: Sequence[Record]) -> bool:
    """Whether a failure that is told has a field of its own, which is 0 in every record that has it."""
    for word in (w for w in spoken if w in words.FAILURES):
        held = [q.value for r in cited for q in r.numbers if q.typed and words.stem(word) in map(words.stem, words.words(q.field))]
        if held and not any(held):
            return True
    return False


def is_none(clause: Clause, said: Saying, cited: Sequence[Record]) -> bool:
    """Whether all that a clause speaks of has a field of its own that holds 0, and no other."""
    if any(number.value == 0 for number in said.numbers):
        return False
    spoken = frozenset(map(words.meaning, clause.words))
    held = [q.value for r in cited for q in r.numbers if q.typed and (label := _own_words(q)) and label <= spoken]
    return bool(held) and not any(held)


def _own_words(number: Quantity) -> frozenset[str]:
    return frozenset(words.meaning(w) for w in (*words.words(number.field), *words.words(number.within)) if w not in UNITS) - {"count"}


def is_able(spoken: Sequence[str]) -> bool:
    return not ABLE.isdisjoint(spoken) and words.NEGATIONS.isdisjoint(spoken)


def _says(word: str) -> bool:
    return bool(words.content(word)) and not words.CLAIM_UP.union(words.CLAIM_DOWN).intersection((word,))


def whole(said: Saying, cited: Sequence[Record]) -> Iterator[Complaint]:
    """ "All" needs a record that speaks of all: single records tell of themselves."""
    found = WHOLE.search(said.text)
    if found and not any(r.raw_words & WHOLE_WORDS or _complete(r) for r in cited):
        yield Complaint(CheckResult.PARTIAL, f"no cited record speaks of {found[0]!r}", found[0])


def _complete(read: Record) -> bool:
    return any(a == b or a == "0" for a, b in PARTED.findall(read.flat))


def counted(said: Saying, cited: Sequence[Record]) -> Iterator[Complaint]:
    """ "4 targets are healthy": a number is not that of the other side of the field named after it."""
    for n, number in enumerate(said.numbers):
        end = said.numbers[n + 1].span[0] if n + 1 < len(said.numbers) else len(said.text)
        after = set(words.words(re.split(r"[,;.]\s", said.text[number.span[1] : end])[0]))
        for r in cited:
            named = [q for q in r.numbers if q.field.lower() in after and not _stated(q, said)]
            if named and not any(q.field.lower() in after and quantities.same(number, q) for q in r.numbers) and _of_kin(number, named, r):
                yield Complaint(
                    CheckResult.UNSUPPORTED, f"the record's {named[0].field} is {named[0].text}, not {number.text}", number.text
                )


def _stated(found: Quantity, said: Saying) -> bool:
    return any(quantities.same(number, found) for number in said.numbers)


def _of_kin(number: Quantity, named: Sequence[Quantity], read: Record) -> bool:
    """Whether it is the number of the field's other side (healthy and unhealthy, hits and misses)."""
    return any(worked_out.kin(q, other) and quantities.same(number, q) for q in read.numbers if q.field for other in named)
