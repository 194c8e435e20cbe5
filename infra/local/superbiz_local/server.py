"""The emulator's process: `python -m superbiz_local.server`. Patched, on 127.0.0.1, and gone when its parent is."""

import os
import shutil
import signal
import sys
import threading

from superbiz_local.names import FOLDER


def end_with_parent() -> None:
    """Standard input is a pipe that the parent holds: when it closes, however the parent ended, this process stops, and the stack's folder
    goes. A parent that stops in good order ends this process before it closes the pipe, and removes the folder itself."""

    def watch() -> None:
        sys.stdin.buffer.read()
        shutil.rmtree(os.environ[FOLDER], ignore_errors=True)
        os.kill(os.getpid(), signal.SIGTERM)

    threading.Thread(target=watch, daemon=True, name="end-with-parent").start()


def main() -> None:
    """Patch and serve."""
    from ministack.app import main as serve  # reads the environment when it is imported

    from superbiz_local.patches import apply_all

    apply_all()
    end_with_parent()
    serve()


if __name__ == "__main__":
    main()
