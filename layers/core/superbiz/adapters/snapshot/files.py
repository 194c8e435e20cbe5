"""Reading of a world's files. What is broken is refused with file, place and mend; nothing is guessed."""

import gzip
import json
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from superbiz.domain import canonical
from superbiz.errors import Invalid

BROKEN_WORLD = "BROKEN_WORLD"
MAX_LINE = 16 * 1024 * 1024


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


def lines(file: Path) -> Iterator[tuple[int, bytes]]:
    """(line number from 1, line) of a gzipped file, read as it is needed. Blank lines are skipped."""
    number = 0
    try:
        with gzip.open(file, "rb") as stream:
            while line := stream.readline(MAX_LINE + 1):
                number += 1
                if len(line) > MAX_LINE:
                    raise broken(file, f"line {number}", f"longer than {MAX_LINE >> 20} MiB", "split the line")
                if not line.isspace():
                    yield number, line
    except (OSError, EOFError, zlib.error) as e:
        raise broken(file, f"after line {number}", f"not a whole gzip file: {e}", "compress it again with gzip") from e


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
