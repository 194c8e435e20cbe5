"""`rank_suspects`: the symptom attributed along the service map to the node whose own excess is least ordinary."""

from collections import Counter
from collections.abc import Collection, Mapping
from typing import Any, NamedTuple

import numpy as np
from pydantic import Field

from superbiz.analysis import kinds, metrics, quantities, suspects, traces, weighing
from superbiz.analysis.kinds import Kind
from superbiz.analysis.metrics import Array, Deviation, Points
from superbiz.analysis.suspects import Suspect, Track
from superbiz.domain.evidence import ToolCategory
from superbiz.domain.values import JsonObject, Window
from superbiz.ports import EvidenceSource, SourceUnavailable
from superbiz.tools.measuring import Measured, measured
from superbiz.tools.query_metrics import describe
from superbiz.tools.reading import Windowed, called, frame, top, unusable, when, whole, window_of
from superbiz.tools.tool import UNREAD, ToolContext, ToolInput

NAME_CHARS, EXAMPLES = 60, 3  # of what is strange
LONGEST_WAY = 12  # callers that are told of one suspect, the nearest to it
NO_MAP = "there is no service map: each resource is ranked by its own deviation alone"


class SuspectsQuery(Windowed):
    """The symptom: a metric and statistic that many resources have, and the resource whose callers feel it."""

    metric: str = Field(min_length=1, max_length=255, description="the symptom's metric, such as Latency or Availability")
    stat: str = Field(default="Average", max_length=32)
    target: str | None = Field(default=None, max_length=1_024, description="the resource that shows the symptom; empty for the whole map")
    falling: bool | None = Field(default=None, description="whether low values are bad; left out, the metric's name decides")
    top: int = Field(default=8, ge=1, le=50)


class _Symptom(NamedTuple):
    """What all nodes are measured by. `weighted` says that requests weigh the excess; `scales` brings each node's values into one unit."""

    rows: Mapping[str, Measured]
    weights: Mapping[str, Measured]
    falling: bool
    percent: bool
    requests: Mapping[str, Measured]
    scales: Mapping[str, float]
    notes: list[str]

    @property
    def weighted(self) -> bool:
        return bool(self.weights)


class RankSuspects:
    """Equal evidence stays equal: suspects with the same surplus share a rank."""

    name = "rank_suspects"
    category = ToolCategory.METRIC
    description = (
        "Resources by their own excess of a symptom metric along the service map: how much worse than normal each is, weighted by its "
        "requests, less what its callees explain, beyond what is ordinary for it. Also the symptom itself against its normal range."
    )
    input_model: type[ToolInput] = SuspectsQuery

    def run(self, params: ToolInput, context: ToolContext) -> JsonObject:
        """Raises SourceUnavailable where there are no metrics."""
        asked = SuspectsQuery.model_validate(params)
        window = window_of(asked, context)
        symptom = _symptom(asked, context, window)
        target = next((name for name in symptom.rows if asked.target and name.casefold() == asked.target.casefold()), None)
        calls, map_source, notes = _calls(context.source, window)
        times, tracks = _tracks(symptom)
        found = suspects.rank(tracks, calls, target)
        shown, more = top([s for s in found if s.surplus > 0], asked.top)
        return {
            "symptom": _described(symptom, target),
            "suspects": [_record(s, rank, symptom, asked, times) | _reached(calls, target, s) for s, rank in _ranked(shown)],
            "quiet": [_quiet(s, asked) for s in _explained(found)[: asked.top]],
            "nodes": len(found),
            "measured": len(symptom.rows),
            "services": called(calls),
        } | frame(window, {"suspects": more}, [*unusable(context.source), *symptom.notes, *notes, f"calls are taken from {map_source}"])


def _symptom(asked: SuspectsQuery, context: ToolContext, window: Window) -> _Symptom:
    wanted, stat = asked.metric.casefold(), asked.stat.casefold()
    both = measured(
        context.source, window, context.now,
        lambda s: kinds.is_weight(s) or s.metric_name.casefold() == wanted,
    )  # fmt: skip
    rows = _best_stat([m for m in both.rows if m.series.metric_name.casefold() == wanted], stat)
    rule = kinds.rule_of(asked.metric)
    falling = asked.falling if asked.falling is not None else rule.falling is True
    requests = {kinds.subject_of(m.series): m for m in both.rows if kinds.is_weight(m.series)}
    weights = requests if _weighable(rule.kind, asked.stat) else {}
    percent = any(kinds.is_percent(m.series) for m in rows.values())
    scales, notes = _scales(rows, asked.target)
    return _Symptom(rows, weights, falling, percent, requests, scales, [*both.notes, *notes])


