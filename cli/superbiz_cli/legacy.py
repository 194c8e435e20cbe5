"""`superbiz legacy`: rows of the old system's `diagnosis_session`, kept readable."""

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer
from pydantic import ValidationError

from superbiz.domain import canonical
from superbiz.domain.legacy import LegacySession
from superbiz.errors import Invalid
from superbiz_cli.output import out

app = typer.Typer(help="Load rows of the old system, to be read only.", no_args_is_help=True)


@app.callback()
def _group() -> None:
    """Load rows of the old system, to be read only."""


@app.command("import")
def import_rows(file: Annotated[Path, typer.Argument(help="One JSON object a line: session_id, query, answer, status, …")]) -> None:
    """Load FILE.jsonl into the table named by TABLE_NAME. Rows that are there already stay as they are; safe to run again.

    TABLE_NAME is the stack's output TableName; region and credentials are those of the AWS command line.
    """
    from superbiz import wiring

    rows = list(_rows(file))  # every line is read before the first is written: nothing half-loaded
    ports = wiring.ports()
    if not ports.settings.table_name:
        raise Invalid("TABLE_NAME is not set: which table?", mend="set it to the stack's output TableName")
    new = ports.ledger.import_legacy(rows)
    out.print(f"{len(rows)} rows read, {new} new", markup=False)


def _rows(file: Path) -> Iterator[LegacySession]:
    try:
        lines = file.read_bytes().splitlines()
    except OSError as e:
        raise Invalid(f"can not read {file}: {e.strerror}", mend="name a file with one JSON object a line") from e
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            yield LegacySession.model_validate(canonical.loads(line))
        except ValidationError as e:
            first = e.errors()[0]
            where = ".".join(str(p) for p in first["loc"]) or "row"
            raise Invalid(f"{file}:{number}: {where}: {first['msg']}", mend="mend the line and run it again") from e
        except Invalid as e:
            raise Invalid(f"{file}:{number}: {e.message}", mend="mend the line and run it again") from e
