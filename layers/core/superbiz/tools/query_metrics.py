"""`query_metrics`: the series that left what is ordinary for them, and the resources near a limit."""

from collections import Counter
from typing import Any, NamedTuple

from pydantic import Field

from superbiz.analysis import kinds, metrics, weighing
from superbiz.analysis.kinds import Rule
from superbiz.analysis.metrics import Deviation
from superbiz.domain.evidence import ToolCategory
from superbiz.domain.observations import Series
from superbiz.domain.values import JsonObject, Window
from superbiz.tools.measuring import Measured, measured
from superbiz.tools.reading import Windowed, frame, named, top, unusable, when, whole, window_of
from superbiz.tools.tool import Name, ToolContext, ToolInput

MOST_POINTS = 60
LEAST_WEIGHT = 0.05
SHARED = 0.1  # the weight of a value that several resources share: it is their host's, not theirs


class MetricsQuery(Windowed):
    """Names are compared whole, case aside. `top` bounds the series; what was left out is told."""

    subjects: tuple[Name, ...] = Field(default=(), max_length=20, description="resources, as dimensions name them; empty for all")
    metrics: tuple[Name, ...] = Field(default=(), max_length=20, description="metric names; empty for all")
    stats: tuple[Name, ...] = Field(default=(), max_length=10, description="statistics such as Average or p99; empty for all")
    top: int = Field(default=12, ge=1, le=50)


class _Row(NamedTuple):
    measured: Measured
    rule: Rule
    found: Deviation


class QueryMetrics:
    """Ranked by how far each signal left its ordinary range; percentiles and averages of one metric are one signal."""

    name = "query_metrics"
    category = ToolCategory.METRIC
    description = (
        "Metric series by deviation from what is ordinary for them (the normal period, else the time before), with baseline, worst value, "
        "onset and direction; and conditions: resources near a limit, throttled, restarting or with a backlog."
    )
    input_model: type[ToolInput] = MetricsQuery

    def run(self, params: ToolInput, context: ToolContext) -> JsonObject:
        """Raises SourceUnavailable where there are no metrics."""
        asked = MetricsQuery.model_validate(params)
        window = window_of(asked, context)
        is_subject, is_metric, is_stat = named(asked.subjects), named(asked.metrics), named(asked.stats)
        found = measured(
            context.source, window, context.now,
            lambda s: is_subject(kinds.subject_of(s)) and is_metric(s.metric_name) and is_stat(s.stat),
        )  # fmt: skip
        return _answer(found.rows, window, asked.top, [*unusable(context.source), *found.notes])


def _answer(rows: list[Measured], window: Window, limit: int, notes: list[str]) -> JsonObject:
    judged = {id(r.measured.series): r for r in map(_judged, rows) if r}
    signals = metrics.signals([(r.measured.series, r.found) for r in judged.values()])
    shown, more = top(signals, limit)
    states, further = top(_conditions(list(judged.values())), limit)
    unjudged = len(rows) - len(judged)
    if unjudged:
        notes = [f"{unjudged} series have too few datapoints to say what is ordinary for them", *notes]
    return {
        "series": [_series(judged[id(series)], others) for series, _, others in shown],
        "conditions": states,
        "matched": len(rows),
    } | frame(window, {"signals": more, "conditions": further}, notes)


def _judged(row: Measured) -> _Row | None:
    rule = kinds.rule_of(row.series.metric_name)
    found = metrics.deviation(row.seen, row.ordinary, rule.falling)
    return _Row(row, rule, found) if found else None


def _series(row: _Row, others: tuple[str, ...]) -> JsonObject:
    """Fields worth citing stand first, close together; the points last."""
    out = describe(row.measured.series, row.found, row.rule.kind)
    out |= {"basis": row.measured.basis, "namespace": row.measured.series.namespace, "dimensions": row.measured.series.dimensions}
    if others:
        out["also"] = list(others[:6])
    seen = row.measured.seen
    first = max(len(seen.times) - MOST_POINTS, 0)
    return out | {"points": [[when(t), whole(v)] for t, v in zip(seen.times[first:], seen.values[first:], strict=True)]}


def describe(series: Series, found: Deviation, kind: kinds.Kind) -> dict[str, Any]:
    """A series in one citable record."""
    base = found.baseline
    return {
        "subject": kinds.subject_of(series),
        "metric": series.metric_name,
        "stat": series.stat,
        "unit": series.unit,
        "kind": kind.value,
        "direction": found.direction,
        "worst": whole(found.worst),
        "worst_at": when(found.worst_at),
        "baseline": whole(base.median),
        "deviation": whole(round(found.score, 1)),
        **({"recovered_at": when(found.recovered)} if found.recovered is not None else {}),
        "rarity": whole(found.rarity),
        "normal_p1": whole(base.low),
        "normal_p99": whole(base.high),
        "onset": when(found.onset),
    }


def _conditions(rows: list[_Row]) -> list[JsonObject]:
    """One row a resource and signal, heaviest first."""
    copies = Counter(_fingerprint(r) for r in rows)
    limited = {
        (kinds.subject_of(r.measured.series), kinds.thing_of(r.measured.series)) for r in rows if kinds.is_percent(r.measured.series)
    }
    best: dict[tuple[str, str], tuple[float, JsonObject]] = {}
    for row in rows:
        if row.rule.kind not in kinds.CONDITIONS:
            continue
        series = row.measured.series
        if not kinds.is_percent(series) and (kinds.subject_of(series), kinds.thing_of(series)) in limited:
            continue  # the same thing is measured in percent, which knows its limit
        shared = copies[_fingerprint(row)]
        weight = weighing.condition(row.rule.kind, row.found, kinds.is_percent(series)) * (SHARED if shared > 1 else 1.0)
        key = (kinds.subject_of(series), metrics.metric_base(series.metric_name))
        if weight >= LEAST_WEIGHT and weight > best.get(key, (0.0, {}))[0]:
            record = describe(series, row.found, row.rule.kind) | {"weight": whole(weight), "category": row.rule.category.value}
            best[key] = (weight, record | ({"shared_with": shared - 1} if shared > 1 else {}))
    return [record for _, record in sorted(best.values(), key=lambda w: (-w[0], w[1]["subject"], w[1]["metric"]))]


def _fingerprint(row: _Row) -> tuple[str, str, bytes]:
    """The same values under the same name for several resources measure something that they share."""
    return row.measured.series.metric_name, row.measured.series.stat, row.measured.seen.values.tobytes()
