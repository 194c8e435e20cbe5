"""An evidence source that has nothing: every reading says so."""

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from typing import Any, NoReturn

from superbiz.domain.evidence import ToolCategory
from superbiz.domain.observations import AlarmListing, Change, LogLine, Series, Service, Span
from superbiz.domain.runs import Cost
from superbiz.domain.values import Window
from superbiz.ports import SourceUnavailable

WHY = "no evidence source is connected to this deployment"


class Unconnected:
    def now(self) -> datetime:
        return datetime.now(UTC)

    def window(self) -> Window | None:
        return None

    def metrics(self, window: Window | None) -> Sequence[Series]:
        _refuse("metrics")

    def normal_metrics(self) -> Sequence[Series] | None:
        _refuse("metrics")

    def logs(self, window: Window | None) -> Iterable[LogLine]:
        _refuse("logs")

    def normal_logs(self) -> Iterable[LogLine] | None:
        _refuse("logs")

    def traces(self, window: Window | None) -> Iterable[Span]:
        _refuse("traces")

    def normal_traces(self) -> Iterable[Span] | None:
        _refuse("traces")

    def service_map(self) -> Sequence[Service]:
        _refuse("service map")

    def alarms(self) -> AlarmListing:
        _refuse("alarms")

    def changes(self, window: Window | None) -> Sequence[Change]:
        _refuse("changes")

    def document(self, name: str) -> Any:
        _refuse(name)

    def runbooks(self) -> Sequence[tuple[str, str]]:
        _refuse("runbooks")

    def unusable(self) -> Sequence[str]:
        return ()

    def partial(self, category: ToolCategory) -> Sequence[str]:
        return ()

    def cost(self) -> Cost:
        return Cost()


def _refuse(what: str) -> NoReturn:
    raise SourceUnavailable(what, WHY)
