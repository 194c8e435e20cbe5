"""`superbiz up` and `superbiz demo`: the whole product on this machine."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

from superbiz.errors import Invalid, Unavailable
from superbiz_cli.api import READY_FILE
from superbiz_cli.client import ApiClient
from superbiz_cli.output import err, out

World = Annotated[
    Path | None, typer.Option("--world", help="The recorded incident that evidence comes from. Default: the demo's.", show_default=False)
]


def add_to(app: typer.Typer) -> None:
    """Register the commands."""
    app.command()(up)
    app.command()(demo)


def up(
    port: Annotated[int | None, typer.Option(min=1, max=65535, help="Default: a free one.", show_default=False)] = None,
    ready_file: Annotated[
        Path, typer.Option("--ready-file", help="Written when the stack is ready: JSON with api_url and endpoint_url.")
    ] = READY_FILE,
    world: World = None,
) -> None:
    """Run the real template, state machine and functions on this machine, without Docker or an AWS account.

    Listens on 127.0.0.1 only. Stops on Ctrl-C or SIGTERM and leaves nothing behind.
    """
    from superbiz_local.up import stopped_by_signals
    from superbiz_local.up import up as run_stack

    with stopped_by_signals(), _chosen(world) as folder, _told(ready_file):
        run_stack(port=port, ready_file=ready_file, world=folder)


def demo(world: World = None) -> None:
    """Fire an alarm at a local stack and watch it become a verified report.

    At a terminal the stack then stays up until Ctrl-C; otherwise it stops.
    """
    from superbiz_cli import demo as demo_run
    from superbiz_local.stack import LocalStack
    from superbiz_local.up import published, stopped_by_signals

    begun = time.monotonic()
    with stopped_by_signals(), _chosen(world) as folder, _told(READY_FILE):
        err.print("Starting the local stack with the real template…")
        with LocalStack(world_dir=folder) as stack, published(stack, READY_FILE):
            err.print(f"Ready after {time.monotonic() - begun:.1f} s. The API is at {stack.api_url}", markup=False)
            at = ApiClient(stack.api_url)
            demo_run.tell(at, demo_run.fire(stack, at, folder))
            out.print(f"API: {stack.api_url}", markup=False)
            if demo_run.at_terminal():
                err.print("The stack stays up; `superbiz runs`, `superbiz chat …` find it from this folder. Ctrl-C stops it.", markup=False)
                stack.wait()


@contextmanager
def _chosen(world: Path | None) -> Iterator[Path]:
    """The demo's incident, or the world that is named: checked before anything starts."""
    if world is None:
        from superbiz_cli.demo import demo_world

        with demo_world() as folder:
            yield folder
    else:
        from superbiz.adapters.snapshot import SnapshotSource

        SnapshotSource(world).check()
        yield world


@contextmanager
def _told(ready_file: Path) -> Iterator[None]:
    """Why the stack did not come up, without its insides. The ready file's place is tried before half a minute is spent."""
    from superbiz_local.processes import StackFailed

    try:
        ready_file.parent.mkdir(parents=True, exist_ok=True)
    except OSError as e:
        raise Invalid(f"{ready_file}: {e.strerror}", mend="name a ready file in a folder that can be written") from e
    try:
        yield
    except StackFailed as e:
        raise Unavailable(str(e)) from e
