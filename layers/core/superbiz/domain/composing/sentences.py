"""The sentences of an answer: where each begins and ends, under which heading it stands, what it cites."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from superbiz.domain.composing import headings
from superbiz.domain.composing.markup import unescaped

CODE = re.compile(r"(?<![\\`])(`+)(?!`)(.+?)(?<!`)\1(?!`)")
CITED = re.compile(r"(?<!\\)\[(\d{1,6})\]")
_MARK = re.compile(rf"\s*{CITED.pattern}")
_MARKS = r"(?:\s*(?<!\\)\[\d{1,6}\])*"
_END = re.compile(rf"(?:(?<!\be\.g)(?<!\bi\.e)(?<!\bvs)(?<!\bapprox)[.!?][\"'”’)*_]*{_MARKS}[.]?(?=\s|\Z)|[。！？][\"”’」)]*{_MARKS})\s*")
_LEAD = re.compile(r"\s*(?:[>*+-]\s+|\d{1,9}[.)]\s+)*")


class Sentence(NamedTuple):
    """`start` and `end` count code points of the answer; `text` is that passage, its bullet left out."""

    under: str
    text: str
    start: int
    end: int

    @property
    def citations(self) -> tuple[int, ...]:
        return tuple(dict.fromkeys(int(n) for n in CITED.findall(CODE.sub(" ", self.text))))

    @property
    def said(self) -> str:
        """What a reader reads, without citations and marks of emphasis. A name in code is a name; a passage in code is a quotation."""
        text = _MARK.sub("", CODE.sub(lambda found: _spoken(found[2].strip()), self.text))
        return " ".join(unescaped(text.replace("**", "")).split())


def _spoken(passage: str) -> str:
    text = passage.replace("[", "\\[")
    return f'"{text}"' if " " in text and '"' not in text else text


def lines_of(answer: str) -> Iterator[Sentence]:
    """Each line of text whole, without its bullet."""
    for under, line, at in headings.placed(answer):
        lead = _LEAD.match(line)
        start = lead.end() if lead else 0
        text = line[start:].rstrip()
        if text:
            yield Sentence(under, text, at + start, at + start + len(text))


def split(line: Sentence) -> Iterator[Sentence]:
    """The sentences of a line. Full stops inside code end none; citation marks belong to the sentence before them."""
    masked = CODE.sub(lambda found: "x" * len(found[0]), line.text)
    at = 0
    for found in _END.finditer(masked):
        yield from _part(line, at, found.end())
        at = found.end()
    yield from _part(line, at, len(masked))


def _part(line: Sentence, start: int, end: int) -> Iterator[Sentence]:
    text = line.text[start:end].rstrip()
    if text.strip():
        yield Sentence(line.under, text, line.start + start, line.start + start + len(text))
