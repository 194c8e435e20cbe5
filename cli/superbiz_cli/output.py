"""What commands print: JSON alone on stdout with --json, otherwise text for people; progress goes to stderr."""

import json
import sys
from collections.abc import Iterable, Mapping
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table
from rich.text import Text

WHOLE = 10_000

out = Console(soft_wrap=True, highlight=False)
err = Console(stderr=True, soft_wrap=True, highlight=False)


def print_json(value: Any) -> None:
    """One JSON document on stdout, nothing else."""
    sys.stdout.write(json.dumps(value, ensure_ascii=False, indent=2) + "\n")


def show_answer(markdown: str) -> None:
    """At a terminal as headings and lists, elsewhere the Markdown as it is. Links stay text: an answer is made of recorded data."""
    if out.is_terminal:
        from rich.markdown import Markdown

        out.print(Markdown(markdown, hyperlinks=False), soft_wrap=False)
    else:
        out.print(markdown, markup=False)


def show_table(columns: Mapping[str, str], rows: Iterable[Mapping[str, Any]]) -> None:
    """A line a row, whole whatever the width: what it shows can be copied, and read by other programs. `columns`: heading to key."""
    table = Table(*columns, box=SIMPLE_HEAD)
    for column in table.columns:
        column.no_wrap, column.overflow = True, "ignore"
    for row in rows:
        table.add_row(*(_cell(row.get(key)) for key in columns.values()))
    Console(highlight=False, width=WHOLE).print(table)


def _cell(value: Any) -> Text:
    words = ", ".join(map(str, value)) if isinstance(value, list) else str(value if value is not None else "-")
    return Text(" ".join(words.split()) or "-")
