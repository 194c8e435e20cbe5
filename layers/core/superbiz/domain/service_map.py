"""Who calls whom, as far as a run's recorded outputs tell it."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from superbiz.domain.naming import alike

Calls = Mapping[str, frozenset[str]]


class ServiceMap:
    """Directed from caller to callee. Names are matched as resources are: whole or by the last part of a path, case aside."""

    def __init__(self, calls: Iterable[tuple[str, str]]) -> None:
        callees: dict[str, set[str]] = {}
        for caller, callee in calls:
            callees.setdefault(caller, set()).add(callee)
            callees.setdefault(callee, set())
        self._callees = callees

    @classmethod
    def of_outputs(cls, outputs: Iterable[Any]) -> "ServiceMap":
        """From any output that carries `services` (rows of `name` and `calls`), wherever in it they stand at the top."""
        return cls(call for output in outputs for call in calls_in(output))

    def reaches(self, resource: str, other: str) -> bool:
        """Whether calls lead from the one to the other, over any number of hops."""
        found = set(self._named(resource))
        waiting = list(found)
        while waiting:
            new = self._callees[waiting.pop()] - found
            found |= new
            waiting += new
        return any(alike(name, other) for name in found)

    def tied(self, resource: str, other: str) -> bool:
        """One of the two depends on the other."""
        return self.reaches(resource, other) or self.reaches(other, resource)

    def _named(self, resource: str) -> Iterator[str]:
        return (name for name in self._callees if alike(name, resource))


def calls_in(output: Any) -> Iterator[tuple[str, str]]:
    """(caller, callee) of every call that an output tells of."""
    rows = output.get("services") if isinstance(output, Mapping) else None
    for row in rows if isinstance(rows, list) else ():
        if isinstance(row, Mapping) and isinstance(row.get("name"), str) and isinstance(row.get("calls"), list):
            yield from ((row["name"], callee) for callee in row["calls"] if isinstance(callee, str))
