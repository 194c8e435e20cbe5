"""The rule of wording: what a claim says in its words, the cited records speak of, part by part."""

from collections.abc import Iterator, Sequence

from superbiz.domain.entailment import calibration
from superbiz.domain.entailment.complaint import Complaint
from superbiz.domain.entailment.segments import Joint, Segment, segments
from superbiz.domain.reading import names, words
from superbiz.domain.reading.parts import Record, Saying, pieces
from superbiz.domain.verification import CheckResult

SUPPORTED_SHARE = 0.6
PARTIAL_SHARE = 0.4
# The least share of a part's words that a record carries: what is added as a reason or result is told by the record or is invented.
LEAST = {Joint.SAID: 0.4, Joint.BOUND: 0.7, Joint.BESIDE: 0.4}
IN_PROSE = {Joint.BOUND: 0.4, Joint.BESIDE: 0.0}
WEAK = 0.6  # a circumstance of which less is carried is doubtful
# What a record's words (right) let a claim say (left), beside the words of one family.
TELLS = {
    words.stem(word): frozenset(map(words.meaning, others.split()))
    for word, others in {
        "lock": "block blocked waiting wait",
        "memory": "oom oomkilled heap oomkiller",
        "backlog": "depth lag messages visible behind",
        "slow": "latency duration",
        "throttle": "throttled throttling limit exceeded",
        "lookup": "resolve resolution dns nxdomain",
        "unresponsive": "timeout timed",
        "crashloop": "backoff restarts restart",
        "space": "avail available free disk",
        "enable": "old new true on",
        "disable": "old new false off",
        "reach": "limit quota exceeded",
        "throw": "exception error",
        "threw": "exception error",
        "thrown": "exception error",
        "raise": "exception",
        "back": "recovered recovery resolved restored ok",
        "return": "recovered recovery resolved restored ok status code",
        "recover": "recovered resolved restored ok",
        "break": "error failed exception crashed",
        "broke": "error failed exception crashed",
        "initialise": "init",
        "initialize": "init",
        "cold": "init",
        "session": "load connections",
        "active": "load",
        "garbage": "gc",
        "collection": "gc",
        "collector": "gc",
        "stop": "pause paused halted",
        "wrote": "lines log logged",
        "write": "lines log logged",
        "hang": "blocked waiting timeout",
        "stall": "blocked waiting pause paused lag",
        "turn": "rejected refused denied",
        "lived": "started finished",
        "queue": "waiting pending depth messages visible",
        "pending": "waiting queued",
        "outstanding": "waiting pending queued inflight",
        "overload": "load cpu utilization saturated",
        "caller": "upstream parent client",
        "callee": "downstream target",
        "version": "image tag revision release build from to",
        "revert": "rollback rolled",
        "certificate": "cert tls ssl x509 notafter",
        "permission": "accessdenied denied authorized unauthorized forbidden iam policy 403",
        "forbid": "accessdenied denied authorized unauthorized 403",
        "allow": "authorized permitted accessdenied",
        "capacity": "limit max units",
        "scheduler": "scheduling scheduled",
        "unscheduled": "failedscheduling scheduling pending",
        "schedule": "failedscheduling",
        "scale": "desired replicas",
        "state": "status",
        "status": "state",
        "rank": "rank score position",
        "invocation": "requestid lambda function duration",
        "execution": "requestid duration",
        "actor": "user principal username",
        "operator": "user principal username",
        "host": "node instance",
        "machine": "node instance host",
        "budget": "remaining limit quota",
        "bad": "error errors fatal exception",
        "answer": "status response code",
        "reply": "status response",
        "lag": "behind backlog depth offset age",
        "behind": "lag backlog offset age",
        "code": "status exit",
        "size": "bytes length",
        "health": "healthy unhealthy state",
        "quarter": "percent share",
        "statement": "sql query",
    }.items()
}


# What any clause may be told with. Beside a name, number or time that stands in the record such words claim nothing of their own.
PLAIN = frozenset(
    map(
        words.stem,
        words.table(
            "read reads stand stands stood show shows showed shown see seen say says said tell told use uses used using listed "
            "want wanted reply replied answer answered respond responded came back go went through take taken took spend spent "
            "made get got consist consists comprise comprised contain contains refer refers named known nearly almost "
            "practically simply merely quite respectively namely entry reading figure percent percentage proportion worth "
            "approximately around perform performed issue register registered note noted observe observed meanwhile mark marked "
            "stated altogether contrast comparison respect sit sits sat amount amounted"
        ),
    )
)


def _anchored(said: Saying, cited: Sequence[Record]) -> bool:
    """Whether the claim names things, and each of them stands in what a record tells itself: one that was only asked for may be another."""
    own = [names.of_record(r.texts) for r in cited]
    hard = [n.text for n in said.names if n.hard]
    return bool(hard) and all(any(names.stands_in(name, held) for held in own) for name in hard)


def _plain_of(part: Segment, have: frozenset[str]) -> Segment:
    """The part without its excused words."""
    free = _excused(part, have)
    return part._replace(content=tuple(w for w in part.content if w not in free))


