"""Rules of what is said of a thing: a state that the record denies, a number of another state, and "all" where the record has a part."""

import re
from collections.abc import Iterator, Sequence

from superbiz.domain.entailment import worked_out
from superbiz.domain.entailment.complaint import Complaint
from superbiz.domain.reading import names, quantities, times, words
from superbiz.domain.reading.parts import META, Clause, Record, Saying, is_base
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
# What a log, a trace or a metric shows by being there: that it was written, called, reached.
NORMAL = words.meaning("normal")
WITNESSED = words.table(
    "log logged write wrote written throw threw thrown raise raised report reported emit emitted record recorded see seen call called "
    "run ran reach reached peak peaked take took taken rank ranked last lasted spend spent "
    "fire fired print printed appear appeared occur occurred "
    "happen happened come came go gone climb make made show shown receive received send sent return returned counted have had been be"
)
TOLD = words.table("log logged write wrote throw threw thrown raise raised report reported emit emitted print printed have had run ran")
NOT_DOING = re.compile(
    r"\b(?:did|does|do|was|were|is|are|has|have|had)(?:\s(?:not|never)|n['’]t)\s(?:yet\s|ever\s|even\s|first\s|been\s|actually\s){0,3}(?P<verb>[a-z]{2,20})\b"
    r"|\bnever\s(?P<verb2>[a-z]{2,20})\b|(?:没有|并未|并没有|从未|未曾|不是|并不)(?P<chinese>[\u4e00-\u9fff]{1,3})",
    re.IGNORECASE,
)
QUANTIFIED = re.compile(
    r"\b(?:some|several|many|a\s(?:few|number|couple|handful|lot)(?:\sof)?|numerous|plenty|most|all|dozens|hundreds|multiple)\b|若干|一些|多[个条次]|很多|大量|全部|都",
    re.IGNORECASE,
)
OUTRIGHT = re.compile(
    r"\b([A-Za-z][A-Za-z_]{1,30})\s{0,3}[:=]\s{0,20}(?:false|none|null|0|no(?=\s{0,3}(?:[,;\n]|\Z)))(?![\w.])", re.IGNORECASE
)
EMPTY = re.compile(r".{0,120}\b(?:0|0\.0|false|null|none)\Z", re.IGNORECASE)
FAILING = words.table("failed failure fail unable cannot couldn't")
SHARED = 2  # words that a record's denial has to share with the claim's to be of the same matter
INSTEAD = re.compile(r"\b(?:but|rather|instead)\b|而是|而非", re.IGNORECASE)
NO_SUCH = re.compile(
    r"(?:\b(?:is|are|was|were)(?:\snot|n['’]t)|没有|并非|不是|\bnot)\s?(?:the\s|an?\s)?(?:\w{1,20}\sof\s)?\Z", re.IGNORECASE
)
NOT_THEN = re.compile(r"(?:没有|并未|并非|并不|不是|从未|未)(?:出现|发生|开始|记录|抛出)?(?:在|于|自)?\s?\Z")
BEING = re.compile(r"\b(?:is|are|was|were)(?:\snot|n['’]t)\s(?:the\s)?\Z", re.IGNORECASE)
CODE = re.compile(r"[1-5]xx", re.IGNORECASE)
PARTED = re.compile(r"\b(\d+)/(\d+)\b")


def complaints(said: Saying, cited: Sequence[Record]) -> Iterator[Complaint]:
    """What the record only ever denies is not so; what it affirms is not denied."""
    for clause in said.clauses:
        for found in STATE.finditer(clause.text) if not clause.denies else ():
            state = found["state"].lower()
            speaking = [c for r in cited for c in r.clauses if state in c.words]
            told_false = any(_false(state, r) for r in cited)
            if told_false or (speaking and all(c.denies for c in speaking)) or _only_failing(state, cited):
                yield Complaint(CheckResult.CONTRADICTED, f"the record denies {state!r}", found[0])
        for word in (w for w in clause.words if w.endswith("ed") and not clause.denies):
            if empty((word,), cited):
                yield Complaint(CheckResult.CONTRADICTED, f"the record holds nothing for {word!r}", word)
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
    return ("false" in held and "true" not in held) or state in {f[1].lower() for f in OUTRIGHT.finditer(read.flat)}


