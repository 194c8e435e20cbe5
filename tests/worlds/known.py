"""What the investigator still gets wrong in the catalogue's worlds. A row that no longer holds fails its test: then take it out."""

from typing import NamedTuple

CONCLUSION, CAUSE, CATEGORY, OPERATION, SECOND = "conclusion", "cause", "category", "operation", "second cause"
NOTHING_NAMED, HEALTH, RULED_OUT, NOT_CHECKED, CLAIMS, CLEARED = "nothing named", "health", "ruled out", "not checked", "claims", "cleared"


class Known(NamedTuple):
    """One world: the aspects that are wrong there, and what is said instead."""

    world: str
    aspects: tuple[str, ...]
    reason: str


KNOWN: tuple[Known, ...] = (
    Known("network-lossy", (CONCLUSION, CAUSE, CATEGORY), "inconclusive, though the spans show the gap between the two"),
    Known("k8s-node-lost", (CLAIMS,), "the node has one witness, its own event, so that the cause is hedged and the verdict LOW_CONFID"),
)