def _scales(rows: Mapping[str, Measured], target: str | None) -> tuple[dict[str, float], list[str]]:
    """What each node's values are multiplied by to be of the target's unit, or of the most common one; nodes that measure something
    else are not among them. One without a unit is taken as it is."""
    units = {name: m.series.unit for name, m in rows.items()}
    wanted = next((units[n] for n in units if target and n.casefold() == target.casefold()), None)
    unit = wanted or next((u for u, _ in Counter(units.values()).most_common()), "")
    found = {n: quantities.factor(u, unit) if quantities.is_named(u) and quantities.is_named(unit) else 1.0 for n, u in units.items()}
    scales = {n: f for n, f in found.items() if f is not None}
    left = sorted(found.keys() - scales.keys())
    return scales, [f"metric data: {len(left)} resources are not ranked, since {units[left[0]]} is no {unit} ({left[0]})"] if left else []


def _best_stat(rows: list[Measured], stat: str) -> dict[str, Measured]:
    """One series a resource: the statistic asked for, and where nobody has it, the first there is."""
    stats = sorted({r.series.stat for r in rows}, key=lambda s: (s.casefold() != stat, s))
    return {kinds.subject_of(r.series): r for r in rows if r.series.stat == stats[0]}


def _weighable(kind: Kind, stat: str) -> bool:
    """Averages and shares are weighed by requests; counts weigh themselves."""
    return kind in (Kind.LATENCY, Kind.AVAILABILITY, Kind.ERRORS, Kind.OTHER) and stat.casefold() not in ("sum", "samplecount")


def _calls(source: EvidenceSource, window: Window) -> tuple[dict[str, set[str]], str, list[str]]:
    """The service map, else the one that traces draw, else none. Metrics without any are still worth a ranking."""
    try:
        calls = {s.name: set(s.calls) for s in source.service_map()}
        return calls, "the service map", _strange(calls)
    except SourceUnavailable as no_map:
        try:
            return traces.edges(traces.sample(source.traces(window)).spans), "traces", [f"{UNREAD}{no_map}"]
        except SourceUnavailable:
            return {}, "nowhere", [f"{UNREAD}{no_map}", NO_MAP]


def _strange(calls: Mapping[str, set[str]]) -> list[str]:
    """What of the map nobody can be held for: names of nothing, and callees that it does not list."""
    names = [*calls, *(callee for callees in calls.values() for callee in callees)]
    nameless, unknown = sum(not name.strip() for name in names), sorted(set(names) - calls.keys() - {""})
    told = [f"service map: {nameless} names are empty, and services without a name are not looked at"] if nameless else []
    examples = ", ".join(name[:NAME_CHARS] for name in unknown[:EXAMPLES])
    return [*told, *([f"the service map calls {len(unknown)} services that are unknown to it ({examples})"] if unknown else [])]


def _tracks(symptom: _Symptom) -> tuple[Array, dict[str, Track]]:
    """Excess of every node on the grids that all share, with the incident's grid. What can not be weighed is left out."""
    names = [n for n in symptom.scales if not symptom.weighted or n in symptom.weights]
    now_grid = _grid([symptom.rows[n].seen for n in names])
    usual_grid = _grid([symptom.rows[n].usual for n in names])
    return now_grid, {n: _track(n, symptom, now_grid, usual_grid) for n in names}


def _track(name: str, symptom: _Symptom, now_grid: Array, usual_grid: Array) -> Track:
    row, weight = symptom.rows[name], symptom.weights.get(name)
    base = metrics.baseline(row.usual.values)
    median = base.median if base else float(np.quantile(row.seen.values, 0.5, method="lower"))  # a mean of two could overflow
    scale = (0.01 if symptom.percent else 1.0) * symptom.scales[name]
    now_weight = _on(weight.seen, now_grid) if weight else None
    usual_weight = _on(weight.usual, usual_grid) if weight else None
    return Track(
        suspects.excess(_on(row.seen, now_grid), median, now_weight, symptom.falling, scale),
        suspects.excess(_on(row.usual, usual_grid), median, usual_weight, symptom.falling, scale),
    )


