"""What a benchmark measures: figures held against bounds, and tables of figures."""

from collections.abc import Iterable
from typing import NamedTuple

Cell = str | float | int | None
DIGITS = 3


class Row(NamedTuple):
    """`bound` None is a figure without a bound. Smaller is better, unless `at_least`."""

    what: str
    value: float
    unit: str
    bound: float | None = None
    at_least: bool = False

    @property
    def holds(self) -> bool:
        """Whether the figure is within its bound."""
        if self.bound is None:
            return True
        return self.value >= self.bound if self.at_least else self.value <= self.bound

    def __str__(self) -> str:
        sign = ">=" if self.at_least else "<="
        bound = f"{sign} {self.bound:g}" if self.bound is not None else ""
        return f"{'ok  ' if self.holds else 'OVER'} {self.what:<64} {self.value:>10.3f} {self.unit:<6} {bound}"


class Table(NamedTuple):
    """Figures that are read together. `note` says how to read them."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    note: str = ""

    @property
    def holds(self) -> bool:
        """A table is held against no bound."""
        return True

    def __str__(self) -> str:
        lines = [self.columns, *(tuple(map(shown, row)) for row in self.rows)]
        widths = [max(len(line[n]) for line in lines) for n in range(len(self.columns))]
        text = "\n".join("     " + "  ".join(cell.ljust(w) for cell, w in zip(line, widths, strict=True)).rstrip() for line in lines)
        return f"\n     {self.title}\n{text}" + (f"\n     ({self.note})" if self.note else "") + "\n"


def shown(cell: Cell) -> str:
    """A fraction to three digits, a dash for what is not known."""
    if cell is None:
        return "-"
    return f"{cell:.{DIGITS}f}" if isinstance(cell, float) else str(cell)


def table(title: str, columns: Iterable[str], rows: Iterable[Iterable[Cell]], note: str = "") -> Table:
    """A table of any rows."""
    return Table(title, tuple(columns), tuple(tuple(row) for row in rows), note)
