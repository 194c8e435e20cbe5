"""Evaluating a run that has ended: by rules alone, from what was recorded. Nothing here can change the run's status or answer."""

from collections.abc import Mapping

from superbiz.domain import aiops_rules, rule_evaluation
from superbiz.domain.runs import Flow, Status
from superbiz.domain.values import JsonObject
from superbiz.flow.stage import StoredOutputs, alarm_of
from superbiz.ports import Ports


def evaluate(run_id: str, ports: Ports) -> Mapping[str, JsonObject] | None:
    """Write the nodes of a terminal run and clear its EVAL marker, in one write; the same on a second try.

    None where there is nothing to evaluate: no such run, or one that is under way (its end asks again).
    """
    file = ports.ledger.file(run_id)
    if file is None or file.record.run.status is Status.RUNNING:
        return None
    nodes = {"rule": rule_evaluation.evaluate(file.record.run.status, file.invocations)}
    if file.record.run.agent_flow is Flow.AI_OPS:
        alarm = alarm_of(file, ports.settings.stack_name)
        nodes["aiops"] = aiops_rules.evaluate(file.record, file.invocations, StoredOutputs(ports, file), alarm)
    ports.ledger.put_evaluations(run_id, nodes)
    return nodes
