"""Alarms, whichever way they come: EventBridge, SNS, the alarm's own Lambda action, or the webhook of Alertmanager or Grafana.

Whatever arrives is read without an exception: it is a notice, or it is dropped with a reason.
"""

from superbiz.domain.alarms.cleaning import cleaned
from superbiz.domain.alarms.parsing import Dropped, parse, unpack
from superbiz.domain.alarms.telling import incident_id, summary

__all__ = ["Dropped", "cleaned", "incident_id", "parse", "summary", "unpack"]
