"""Claims of absence: they may say that a query matched nothing, and nothing more."""

import re
from collections.abc import Iterator, Sequence

from superbiz.domain.entailment.complaint import Complaint
from superbiz.domain.reading import names, quantities, times, words
from superbiz.domain.reading.parts import Record, Saying
from superbiz.domain.verification import CheckResult


def _words(pattern: str, chinese: str) -> re.Pattern[str]:
    return re.compile(rf"\b(?:{pattern})\b|{chinese}", re.IGNORECASE)


SCOPED = _words(
    r"match(?:ed|es|ing)?|found|return(?:ed|s)?|retriev\w*|quer(?:y|ied|ies)|search\w*|list(?:ed|s)?|record(?:ed|s)?", "找到|匹配|查询"
)
OVERREACH = (
    (_words(r"rul(?:ed|es|ing)|exclud\w*|eliminat\w*|disprov\w*|proof|proves?|proven", "排除"), "silence rules nothing out"),
    (_words(r"healthy|fine|normal(?:ly)?|sound|intact|unaffected|works?|working|ok|okay", "正常|健康"), "silence shows no health"),
    (
        _words(r"cause[ds]?|because|therefore|thus|hence|due to|means?|impl(?:y|ies)|confirm\w*", "原因|因此|确认"),
        "silence confirms nothing",
    ),
    (
        _words(r"problems?|issues?|faults?|incidents?|outages?|impact", "问题|故障"),
        "that no record matched does not say that there is no problem",
    ),
    (_words(r"never|ever|anywhere|at all|impossible|cannot", "从未|绝不"), "the query says nothing beyond its own window"),
)


def complaints(said: Saying, cited: Sequence[Record]) -> Iterator[Complaint]:
    """An absence claim is worded as a result of its query, and names only what the query named. It is never more than PARTIAL."""
    yield Complaint(CheckResult.PARTIAL, "all that is shown is that this query matched nothing", said.text)
    if not SCOPED.search(said.text):
        yield _over("it is worded as a fact and not as the result of a query", said.text)
    for pattern, why in OVERREACH:
        if found := pattern.search(said.text):
            yield _over(f"{found[0]!r}: {why}", found[0])
    yield from _outside(said, cited)


def _outside(said: Saying, cited: Sequence[Record]) -> Iterator[Complaint]:
    for name in said.names:
        if name.hard and not any(names.stands_in(name.text, r.names) for r in cited):
            yield _over(f"the query did not name {name.text}", name.text)
    for moment in said.moments:
        if not any(times.same(moment, m) for r in cited for m in (*r.moments, *r.window)):
            yield _over(f"the query's window does not name {moment.text}", moment.text)
    for number in said.numbers:
        if number.value and not any(quantities.same(number, q) for r in cited for q in r.numbers):
            yield _over(f"the query did not name {number.text}", number.text)
    have = frozenset().union(*(r.words for r in cited))
    asked = [w for c in said.clauses for w in c.content if w.isascii() and w not in words.NEGATIONS and not SCOPED.match(w)]
    strange = [w for w in dict.fromkeys(asked) if words.meaning(w) not in have]
    if len(strange) > max(3, len(asked) // 2):
        yield _over(f"the query did not ask for {', '.join(strange[:4])}", said.text)


def _over(reason: str, fact: str) -> Complaint:
    return Complaint(CheckResult.UNSUPPORTED, reason, fact)
