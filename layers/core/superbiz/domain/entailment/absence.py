"""Claims of absence: they may say that a query matched nothing, and nothing more."""

import re
from collections.abc import Iterator, Sequence

from superbiz.domain.entailment.complaint import Complaint
from superbiz.domain.reading import names, quantities, times, words
from superbiz.domain.reading.parts import QUOTE, Record, Saying
from superbiz.domain.verification import CheckResult


def _words(pattern: str, chinese: str) -> re.Pattern[str]:
    return re.compile(rf"\b(?:{pattern})\b|{chinese}", re.IGNORECASE)


SCOPED = _words(
    r"match(?:ed|es|ing)?|found|find|return(?:ed|s|ing)?|retriev\w*|yield(?:ed|s)?|quer(?:y|ied|ies|ying)|search\w*|looked up|lookup"
    r"|results?|hits?|came back|answered",
    "找到|匹配|查询|返回|检索|查到|搜索|搜到|命中",
)
NOTHING = _words(r"no|not|nothing|none|zero|0|empty|without|neither|\w+n['’]t", "没有|没|未|无|零|空|0")
OVERREACH = (
    (
        _words(
            r"rul(?:ed|es?|ing)(?: \w+){0,4} out|rules? out|exclud\w*|eliminat\w*|disprov\w*|refut\w*|acquit\w*"
            r"|clears?|cleared|exonerat\w*",
            "排除",
        ),
        "silence rules nothing out",
    ),
    (
        _words(
            r"healthy|health|fine|normal(?:ly)?|sound|intact|unaffected|works?|working|worked|ok|okay|clean|clear|good|well|stable"
            r"|safe(?:ly)?|smooth(?:ly)?|correct(?:ly)?|succe(?:ss\w*|ed\w*)|operational|available|innocent|quiet|perfect(?:ly)?"
            r"|up and running|in order"
            r"|as (?:expected|usual|intended)|not? down|uneventful",
            "正常|健康|稳定|良好|平稳|没事|无恙|干净|可用|成功",
        ),
        "silence shows no health",
    ),
    (
        _words(
            r"cause[ds]?|because|therefore|thus|hence|so|due to|means?|meaning|impl(?:y|ies|ied|ying)|confirm\w*|prov(?:e|es|ed|en|ing)"
            r"|proof|show(?:s|n|ed|ing)?|demonstrat\w*|indicat\w*|suggest\w*|conclu\w*|evidently|clearly|obviously|certain(?:ly)?|definitely|verif\w*"
            r"|establish\w*|guarantee\w*|responsible|involved|unrelated|blame\w*|culprit|fault|reason|irrelevant|related|consequently",
            "原因|因此|确认|所以|说明|证明|表明|意味|可见|显然|无关|责任|根因|断定|肯定|由此",
        ),
        "silence confirms nothing",
    ),
    (
        _words(
            r"problems?|issues?|faults?|incidents?|outages?|impact\w*|wrong|trouble\w*|harm\w*|anomal(?:y|ies)|degrad\w*|damage\w*",
            "问题|故障|影响|毛病|异样",
        ),
        "that no record matched does not say that there is no problem",
    ),
    (
        _words(
            r"never|ever|anywhere|at all|impossible|cannot|whatsoever|always|not once|nowhere|nobody|no one|can['’]t|could not have",
            "从未|从来|绝不|绝无|根本|任何时候|不可能",
        ),
        "the query says nothing beyond its own window",
    ),
    (
        _words(
            r"else|everything|everyone|all(?: other)?|rest|entire(?:ly)?|whole|every|other(?:s|wise)?|only|any other|complete(?:ly)? free",
            "一切|全部|其他|其它|所有|其余|整个|只有",
        ),
        "the query says nothing of what it did not ask for",
    ),
    (
        _words(
            r"(?:no|any|not|zero) (?:\w+ )?(?:evidence|signs?|indications?|hints?|traces?|symptoms?|proof) (?:of|that|for|pointing|to)"
            r"|happen\w*|occur\w*|took place|exist\w*|absen\w+|free of|free from|lack(?:s|ed|ing)?|missing|experienc\w*|suffer\w*"
            r"|encounter\w*"
            r"|fail(?:s|ed)? to occur",
            "发生|出现|存在|缺失|不含|不是|并非|没有任何(?!匹配)|遇到",
        ),
        "it says what was, and a query that matched nothing does not tell",
    ),
)
_DENIED = re.compile(
    r"\b(?:did|does|do|was|were|is|are|has|have|had)(?:\s+not|n['’]t)\s+(?:yet\s+|been\s+|any\s+)*(?P<verb>\w+)",
    re.IGNORECASE,
)
_STATED = re.compile(
    r"\b(?:is|are|remains?|remained|stays?|stayed|kept|keeps|seems?|looks?|appears?)\s+(?!not\b)(?:(?:the|a|an|still|now)\s+)?(?P<state>[a-z]+)",
    re.IGNORECASE,
)
_PASSIVE = words.table(
    "found matched returned retrieved searched queried given asked shown listed empty none no zero nothing limited scoped"
)
# Words of any query and of its answer; the rest has to be what was asked.
ASKING = words.table(
    "evidence query queried queries search searched searches request requested window windows period range interval span given specified "
    "stated asked scope scoped limited filter filters filtered term terms pattern patterns keyword keywords group groups stream streams "
    "line lines record records entry entries log logs event events message messages result results row rows hit hits item items document "
    "document documents runbook runbooks page pages case cases trace traces spans datapoint datapoints series "
    "point points level levels match matches matched "
    "matching nothing answer answered returned output empty tool call source sources index knowledge base data utc dated named contain "
    "containing contained mention mentioning mentions come came back yield yielded between until end start whose looked look lookup up "
    "change changes deploy deploys deployment deployments alarm alarms metric metrics error errors warning warnings exception exceptions"
)
ECHO = re.compile(r"\((?P<asked>\w{1,40}=.*)\)", re.DOTALL)


