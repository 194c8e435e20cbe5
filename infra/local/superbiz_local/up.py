"""`superbiz up`: the stack for as long as its process is wanted."""

import json
import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import FrameType

from superbiz_local.stack import LocalStack

STOPPING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Stopped(Exception):
    """A signal asked for the end."""


def up(*, port: int | None = None, ready_file: Path | None = None, world: Path | None = None, vectors: bool = True) -> None:
    """Start the stack, write `ready_file` (JSON: api_url, endpoint_url, pid, outputs), serve until a signal, leave nothing behind."""
    with stopped_by_signals(), LocalStack(port=port, world_dir=world, vectors=vectors) as stack, published(stack, ready_file):
        sys.stdout.write(f"Ready. API {stack.api_url}\nAWS at {stack.url}. Ctrl-C stops it.\n")
        sys.stdout.flush()
        stack.wait()


@contextmanager
def stopped_by_signals() -> Iterator[None]:
    """A first signal ends the block; further ones are ignored, so that what was started is put away."""

    def stop(_number: int, _frame: FrameType | None) -> None:
        for number in STOPPING:
            signal.signal(number, signal.SIG_IGN)
        raise Stopped

    before = {number: signal.signal(number, stop) for number in STOPPING}
    try:
        yield
    except Stopped:
        pass
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@contextmanager
def published(stack: LocalStack, ready_file: Path | None) -> Iterator[None]:
    """The file says where the stack is, from ready to stopped. It appears whole; what another stack has written since stays."""
    if ready_file is None:
        yield
        return
    ready_file.parent.mkdir(parents=True, exist_ok=True)
    draft = ready_file.with_name(f"{ready_file.name}.{os.getpid()}")
    told = {"api_url": stack.api_url, "endpoint_url": stack.url, "pid": os.getpid(), "outputs": stack.outputs}
    text = json.dumps(told, indent=1)
    draft.write_text(text, encoding="utf-8")
    draft.replace(ready_file)
    try:
        yield
    finally:
        with suppress(OSError):
            if ready_file.read_text(encoding="utf-8") == text:
                ready_file.unlink()
