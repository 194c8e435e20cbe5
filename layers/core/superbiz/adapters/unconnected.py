"""The evidence source of a deployment that has none: every reading says so, and nothing is made up."""

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from typing import Any, NoReturn

from superbiz.domain.evidence import ToolCategory
from superbiz.domain.observations import AlarmListing, Change, LogLine, Series, Service, Span
from superbiz.domain.values import Window
from superbiz.ports import SourceUnavailable

WHY = "no evidence source is connected to this deployment"


class Unconnected:
    """Implements EvidenceSource; runs over it end inconclusive with every source in `not_checked`."""

    def now(self) -> datetime:
        return datetime.now(UTC)

    def window(self) -> Window | None:
        return None

    def metrics(self, window: Window | None) -> Sequence[Series]:  # noqa: ARG002
        _refuse("metrics")

    def normal_metrics(self) -> Sequence[Series] | None:
        _refuse("metrics")

    def logs(self, window: Window | None) -> Iterable[LogLine]:  # noqa: ARG002
        _refuse("logs")

    def normal_logs(self) -> Iterable[LogLine] | None:
        _refuse("logs")

    def traces(self, window: Window | None) -> Iterable[Span]:  # noqa: ARG002
        _refuse("traces")

    def normal_traces(self) -> Iterable[Span] | None:
        _refuse("traces")

    def service_map(self) -> Sequence[Service]:
        _refuse("service map")

    def alarms(self) -> AlarmListing:
        _refuse("alarms")

    def changes(self, window: Window | None) -> Sequence[Change]:  # noqa: ARG002
        _refuse("changes")

    def document(self, name: str) -> Any:
        _refuse(name)

    def runbooks(self) -> Sequence[tuple[str, str]]:
        _refuse("runbooks")

    def unusable(self) -> Sequence[str]:
        return ()

    def partial(self, category: ToolCategory) -> Sequence[str]:  # noqa: ARG002
        return ()


def _refuse(what: str) -> NoReturn:
    raise SourceUnavailable(what, WHY)
