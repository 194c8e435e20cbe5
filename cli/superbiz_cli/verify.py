"""`superbiz verify`: anybody's claims against their evidence."""

import json
import os
import signal
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from itertools import chain, islice
from pathlib import Path
from typing import Annotated, NamedTuple

import typer

from superbiz.domain.values import JsonObject
from superbiz.errors import Invalid
from superbiz_cli.output import err, out, print_json

BATCH = 20
WAITING = 8  # batches read ahead for each core
PROGRESS = 1_000


def add_to(app: typer.Typer) -> None:
    """Register the command."""
    app.command()(verify)


def verify(
    dossier: Annotated[
        Path | None, typer.Argument(help="A dossier/1 file: claims, and the tool outputs they cite.", show_default=False)
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the result as JSON, and nothing else, on stdout.")] = False,
    jsonl: Annotated[
        tuple[Path, Path] | None,
        typer.Option("--jsonl", metavar="IN OUT", help="One dossier a line in, one result a line out.", show_default=False),
    ] = None,
) -> None:
    """Check claims against their evidence: is each citation real, and does the cited text say what the claim says?

    Works on any tool's report once it is written as a dossier/1. A line of --jsonl that is no dossier gets a line with its
    error, the others are checked all the same, and the exit code is 2.
    """
    if jsonl is not None and dossier is None:
        _verify_lines(*jsonl)
    elif dossier is not None and jsonl is None:
        result = _verified(dossier)
        print_json(result) if as_json else _show(result)
    else:
        raise Invalid("name one DOSSIER.json, or --jsonl IN OUT", mend="superbiz verify --help")


def _verified(path: Path) -> JsonObject:
    from superbiz.services.verifying import verify_text

    try:
        return verify_text(path.read_bytes(), lambda note: err.print(f"{path}: {note}", markup=False))
    except OSError as e:
        raise Invalid(f"can not read {path}: {e.strerror}", mend="name a file with one dossier/1") from e
    except Invalid as e:
        raise Invalid(f"{path}: {e.message}", mend=e.mend or "write it as one JSON object, a dossier/1") from e


class Checked(NamedTuple):
    """The results of some lines as they are written, and what is to be said of those that are no dossier."""

    results: list[str]
    complaints: list[str]


def _verify_lines(source: Path, target: Path) -> None:
    bad = done = 0
    part = target.with_name(f".{target.name}.part")
    try:
        with source.open("rb") as lines, part.open("w", encoding="utf-8") as results:
            for checked in _in_order(lines):
                results.writelines(checked.results)
                for complaint in checked.complaints:
                    err.print(f"{source}:{complaint}", markup=False)
                bad, done = bad + len(checked.complaints), done + len(checked.results)
                if done % PROGRESS == 0:
                    err.print(f"{done} dossiers", markup=False)
        part.replace(target)
    except OSError as e:
        where = target if e.filename == str(part) else e.filename
        raise Invalid(f"{where}: {e.strerror}", mend="IN must be a file that is there, OUT one in a folder that is there") from e
    finally:
        part.unlink(missing_ok=True)
    out.print(f"{done} dossiers, {bad} unreadable", markup=False)
    if bad:
        raise typer.Exit(2)


def _in_order(lines: Iterable[bytes]) -> Iterator[Checked]:
    """The results in the lines' order: a first batch here, the rest on all cores. No more is read than is soon checked."""
    batches = _batches(enumerate(lines, 1))
    yield from (_checked(batch) for batch in islice(batches, 1))
    second = next(batches, None)
    if second is None:
        return
    workers = os.cpu_count() or 1
    with ProcessPoolExecutor(workers, initializer=_undisturbed) as pool:
        waiting = deque[Future[Checked]]()
        try:
            for batch in chain([second], batches):
                waiting.append(pool.submit(_checked, batch))
                if len(waiting) > WAITING * workers:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        finally:
            pool.shutdown(wait=False, cancel_futures=True)  # Ctrl-C waits for no more than the batches that are being read


def _undisturbed() -> None:
    """Ctrl-C reaches every process of a terminal; the first one tells the others to end."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _batches(lines: Iterator[tuple[int, bytes]]) -> Iterator[list[tuple[int, bytes]]]:
    while batch := list(islice(lines, BATCH)):
        yield batch


def _checked(batch: Sequence[tuple[int, bytes]]) -> Checked:
    from superbiz.services.verifying import verify_text

    checked = Checked([], [])
    for number, line in batch:
        try:
            result = verify_text(line)
        except Invalid as e:
            checked.complaints.append(f"{number}: {e}")
            result = {"run_id": None, "error": e.message, "line": number}
        checked.results.append(json.dumps(result, ensure_ascii=False) + "\n")
    return checked


def _show(result: JsonObject) -> None:
    out.print(f"verdict {result['verdict']}, groundedness {result['groundedness_score']:.2f}: {result['rationale']}", markup=False)
    for error in result["gatekeeper_result"]["errors"]:
        out.print(error, markup=False)
    for check in result["claim_checks"]:
        out.print(f"{check['claim_id']}: {check['result']} (expressible: {check['expressible']}) {check['reason']}", markup=False)