def _only_failing(state: str, cited: Sequence[Record]) -> bool:
    """`FailedScheduling`: the records tell of it right behind a word of failure, and nowhere else."""
    root, told = words.stem(state), []
    for r in cited if words.content(state) else ():
        spoken = words.words(r.flat)
        told += [spoken[n - 1] in FAILING for n, w in enumerate(spoken) if n and words.stem(w) == root]
    return bool(told) and all(told)


def undone(said: Saying, cited: Sequence[Record]) -> Iterator[Complaint]:
    """ "Did not log", "was not thrown": the log, the call or the measurement shows by being there that it was."""
    for found in NOT_DOING.finditer(said.text):
        verb = found["verb"] or found["verb2"] or ""
        if found["chinese"]:
            verb = next((w for w in words.words(found["chinese"]) if w in WITNESSED), "")
        if (
            verb.lower() in WITNESSED
            and (_bears(said, cited) or (verb.lower() in TOLD and _names_it(said, cited)))
            and not _grants(said, cited)
        ):
            yield Complaint(CheckResult.CONTRADICTED, f"the record shows what the claim denies: {found[0]!r}", found[0])
    yield from misnamed(said, cited)


def _names_it(said: Saying, cited: Sequence[Record]) -> bool:
    """Whether one record holds every name of the claim, and that is more than whose it is."""
    hard = [n.text for n in said.names if n.hard]
    return len(hard) >= SHARED and any(all(names.stands_in(name, r.names) for name in hard) for r in cited)


def misnamed(said: Saying, cited: Sequence[Record]) -> Iterator[Complaint]:
    """ "Is not db-1", "not 3 lines": what stands right behind the denial is what the record holds."""
    if INSTEAD.search(said.text):
        return
    for number in (n for n in said.numbers if n.value and not n.bound):
        if not NO_SUCH.search(said.text, max(0, number.span[0] - 40), number.span[0]):
            continue
        if any(quantities.same(number, q) for r in cited for q in r.numbers) or worked_out.follows(number, said.text, cited):
            yield Complaint(CheckResult.CONTRADICTED, f"the record holds the {number.text} that the claim denies", number.text)
    for moment in said.moments:
        held = any(m.field and times.same(moment, m) for r in cited for m in r.moments)
        if held and NOT_THEN.search(said.text, max(0, moment.span[0] - 16), moment.span[0]):
            yield Complaint(CheckResult.CONTRADICTED, f"the record holds the {moment.text} that the claim denies", moment.text)
    for name in (n for n in said.names if n.hard):
        held = any(names.stands_in(name.text, r.names) for r in cited)
        if held and BEING.search(said.text, max(0, name.span[0] - 16), name.span[0]):
            yield Complaint(CheckResult.CONTRADICTED, f"the record names the {name.text} that the claim denies", name.text)


def _bears(said: Saying, cited: Sequence[Record]) -> bool:
    """Whether the records hold a number or a time that the claim tells with what it denies."""
    numbers = any(number.value and quantities.same(number, q) for number in said.numbers for r in cited for q in r.numbers)
    return numbers or any(times.same(m, other) for m in said.moments for r in cited for other in r.moments)


def _grants(said: Saying, cited: Sequence[Record]) -> bool:
    """Whether the records deny something themselves, or hold a 0 or nothing for it."""
    clause = next((c for c in said.clauses if c.denies), None)
    if any(not number.value for number in said.numbers):
        return False
    if clause is None or zero(clause.meanings, cited) or empty(clause.words, cited):
        return True
    enough = max(SHARED, len(clause.meanings) / 2)
    return any(c.denies and len(clause.meanings & c.meanings) >= enough for r in cited for c in r.clauses)


