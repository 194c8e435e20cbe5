"""The state machine: Step Functions. An execution's name is its run's id, so that starting twice is starting once."""

import json
from typing import Any

from superbiz.adapters.aws import client
from superbiz.adapters.aws_errors import mapped
from superbiz.errors import Broken, Unavailable
from superbiz.ports import ExecutionState

# A cause is shown in the run's head; Step Functions allows 32 KB.
CAUSE_CHARS = 1_000


class StepFunctionsMachine:
    """`ports.Machine`."""

    def __init__(self, state_machine_arn: str) -> None:
        self._arn = state_machine_arn

    def start(self, run_id: str) -> None:
        """Same name and input succeed while it runs; ExecutionAlreadyExists once it has closed means: already accounted for."""
        with mapped("starting the execution"):
            sfn = self._client()
            try:
                sfn.start_execution(stateMachineArn=self._arn, name=run_id, input=json.dumps({"run_id": run_id}))
            except sfn.exceptions.ExecutionAlreadyExists:
                return
            except sfn.exceptions.ExecutionLimitExceeded as e:
                raise Unavailable(f"starting the execution: {e}") from e

    def describe(self, run_id: str) -> ExecutionState | None:
        """None where no execution of that name was ever started (or it is too old to be kept)."""
        with mapped("describing the execution"):
            sfn = self._client()
            try:
                found = sfn.describe_execution(executionArn=f"{self._arn.replace(':stateMachine:', ':execution:')}:{run_id}")
            except sfn.exceptions.ExecutionDoesNotExist:
                return None
        return ExecutionState(found["status"], _cause(found))

    def _client(self) -> Any:
        if not self._arn:
            raise Broken("STATE_MACHINE_ARN is empty: this function starts no executions", code="BAD_SETTING")
        return client("stepfunctions")


def _cause(found: Any) -> str | None:
    said = ": ".join(part for part in (found.get("error"), found.get("cause")) if part)
    return said[:CAUSE_CHARS] or None
