"""`superbiz up` and `superbiz demo`: the whole product on this machine."""

from pathlib import Path
from typing import Annotated

import typer

from superbiz_cli.api import READY_FILE

World = Annotated[Path | None, typer.Option("--world", help="The recorded incident that evidence comes from. Default: the demo's.", show_default=False)]


def add_to(app: typer.Typer) -> None:
    """Register the commands."""
    app.command()(up)
    app.command()(demo)


def up(
    port: Annotated[int | None, typer.Option(min=1, max=65535, help="Default: a free one.", show_default=False)] = None,
    ready_file: Annotated[Path, typer.Option("--ready-file", help="Written when the stack is ready: JSON with api_url and endpoint_url.")] = READY_FILE,
    world: World = None,
) -> None:
    """Run the real template, state machine and functions on this machine, without Docker or an AWS account.

    Listens on 127.0.0.1 only. Stops on Ctrl-C or SIGTERM and leaves nothing behind.
    """
    from superbiz_local.up import up as run_stack

    with _world(world) as folder:
        run_stack(port=port, ready_file=ready_file, world=folder)
