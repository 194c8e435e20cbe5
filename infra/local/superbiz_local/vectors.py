"""The vector store's process: `python -m superbiz_local.vectors DATA_DIR PORT`. One process opens the data, on 127.0.0.1."""

import signal
import sys

from milvus_lite.adapter.grpc.server import run_server

from superbiz_local.server import end_with_parent


def _interrupt(*_: object) -> None:
    raise KeyboardInterrupt  # the server's own word for a clean stop


def main() -> None:
    """Serve until stopped."""
    signal.signal(signal.SIGTERM, _interrupt)
    end_with_parent()
    run_server(sys.argv[1], "127.0.0.1", int(sys.argv[2]))


if __name__ == "__main__":
    main()
