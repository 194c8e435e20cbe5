"""Evaluating a run that has ended: by rules alone, from what was recorded. Nothing here can change the run's status or answer."""

from collections.abc import Mapping
from typing import Any

from superbiz.domain import aiops_rules, alarms, canonical, rule_evaluation
from superbiz.domain.incidents import AlarmNotice
from superbiz.domain.runs import Flow, Status
from superbiz.domain.values import JsonObject
from superbiz.ports import Ports, RunFile


def evaluate(run_id: str, ports: Ports) -> Mapping[str, JsonObject] | None:
    """Write the nodes of a terminal run and clear its EVAL marker, in one write; the same on a second try.

    None where there is nothing to evaluate: no such run, or one that is under way (its end asks again).
    """
    file = ports.ledger.file(run_id)
    if file is None or file.record.run.status is Status.RUNNING:
        return None
    nodes = {"rule": rule_evaluation.evaluate(file.record.run.status, file.invocations)}
    if file.record.run.agent_flow is Flow.AI_OPS:
        nodes["aiops"] = aiops_rules.evaluate(file.record, file.invocations, _outputs(file, ports), _alarm(file, ports))
    ports.ledger.put_evaluations(run_id, nodes)
    return nodes


def _outputs(file: RunFile, ports: Ports) -> Mapping[str, Any]:
    stored = {i.invocation_id: file.outputs.get(i.invocation_id) or ports.ledger.output(i) for i in file.invocations if i.output}
    return {invocation_id: canonical.loads(data) for invocation_id, data in stored.items() if data is not None}


def _alarm(file: RunFile, ports: Ports) -> AlarmNotice | None:
    trigger = file.record.request.trigger
    notice = alarms.parse(trigger, stack_name=ports.settings.stack_name) if trigger else None
    return notice if isinstance(notice, AlarmNotice) else None
