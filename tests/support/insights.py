"""Logs Insights over lines in memory: it holds to the time range, the row limit and the order of the one query that is asked."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, NamedTuple

from support.fake_account import Json, refusal

MOST_ROWS = 10_000


class Line(NamedTuple):
    group: str
    time: int  # epoch milliseconds
    message: str = "a line"
    stream: str = "stream"


class Insights:
    """`polls` answers say Running before the last; each of them says that `bytes_a_poll` more were scanned.

    `refused` are codes and messages by group: a query over one of them is refused.
    """

    def __init__(self, lines: Iterable[Line], polls: int = 0, bytes_a_poll: float = 0.0,
                 refused: Mapping[str, tuple[str, str]] | None = None, most_at_once: int = 100) -> None:  # fmt: skip
        self.lines = sorted(lines, key=lambda line: line.time)
        self.polls, self.bytes_a_poll, self.refused, self.most_at_once = polls, bytes_a_poll, dict(refused or {}), most_at_once
        self.running: dict[str, tuple[Json, int]] = {}
        self.started: list[Json] = []
        self.stopped: list[str] = []
        self.most_running = 0

    def answers(self) -> dict[tuple[str, str], Callable[[Json], Json]]:
        """For a FakeAccount."""
        return {("logs", "StartQuery"): self._start, ("logs", "GetQueryResults"): self._results, ("logs", "StopQuery"): self._stop}

    def _start(self, request: Json) -> Json:
        if len(self.running) >= self.most_at_once:
            refusal("LimitExceededException", "Account maximum query concurrency limit reached")(request)
        for group in request["logGroupNames"]:
            if group in self.refused:
                refusal(*self.refused[group])(request)
        self.started.append(request)
        query = f"q{len(self.started)}"
        self.running[query] = (request, 0)
        self.most_running = max(self.most_running, len(self.running))
        return {"queryId": query}

    def _results(self, request: Json) -> Json:
        asked, polls = self.running[request["queryId"]]
        self.running[request["queryId"]] = (asked, polls + 1)
        found = self._found(asked)
        limit = int(re.search(r"\| limit (\d+)", asked["queryString"])[1])  # type: ignore[index]
        done = polls >= self.polls
        if done:
            del self.running[request["queryId"]]
        shown = found[:limit] if done else found[: min(limit, len(found) // 2)]
        return {
            "status": "Complete" if done else "Running",
            "results": [row(n, line) for n, line in shown],
            "statistics": {"recordsMatched": float(len(found)), "bytesScanned": self.bytes_a_poll * (polls + 1)},
        }

    def _stop(self, request: Json) -> Json:
        self.stopped.append(request["queryId"])
        self.running.pop(request["queryId"], None)
        return {"success": True}

    def _found(self, asked: Json) -> Sequence[tuple[int, Line]]:
        """Ends are inclusive to the millisecond, as AWS has them."""
        start, end = asked["startTime"] * 1000, asked["endTime"] * 1000
        return [(n, line) for n, line in enumerate(self.lines) if line.group in asked["logGroupNames"] and start <= line.time <= end]


def row(number: int, line: Line) -> list[dict[str, Any]]:
    """A row as Logs Insights spells it."""
    moment = datetime.fromtimestamp(line.time / 1000, UTC).strftime("%Y-%m-%d %H:%M:%S.%f")[:-3]
    fields = {"@timestamp": moment, "@message": line.message + "\n", "@logStream": line.stream, "@log": f"111122223333:{line.group}",
              "@ptr": f"ptr-{number}"}  # fmt: skip
    return [{"field": name, "value": value} for name, value in fields.items()]
