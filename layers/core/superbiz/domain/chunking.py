"""From a document to chunks: at headings first, then at paragraphs, then at sentences; at most 800 characters, overlapping by up to 100.

A chunk's text stands word for word in the document, so that it can be cited. Within a section nothing but white space between chunks
is left out. A code fence that fits into a chunk is never cut; one that does not is cut between lines.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from superbiz.domain import ids, keys, markdown
from superbiz.domain.knowledge import Chunk
from superbiz.domain.markdown import Meta, Section

MAX_CHARS = 800
OVERLAP = 100
MAX_UNIT = MAX_CHARS - OVERLAP
HEADING_JOIN = " > "
MAX_PATH = 500
MAX_TITLE = 200

_CLOSERS = "\"'”’」』）)\\]》*_`"
_SENTENCE_END = re.compile(rf"[。！？；…][{_CLOSERS}。！？；…]*\s*|[.!?;][{_CLOSERS}]*\s+")
_LINE_END = re.compile(r"\n")
_WORD_END = re.compile(r"\s(?=\S)")
_PROSE = (_SENTENCE_END, _LINE_END, _WORD_END)
_CODE = (_LINE_END, _WORD_END)


class Parsed(NamedTuple):
    """A document as it was read. `pieces` are (heading path, text), in order."""

    title: str
    titles: tuple[str, ...]
    meta: Meta
    pieces: tuple[tuple[str, str], ...]


class _Block(NamedTuple):
    """A paragraph with the blank lines after it, or a code fence: `start` to `end`."""

    start: int
    end: int
    code: bool


def parse(filename: str, text: str, title: str = "") -> Parsed:
    """Front matter, title (the one given, else front matter's, else the first heading's, else the file's name) and pieces of a document."""
    meta, body = markdown.front_matter(markdown.plain(text))
    marked = not filename.lower().endswith(".txt")
    titles = (*meta.get("title", ())[:1], *(markdown.titles(body) if marked else ()))
    title = next((t for t in (title, *titles) if t.strip()), keys.stem(filename))[:MAX_TITLE]
    sections = markdown.sections(body) if marked else [Section((), 0, len(body))]
    pieces = tuple((_heading(title, s.path), piece) for s in sections for piece in split(body[s.start : s.end]))
    return Parsed(title, titles, meta, pieces)


def chunks(document_id: str, version: str, pieces: Sequence[tuple[str, str]]) -> tuple[Chunk, ...]:
    """The pieces with ids that follow from document, version and position: the same input, the same chunks."""
    return tuple(
        Chunk(
            chunk_id=ids.derived("chunk", document_id, version, n),
            document_id=document_id,
            version=version,
            position=n,
            heading=heading,
            text=text,
        )
        for n, (heading, text) in enumerate(pieces)
    )


def split(text: str) -> list[str]:
    """The text of one section as pieces of at most 800 characters."""
    pieces = (text[start:end].strip("\n").rstrip() for start, end in spans(text))
    return [piece for piece in pieces if piece.strip()]


def spans(text: str) -> list[tuple[int, int]]:
    """Spans that cover the text in order; each begins up to 100 characters before the end of the one before it."""
    blocks = _blocks(text)
    fences = [0, *(b.end for b in blocks if b.code)]
    found: list[tuple[int, int]] = []
    start = at = 0
    for _, end in _units(text, blocks):
        if len(text[start:end].strip("\n").rstrip()) > MAX_CHARS:
            found.append((start, at))
            start = _overlap(text, at, at + len(text[at:end].rstrip()), fences)
        at = end
    return [*found, (start, at)]


def _units(text: str, blocks: Sequence[_Block]) -> Iterator[tuple[int, int]]:
    """What is not cut: whole blocks where they fit, else parts of them. Only a whole fence leaves no room for the overlap."""
    for block in blocks:
        length = len(text[block.start : block.end].rstrip())
        if length <= (MAX_CHARS if block.code else MAX_UNIT):
            yield block.start, block.end
        else:
            yield from _cut(text, block.start, block.end, _CODE if block.code else _PROSE)


def _cut(text: str, start: int, end: int, ways: Sequence[re.Pattern[str]]) -> Iterator[tuple[int, int]]:
    """Cut at the first way's places; what is still too long at the next way's; at last anywhere."""
    if end - start <= MAX_UNIT:
        yield start, end
    elif not ways:
        yield from ((n, min(n + MAX_UNIT, end)) for n in range(start, end, MAX_UNIT))
    else:
        at = start
        for place in [*(m.end() for m in ways[0].finditer(text, start, end)), end]:
            if place > at:
                yield from _cut(text, at, place, ways[1:])
                at = place


def _overlap(text: str, at: int, reach: int, fence_ends: Sequence[int]) -> int:
    """Where the chunk that goes on at `at` begins: at a sentence, else at a word, of the 100 characters before `at`.

    Not inside a code fence, and not so early that its next unit, which reaches to `reach`, makes it too long.
    """
    behind = fence_ends[bisect_right(fence_ends, at) - 1]
    earliest = max(at - OVERLAP, behind, reach - MAX_CHARS, 0)
    for way, least in ((_SENTENCE_END, OVERLAP // 3), (_WORD_END, 1)):
        starts = [m.end() for m in way.finditer(text, max(earliest - 1, 0), at)]
        fitting = [n for n in starts if earliest <= n <= at - least]
        if fitting:
            return fitting[0]
    return earliest


def _blocks(text: str) -> list[_Block]:
    """Paragraphs and fences: a block opens where a fence opens or ends, and at text after a blank line."""
    starts: list[tuple[int, bool]] = []
    fence, blank = -1, False
    for line in markdown.lines_of(text):
        filled = bool(line.text.strip())
        if line.fence != fence or (blank and filled and not fence):
            starts.append((line.start, line.fence > 0))
        fence, blank = line.fence, not filled
    ends = [start for start, _ in starts[1:]] + [len(text)]
    return [_Block(start, end, code) for (start, code), end in zip(starts, ends, strict=True)]


def _heading(title: str, path: tuple[str, ...]) -> str:
    """The title and the headings above, without the title twice."""
    if not path or keys.normalised(path[0]) != keys.normalised(title):
        path = (title, *path)
    return HEADING_JOIN.join(path)[:MAX_PATH]