def empty(spoken: Sequence[str], cited: Sequence[Record]) -> bool:
    """Whether a word has a field of its name that holds nothing."""
    return any(w in r.labels and w not in words.STOP and w not in r.raw_words for w in spoken for r in cited)


def _affirmed(text: str, spoken: Sequence[str], cited: Sequence[Record]) -> Iterator[Complaint]:
    """What follows the denial stands in a record that does not deny it, and nothing there failed before it."""
    at = next((n for n, w in enumerate(spoken) if w in words.NEGATIONS), None)
    denied = [] if at is None else [words.meaning(w) for w in spoken[at + 1 :] if _says(w)]
    if not denied or any(c.denies and {*denied} <= {*map(words.meaning, c.words)} for r in cited for c in r.clauses):
        return
    for clause in (c for r in cited for c in r.clauses if not c.denies and not EMPTY.fullmatch(c.text)):
        have = [words.meaning(w) for w in clause.words]
        if all(w in have for w in denied):
            first = min(have.index(w) for w in denied)
            ahead = clause.words[: first + len(denied)]
            if not any(w in words.FAILURES and words.meaning(w) not in denied for w in ahead):
                yield Complaint(CheckResult.CONTRADICTED, f"the record affirms it: {clause.text[:120]!r}", text)
                return


def zero(meant: frozenset[str], cited: Sequence[Record]) -> bool:
    """A recorded 0 of the matter in question denies it."""
    none = (q for r in cited for q in r.numbers if q.value == 0 and (NORMAL in meant or not is_base(q.field)))
    if any(not meant.isdisjoint(map(words.meaning, words.words(q.field))) for q in none):
        return True
    outright = (words.meaning(w) for r in cited for f in OUTRIGHT.finditer(r.flat) for w in words.words(f[1]))
    return any(w in meant for w in outright) or any(all_zero(meant, r) for r in cited)


def all_zero(meant: frozenset[str], read: Record) -> bool:
    """Whether a record that is about the matter by a word holds no number but 0."""
    held = [q.value for q in read.numbers if q.typed and q.field and META.isdisjoint(words.words(q.field))]
    return bool(held) and not any(held) and any(not meant.isdisjoint(map(words.meaning, words.words(t))) for t in read.texts)


def never_failed(spoken: Sequence[str], cited: Sequence[Record]) -> bool:
    """Whether a failure that is told has a field of its own, which is 0 in every record that has it."""
    for word in (w for w in spoken if w in words.FAILURES):
        held = [q.value for r in cited for q in r.numbers if q.typed and words.stem(word) in map(words.stem, words.words(q.field))]
        if (held and not any(held)) or any(all_zero(frozenset({words.meaning(word)}), r) for r in cited):
            return True
    return False


def is_none(clause: Clause, said: Saying, cited: Sequence[Record]) -> bool:
    """Whether all that a clause speaks of has a field of its own that holds 0, and no other."""
    if any(number.value == 0 for number in said.numbers):
        return False
    spoken = frozenset(map(words.meaning, clause.words))
    fields = [q for r in cited for q in r.numbers if q.typed and not _stated(q, said) and not is_base(q.field)]
    told = [_own_words(q) for r in cited for q in r.numbers if q.typed and q.value and _stated(q, said)]
    of_it = [(label, q.value) for q in fields if (label := _own_words(q)) and label <= spoken and not any(label <= other for other in told)]
    held = [value for label, value in of_it if not any(label < other for other, _ in of_it)]
    if not held and QUANTIFIED.search(clause.text):
        coded = frozenset(w for n in said.names if CODE.fullmatch(n.text) for w in words.words(n.text))
        held = [q.value for q in fields if _own_words(q) & (spoken | coded) - GENERIC]
    return bool(held) and not any(held)


def _own_words(number: Quantity) -> frozenset[str]:
    return frozenset(words.meaning(w) for w in (*words.words(number.field), *words.words(number.within)) if w not in UNITS) - {"count"}


GENERIC = frozenset(map(words.meaning, words.table("count line lines number total request requests log of http code")))


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
