"""`superbiz diagnose`: a recorded world in, a report out."""

import json
import time
from collections.abc import Callable
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from pathlib import Path
from typing import Annotated, NamedTuple

import typer

from superbiz.domain.runs import EngineName
from superbiz.domain.values import JsonObject
from superbiz.errors import Invalid, SuperBizError
from superbiz.flow.outcome import RunRef
from superbiz_cli.output import err, print_json, show_answer, show_table
from superbiz_cli.worlds import diagnose as diagnose_world

CHECKING = "checking the world"
LARGE = 8 << 20  # bytes of a compressed file that takes longer to read than a moment


class Done(NamedTuple):
    """One world of `--all`: its report, or why there is none. `bad_input` tells a broken world from a failed run."""

    world: str
    seconds: float
    report: JsonObject | None
    error: str | None
    bad_input: bool = False


def add_to(app: typer.Typer) -> None:
    """Register the command."""
    app.command()(diagnose)


def diagnose(
    world: Annotated[Path | None, typer.Argument(help="A world/1 folder: one recorded incident.", show_default=False)] = None,
    engine: Annotated[
        EngineName, typer.Option(help="offline needs nothing; model needs MODEL_BASE_URL and MODEL_NAME.")
    ] = EngineName.OFFLINE,
    as_json: Annotated[bool, typer.Option("--json", help="Print the report (report/1) as JSON, and nothing else, on stdout.")] = False,
    all_worlds: Annotated[Path | None, typer.Option("--all", help="Diagnose every world in this folder.", show_default=False)] = None,
    reports: Annotated[Path | None, typer.Option("--out", help="With --all: write <world id>.json here.", show_default=False)] = None,
    jobs: Annotated[int, typer.Option(min=1, max=64, help="With --all: worlds at a time.")] = 1,
) -> None:
    """Diagnose a recorded incident: who is at fault, on what evidence.

    One world prints its report. With --all, each world of a folder gets its own report file; a broken world is named, the
    others finish, and the exit code is 2.
    """
    if all_worlds is not None and reports is not None and world is None and not as_json:
        _diagnose_all(all_worlds, reports, engine, jobs)
    elif world is not None and all_worlds is None and reports is None:
        _diagnose_one(world, engine, as_json)
    else:
        raise Invalid("name one WORLD (with --json or not), or --all WORLDS_DIR with --out REPORTS_DIR", mend="superbiz diagnose --help")


def _diagnose_one(world: Path, engine: EngineName, as_json: bool) -> None:
    if as_json:
        print_json(diagnose_world(world, engine).record.report)
        return
    with err.status(CHECKING) as status:
        progress = Progress(status.update)
        diagnosis = diagnose_world(world, engine, progress.begin, progress.read)
    show_answer(diagnosis.record.answer or "")


class Progress:
    """Tells the step at work, and of large files how far they are read."""

    def __init__(self, tell: Callable[[str], None]) -> None:
        self._tell, self._step = tell, CHECKING

    def begin(self, name: str, ref: RunRef) -> None:
        """A step begins."""
        self._step = f"{name} (round {ref.round})"
        self._tell(self._step)

    def read(self, file: Path, done: int, size: int) -> None:
        """So many bytes of a file are read."""
        self._tell(f"{self._step}: {file.name}, {done >> 20} of {size >> 20} MB" if size >= LARGE else self._step)


def _diagnose_all(folder: Path, reports: Path, engine: EngineName, jobs: int) -> None:
    worlds = _worlds_in(folder)
    _make(reports)
    done: list[Done] = []
    with ProcessPoolExecutor(jobs) as pool:
        waiting: list[Future[Done]] = [pool.submit(_one, world, reports, engine) for world in worlds]
        for n, future in enumerate(as_completed(waiting), 1):
            done.append(future.result())
            err.print(f"[{n}/{len(worlds)}] {_line(done[-1])}", markup=False)
    _summarise(sorted(done))
    if any(d.bad_input for d in done):
        raise typer.Exit(2)
    if any(d.error for d in done):
        raise typer.Exit(1)


def _make(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as e:
        raise Invalid(f"--out {folder}: {e.strerror}", mend="name a folder that can be made and written") from e


def _worlds_in(folder: Path) -> list[Path]:
    if not folder.is_dir():
        raise Invalid(f"{folder} is no folder", mend="name the folder that holds the world folders")
    worlds = sorted(p.parent for p in folder.glob("*/world.json"))
    if not worlds:
        raise Invalid(f"{folder} holds no world", mend="a world is a folder with a world.json in it")
    return worlds


def _one(world: Path, reports: Path, engine: EngineName) -> Done:
    start = time.perf_counter()
    try:
        report = diagnose_world(world, engine).record.report
    except Invalid as e:
        return Done(world.name, time.perf_counter() - start, None, str(e), bad_input=True)
    except Exception as e:
        words = str(e) if isinstance(e, SuperBizError) else f"{type(e).__name__}: {e}"
        return Done(world.name, time.perf_counter() - start, None, words)
    part = reports / f".{world.name}.part"
    part.write_text(json.dumps(report, ensure_ascii=False, indent=1), encoding="utf-8")
    part.replace(reports / f"{world.name}.json")
    return Done(world.name, time.perf_counter() - start, report, None)


def _line(done: Done) -> str:
    if done.report is None:
        return f"{done.world}: {'broken world' if done.bad_input else 'failed'}: {done.error}"
    return f"{done.world}: {done.report['verdict']} {done.report['conclusion']} {_first(done.report)} {done.seconds:.1f} s"


def _first(report: JsonObject) -> str:
    causes = report["root_causes"]
    return str(causes[0]["resource"]) if causes else "-"


def _summarise(done: list[Done]) -> None:
    show_table(
        {"world": "world", "verdict": "verdict", "conclusion": "conclusion", "first cause": "first", "seconds": "seconds"}, map(_row, done)
    )


def _row(done: Done) -> JsonObject:
    told = {"world": done.world, "seconds": f"{done.seconds:.1f}"}
    if done.report is None:
        return told | {"conclusion": "broken world" if done.bad_input else "failed", "first": done.error}
    return told | {"verdict": done.report["verdict"], "conclusion": done.report["conclusion"], "first": _first(done.report)}
