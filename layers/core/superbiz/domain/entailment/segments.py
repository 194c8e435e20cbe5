"""The parts of a claim that can each be invented: what is said, and the reasons, results and circumstances that are added to it.

A joint is a word that begins such a part. What a joint begins is judged by itself, however much of the rest the record carries.
"""

import re
from collections.abc import Iterator
from enum import Enum
from typing import NamedTuple

from superbiz.domain.reading import words
from superbiz.domain.reading.parts import QUOTE, Saying


class Joint(Enum):
    """How a part hangs on the rest: it is the statement itself, a reason or result of it, or a circumstance."""

    SAID = "said"
    BOUND = "bound"
    BESIDE = "beside"


class Segment(NamedTuple):
    """`content` are its words that state something. `named`: a name, number, time or quotation is in it. `opens`: it begins the claim."""

    joint: Joint
    text: str
    content: tuple[str, ...]
    named: bool
    opens: bool = False


_BOUND = (
    r"because(?: of)?|due to|owing to|thanks to|caused by|as a result of|on account of|attributed to|triggered by|brought on by|led to"
    r"|leading to|resulting (?:from|in)|which|so that|thereby|hence|therefore|thus"
)
_BESIDE = (
    r"after|following|during|while|whilst|when(?:ever)?|until|once|amid|amidst|under|despite|without|with|for|on|onto|across|inside"
    r"|throughout|through|via|from|in|within|before|since|as|into|upon|where|whose|who|although|though|whereas|against|among"
)
_ADDED = r"[,;:]\s+(?=(?:then\s|thus\s|thereby\s|also\s|and\s)?(?:\w{2,20}ly\s)?\w{2,20}ing\b)|\s-{1,2}\s|[;(—–]\s?|,\s+so\b"
_CHINESE = "因为|由于|归因于|是因|导致|造成|引发|引起|致使|从而|因此|所以|使得|以致|进而|因而"
_PLAIN = r"[,:)]\s|\.\s|\n|\b(?:and|or|but|then)\b|[，；。：、（）]|并且|而且|同时|随后|然后|并(?!未|非)"
JOINT = re.compile(rf"(?P<bound>\b(?:{_BOUND})\b|{_CHINESE}|{_ADDED})|(?P<beside>\b(?:{_BESIDE})\b)|(?P<plain>{_PLAIN})", re.IGNORECASE)
# Kinds of things. Elsewhere they say little ("the service fails"); as what is added they are all that is said ("on the new nodes").
THINGS = words.table(
    "node nodes host hosts pod pods container containers server servers database databases function functions instance instances "
    "endpoint endpoints data message messages call calls resource resources component system operation lines logs"
)
LIGHT = (words.STOP | words.FRAMING) - THINGS
# Such words tell how much or how sure, and nothing of what.
MANNER = words.table(
    "about roughly exactly only just clearly apparently probably possibly likely currently also well far long while time "
    "times moment same run running ran put putting get got getting give gave given threw thrown throws keep kept held hold "
    "holds holding let leave leaving wait waits waited waiting order fact case way kind number numbers amount total least "
    "most part rest side deviates deviate deviated differ differs differed minute minutes second seconds hour hours day days need needs "
    "needed hit hits lie lies lay lain away account alone mean means meant turn turns turned end ends stretch early late soon whole "
    "measure measured measures count counts counted gave figure figures find finds rank ranks ranked share shares sort hand place places "
    "shortly close near move moves moved hardly just otherwise else"
)
# A word before a name that only says of what kind the named thing is.
KIND = (
    "request|query|queue|alarm|table|topic|bucket|invocation|job|task|target group|consumer group|log group|security group|group|cluster"
    "|pool|region|zone|account|user|actor|role|image|tag|stack|version|release|revision|metric|gauge|counter|index|shard|partition|key|host|port"
)
_KIND = re.compile(rf"\b(?:{KIND})(?:\sof)?\s(?=[\x00\"'“`(])", re.IGNORECASE)
_MARK = "\x00"
_MARKED = re.compile(rf"\s*(?:the\s|about\s|only\s)?{_MARK}")  # "after 30 s waiting": what follows is no longer what came after


def segments(said: Saying) -> Iterator[Segment]:
    """The claim's parts in order. What the other rules check (quotations, names, numbers, times) is marked and not counted as words."""
    text, start, joint = _plain(said), 0, Joint.SAID
    for found in JOINT.finditer(text):
        yield from _segment(joint, text[start : found.start()], opens=not text[:start].strip())
        joint = _kind(found, text[start : found.start()], joint)
        start = found.end()
    yield from _segment(joint, text[start:], opens=not text[:start].strip())


def _kind(found: re.Match[str], before: str, was: Joint) -> Joint:
    """ "For 20 s and then …": a plain joint goes on as what it stands beside, where that is a reason; else something new is said."""
    if found["bound"]:
        return Joint.BOUND
    if found["beside"]:
        return Joint.BOUND if was is Joint.BOUND and not before.strip() else Joint.BESIDE
    return Joint.BOUND if was is Joint.BOUND and found[0].strip().lower() in ("and", "or") else Joint.SAID


def _segment(joint: Joint, text: str, *, opens: bool) -> Iterator[Segment]:
    found = tuple(w for w in words.words(_KIND.sub(" ", text).replace(_MARK, " ")) if _states(w))
    if joint is Joint.BESIDE and _MARKED.match(text):
        joint = Joint.SAID
    if found:
        yield Segment(joint, " ".join(text.replace(_MARK, " ").split()), found, _MARK in text, opens)


def _states(word: str) -> bool:
    return word not in LIGHT and word not in MANNER and not word.isdigit() and (len(word) > 1 or not word.isascii())


def _plain(said: Saying) -> str:
    chars = list(QUOTE.sub(lambda found: _MARK * len(found[0]), said.text))
    for start, end in (*(m.span for m in said.moments), *(n.span for n in said.names if n.hard), *(q.span for q in said.numbers)):
        chars[start:end] = _MARK * (end - start)
    return "".join(chars)
