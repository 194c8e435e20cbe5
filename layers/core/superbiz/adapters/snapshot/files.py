"""Reading of a world's files. What is broken is refused with file, place and mend; nothing is guessed."""

import gzip
import json
import os
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from superbiz.domain import canonical
from superbiz.errors import Invalid

BROKEN_WORLD = "BROKEN_WORLD"
MAX_LINE = 16 * 1024 * 1024
BLOCK = 1 << 20
Watch = Callable[[Path, int, int], None]  # a file, and how many of how many bytes of it were read


def unwatched(_file: Path, _read: int, _size: int) -> None:
    """Nobody looks on."""


def broken(file: Path, place: str, what: str, mend: str) -> Invalid:
    """The one form of a complaint about a file: `metrics.json, series 3: … (mend)`."""
    return Invalid(f"{file}, {place}: {what}" if place else f"{file}: {what}", code=BROKEN_WORLD, mend=mend)


def text_of(file: Path) -> str:
    """The file's text; a byte order mark is dropped."""
    try:
        return file.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as e:
        raise broken(file, f"byte {e.start}", "not UTF-8", "save the file as UTF-8") from e
    except OSError as e:
        raise broken(file, "", f"can not be read: {e.strerror}", "give a readable file") from e


def document(file: Path) -> Any:
    """A small JSON file, strictly: no key twice, no NaN, numbers in the spelling they have there."""
    return _parsed(file, canonical.loads)


def table(file: Path) -> Any:
    """A large JSON file, fast. NaN and infinity come through, for the reader of its rows to judge."""
    return _parsed(file, json.loads)


def blocks(file: Path, watch: Watch = unwatched) -> Iterator[tuple[int, bytes]]:
    """(number of the first line, whole lines without the last line break) of a gzipped file, about a megabyte at a time."""
    number, rest = 1, b""
    try:
        with file.open("rb") as raw, gzip.open(raw) as stream:
            size = os.fstat(raw.fileno()).st_size
            while data := stream.read(BLOCK):
                whole, line_break, rest = (rest + data).rpartition(b"\n")
                if line_break:
                    yield number, whole
                    number += whole.count(b"\n") + 1
                if len(rest) > MAX_LINE:
                    raise broken(file, f"line {number}", f"longer than {MAX_LINE >> 20} MiB", "split the line")
                watch(file, raw.tell(), size)
            if rest:
                yield number, rest
    except (OSError, EOFError, zlib.error) as e:
        raise broken(file, f"after line {number - 1}", f"not a whole gzip file: {e}", "compress it again with gzip") from e


def first_complaint(error: ValidationError) -> str:
    """`services[3].name: Field required`: pydantic's first complaint in words."""
    first = error.errors()[0]
    field = "".join(f"[{p}]" if isinstance(p, int) else f".{p}" for p in first["loc"]).lstrip(".")
    return f"{field}: {first['msg']}" if field else first["msg"]


def _parsed(file: Path, parse: Callable[[str], Any]) -> Any:
    try:
        return parse(text_of(file))
    except (Invalid, ValueError, RecursionError) as e:
        if isinstance(e, Invalid) and e.code == BROKEN_WORLD:
            raise
        raise broken(file, "", getattr(e, "message", None) or f"not JSON: {e}", "make it valid JSON") from e
