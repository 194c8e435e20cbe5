"""`superbiz verify`: anybody's claims against their evidence."""

import json
from pathlib import Path
from typing import Annotated

import typer

from superbiz.domain.values import JsonObject
from superbiz.errors import Invalid
from superbiz.services import verifying
from superbiz_cli.output import err, out, print_json


def add_to(app: typer.Typer) -> None:
    """Register the command."""
    app.command()(verify)


def verify(
    dossier: Annotated[
        Path | None, typer.Argument(help="A dossier/1 file: claims, and the tool outputs they cite.", show_default=False)
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the result as JSON, and nothing else, on stdout.")] = False,
    jsonl: Annotated[
        tuple[Path, Path] | None,
        typer.Option("--jsonl", metavar="IN OUT", help="One dossier a line in, one result a line out.", show_default=False),
    ] = None,
) -> None:
    """Check claims against their evidence: is each citation real, and does the cited text say what the claim says?

    Works on any tool's report once it is written as a dossier/1. A line of --jsonl that is no dossier gets a line with its
    error, the others are checked all the same, and the exit code is 2.
    """
    if jsonl is not None and dossier is None:
        _verify_lines(*jsonl)
    elif dossier is not None and jsonl is None:
        result = _verified(dossier)
        print_json(result) if as_json else _show(result)
    else:
        raise Invalid("name one DOSSIER.json, or --jsonl IN OUT", mend="superbiz verify --help")


def _verified(path: Path) -> JsonObject:
    try:
        return verifying.verify_text(path.read_bytes())
    except OSError as e:
        raise Invalid(f"can not read {path}: {e.strerror}", mend="name a file with one dossier/1") from e
    except Invalid as e:
        raise Invalid(f"{path}: {e.message}", mend=e.mend or "write it as one JSON object, a dossier/1") from e


def _verify_lines(source: Path, target: Path) -> None:
    bad = done = 0
    part = target.with_name(f".{target.name}.part")
    try:
        with source.open("rb") as lines, part.open("w", encoding="utf-8") as results:
            for number, line in enumerate(lines, 1):
                try:
                    result = verifying.verify_text(line)
                except Invalid as e:
                    bad += 1
                    err.print(f"{source}:{number}: {e}", markup=False)
                    result = {"run_id": None, "error": e.message, "line": number}
                results.write(json.dumps(result, ensure_ascii=False) + "\n")
                done += 1
                if done % 1_000 == 0:
                    err.print(f"{done} dossiers", markup=False)
        part.replace(target)
    except OSError as e:
        where = target if e.filename == str(part) else e.filename
        raise Invalid(f"{where}: {e.strerror}", mend="IN must be a file that is there, OUT one in a folder that is there") from e
    out.print(f"{done} dossiers, {bad} unreadable", markup=False)
    if bad:
        raise typer.Exit(2)


def _show(result: JsonObject) -> None:
    out.print(f"verdict {result['verdict']}, groundedness {result['groundedness_score']:.2f}", markup=False)
    for check in result["claim_checks"]:
        out.print(f"{check['claim_id']}: {check['result']} (expressible: {check['expressible']}) {check['reason']}", markup=False)
