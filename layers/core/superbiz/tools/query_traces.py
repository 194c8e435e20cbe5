"""`query_traces`: operations that fail or slow down, and services that are reached late, against a normal period."""

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from pydantic import Field

from superbiz.analysis import traces, weighing
from superbiz.analysis.traces import CallShift, Flaws, Growth, Operation, Period, Timing
from superbiz.domain.evidence import ToolCategory
from superbiz.domain.observations import Span
from superbiz.domain.values import JsonObject, Window
from superbiz.ports import EvidenceSource
from superbiz.tools.reading import Windowed, called, frame, hour_before, named, top, unusable, when_ms, whole, window_of
from superbiz.tools.tool import Name, ToolContext, ToolInput

NOTABLE = 0.25  # the weight from which a shift of calls is worth its place


class TracesQuery(Windowed):
    """Services are compared whole, case aside."""

    services: tuple[Name, ...] = Field(default=(), max_length=20, description="services; empty for all")
    top: int = Field(default=10, ge=1, le=50)


class _Row(NamedTuple):
    operation: Operation
    now: Timing
    usual: Timing | None
    own: Growth | None
    weight: float


class QueryTraces:
    """Own time is a span's time less its callees'; a gap is what lies between a caller's span and its callee's."""

    name = "query_traces"
    category = ToolCategory.TRACE
    description = (
        "Operations by error rate and growth of their own time, services by the time lost between caller and callee (network), calls that "
        "operations no longer make or make many times as often, each against the normal period; sample spans."
    )
    input_model: type[ToolInput] = TracesQuery

    def run(self, params: ToolInput, context: ToolContext) -> JsonObject:
        """Raises SourceUnavailable where there are no traces."""
        asked = TracesQuery.model_validate(params)
        window, is_service = window_of(asked, context), named(asked.services)
        spans, one_in = traces.sample(context.source.traces(window))
        now, usual = traces.period(spans), _normal(context.source, window)
        torn = traces.is_torn(now, usual)
        rows = sorted((_row(op, t, usual, torn) for op, t in now.operations.items() if is_service(op.service)), key=_order)
        shown, more = top(rows, asked.top)
        gaps, more_gaps = top([g for g in _gaps(now, usual) if is_service(g["service"])], asked.top)
        calls, more_calls = top([c for c in _calls(now, usual) if is_service(c["service"])], asked.top)
        notes = _sampled(one_in) + _flawed(now, usual) + ([] if usual else ["there are no traces of a normal period to compare with"])
        return {
            "operations": [_record(r) for r in shown],
            "gaps": gaps,
            "calls": calls,
            "samples": _samples(spans, [r.operation for r in shown]),
            "matched": sum(is_service(s.service) for s in spans),
            "services": called(traces.edges(spans)),
            **({"complete": False} if one_in > 1 else {}),
        } | frame(window, {"operations": more, "gaps": more_gaps, "calls": more_calls}, [*unusable(context.source), *notes])


def _normal(source: EvidenceSource, window: Window) -> Period | None:
    """The normal period, else the hour before, where it has spans at all."""
    given = source.normal_traces()
    found = traces.period(traces.sample(source.traces(hour_before(window)) if given is None else given).spans)
    return found if found.spans or given is not None else None


def _sampled(one_in: int) -> list[str]:
    return [f"of the traces one in {one_in} was followed: there are too many spans to hold"] if one_in > 1 else []


def _flawed(now: Period, usual: Period | None) -> list[str]:
    """What of the spans could not be used. That callees outlast their callers is ordinary where they are not waited for."""
    found, normal, normal_spans = now.flaws, usual.flaws if usual else Flaws(), usual.spans if usual else 0
    lost = f"{found.orphans} of {now.spans} spans name a parent that is not there (in the normal period {normal.orphans} of {normal_spans})"
    told = {
        f"{lost}: calls and own times are not compared": traces.is_torn(now, usual),
        f"{found.longer} spans are longer than their parents, as where clocks differ": traces.is_more(
            found.longer, now.spans, normal.longer, normal_spans
        ),
        f"{found.repeated} spans have the id of another one, and one for each id was kept": found.repeated,
        f"{found.circular} spans are their own parent by way of others (a circle)": found.circular,
        f"{found.untimed} spans have a duration that can not be (negative, or over a month) and tell no times": found.untimed,
        f"{normal.untimed} normal spans have a duration that can not be and tell no times": normal.untimed,
    }
    return [f"trace data: {sentence}" for sentence, holds in told.items() if holds]


