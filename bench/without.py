"""An evidence source that refuses some of its parts, as a live one does for want of a permission."""

from collections.abc import Callable, Iterable
from typing import Any

from superbiz.ports import EvidenceSource, SourceUnavailable

# What goes with a part: its readings are refused. Of a normal period there is none, which is no refusal.
PARTS: dict[str, tuple[str, ...]] = {
    "map": ("service_map",),
    "metrics": ("metrics",),
    "logs": ("logs",),
    "traces": ("traces",),
    "changes": ("changes",),
    "alarms": ("alarms",),
    "normal": (),
}
NORMAL = ("normal_metrics", "normal_logs", "normal_traces")


class Without:
    """The source it wraps, less some parts by name."""

    def __init__(self, source: EvidenceSource, parts: Iterable[str]) -> None:
        self._source, self._parts = source, frozenset(parts)
        unknown = self._parts - PARTS.keys()
        if unknown:
            raise ValueError(f"no part {', '.join(sorted(unknown))}; there are {', '.join(PARTS)}")
        self._refused = {method: part for part in self._parts for method in PARTS[part]}

    def __getattr__(self, name: str) -> Any:
        if name in self._refused:
            return self._refusing(name)
        if name in NORMAL and ("normal" in self._parts or name.removeprefix("normal_") in self._refused):
            return lambda: None
        return getattr(self._source, name)

    def _refusing(self, name: str) -> Callable[..., Any]:
        def refuse(*_: Any) -> Any:
            raise SourceUnavailable(name.replace("_", " "), "left out of this measurement")

        return refuse
