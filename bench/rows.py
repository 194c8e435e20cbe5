"""One measured figure, and the bound that it is held against."""

from typing import NamedTuple


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
