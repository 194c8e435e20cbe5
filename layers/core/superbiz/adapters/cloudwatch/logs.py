"""Log lines by Logs Insights: several queries at a time, paged by splitting time, stopped at the limits of bytes, lines and seconds.

A query answers 10,000 lines at most. Where there are more, several log groups are asked one by one; one group is paged by time as far as
the limit of lines goes, and beyond it sampled evenly over the window, so that a chatty hour hides no quiet one.
"""

import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from botocore.exceptions import ClientError

from superbiz.adapters.cloudwatch import queries
from superbiz.adapters.cloudwatch.asking import ask
from superbiz.adapters.cloudwatch.lines import line_of
from superbiz.adapters.cloudwatch.queries import MOST_ROWS, Only
from superbiz.adapters.cloudwatch.session import ACCESS_DENIED, UNAVAILABLE, Clients, Found, Limits, reading
from superbiz.domain.observations import LogLine
from superbiz.domain.values import JsonObject, Window
from superbiz.ports import SourceUnavailable

WHAT = "logs"
GROUPS_A_QUERY = 50
FIRST_WAIT, LONGEST_WAIT, GROWTH = 0.3, 3.0, 1.6
LEAST_SHARE = 2_000  # lines of a group that shares the limit with others
SAMPLES = 24  # slices of a window that is sampled
FULL = 0.5  # how full a page is planned: lines are not spread evenly
WORKING = frozenset({"Scheduled", "Running"})
# The query is refused for the state of one group; the others can still be asked.
OF_A_GROUP = frozenset({"ResourceNotFoundException", "MalformedQueryException", "InvalidParameterException"})
# As many queries run or start as the account may; people's among them.
CROWDED = frozenset({"LimitExceededException", "ThrottlingException"})
UNTIMELY = ("creation time", "retention")  # "end date and time is either before the log groups creation time or exceeds … retention"


class LogGroup(NamedTuple):
    """`created` in epoch milliseconds; `only` narrows what is read of it."""

    name: str
    created: int = 0
    only: tuple[Only, ...] = ()


class Scanned:
    """What Logs Insights has scanned for a run so far, in bytes."""

    def __init__(self) -> None:
        self.bytes = 0.0


class Slice(NamedTuple):
    """Groups and seconds that one query asks, both ends inclusive; `most` lines are wanted of it. A final slice is not split again."""

    groups: tuple[str, ...]
    start: int
    end: int
    most: int
    only: tuple[Only, ...] = ()
    final: bool = False

    @property
    def limit(self) -> int:
        return min(self.most, MOST_ROWS)


class _Running(NamedTuple):
    slice: Slice
    answer: JsonObject

    @property
    def bytes(self) -> float:
        return float(self.answer.get("statistics", {}).get("bytesScanned", 0.0))


def read(clients: Clients, groups: Sequence[LogGroup], window: Window, limits: Limits, scanned: Scanned,
         pause: Callable[[float], None] = time.sleep, clock: Callable[[], float] = time.monotonic) -> Found[LogLine]:  # fmt: skip
    """The lines of the window by time. Raises SourceUnavailable where none of the groups can be read."""
    if scanned.bytes >= limits.log_bytes:
        raise SourceUnavailable(WHAT, f"{_size(scanned.bytes)} were scanned, which is all that a run may", "BUDGET_SPENT")
    reader = _Reader(clients, limits, scanned, clock() + limits.log_seconds)
    reader.plan(groups, window)
    reader.run(pause, clock)
    return reader.found(window)