def _row(operation: Operation, now: Timing, normal: Period | None, torn: bool) -> _Row:
    usual = normal.operations.get(operation) if normal else None
    own = traces.growth(now.own, usual.own) if usual and not torn else None
    errors = max(traces.error_growth(now, usual), 0.0) / weighing.SIGMAS if normal or now.errors else 0.0
    return _Row(operation, now, usual, own, max(errors, weighing.slower(own) if own else 0.0))


def _order(row: _Row) -> tuple[Any, ...]:
    return (-row.weight, -row.now.errors, row.operation)


def _record(row: _Row) -> JsonObject:
    now, usual = row.now, row.usual
    record: JsonObject = {
        "service": row.operation.service,
        "name": row.operation.name,
        "spans": now.spans,
        "errors": now.errors,
        "error_rate": whole(now.errors / now.spans),
    }
    if usual:
        record |= {"normal_spans": usual.spans, "normal_error_rate": whole(usual.errors / usual.spans)}
    if row.own:
        record |= _times(row.own, "own_")
    if usual and (whole_time := traces.growth(now.durations, usual.durations)):
        record |= {"p90_ms": _ms(whole_time.p90), "normal_p90_ms": _ms(whole_time.normal_p90)}
    return record | {"weight": whole(row.weight)}


def _gaps(now: Period, usual: Period | None) -> list[JsonObject]:
    """Services that are reached later than normally, heaviest first."""
    normal: Mapping[str, Any] = usual.gaps if usual else {}
    rows = [(service, traces.growth(gaps, normal.get(service, ()))) for service, gaps in now.gaps.items()]
    told = [(s, g, weighing.slower(g)) for s, g in rows if g and g.score > 0]
    return [
        {"service": s, "calls": g.calls, "normal_calls": g.normal_calls} | _times(g, "gap_") | {"weight": whole(w)}
        for s, g, w in sorted(told, key=lambda row: (-row[2], row[0]))
    ]


def _calls(now: Period, usual: Period | None) -> list[JsonObject]:
    """Calls that operations no longer or newly make, or many times as often, heaviest first."""
    rows = [(s, weighing.called(s)) for s in traces.call_shifts(now, usual)] if usual else []
    return [_call(s, w) for s, w in sorted(rows, key=lambda row: (-row[1], row[0].call)) if w >= NOTABLE]


def _call(shift: CallShift, weight: float) -> JsonObject:
    caller, callee = shift.call
    record: JsonObject = {
        "service": caller.service,
        "name": caller.name,
        "call": shift.change,
        "callee": callee.service,
        "callee_name": callee.name,
        "calling_spans": shift.calling,
        "spans": shift.spans,
        "normal_calling_spans": shift.normal_calling,
        "normal_spans": shift.normal_spans,
    }
    return record | ({"fan_out": whole(round(shift.fan_out, 2))} if shift.change == "fan-out" else {}) | {"weight": whole(round(weight, 6))}


def _times(growth: Growth, prefix: str) -> dict[str, Any]:
    return {
        f"{prefix}median_ms": _ms(growth.median),
        f"normal_{prefix}median_ms": _ms(growth.normal_median),
        f"{prefix}p90_ms": _ms(growth.p90),
        f"normal_{prefix}p90_ms": _ms(growth.normal_p90),
    }


def _ms(value: float) -> int | float:
    return whole(round(value, 3))


def _samples(spans: Iterable[Span], told: list[Operation]) -> list[str]:
    """The slowest span of each operation that is told, failed ones first, as one line."""
    best: dict[Operation, Span] = {}
    wanted = set(told)
    for span in spans:
        key = Operation(span.service, traces.operation_of(span.name))
        if (
            key in wanted
            and traces.timed(span)
            and (key not in best or (span.error, span.duration_ms) > (best[key].error, best[key].duration_ms))
        ):
            best[key] = span
    return [_line(best[operation]) for operation in told if operation in best]


def _line(span: Span) -> str:
    state = "failed" if span.error else "ok"
    ids = f"trace {span.trace_id} span {span.span_id}"
    return f"{when_ms(span.start_ms)} {span.service} {span.name} {_ms(span.duration_ms)} ms {state} {ids}"
