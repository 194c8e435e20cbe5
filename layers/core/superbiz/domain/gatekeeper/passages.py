"""Rules on the words that a citation quotes: where they stand in the node's text, and whether they are enough to carry anything."""

import re
import unicodedata
from collections.abc import Callable, Iterator
from typing import NamedTuple

from superbiz.domain.gatekeeper.book import normalised
from superbiz.domain.gatekeeper.rule import Citation
from superbiz.domain.reading import times, words

MIN_EXCERPT = 12
CJK_WEIGHT = 3  # a Chinese character says about as much as three letters
SHOWN = 120
MAX_PLACES = 10_000
_DIFF_LIMIT = 200_000
PART = 16_384
_EDGE = re.compile(r"[\x00-\x7f\u3400-\u9fff]")  # nothing before such a character is altered by it in the normal form
# Scripts that set no blanks between words: a passage of them may begin and end at any character.
_UNSPACED = re.compile(rf"[{words.CJK}\u0e00-\u0eff\u1000-\u109f\u1100-\u11ff\u1780-\u17ff\uac00-\ud7af]")
_WORD = re.compile(r"[^\W\d_]+")
_FRACTION = re.compile(r"\d[.,]\Z")
_SIGN = re.compile(r"(?<![\w)\]])[-−]\Z")
_PART_OF_DATE = re.compile(r"\d{1,4}[-/]\d{1,2}(?:[-/]\d{1,4})?")
# How loud a line is, when and by whom it was written: every line has that, so quoting it alone proves nothing.
BOILERPLATE = words.STOP | words.table(
    "error errors err fatal severe critical warn warning info debug trace notice level severity loglevel log logger message msg "
    "timestamp time date utc gmt z t null none true false"
)


class Place(NamedTuple):
    """Code points of a text, the end excluded."""

    start: int
    end: int


def too_short(c: Citation) -> str | None:
    """The words that it takes to carry something, or the whole leaf: "12" is no citation of "128"."""
    if c.silent or _weight(c.excerpt) >= MIN_EXCERPT or (c.excerpt and c.excerpt == c.text):
        return None
    return f"expected at least {MIN_EXCERPT} characters or the whole text at {c.where}, found {c.excerpt!r}"


def mismatch(c: Citation) -> str | None:
    unheard = c.silent and c.book.ref_text(c.binding.invocation_id, c.binding.raw_path) is None
    if unheard or c.excerpt in c.text:
        return None
    return f"expected {c.excerpt[:SHOWN]!r} in {c.where}; {_difference(c.excerpt, c.text)}"


def cut(c: Citation) -> str | None:
    """A passage that ends inside a word or a number is none: "after 3000" is not in "after 30000ms"."""
    if c.silent or not c.excerpt or whole_at(c.excerpt, c.text) is not None:
        return None
    at = c.text.index(c.excerpt)
    end = at + len(c.excerpt)
    around = c.text[max(0, at - 20) : end + 20] if _cuts(c.text, end) else c.text[max(0, at - 20) : at + 40]
    return f"expected whole words and numbers of {c.where}; the excerpt {c.excerpt[:SHOWN]!r} cuts one of {around!r}"


def boilerplate(c: Citation) -> str | None:
    """The whole of a leaf may be a number, a time or a truth value; never the loudness of a line alone."""
    if c.silent or not _says_nothing(c.excerpt, whole=c.excerpt == c.text):
        return None
    return f"expected words or values that carry something; the excerpt {c.excerpt[:SHOWN]!r} of {c.where} is what every line has"


def place_of(excerpt: str, text: str, flat: str) -> Place | None:
    """Where the excerpt stands in a node's text as it was recorded, `flat` being its normal form; None where it does not."""
    exact = whole_at(excerpt, text) if excerpt == excerpt.strip() else None
    if exact is not None:
        return Place(exact, exact + len(excerpt))
    wanted = normalised(excerpt)
    at = whole_at(wanted, flat) if wanted else None
    if at is None:
        return None
    first = _solid(flat[:at])
    start, end = _nth(first, text), _nth(first + _solid(wanted) - 1, text) + 1
    while end < len(text) and unicodedata.combining(text[end]):
        end += 1
    return Place(start, end)


def whole_at(excerpt: str, text: str) -> int | None:
    """The first place of the text that holds the excerpt without cutting a token. A text of endless repeats is given up on."""
    return next((at for at in _places(excerpt, text) if not _cuts(text, at) and not _cuts(text, at + len(excerpt))), None)


def _places(excerpt: str, text: str) -> Iterator[int]:
    at = text.find(excerpt)
    for _ in range(MAX_PLACES):
        if at < 0:
            return
        yield at
        at = text.find(excerpt, at + 1)


def _cuts(text: str, at: int) -> bool:
    """Whether a token goes on across this place: letters and digits of one word, the parts of a number, a number and its sign."""
    if not 0 < at < len(text):
        return False
    before, after = text[at - 1], text[at]
    if before.isalnum() and (after.isalnum() or unicodedata.combining(after)):
        return not (_UNSPACED.match(before) or _UNSPACED.match(after))
    if after.isdigit():
        return bool(_FRACTION.search(text[max(0, at - 2) : at]) or _SIGN.search(text[max(0, at - 2) : at]))
    return before.isdigit() and after in ".," and text[at + 1 : at + 2].isdigit()


def _weight(excerpt: str) -> int:
    return len(excerpt) + (CJK_WEIGHT - 1) * len(_UNSPACED.findall(excerpt))


def _says_nothing(excerpt: str, *, whole: bool) -> bool:
    if whole:
        return excerpt.lower() in BOILERPLATE - {"true", "false", "null", "none"} and not excerpt.isdigit()
    rest = _PART_OF_DATE.sub(" ", times.blanked(excerpt))
    return not any(w.lower() not in BOILERPLATE for w in _WORD.findall(rest)) and not any(ch.isdigit() for ch in rest)


def _solid(text: str) -> int:
    """How many characters the normal form has, white space apart."""
    return sum(map(len, unicodedata.normalize("NFC", text).split()))


def _within(part: str, wanted: int) -> int:
    return _last(lambda i: _solid(part[:i]) <= wanted, len(part))


def _nth(wanted: int, text: str) -> int:
    """Where the recorded text has that character of its normal form, white space apart. Read part by part: one pass, however long."""
    begin = 0
    while True:
        edge = _EDGE.search(text, begin + PART)
        part = text[begin : edge.start()] if edge else text[begin:]
        size = _solid(part)
        if wanted < size or not edge:
            return begin + _within(part, wanted)
        wanted, begin = wanted - size, edge.start()


def _last(holds: Callable[[int], bool], size: int) -> int:
    """The last place for which it holds, where it holds of all before."""
    low, high = 0, size
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if holds(middle) else (low, middle)
    return low


def _difference(excerpt: str, text: str) -> str:
    """Where the excerpt leaves the record: the longest beginning that the record has, and what follows in each."""
    if len(text) > _DIFF_LIMIT:
        return "the record has no such passage"
    agreed = _last(lambda n: excerpt[:n] in text, len(excerpt) + 1)
    if agreed < MIN_EXCERPT // 2:
        return f"the record reads {text[:SHOWN]!r}"
    at = text.index(excerpt[:agreed]) + agreed
    before, record, cited = excerpt[max(0, agreed - 40) : agreed], text[at : at + 40], excerpt[agreed : agreed + 40]
    return f"after {before!r} the record reads {record!r}, the excerpt {cited!r}"
