"""Skeletons of raw log lines, made over whole blocks of lines at once: every run of digits is one 0, and so is every id of letters and
digits; of a path or URL only its beginning is left.

Lines that differ in such parts alone share a skeleton, so that the slow work of reading a line is done once for thousands of lines.
"""

import re
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Bytes = NDArray[np.uint8]
Places = NDArray[np.intp]
Marks = NDArray[np.bool_]

SHORTEST_ID = 6  # characters of an id that stands alone
FEWEST_DIGITS = 2  # in a hexadecimal one: words such as `decade` have none
FEWEST_NUMBERS = 2  # in any other, with letters between: `Log4j` and `sha256` have one
SHORTEST_PIECED = 17  # of one in pieces, as MAC addresses (17) and UUIDs (36) are
FEWEST_PIECES = 4
ZERO, SLASH, COLON = map(ord, "0/:")
_DIGIT, _HEX, _LETTER, _ENDING, _OPENING, _CLOSING = 1, 2, 4, 8, 16, 32
_ALNUM = _DIGIT | _HEX | _LETTER
_JOINING = b"-:"
SOURCES = "java|kt|scala|py|go|js|mjs|ts|rb|cs|php|rs|cc|cpp|c"
# A line of code tells statements apart, so its number stays: `Orders.java:41`, `OrderService#41`.
_IN_FILE = re.compile(rb"\.(?:%b):(\d{1,5})\b" % SOURCES.encode())
_IN_CLASS = re.compile(rb"#(\d{1,5})\b")


def _classes() -> bytes:
    table = np.zeros(256, np.uint8)
    for letters, kind in ((b"ghijklmnopqrstuvwxyz", _LETTER), (b"abcdef", _HEX)):
        table[list(letters)] = table[list(letters.upper())] = kind
    table[list(b"0123456789")] = _DIGIT
    table[list(b" \t\n\r\"'<>,;()[]{}|`")] |= _ENDING  # what ends a path
    table[list(b" \t\n\r\"'([{=,")] |= _OPENING  # what stands before one
    table[list(b".:!?")] |= _CLOSING  # what ends a sentence, and no path
    return table.tobytes()


_CLASS = _classes()
_ZEROED = bytes.maketrans(b"123456789", b"000000000")


class _Spans(NamedTuple):
    """Where parts of a block start and end. Runs of characters count their places from the padding on: there is always a character
    before a run, and one after it."""

    starts: Places
    ends: Places

    @property
    def lengths(self) -> Places:
        return self.ends - self.starts

    def only(self, marks: Marks) -> "_Spans":
        return _Spans(self.starts[marks], self.ends[marks])

    def holding(self, places: Places) -> Places:
        """How many of the places (in order) lie in each."""
        count: Places = np.searchsorted(places, self.ends) - np.searchsorted(places, self.starts)
        return count

    def inside(self) -> Places:
        """All places in them."""
        lengths = np.maximum(self.lengths, 0)
        before = np.cumsum(lengths) - lengths
        found: Places = np.arange(int(lengths.sum())) + np.repeat(self.starts - before, lengths)
        return found


def collapsed(block: bytes, *, placed: bool = False) -> bytes:
    """The block with its line breaks kept. `placed`: numbers that name a line of code stay as they are."""
    if not block:
        return block
    given = np.frombuffer(block, np.uint8)
    padded = np.frombuffer((b"\n%b\n" % block).translate(_CLASS), np.uint8)
    digit = padded == _DIGIT
    code = _lines_of_code(block) if placed else []
    out = np.frombuffer(bytearray(block.translate(_ZEROED)), np.uint8)
    dropped = (digit[1:] & digit[:-1])[:-1]
    for ids in _ids(given, padded, np.flatnonzero(digit)):
        out[ids.starts - 1] = ZERO
        dropped[_Spans(ids.starts, ids.ends - 1).inside()] = True
    dropped[_paths(given, padded, code).inside()] = True
    for start, end in code:
        out[start:end], dropped[start:end] = given[start:end], False
    kept: bytes = out[~dropped].tobytes()
    return kept


def _ids(given: Bytes, padded: Bytes, digits: Places) -> tuple[_Spans, ...]:
    """Those after 0x, other hexadecimal ones, and words of another kind."""
    words, hexadecimal = _runs(padded, _ALNUM), _runs(padded, _DIGIT | _HEX)
    closed = hexadecimal.only((padded[hexadecimal.ends] & _LETTER) == 0)
    whole = closed.only((padded[closed.starts - 1] & _LETTER) == 0)
    return _prefixed(given, closed), whole.only(_hexadecimal(given, whole, digits)), _mixed(words, digits)


