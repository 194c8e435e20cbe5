"""Suspects along the service map: who, less its callees, adds more to the symptom than is ordinary for it.

A node's *excess* is how much worse the symptom's metric is than its normal median, weighted by requests (seconds lost, requests
lost). Its *own* excess is what its callees' excess does not account for. Every node has some own excess on an ordinary day, so it
is judged by its *surplus*: the own excess beyond the 95th percentile of what its own normal period shows.
"""

from collections import deque
from collections.abc import Collection, Mapping
from typing import NamedTuple

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from superbiz.analysis.metrics import Array, baseline, window_tail

ORDINARY = 0.95
DIGITS = 6  # beyond these, a difference is float noise and no order
LEAST = 1e-9  # an excess of less is none, and has no shares


class Track(NamedTuple):
    """One node's excess on time grids that all nodes share: in the incident, and on ordinary days. Missing datapoints are 0."""

    now: Array
    ordinary: Array


class Suspect(NamedTuple):
    """`share` is the surplus as a share of the symptom's excess; `rarity` how often ordinary days show as much own excess.

    `peak` is the row of the largest own excess. Equal surplus means equal suspicion.
    """

    resource: str
    surplus: float
    own: float
    ordinary: float
    excess: float
    share: float
    rarity: float
    peak: int


def excess(values: Array, median: float, weights: Array | None, falling: bool, scale: float = 1.0) -> Array:
    """How much worse than the median, times the weight; 0 where either is missing."""
    worse = (median - values if falling else values - median) * scale
    return np.nan_to_num(worse if weights is None else worse * weights, nan=0.0, posinf=0.0, neginf=0.0)


def visible(calls: Mapping[str, Collection[str]], measured: Collection[str]) -> dict[str, set[str]]:
    """The map with only measured nodes: one that has no data hands its callees up to its callers. Self-calls go; cycles are safe."""
    out = {}
    for node in measured:
        found: set[str] = set()
        seen, todo = {node}, list(calls.get(node, ()))
        while todo:
            callee = todo.pop()
            if callee in seen:
                continue
            seen.add(callee)
            if callee in measured:
                found.add(callee)
            else:
                todo.extend(calls.get(callee, ()))
        out[node] = found
    return out


def reachable(calls: Mapping[str, Collection[str]], target: str) -> set[str]:
    """The target and everything it calls, directly or not."""
    seen, todo = {target}, [target]
    while todo:
        for callee in calls.get(todo.pop(), ()):
            if callee not in seen:
                seen.add(callee)
                todo.append(callee)
    return seen


def path(calls: Mapping[str, Collection[str]], target: str, resource: str) -> tuple[str, ...]:
    """The shortest chain of calls from the one to the other, both included, the first by name of equally short ones; () where none is."""
    came: dict[str, str | None] = {target: None}
    todo = deque([target])
    while todo and resource not in came:
        caller = todo.popleft()
        for callee in sorted(calls.get(caller, ())):
            if callee not in came:
                came[callee] = caller
                todo.append(callee)
    chain: list[str] = []
    at: str | None = resource if resource in came else None
    while at is not None:
        chain.append(at)
        at = came[at]
    return tuple(reversed(chain))


def rank(tracks: Mapping[str, Track], calls: Mapping[str, Collection[str]], target: str | None) -> list[Suspect]:
    """The nodes that the target depends on, largest surplus first, ties by name.

    All nodes, where the target is not among them, or where nobody knows who calls whom.
    """
    shown = visible(calls, tracks.keys())
    if target is not None and target in tracks:
        nodes, symptom = reachable(shown, target) if any(calls.values()) else set(tracks), _peak(tracks[target].now)
    else:
        nodes, symptom = set(tracks), max((_peak(t.now) for t in tracks.values()), default=0.0)
    found = [_suspect(node, tracks, shown[node], symptom) for node in sorted(nodes)]
    return sorted(found, key=lambda s: (-s.surplus, s.resource))


def _suspect(node: str, tracks: Mapping[str, Track], callees: Collection[str], symptom: float) -> Suspect:
    now = _own(tracks[node].now, [tracks[c].now for c in callees])
    days = _own(tracks[node].ordinary, [tracks[c].ordinary for c in callees])
    ordinary = _peaks(days, len(now))
    usual = float(np.quantile(ordinary, ORDINARY)) if len(ordinary) else 0.0
    own = _peak(now)
    surplus = round(own - max(usual, 0.0), DIGITS)
    share = surplus / symptom if symptom > LEAST else 0.0
    return Suspect(node, surplus, round(own, DIGITS), round(usual, DIGITS), round(_peak(tracks[node].now), DIGITS), round(share, DIGITS),
                   _rarity(own, days, len(now)), int(np.argmax(now)) if len(now) else 0)  # fmt: skip


def _own(mine: Array, theirs: list[Array]) -> Array:
    """Callees that do better than usual are no excuse."""
    return mine - sum((np.maximum(t, 0.0) for t in theirs), np.zeros_like(mine))


def _peak(track: Array) -> float:
    return float(track.max()) if len(track) else 0.0


def _peaks(track: Array, length: int) -> Array:
    """The peaks that windows as long as the incident's show on ordinary days."""
    if not 0 < length <= len(track):
        return track
    peaks: Array = sliding_window_view(track, length).max(axis=1)
    return peaks


def _rarity(own: float, days: Array, length: int) -> float:
    """Without an ordinary day to compare with, nothing is rare."""
    return window_tail(own, days, length) if own > 0 and baseline(days) else 1.0
