"""`superbiz`: the commands, and how their errors become exit codes (0 done, 1 failed, 2 bad input)."""

import errno
import os
import sys

import typer

from superbiz.errors import Rejected, SuperBizError, Unavailable
from superbiz_cli import api, diagnose, knowledge, legacy, logs, metrics, record, up, verify, world

DONE, FAILED, BAD_INPUT = 0, 1, 2
# What only a write fails with; every command writes to stdout.
UNWRITABLE = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EBADF)

app = typer.Typer(
    name="superbiz",
    help="Diagnose incidents on AWS and say only what the evidence carries.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
for part in (diagnose, record, verify, api, up, world):
    part.add_to(app)
app.add_typer(knowledge.app, name="knowledge")
app.add_typer(legacy.app, name="legacy")
app.add_typer(logs.app, name="logs")
app.add_typer(metrics.app, name="metrics")


def run() -> None:
    """The console script."""
    try:
        _written()
    except Rejected as e:
        _say(e)
        sys.exit(BAD_INPUT)
    except SuperBizError as e:
        _say(e)
        sys.exit(FAILED)
    except KeyboardInterrupt:
        sys.exit(130)


def _written() -> None:
    """Until the last byte: what is still buffered when Python ends would fail without a word of ours."""
    if sys.stdout is None:
        raise Unavailable("can not write standard output: it is closed", mend="leave it open, or send it to /dev/null")
    try:
        try:
            app()
        finally:
            sys.stdout.flush()
    except OSError as e:
        if e.errno == errno.EPIPE:  # who read has enough
            _let_go()
            sys.exit(FAILED)
        if e.filename is not None or e.errno not in UNWRITABLE:
            raise
        _let_go()
        raise Unavailable(f"can not write the output: {e.strerror}", mend="make room, or send it elsewhere") from e


def _let_go() -> None:
    """Python flushes stdout once more at its end."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)


def _say(error: SuperBizError) -> None:
    sys.stderr.write(f"superbiz: {error.message}\n" + (f"  mend: {error.mend}\n" if error.mend else ""))


if __name__ == "__main__":
    run()
