"""What commands print: JSON alone on stdout with --json, otherwise text for people; progress goes to stderr. And what they are piped."""

import json
import re
import sys
from collections.abc import Iterable, Mapping
from typing import Any, BinaryIO

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table
from rich.text import Text

from superbiz.domain.composing.markup import inert
from superbiz.errors import Invalid

WHOLE = 10_000
# What a terminal acts on or hides: control characters beyond those that JSON escapes, direction marks, zero-width and tag characters.
_ACTS = re.compile("[\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\U000e0000-\U000e007f]")

out = Console(soft_wrap=True, highlight=False)
err = Console(stderr=True, soft_wrap=True, highlight=False)


def standard_input() -> BinaryIO:
    """What is piped in. A program may be started without any."""
    if sys.stdin is None:
        raise Invalid("can not read standard input: it is closed", mend="pipe something in, or name a file")
    return sys.stdin.buffer


def print_json(value: Any) -> None:
    """One JSON document on stdout, nothing else. What a terminal would act on is escaped, and reads back as it was."""
    text = json.dumps(value, ensure_ascii=False, indent=2)
    sys.stdout.write(_ACTS.sub(lambda found: json.dumps(found[0])[1:-1], text) + "\n")


def show_answer(markdown: str) -> None:
    """At a terminal as headings and lists, elsewhere the Markdown as it is. Links stay text: an answer is made of recorded data."""
    if out.is_terminal:
        from rich.markdown import Markdown

        out.print(Markdown(markdown, hyperlinks=False), soft_wrap=False)
    else:
        out.print(markdown, markup=False)


def show_table(columns: Mapping[str, str], rows: Iterable[Mapping[str, Any]], *, fit: bool = False) -> None:
    """A line a row, whole whatever the width: what it shows can be copied, and read by other programs. `columns`: heading to key.

    With `fit`, the first column is folded where a terminal is too narrow.
    """
    folded = fit and out.is_terminal
    table = Table(*columns, box=SIMPLE_HEAD, padding=(0, 1, 0, 0) if folded else (0, 1), pad_edge=not folded)
    for n, column in enumerate(table.columns):
        folds = folded and n == 0
        column.no_wrap, column.overflow = not folds, "fold" if folds else "ignore"
    for row in rows:
        table.add_row(*(_cell(row.get(key)) for key in columns.values()))
    Console(highlight=False, width=None if folded else WHOLE).print(table)


def _cell(value: Any) -> Text:
    words = ", ".join(map(str, value)) if isinstance(value, list) else str(value if value is not None else "-")
    return Text(inert(words) or "-")