def complaints(said: Saying, cited: Sequence[Record]) -> Iterator[Complaint]:
    """An absence claim is worded as a result of its query, and names only what the query named. It is never more than PARTIAL."""
    yield Complaint(CheckResult.PARTIAL, "all that is shown is that this query matched nothing", said.text)
    own = _own_words(said.text, cited)
    plain = _without_names(said, own)
    if not SCOPED.search(plain):
        yield _over("it is worded as a fact and not as the result of a query", said.text)
    if not NOTHING.search(plain):
        yield _over("it does not say that nothing was found, and nothing was", said.text)
    for pattern, why in OVERREACH:
        if found := pattern.search(plain):
            yield _over(f"{found[0]!r}: {why}", found[0])
    yield from _stated(plain)
    yield from _outside(said, own, cited)


def _own_words(text: str, cited: Sequence[Record]) -> str:
    """The claim without what it repeats of its query: the parameters in brackets, and quoted words that were asked for."""
    raw = frozenset().union(*(r.raw_words for r in cited))

    def kept(found: re.Match[str]) -> str:
        asked = words.words(found[0])
        whole, last = asked[:-1], asked[-1] if asked else ""
        echo = all(w in raw for w in whole) and any(w.startswith(last) for w in raw)
        return " " * len(found[0]) if echo else found[0]

    return QUOTE.sub(kept, ECHO.sub(kept, text))


def _without_names(said: Saying, own: str) -> str:
    """`order-service` puts nothing in order."""
    chars = list(own)
    for name in (n for n in said.names if n.hard):
        chars[name.span[0] : name.span[1]] = " " * (name.span[1] - name.span[0])
    return "".join(chars)


def _stated(own: str) -> Iterator[Complaint]:
    """What is denied or stated of anything but the search itself, and what is denied twice."""
    for found in _DENIED.finditer(own):
        if not SCOPED.match(found["verb"]) and found["verb"].lower() not in _PASSIVE:
            yield _over(f"{found[0]!r}: it says what was not, and a query that matched nothing does not tell", found[0])
    for found in _STATED.finditer(own):
        if found["state"].lower() not in _PASSIVE | (words.STOP - {"same"}) and not SCOPED.match(found["state"]):
            yield _over(f"{found[0]!r}: it says how something is, and a query that matched nothing does not tell", found[0])
    for part in re.split(r"[,;.:]\s|\b(?:and|but|nor|or)\b", own):
        if sum(w in words.NEGATIONS and w not in ("neither", "nor") for w in words.words(part)) > 1:
            yield _over(f"{part.strip()!r}: denied twice, it says that something was found", part.strip())


def _outside(said: Saying, own: str, cited: Sequence[Record]) -> Iterator[Complaint]:
    for name in said.names:
        if name.hard and _free(name.span, own) and not any(names.stands_in(name.text, r.names) for r in cited):
            yield _over(f"the query did not name {name.text}", name.text)
    for moment in said.moments:
        if _free(moment.span, own) and not any(times.same(moment, m) for r in cited for m in (*r.moments, *r.window)):
            yield _over(f"the query's window does not name {moment.text}", moment.text)
    for number in said.numbers:
        if number.value and _free(number.span, own) and not any(quantities.same(number, q) for r in cited for q in r.numbers):
            yield _over(f"the query did not name {number.text}", number.text)
    strange = _strange(own, said, cited)
    if len(strange) > 1:
        yield _over(f"the query did not ask for {', '.join(strange[:4])}", said.text)


def _free(span: tuple[int, int], own: str) -> bool:
    """Whether it stands in the claim's own words."""
    return bool(own[span[0] : span[1]].strip())


def _strange(own: str, said: Saying, cited: Sequence[Record]) -> list[str]:
    """Words that neither belong to asking nor were asked for."""
    have = frozenset().union(*(r.words for r in cited))
    named = {w for n in said.names for w in words.words(n.text)}
    asked = (w for w in words.content(own) if w.isascii() and w not in words.NEGATIONS and w not in ASKING and w not in named)
    return [w for w in dict.fromkeys(asked) if not SCOPED.match(w) and words.meaning(w) not in have]


def _over(reason: str, fact: str) -> Complaint:
    return Complaint(CheckResult.UNSUPPORTED, reason, fact)
