"""The switches: pausing the intake or the model without a deploy."""

from pydantic import ConfigDict, Field, StrictBool, model_validator

from superbiz.domain.control import Control
from superbiz.domain.values import Value
from superbiz.ports import Ports


class Switches(Value):
    """The body of `PUT /api/control`. A switch that is not named stays as it is."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    intake_paused: StrictBool | None = Field(default=None, alias="intakePaused")
    model_paused: StrictBool | None = Field(default=None, alias="modelPaused")

    @model_validator(mode="after")
    def _something(self) -> "Switches":
        if self.intake_paused is None and self.model_paused is None:
            raise ValueError("name intakePaused or modelPaused")
        return self


def switch(switches: Switches, ports: Ports) -> Control:
    """The switches as they are from now on."""
    return ports.ledger.switch(intake_paused=switches.intake_paused, model_paused=switches.model_paused)
