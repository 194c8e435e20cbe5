"""Alerts that Prometheus Alertmanager (webhook version 4) and Grafana send: a group of alerts with labels and annotations."""

from collections.abc import Mapping
from typing import Any

from superbiz.domain.alarms import reading
from superbiz.domain.alarms.found import Found
from superbiz.domain.alarms.reading import at, items, mapping, text
from superbiz.domain.incidents import AlarmMetric, AlarmState
from superbiz.domain.values import JsonObject

STATES = {"firing": AlarmState.ALARM, "alerting": AlarmState.ALARM, "resolved": AlarmState.OK, "ok": AlarmState.OK}
# Labels that name the rule, its rank or its teller, and no part of the system.
ABOUT_THE_RULE = frozenset({"alertname", "severity", "priority", "team", "prometheus", "grafana_folder", "receiver", "job", "endpoint"})


def alertmanager(event: JsonObject) -> Found | None:
    """The first firing alert of the group stands for it; the others are told in its reason."""
    alerts = [a for a in items(event, "alerts") if isinstance(at(a, "labels"), Mapping)]
    if not alerts or not isinstance(event.get("status"), str):
        return None
    status = text(event, "status").lower()
    alert: Any = next((a for a in alerts if (text(a, "status").lower() or status) == "firing"), alerts[0])
    labels = _texts(event, "commonLabels") | _texts(alert, "labels")
    notes = _texts(event, "commonAnnotations") | _texts(alert, "annotations")
    state = STATES.get(text(alert, "status").lower() or status)
    return Found(
        via="alertmanager",
        event_id="",
        name=text(labels, "alertname", limit=reading.NAME_CHARS + 1),
        arn="",
        account=text(labels, "account_id") or text(labels, "account"),
        region=text(labels, "region"),
        state=state.value if state else status,
        previous="",
        reason=_reason(notes, alerts),
        reason_data={},
        description=text(notes, "description") or text(notes, "message"),
        contributor=text(alert, "fingerprint", limit=reading.ID_CHARS),
        metrics=(AlarmMetric(dimensions={k: v for k, v in labels.items() if k not in ABOUT_THE_RULE}),),
        threshold=None,
        comparison="",
        times=(at(alert, "startsAt"), at(event, "startsAt")),
        muted=False,
        tags=mapping(event, "groupLabels"),
    )


def _texts(value: Any, key: str) -> dict[str, str]:
    pairs = list(mapping(value, key).items())[: reading.ITEMS]
    return {text(k): text(v) for k, v in pairs if isinstance(k, str) and isinstance(v, str)}


def _reason(notes: Mapping[str, str], alerts: list[Any]) -> str:
    told = notes.get("summary") or notes.get("description") or notes.get("message") or ""
    return f"{told} ({len(alerts)} alerts in the group)" if len(alerts) > 1 else told
