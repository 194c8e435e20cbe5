"""`superbiz world`: a simulated incident as a world folder, to be looked at, diagnosed, or scored."""

from pathlib import Path
from typing import Annotated

import typer

from superbiz.errors import Invalid
from superbiz_cli.output import out

SEED = 7
TRUTH = "truth.json"


def add_to(app: typer.Typer) -> None:
    """Register the command."""
    app.command()(world)


def world(
    folder: Annotated[Path | None, typer.Argument(help="A new or empty folder.", show_default=False)] = None,
    name: Annotated[
        str | None, typer.Option("--scenario", help="A scenario of the catalogue. Default: the demo's incident.", show_default=False)
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="The same seed gives the same bytes.")] = SEED,
    everything: Annotated[
        bool, typer.Option("--all", help="Write every scenario of the catalogue into FOLDER, with the right answers in truth.json.")
    ] = False,
    listed: Annotated[bool, typer.Option("--list", help="Show the catalogue's scenarios and what each is about.")] = False,
) -> None:
    """Write a simulated incident as a world: something to try `diagnose` on, and an example of the format."""
    if listed and folder is None and name is None and not everything:
        _show()
    elif folder is None or listed or (everything and name is not None):
        raise Invalid(
            "which world is not clear", mend="superbiz world FOLDER [--scenario NAME | --all] [--seed N], or superbiz world --list"
        )
    elif everything:
        _write_all(_new(folder), seed)
    else:
        _write_one(_new(folder), name, seed)


def _show() -> None:
    from superbiz_cli.simulator.catalogue import CATALOGUE, notes

    for name in CATALOGUE:
        out.print(f"{name}\n    {notes(name)}", markup=False, soft_wrap=True)


def _write_one(folder: Path, name: str | None, seed: int) -> None:
    from superbiz_cli.simulator import catalogue, demo, scenario

    if name is None:
        chosen = demo.demo_scenario()
    elif name in catalogue.CATALOGUE:
        chosen = catalogue.CATALOGUE[name]().scenario
    else:
        raise Invalid(f"no scenario is called {name}", mend=f"one of: {', '.join(catalogue.CATALOGUE)}")
    try:
        scenario.write(folder, chosen, seed)
    except OSError as e:
        raise _unwritable(folder, e) from e
    out.print(f"{folder}: now `superbiz diagnose {folder}`", markup=False)


def _write_all(folder: Path, seed: int) -> None:
    from superbiz_cli.simulator import catalogue

    try:
        catalogue.write_all(folder, seed)
    except OSError as e:
        raise _unwritable(folder, e) from e
    out.print(
        f"{folder}: {len(catalogue.CATALOGUE)} worlds and {TRUTH}; now `superbiz diagnose --all {folder} --out REPORTS`", markup=False
    )


def _new(folder: Path) -> Path:
    try:
        if folder.is_dir() and any(folder.iterdir()):
            raise Invalid(f"{folder} is not empty", mend="name a new folder: nothing is overwritten")
    except OSError as e:
        raise _unwritable(folder, e) from e
    return folder


def _unwritable(folder: Path, error: OSError) -> Invalid:
    return Invalid(f"can not write {folder}: {error.strerror}", mend="name a new folder in one that can be written")
