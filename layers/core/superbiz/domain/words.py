"""Texts taken apart into runs of letters, and runs into the parts that compounds are made of: by case, by joints, by script."""

import re
import unicodedata
from collections.abc import Iterator

_RUN = re.compile(r"[^\W_]+(?:[-_.][^\W_]+)*")
_JOINT = re.compile(r"[-_.]")
_IDEOGRAPHS = re.compile(r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff]+")
_HUMP = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|[0-9]+")


def runs(text: str) -> Iterator[tuple[str, list[str]]]:
    """Each run of letters and digits as it is written, with its parts. Width is folded, case is not."""
    return ((run[0], _parts(run[0])) for run in _RUN.finditer(unicodedata.normalize("NFKC", text)))


def taken_apart(text: str) -> str:
    """The text, and the parts of its compounds after it: for an index whose own tokenizer does not take them apart."""
    return " ".join([text, *(part for _, parts in runs(text) if len(parts) > 1 for part in parts)])


def is_ideographic(part: str) -> bool:
    """Whether a part is of a script without spaces between words."""
    return _IDEOGRAPHS.fullmatch(part) is not None


def pairs(part: str) -> list[str]:
    """The overlapping pairs of characters of such a part; a single one is itself."""
    return [part[n : n + 2] for n in range(len(part) - 1)] or [part]


def _parts(run: str) -> list[str]:
    return [
        hump for piece in _JOINT.split(run) for part in _by_script(piece) for hump in (_HUMP.findall(part) if part.isascii() else [part])
    ]


def _by_script(piece: str) -> list[str]:
    return [part for part in re.split(f"({_IDEOGRAPHS.pattern})", piece) if part]