def _grid(rows: list[Points]) -> Array:
    return np.unique(np.concatenate([r.times for r in rows])) if rows else np.array([], dtype=np.float64)


def _on(given: Points, grid: Array) -> Array:
    """Values at the grid's times, NaN where there is none."""
    known = np.isin(given.times, grid)
    out = np.full(len(grid), np.nan)
    out[np.searchsorted(grid, given.times[known])] = given.values[known]
    return out


def _described(symptom: _Symptom, target: str | None) -> dict[str, Any] | None:
    """The symptom at its target, and how rare its worst value is where the whole window is taken together."""
    row = symptom.rows.get(target or "")
    found = metrics.deviation(row.seen, row.ordinary, symptom.falling) if row else None
    if row is None or found is None:
        return None
    kind = kinds.rule_of(row.series.metric_name).kind
    record = describe(row.series, found, kind) | {"rarity": whole(_rarity(row, found, symptom.falling)), "basis": row.basis}
    record |= _told_share(_share(row, symptom.requests.get(target or "")) if kind is Kind.ERRORS else None)
    return record | {"datapoints": len(row.seen.values), "at_limit": weighing.at_limit(kind, found, kinds.is_percent(row.series))}


def _told_share(share: Deviation | None) -> dict[str, Any]:
    if share is None:
        return {}
    shown = {"share_worst": share.worst, "share_baseline": share.baseline.median, "share_deviation": round(share.score, 1)}
    return {name: whole(value) for name, value in shown.items()}


def _share(row: Measured, requests: Measured | None) -> Deviation | None:
    """The same as a share of the requests, where both are counted at the same times."""
    if requests is None or requests.series is row.series or row.series.stat != requests.series.stat:
        return None
    seen, usual = _ratio(row.seen, requests.seen), _ratio(row.usual, requests.usual)
    return metrics.deviation(seen, usual.values, falling=False)


def _ratio(counted: Points, of: Points) -> Points:
    both = np.intersect1d(counted.times, of.times)
    over, under = _on(counted, both), _on(of, both)
    kept = under > 0
    return Points(both[kept], over[kept] / under[kept])


def _rarity(row: Measured, found: Deviation, falling: bool) -> float:
    """A window has many datapoints, and its worst is compared with the worst of ordinary windows as long."""
    sign = -1.0 if falling else 1.0
    return metrics.window_tail(sign * found.worst, sign * row.ordinary, len(row.seen.values))


def _ranked(found: list[Suspect]) -> list[tuple[Suspect, int]]:
    """Each suspect with its rank; the same surplus is the same rank."""
    surpluses = [s.surplus for s in found]
    return [(s, surpluses.index(s.surplus) + 1) for s in found]


def _record(suspect: Suspect, rank: int, symptom: _Symptom, asked: SuspectsQuery, times: Array) -> JsonObject:
    weighed = f"{asked.metric} times requests" if symptom.weighted else asked.metric
    return {
        "resource": suspect.resource,
        "rank": rank,
        "metric": asked.metric,
        "stat": asked.stat,
        "own_excess": whole(suspect.own),
        "ordinary_excess": whole(suspect.ordinary),
        "surplus": whole(suspect.surplus),
        "share": whole(suspect.share),
        "rarity": whole(suspect.rarity),
        "peak_at": when(float(times[suspect.peak])),
        "why": f"own excess of {weighed}, beyond what its callees explain and beyond what is ordinary for it",
    }


def _reached(calls: Mapping[str, Collection[str]], target: str | None, suspect: Suspect) -> JsonObject:
    """How the symptom's resource depends on the suspect: the services on the way, where it is another and the map knows the way."""
    way = suspects.path(calls, target, suspect.resource) if target and target != suspect.resource else ()
    return {"called_by": list(way[:-1])[-LONGEST_WAY:]} if way else {}


def _explained(found: list[Suspect]) -> list[Suspect]:
    """Nodes within what is ordinary for them, those first whose callees have the most to explain."""
    return sorted((s for s in found if s.surplus <= 0), key=lambda s: (-s.excess, s.resource))


def _quiet(suspect: Suspect, asked: SuspectsQuery) -> JsonObject:
    """A positive observation: within its own ordinary excess."""
    return {
        "resource": suspect.resource,
        "metric": asked.metric,
        "whole_excess": whole(suspect.excess),
        "own_excess": whole(suspect.own),
        "ordinary_excess": whole(suspect.ordinary),
        "why": "its own excess is within what is ordinary for it",
    }