def _runs(padded: Bytes, kinds: int) -> _Spans:
    inside = (padded & kinds) != 0
    edges = np.flatnonzero(inside[1:] != inside[:-1]) + 1
    return _Spans(edges[::2], edges[1::2])


def _mixed(words: _Spans, digits: Places) -> _Spans:
    """Words with several numbers inside, as only made-up ones have."""
    numbers = digits[np.concatenate(([True], np.diff(digits) > 1))] if len(digits) else digits
    of = np.bincount(np.searchsorted(words.starts, numbers, "right"), minlength=len(words.starts) + 1)[1:]
    several = words.only(of >= FEWEST_NUMBERS)
    return several.only((several.lengths >= SHORTEST_ID) & (several.holding(digits) < several.lengths))


def _hexadecimal(given: Bytes, words: _Spans, digits: Places) -> Marks:
    """Of words of hexadecimal characters the long ones of letters and digits, and the pieces of longer ids such as UUIDs."""
    ids = _pieced(given, words, digits)
    long = np.flatnonzero(words.lengths >= SHORTEST_ID)
    found = _Spans(words.starts[long], words.ends[long])
    of_digits = found.holding(digits)
    ids[long] |= (of_digits >= FEWEST_DIGITS) & (of_digits < found.lengths)
    return ids


def _prefixed(given: Bytes, runs: _Spans) -> _Spans:
    """Runs before which 0x stands."""
    x = np.flatnonzero((given[1:-1] | 32) == ord("x")) + 1
    after = x[given[x - 1] == ZERO] + 2  # places of runs count from the padding on
    return runs.only(np.isin(runs.starts, after)) if len(after) else runs.only(np.zeros(len(runs.starts), np.bool_))


def _pieced(given: Bytes, words: _Spans, digits: Places) -> Marks:
    """Pieces joined by `-` or `:` that together are long enough, and of letters and digits."""
    starts, ends = words
    if not len(starts):
        return np.zeros(0, np.bool_)
    between = given[ends[:-1] - 1]
    joined = (starts[1:] - ends[:-1] == 1) & ((between == _JOINING[0]) | (between == _JOINING[1]))
    first = np.flatnonzero(np.concatenate(([True], ~joined)))
    pieces = np.diff(np.append(first, len(starts)))
    groups = _Spans(starts[first], ends[first + pieces - 1])
    long = np.flatnonzero((pieces >= FEWEST_PIECES) & (groups.lengths >= SHORTEST_PIECED))
    found = _Spans(groups.starts[long], groups.ends[long])
    of_digits = found.holding(digits)
    whole = np.zeros(len(first), np.bool_)
    whole[long] = (of_digits > FEWEST_DIGITS) & (of_digits + pieces[long] - 1 < found.lengths)
    marks: Marks = np.repeat(whole, pieces)
    return marks


def _paths(given: Bytes, padded: Bytes, code: list[tuple[int, int]]) -> _Spans:
    """What follows the `/` that begins a path, and the `://` of a URL, up to its end. A path to a line of code stays."""
    slashes = np.flatnonzero(given == SLASH)
    absolute = slashes[(padded[slashes] & _OPENING) != 0]
    later = slashes[slashes > 1]
    urls = later[(given[later - 1] == SLASH) & (given[later - 2] == COLON)]
    starts = np.sort(np.concatenate((absolute, urls))) + 1
    endings = np.append(np.flatnonzero(padded[1:-1] & _ENDING), len(given))
    ends = endings[np.searchsorted(endings, starts)]
    ends -= (ends > starts) & ((padded[ends] & _CLOSING) != 0)
    for place, _ in code:
        at = int(np.searchsorted(starts, place)) - 1
        if at >= 0:
            ends[at] = ends[at] if ends[at] <= place else starts[at]
    return _Spans(starts, ends)


def _lines_of_code(block: bytes) -> list[tuple[int, int]]:
    spans = [m.span(1) for m in _IN_FILE.finditer(block)]
    return spans + [m.span(1) for m in _IN_CLASS.finditer(block) if block[m.start() - 1 : m.start()].isalpha()]