def _excused(part: Segment, have: frozenset[str]) -> frozenset[str]:
    """The plain words of a part that names what stands in the record; the other rules hold its names and numbers to it."""
    absent = [w for w in dict.fromkeys(part.content) if not carried(w, have)]
    free = part.named and part.joint is not Joint.BOUND
    return frozenset(w for w in absent if words.stem(w) in PLAIN) if free else frozenset()


def complaints(said: Saying, cited: Sequence[Record]) -> Iterator[Complaint]:
    """Every part of the claim by itself, then all of its words together."""
    have = frozenset().union(*(r.words for r in cited), *(map(words.meaning, r.labels) for r in cited))
    parts = list(segments(said))
    if calibration.is_prose(cited):
        for part in parts:
            yield from _beside_the_text(part, have)
        yield from _unlike(said, cited, have)
        return
    own = _own(cited)
    anchored = _anchored(said, cited)
    for part in (_plain_of(p, have) if anchored else p for p in parts):
        yield from _invented(part, have)
        if _of_another(part, have, own):
            yield _unsaid(part)
    yield from _thin(parts, have, anchored=anchored)


def _own(cited: Sequence[Record]) -> frozenset[str]:
    """What the records tell themselves, and how they and their surroundings are labelled: the query apart."""
    told = (w for r in cited for text in (*r.texts, *r.labels) for w in words.words(text))
    return frozenset(map(words.meaning, told))


def _of_another(part: Segment, have: frozenset[str], own: frozenset[str]) -> bool:
    """Whether what is added as a statement of its own speaks of something that no record has. Its subject goes by no other words."""
    told = [w for w in dict.fromkeys(part.content) if w not in words.FRAMING and not _directs(w)]
    absent = [w for w in told if words.meaning(w) not in have]
    if part.opens or part.named or part.joint is Joint.BESIDE or not absent or absent[0] != told[0]:
        return False
    return not carried(told[0], own) or len(absent) * 2 > len(told)


def carried(word: str, have: frozenset[str]) -> bool:
    """Whether records with these meanings let a claim use the word."""
    return words.carried(word, have) or not have.isdisjoint(TELLS.get(words.stem(word), ()))


def _invented(part: Segment, have: frozenset[str]) -> Iterator[Complaint]:
    """A part that stands in the record by too few of its words."""
    own = [w for w in dict.fromkeys(part.content) if not _directs(w)]
    absent = [w for w in own if not carried(w, have)]
    share = 1 - len(absent) / len(own) if own else 1.0
    if share < LEAST[part.joint] and (len(own) > 1 or part.joint is not Joint.SAID):
        yield _unsaid(part, known=bool(share) or part.named or len(own) == 1)
    elif part.joint is Joint.BESIDE and share < WEAK:
        yield Complaint(CheckResult.PARTIAL, f"the cited text does not say {part.text!r}: nothing there of {pieces(absent)}", part.text)


def _beside_the_text(part: Segment, have: frozenset[str]) -> Iterator[Complaint]:
    """Prose says a matter in other words, yet an added reason, result or circumstance not in none of them."""
    found = [w for w in part.content if carried(w, have)]
    if part.joint is not Joint.SAID and len(found) <= IN_PROSE[part.joint] * len(part.content):
        yield _unsaid(part)


def _unsaid(part: Segment, *, known: bool = False) -> Complaint:
    """Of a part that nothing carries it is invented; one that is `known` in some of its words may be told in others."""
    result = CheckResult.PARTIAL if known else CheckResult.UNSUPPORTED
    return Complaint(result, f"the cited text says nothing of {part.text!r}", part.text)


def _thin(parts: Sequence[Segment], have: frozenset[str], *, anchored: bool) -> Iterator[Complaint]:
    """Most of the claim's words are the record's."""
    content = [w for part in parts for w in part.content if w not in words.FRAMING and not _directs(w)]
    missing = _missing(content, have)
    if anchored and frozenset().union(*(_excused(part, have) for part in parts)).issuperset(missing):
        return
    share = 1 - len(missing) / len(set(content)) if content else 1.0
    if share < SUPPORTED_SHARE:
        told = share >= PARTIAL_SHARE or any(part.named for part in parts)  # names and numbers, which stand in the record, in other words
        result = CheckResult.PARTIAL if told else CheckResult.UNSUPPORTED
        yield Complaint(result, f"the cited text says nothing of: {pieces(missing)}", pieces(missing))


def _unlike(said: Saying, cited: Sequence[Record], have: frozenset[str]) -> Iterator[Complaint]:
    """Taken together, the claim is worded like what such a text carries."""
    found = calibration.likelihood(calibration.measures(said, cited))
    if found < calibration.SUPPORTED:
        missing = _missing([w for clause in said.clauses for w in clause.content], have)
        result = CheckResult.PARTIAL if found >= calibration.PARTIAL else CheckResult.UNSUPPORTED
        why = f"the cited text says nothing of: {pieces(missing)}" if missing else "the cited text has its words and does not say it"
        yield Complaint(result, why, pieces(missing) or said.text)


def _missing(content: Sequence[str], have: frozenset[str]) -> list[str]:
    return [w for w in dict.fromkeys(content) if not carried(w, have)]


def _directs(word: str) -> bool:
    return word in words.CLAIM_UP or word in words.CLAIM_DOWN
