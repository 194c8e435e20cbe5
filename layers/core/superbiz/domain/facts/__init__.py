"""Typed facts of claims: what is said of which field, recomputed by code from the recorded JSON."""

from superbiz.domain.facts.deriving import Told, derived
from superbiz.domain.facts.fact import Aggregate, Fact, Op, parse, readable
from superbiz.domain.facts.labels import carried, swapped, untyped
from superbiz.domain.facts.recomputing import Outcome, recompute
from superbiz.domain.facts.source import Source

__all__ = [
    "Aggregate",
    "Fact",
    "Op",
    "Outcome",
    "Source",
    "Told",
    "carried",
    "derived",
    "parse",
    "readable",
    "recompute",
    "swapped",
    "untyped",
]
