"""`superbiz logs`: logs by themselves, without a world or a server."""

import codecs
import os
import shlex
import sys
import time
from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from typing import Annotated, BinaryIO, NamedTuple

import typer

from superbiz.errors import Invalid, Unavailable
from superbiz_cli.output import err, show_table, standard_input

CHUNK = 1 << 17  # bytes read at once
KEPT = 1 << 17  # bytes of a line
WRITTEN = 100_000  # ids written at once
REPORTED = 0.2  # seconds between two reports of progress
NAME_ONE = "name a file with one message a line, or - for standard input"
COLUMNS = {"id": "id", "lines": "count", "template": "template"}

# How a file begins that is no text yet, what it is, and what makes text of it.
UNREADABLE = (
    (b"\x1f\x8b", "compressed by gzip", "gunzip -c"),
    (b"\xfd7zXZ", "compressed by xz", "xz -dc"),
    (b"\x28\xb5\x2f\xfd", "compressed by zstd", "zstd -dc"),
    (codecs.BOM_UTF16_LE, "UTF-16", "iconv -f UTF-16 -t UTF-8"),
    (codecs.BOM_UTF16_BE, "UTF-16", "iconv -f UTF-16 -t UTF-8"),
)
TELLING = 64  # bytes

Progress = Callable[[int], None]

app = typer.Typer(help="Look at logs by themselves.", no_args_is_help=True)


class Mined(NamedTuple):
    """Templates with their ids and lines, most lines first, and each line's template id by its statement's number."""

    templates: list[tuple[str, str, int]]
    numbers: "array[int]"
    ids: list[str]


@app.callback()
def _group() -> None:
    """Look at logs by themselves."""


@app.command()
def templates(
    file: Annotated[Path, typer.Argument(help="One raw message a line; - reads standard input.")],
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON, and nothing else, on stdout: templates, and one id a line.")] = False,
) -> None:
    """Find the templates behind the lines of any log.

    Every line gets one template, blank ones and those that are no text too. Nothing has to be set: what is variable is found from
    the lines themselves.
    """
    with _opened(file) as (stream, size), _progress(size) as progress:
        mined = mine(_blocks(stream, file, progress, _start(stream, file)))
    _write(mined) if as_json else _show(mined)


def mine(blocks: Iterable[bytes]) -> Mined:
    """The templates of blocks of lines, in order of the lines."""
    from superbiz.analysis.templates import Miner  # here: it needs numpy, which other commands do not

    miner, numbers = Miner(placed=False), array("I")
    for block in blocks:
        numbers.extend(miner.numbers(block))
    lines = Counter(numbers)
    ids = [miner.key(n) for n in range(max(lines, default=-1) + 1)]
    counts: Counter[str] = Counter()
    for number, count in lines.items():
        counts[ids[number]] += count
    ordered = sorted(counts.items(), key=lambda row: (-row[1], int(row[0][1:])))
    return Mined([(key, miner.template(key), count) for key, count in ordered], numbers, ids)


def _start(stream: BinaryIO, file: Path) -> bytes:
    """The first bytes, without the mark that some editors put before UTF-8. Raises Invalid where no lines can follow."""
    try:
        start = stream.read(TELLING)
    except OSError as e:
        raise Invalid(f"can not read {file}: {e.strerror}", mend=NAME_ONE) from e
    for begins, what, unpack in UNREADABLE:
        if start.startswith(begins) and (what != "UTF-16" or b"\0" in start):  # without a NUL they are just two odd bytes of a line
            given = "FILE" if str(file) == "-" else shlex.quote(str(file))
            raise Invalid(f"{file} is {what}, and lines are read as UTF-8", mend=f"{unpack} {given} | superbiz logs templates -")
    return start.removeprefix(codecs.BOM_UTF8)


def _blocks(stream: BinaryIO, file: Path, progress: Progress, start: bytes = b"") -> Iterator[bytes]:
    """Whole lines, without the last line break. `start` was read before.

    Of a line that is longer than any message, only the beginning and the end are kept.
    """
    rest, read = b"", 0
    try:
        for data in chain([start] if start else [], iter(lambda: stream.read(CHUNK), b"")):
            read += len(data)
            progress(read)
            whole, line_break, rest = (rest + data).rpartition(b"\n")
            rest = rest[:KEPT]
            if line_break:
                yield whole
    except OSError as e:
        raise Unavailable(f"{file}: can not be read on after {read} bytes: {e.strerror}") from e
    if rest:
        yield rest


@contextmanager
def _opened(file: Path) -> Iterator[tuple[BinaryIO, int | None]]:
    """The stream, and its size where it has one."""
    if str(file) == "-":
        yield standard_input(), None
        return
    try:
        stream = file.open("rb")
    except OSError as e:
        raise Invalid(f"can not read {file}: {e.strerror}", mend=NAME_ONE) from e
    with stream:
        yield stream, os.fstat(stream.fileno()).st_size or None


@contextmanager
def _progress(size: int | None) -> Iterator[Progress]:
    """Reports at a terminal only."""
    if not err.is_terminal:
        yield lambda _read: None
        return
    with err.status("reading") as status:
        reported = time.monotonic()

        def report(read: int) -> None:
            nonlocal reported
            if time.monotonic() - reported >= REPORTED:
                reported = time.monotonic()
                status.update(f"read {read >> 20} MB" + (f" of {size >> 20} MB" if size else ""))

        yield report


def _write(mined: Mined) -> None:
    """By hand, since a list of a million ids is not built only to be written."""
    import json

    rows = [{"id": key, "template": template, "count": count} for key, template, count in mined.templates]
    sys.stdout.write(f'{{"templates": {json.dumps(rows, ensure_ascii=False)}, "assignments": [')
    quoted = [f'"{key}"' for key in mined.ids]
    for start in range(0, len(mined.numbers), WRITTEN):
        ids = ", ".join([quoted[n] for n in mined.numbers[start : start + WRITTEN]])
        sys.stdout.write(f"{', ' if start else ''}{ids}")
    sys.stdout.write("]}\n")


def _show(mined: Mined) -> None:
    show_table(COLUMNS, ({"id": key, "count": count, "template": _printable(text)} for key, text, count in mined.templates))


def _printable(text: str) -> str:
    """A terminal obeys control characters, and lines may hold any."""
    return "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in text)
