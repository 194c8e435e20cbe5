"""`superbiz up` and `superbiz demo`: the whole product on this machine."""

import time
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Annotated

import typer

from superbiz.errors import Invalid
from superbiz_cli import demo as demo_run
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
    from superbiz_local.up import up as run_stack

    with _chosen(world) as folder:
        run_stack(port=port, ready_file=ready_file, world=folder)


def demo(world: World = None) -> None:
    """Fire an alarm at a local stack and watch it become a verified report.

    At a terminal the stack then stays up until Ctrl-C; otherwise it stops.
    """
    from superbiz_local.stack import LocalStack
    from superbiz_local.up import published, stopped_by_signals

    begun = time.monotonic()
    with stopped_by_signals(), _chosen(world) as folder:
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
    if world is not None and not (world / "world.json").is_file():
        raise Invalid(f"{world} is no world", mend="a world is a folder with a world.json in it")
    with demo_run.demo_world() if world is None else nullcontext(world) as folder:
        yield folder
