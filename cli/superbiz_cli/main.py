"""`superbiz`: the commands, and how their errors become exit codes (0 done, 1 failed, 2 bad input)."""

import sys

import typer

from superbiz.errors import Rejected, SuperBizError
from superbiz_cli import api, diagnose, knowledge, legacy, logs, metrics, record, up, verify, world

DONE, FAILED, BAD_INPUT = 0, 1, 2

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
        app()
    except Rejected as e:
        _say(e)
        sys.exit(BAD_INPUT)
    except SuperBizError as e:
        _say(e)
        sys.exit(FAILED)
    except KeyboardInterrupt:
        sys.exit(130)


def _say(error: SuperBizError) -> None:
    sys.stderr.write(f"superbiz: {error.message}\n" + (f"  mend: {error.mend}\n" if error.mend else ""))


if __name__ == "__main__":
    run()
