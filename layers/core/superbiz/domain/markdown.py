"""Reading Markdown as far as knowledge needs it: front matter, headings, sections, code fences.

Text files are Markdown without headings. Sections are spans of the body, so that what is made of them can be cited word for word.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

MAX_HEADING = 200
MAX_FRONT_MATTER_LINES = 200

_ATX = re.compile(r" {0,3}(#{1,6})(?:[ \t]+(.*?))?(?:[ \t]+#+)?[ \t]*\Z")
_SETEXT = re.compile(r" {0,3}(=+|-+)[ \t]*\Z")
_FENCE = re.compile(r"[ \t]*(`{3,}|~{3,})(.*)\Z", re.DOTALL)
_FIELD = re.compile(r"([A-Za-z][\w-]*)[ \t]*:(?:[ \t]+(.*))?\Z")
_ITEM = re.compile(r"\s*-[ \t]+(.*)\Z")

Meta = dict[str, tuple[str, ...]]
Path = tuple[str, ...]


class Section(NamedTuple):
    """The body between two headings: `body[start:end]` under `path`, the headings above it."""

    path: Path
    start: int
    end: int


class Line(NamedTuple):
    """`text` is without its line end. `fence` counts the code fence that the line belongs to, 0 for none."""

    start: int
    end: int
    text: str
    fence: int


class _Heading(NamedTuple):
    level: int
    text: str
    start: int
    end: int


def plain(text: str) -> str:
    """The text with line ends `\\n` and no byte-order mark."""
    return text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")


def front_matter(text: str) -> tuple[Meta, str]:
    """(fields, body). Fields are scalars, `[a, b]` lists and `- a` lists, names in lower case with underscores; the rest is passed over."""
    lines = text.split("\n")
    if lines[0].rstrip() != "---":
        return {}, text
    last = next((n for n, line in enumerate(lines[1:MAX_FRONT_MATTER_LINES], 1) if line.rstrip() in ("---", "...")), None)
    if last is None:
        return {}, text
    return _fields(lines[1:last]), "\n".join(lines[last + 1 :])


def lines_of(body: str) -> Iterator[Line]:
    """The body's lines. A fence ends with as long a run of its mark, or with the text."""
    at, mark, count = 0, "", 0
    for text in body.split("\n"):
        end = min(at + len(text) + 1, len(body))
        found = _FENCE.match(text)
        if mark:
            yield Line(at, end, text, count)
            if found and found[1].startswith(mark) and not found[2].strip():
                mark = ""
        elif found and not (found[1][0] == "`" and "`" in found[2]):
            mark, count = found[1], count + 1
            yield Line(at, end, text, count)
        else:
            yield Line(at, end, text, 0)
        at = end


def sections(body: str) -> list[Section]:
    """The body cut at its headings, in order. A heading over nothing at all becomes the text of a section of its own."""
    headings = list(_headings(body))
    found = [Section((), 0, headings[0].start if headings else len(body))]
    path: list[_Heading] = []
    for n, heading in enumerate(headings):
        path = [h for h in path if h.level < heading.level] + [heading]
        following = headings[n + 1] if n + 1 < len(headings) else None
        end = following.start if following else len(body)
        bare = not body[heading.end : end].strip() and (following is None or following.level <= heading.level)
        found.append(Section(tuple(h.text for h in (path[:-1] if bare else path)), heading.start if bare else heading.end, end))
    return [s for s in found if body[s.start : s.end].strip()]


def titles(body: str) -> list[str]:
    """Its first heading of the first level, if any: what the author calls the page."""
    return [h.text for h in _headings(body) if h.level == 1][:1]


def _headings(body: str) -> Iterator[_Heading]:
    paragraph: list[Line] = []
    for line in lines_of(body):
        heading = None if line.fence or len(line.text) > MAX_HEADING else _heading(line, paragraph)
        if heading:
            yield heading
        paragraph = [] if heading or line.fence or not line.text.strip() else [*paragraph[:1], line]


def _heading(line: Line, paragraph: list[Line]) -> _Heading | None:
    """A line with hash marks, or the rule under a paragraph of one line."""
    atx = _ATX.match(line.text)
    if atx and atx[2]:
        return _Heading(len(atx[1]), atx[2].strip(), line.start, line.end)
    under = _SETEXT.match(line.text)
    if under and len(paragraph) == 1 and _may_be_underlined(paragraph[0]):
        return _Heading(1 if under[1][0] == "=" else 2, paragraph[0].text.strip(), paragraph[0].start, line.end)
    return None


def _may_be_underlined(line: Line) -> bool:
    """Text that is no list item, quote, table row or mark of its own."""
    return len(line.text) <= MAX_HEADING and not line.text.startswith(("    ", "\t")) and line.text.strip()[0] not in "-*+>|#=<`~"


def _fields(lines: list[str]) -> Meta:
    meta: dict[str, list[str]] = {}
    name = ""
    for line in lines:
        field, item = _FIELD.match(line), _ITEM.match(line)
        if field:
            name = field[1].lower().replace("-", "_")
            meta[name] = _values((field[2] or "").strip())
        elif item and name:
            meta[name].append(_scalar(item[1]))
    return {k: tuple(v for v in values if v) for k, values in meta.items()}


def _values(text: str) -> list[str]:
    if text.startswith("[") and text.endswith("]"):
        return [_scalar(part) for part in re.findall(r"\s*(\"[^\"]*\"|'[^']*'|[^,]+)", text[1:-1])]
    return [] if text in ("", "|", ">", "|-", ">-") else [_scalar(text)]


def _scalar(text: str) -> str:
    text = text.strip()
    if len(text) > 1 and text[0] in "\"'" and text[-1] == text[0]:
        return text[1:-1]
    return re.split(r"\s#", text, maxsplit=1)[0].strip()
