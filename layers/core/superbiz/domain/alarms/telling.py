"""What an alarm says in words, and which incident it belongs to."""

from superbiz.domain import ids
from superbiz.domain.incidents import AlarmMetric, AlarmNotice
from superbiz.domain.values import iso

QUERY_CHARS = 2_000
SHOWN_METRICS = 5


def incident_id(notice: AlarmNotice) -> str:
    """The fingerprint: account, region and ARN of the alarm, and the contributor of a multi-series alarm."""
    return ids.derived("incident", notice.account, notice.region, notice.alarm_arn, notice.contributor or "")


def summary(notice: AlarmNotice) -> str:
    """The query of an AI_OPS run: name, change, time and place first, then what was measured and why it rang."""
    parts = [_change(notice)]
    parts += [_measured(metric) for metric in notice.metrics[:SHOWN_METRICS]]
    if notice.contributor:
        parts.append(f"Contributor: {notice.contributor}.")
    if notice.threshold is not None:
        parts.append(f"Threshold: {notice.comparison or 'crossed'} {notice.threshold:g}.")
    if notice.reason:
        parts.append(f"Reason: {notice.reason}")
    if notice.description:
        parts.append(f"Description: {notice.description}")
    return " ".join(part for part in parts if part)[:QUERY_CHARS]


def _change(notice: AlarmNotice) -> str:
    before = f" from {notice.previous_state}" if notice.previous_state else ""
    place = " ".join(p for p in (notice.region and f"in {notice.region}", notice.account and f"(account {notice.account})") if p)
    return f"Alarm {notice.alarm_name} went{before} to {notice.state} at {iso(notice.occurred_at)}{' ' + place if place else ''}."


def _measured(metric: AlarmMetric) -> str:
    where = ", ".join(f"{name}={value}" for name, value in metric.dimensions.items())
    every = f" over {metric.period} s" if metric.period else ""
    subject = "/".join(p for p in (metric.namespace, metric.metric_name) if p)
    if not subject:
        return f"Labels: {where}." if where else ""
    return f"Metric: {metric.stat + ' of ' if metric.stat else ''}{subject}{every}{' for ' + where if where else ''}."
