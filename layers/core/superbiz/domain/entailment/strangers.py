"""Whom a claim speaks of, where the name is an ordinary word that no field of the records holds ("shipping failed")."""

import re
from collections.abc import Iterator, Sequence

from superbiz.domain.entailment import calibration
from superbiz.domain.reading import general, words
from superbiz.domain.reading.parts import Record, Saying

_X = r"(?P<x>[A-Za-z][a-z]{2,})(?![A-Za-z])"
_KIND = (
    "containers?|services?|pods?|hosts?|nodes?|deployments?|queues?|functions?|lambdas?|databases?|clusters?|topics?|jobs?|alarms?|"
    "brokers?|caches?|workers?|instances?|tables?"
)
# Places in a sentence where the name of a thing stands.
SLOTS = (
    re.compile(rf"\A{_X}(?=\s(?:is|was|has|had|are|were|did|could|does|[a-z]+ed|took|ran|got|saw|threw|lost|went)\b)"),
    re.compile(rf"(?<![\w./-]){_X}(?=['’]s\s)"),
    re.compile(
        rf"\b(?:of|from|by|on|to|for|in|at)\s{_X}(?=\s*(?:$|[,.;:]|\d|(?:is|was|has|had|are|were|did|to|with|at|after|in|for|and|from|the|an?|[a-z]+ed|rose|fell|grew|saw|ran|took|went|got)\b))"
    ),
    re.compile(rf"\b(?:[Tt]he|a|of|all)\s{_X}(?=\s(?:{_KIND})\b)"),
    re.compile(rf"%\sof\s{_X}(?=\s(?:requests?|calls?|queries|errors?|traffic|jobs|messages)\b)"),
    re.compile(rf"(?<![\w./-]){_X}(?=\s?[\u4e00-\u9fff])"),
    re.compile(rf"(?<=[\u4e00-\u9fff])\s?{_X}(?![\w./-])"),
)
# "To enroll at the …", "for violating the …": what is done, no name.
_PHRASE = re.compile(r"\b(?:to [a-z]{3,30}|(?:of|for|by|in|at|on|from) [a-z]{2,30}ing)(?=\s(?:the|an?|its|their|his|her|this|that)\b)")
_LOWER_START = re.compile(rf"\A{_X}(?=\s)")


def in_claim(said: Saying, cited: Sequence[Record]) -> Iterator[str]:
    """Words in the place of a name that neither the records hold nor the language of operations knows."""
    if calibration.is_prose(cited):
        return  # running text tells of things in words that no table knows
    text = _PHRASE.sub(" ", _plain(said))
    found = {m["x"] for slot in SLOTS for m in slot.finditer(text)}
    start = _LOWER_START.match(text)
    if start and start["x"].islower() and not any(n.hard and n.text.casefold() in r.names for n in said.names for r in cited):
        found.add(start["x"])
    yield from sorted(x for x in found if _strange(x, cited))


def _plain(said: Saying) -> str:
    text = said.text
    for start, end in [m.span for m in said.moments] + [n.span for n in said.names if n.hard]:
        text = text[:start] + "_" * (end - start) + text[end:]
    return text


def _strange(word: str, cited: Sequence[Record]) -> bool:
    return not general.is_general(word) and not any(words.carried(word.lower(), r.words) for r in cited)
