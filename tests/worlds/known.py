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
    Known("ec2-credits-spent", (CAUSE,), "time spent in the caller counts as a gap before its callees, as network"),
    Known("cache-emptied", (CAUSE,), "MySQL, which bears the misses, stands before the cache that was emptied"),
    Known("network-lossy", (CONCLUSION, CAUSE, CATEGORY), "inconclusive, though the spans show the gap between the two"),
    Known(
        "quiet-healthy-rollout", (CONCLUSION, NOTHING_NAMED), "a rollout that went well, over before anybody looked, is called the cause"
    ),
    Known("rds-storage-full", (RULED_OUT,), "the unrelated deploy before it is not mentioned"),
    Known("deploy-regression", (RULED_OUT,), "the other deploy, after the onset, is not mentioned"),
    Known("mysql-metadata-lock", (CLEARED,), "the migration's job is ruled out"),
    Known("certificate-expired", (CLEARED,), "the failed renewals are ruled out as older than the onset"),
    Known("k8s-out-of-memory", (CLEARED,), "later kills of the same fault are ruled out as later than the onset"),
    Known("two-faults", (CLEARED,), "later kills of the same fault are ruled out as later than the onset"),
    Known("k8s-crash-loop", (CLEARED,), "later repeats of BackOff are ruled out as later than the onset"),
    Known("k8s-image-missing", (CLEARED,), "later repeats of BackOff are ruled out as later than the onset"),
    Known("k8s-probe-too-strict", (CLEARED,), "later repeats of Unhealthy are ruled out as later than the onset"),
    Known("k8s-unschedulable", (CLEARED,), "later repeats of NotTriggerScaleUp are ruled out as later than the onset"),
)
