"""The words of a text, as they are compared: case and width folded, compounds taken apart, plain endings dropped, Chinese in pairs.

`KubeAPIDown`, `kube-api-down` and `Kube API is down` share their words; a compound also counts as a whole.
"""

import re
import unicodedata
from collections.abc import Iterator

_RUN = re.compile(r"[^\W_]+(?:[-_.][^\W_]+)*")
_JOINT = re.compile(r"[-_.]")
_IDEOGRAPHS = re.compile(r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff]+")
_HUMP = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|[0-9]+")
_ENDINGS = ("ing", "ed", "es", "s", "e")
_LEAST_STEM = 3


def of(text: str) -> list[str]:
    """All words, in order, as often as they occur."""
    return [word for run in _RUN.finditer(unicodedata.normalize("NFKC", text)) for word in _of_run(run[0])]


def taken_apart(text: str) -> str:
    """The text, and the parts of its compounds after it: for an index whose own tokenizer does not take them apart."""
    runs = (_parts(run[0]) for run in _RUN.finditer(unicodedata.normalize("NFKC", text)))
    return " ".join([text, *(part for parts in runs if len(parts) > 1 for part in parts)])


def _of_run(run: str) -> Iterator[str]:
    parts = _parts(run)
    for part in parts:
        if _IDEOGRAPHS.fullmatch(part):
            yield from _pairs(part)
        else:
            yield _stem(part.casefold())
    if len(parts) > 1 and run.isascii():
        yield "".join(parts).casefold()


def _parts(run: str) -> list[str]:
    return [
        hump for piece in _JOINT.split(run) for part in _by_script(piece) for hump in (_HUMP.findall(part) if part.isascii() else [part])
    ]


def _by_script(piece: str) -> list[str]:
    return [part for part in re.split(f"({_IDEOGRAPHS.pattern})", piece) if part]


def _pairs(run: str) -> list[str]:
    return [run[n : n + 2] for n in range(len(run) - 1)] or [run]


def _stem(word: str) -> str:
    """Plural and verb endings dropped; what remains has at least three letters."""
    if not word.isascii() or word.endswith("ss"):
        return word
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= _LEAST_STEM:
            return word[: -len(ending)]
    return word