class _Reader:
    """One reading: the slices that wait, the queries that run, and the rows that came."""

    def __init__(self, clients: Clients, limits: Limits, scanned: Scanned, until: float) -> None:
        self._clients, self._limits, self._scanned, self._until = clients, limits, scanned, until
        self._waiting: deque[Slice] = deque()
        self._running: dict[str, _Running] = {}
        self._rows: dict[str, LogLine] = {}
        self._refused: dict[str, SourceUnavailable] = {}
        self._partial: dict[str, None] = {}
        self._answered = 0

    def plan(self, groups: Sequence[LogGroup], window: Window) -> None:
        """One query for up to 50 groups that are read alike. A group that is younger than the window holds nothing of it."""
        end = window.end.timestamp()
        alike: dict[tuple[Only, ...], list[str]] = {}
        for group in groups:
            if group.created / 1000 <= end:
                alike.setdefault(group.only, []).append(group.name)
        for only, names in alike.items():
            share = max(self._limits.log_lines * len(names) // max(len(groups), 1), LEAST_SHARE)
            for n in range(0, len(names), GROUPS_A_QUERY):
                self._waiting.append(
                    Slice(tuple(names[n : n + GROUPS_A_QUERY]), int(window.start.timestamp()), -int(-end // 1), share, only)
                )

    def run(self, pause: Callable[[float], None], clock: Callable[[], float]) -> None:
        """Whatever ends this, no query is left running."""
        wait = FIRST_WAIT
        try:
            while self._waiting or self._running:
                self._start()
                finished = self._poll()
                if self._over(clock()) or not (self._waiting or self._running):
                    return
                wait = FIRST_WAIT if finished else min(wait * GROWTH, LONGEST_WAIT)
                pause(wait)
        except SourceUnavailable as e:
            if not self._rows:
                raise
            self._partial[f"logs: {e.why}; the rest was not read"] = None
        finally:
            self._stop()

    def found(self, window: Window) -> Found[LogLine]:
        if self._refused and not self._answered:
            raise next(iter(self._refused.values()))
        start, end = window.start.timestamp() * 1000, window.end.timestamp() * 1000
        kept = sorted((r for r in self._rows.values() if start <= r.timestamp < end), key=lambda r: r.timestamp)
        refused = [f"logs of {name}: {e.why}" for name, e in self._refused.items()]
        return Found(tuple(kept), (*self._partial, *refused))

    def _start(self) -> None:
        while self._waiting and len(self._running) < self._limits.log_queries:
            one = self._waiting.popleft()
            try:
                query = self._start_one(one)
            except SourceUnavailable as e:
                if _code(e) in CROWDED:
                    self._waiting.appendleft(one)
                    return
                self._refuse(one, e)
            else:
                self._running[query] = _Running(one, {})

    def _start_one(self, one: Slice) -> str:
        """Tried once: while botocore waits to try again, nobody minds the queries that run."""
        asked = {"startTime": one.start, "endTime": one.end, "queryString": queries.lines(one.limit, one.only)}
        with reading(WHAT, "logs", "StartQuery"):
            return str(self._clients.of("logs", 1).start_query(logGroupNames=list(one.groups), **asked)["queryId"])

    def _refuse(self, one: Slice, error: SourceUnavailable) -> None:
        """A refusal for one of many groups is found by asking each; the rest of a refusal ends the reading."""
        if any(word in error.why for word in UNTIMELY):
            if len(one.groups) == 1:
                self._answered += 1  # it held nothing at that time, or holds it no more
                return
        elif error.code != ACCESS_DENIED and _code(error) not in OF_A_GROUP:
            raise error
        if len(one.groups) == 1:
            self._refused[one.groups[0]] = error
        self._waiting.extend(one._replace(groups=(name,)) for name in one.groups if len(one.groups) > 1)

    def _poll(self) -> bool:
        """Whether a query has finished."""
        finished = False
        for query, running in list(self._running.items()):
            answer = ask(self._clients, WHAT, "logs", "GetQueryResults", queryId=query)
            self._running[query] = running._replace(answer=answer)
            if answer.get("status") in WORKING:
                continue
            finished = True
            done = self._running.pop(query)
            self._scanned.bytes += done.bytes
            if answer.get("status") == "Complete":
                self._take(done, answer)
            else:
                self._partial[f"logs: a query ended as {answer.get('status')}; its lines are not all"] = None
                self._keep(done.slice, answer)
        return finished

    def _take(self, done: _Running, answer: JsonObject) -> None:
        one, rows = done.slice, len(answer.get("results", ()))
        matched = max(int(answer.get("statistics", {}).get("recordsMatched", 0)), rows)
        self._answered += 1
        if rows < one.limit:
            self._keep(one, answer)
            if one.only and not rows:
                what = ", ".join(f"{only.field} {only.text}" for only in one.only)
                self._partial[f"logs of {', '.join(one.groups)}: read for {what} alone, of which no line says that it is"] = None
        elif one.final:
            self._keep(one, answer)
            self._partial[f"logs of {', '.join(one.groups)}: the lines are a sample, taken evenly over the window"] = None
        elif len(one.groups) > 1:
            share = max(one.most // len(one.groups), LEAST_SHARE)
            self._waiting.extend(one._replace(groups=(name,), most=share) for name in one.groups)
        elif matched <= one.most:
            self._waiting.extend(self._rest(one, self._keep(one, answer), matched - rows))
        else:
            self._waiting.extend(_samples(one))

    def _keep(self, one: Slice, answer: JsonObject) -> int:
        """Take the rows in; a row that two slices share counts once. The last one's second."""
        last = one.start
        for n, fields in enumerate(answer.get("results", ())):
            row = {f.get("field", ""): f.get("value", "") for f in fields}
            if (line := line_of(row, one.groups[0])) is not None:
                self._rows[row.get("@ptr") or f"{one.groups}{one.start}#{n}"] = line
                last = max(last, line.timestamp // 1000)
        return last

    def _rest(self, one: Slice, last: int, lines: int) -> Iterator[Slice]:
        """From the last line's second on, in parts that a page holds. What one second holds beyond a page can not be had."""
        if last <= one.start:
            self._partial[f"logs of {one.groups[0]}: one second has more than {one.limit} lines, of which the first were read"] = None
            last = one.start + 1
        if last < one.end:
            yield from _parts(one._replace(start=last), max(-(-lines // int(MOST_ROWS * FULL)), 1))

    def _over(self, moment: float) -> bool:
        """Whether a limit ends the reading. What the queries have found so far is taken."""
        scanned = self._scanned.bytes + sum(r.bytes for r in self._running.values())
        if scanned >= self._limits.log_bytes:
            why = f"{_size(scanned)} were scanned, which is all that a run may"
        elif moment >= self._until:
            why = f"reading took longer than {self._limits.log_seconds:g} s"
        else:
            return False
        for running in self._running.values():
            self._scanned.bytes += running.bytes
            self._keep(running.slice, running.answer)
        self._partial[f"logs: {why}; the rest was not read"] = None
        if not self._answered and not self._rows:
            raise SourceUnavailable(WHAT, why, UNAVAILABLE)
        return True

    def _stop(self) -> None:
        for query in self._running:
            try:
                ask(self._clients, WHAT, "logs", "StopQuery", queryId=query)
            except SourceUnavailable:  # it has ended, or ends by itself
                continue
        self._running.clear()
        self._waiting.clear()


def _samples(one: Slice) -> Iterator[Slice]:
    parts = max(min(SAMPLES, one.end - one.start), 1)
    yield from _parts(one._replace(most=max(one.most // parts, 1), final=True), parts)


def _parts(one: Slice, count: int) -> Iterator[Slice]:
    """Equal parts of at least a second. Neighbours share a second, since an end is inclusive to the millisecond only."""
    length = max(-(-(one.end - one.start) // count), 1)
    for start in range(one.start, max(one.end, one.start + 1), length):
        yield one._replace(start=start, end=min(start + length, one.end))


def _code(error: SourceUnavailable) -> str:
    cause = error.__cause__
    return str(cause.response.get("Error", {}).get("Code", "")) if isinstance(cause, ClientError) else ""


def _size(count: float) -> str:
    return f"{count / 2**30:.1f} GB"
