"""The case library: found by the case's id or by what it came from, completed by hand."""

from pydantic import ConfigDict, Field, model_validator

from superbiz.domain.cases import Case, CasePatch
from superbiz.domain.claims import FaultCategory
from superbiz.domain.values import Value
from superbiz.errors import NotFound
from superbiz.ports import Ports

TITLE_CHARS = 200
TEXT_CHARS = 20_000


class CaseChanges(Value):
    """The body of `PATCH /api/cases/{id}`: what a person completes."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    fault_category: FaultCategory | None = Field(default=None, alias="faultCategory")
    title: str | None = Field(default=None, min_length=1, max_length=TITLE_CHARS)
    root_cause: str | None = Field(default=None, alias="rootCause", min_length=1, max_length=TEXT_CHARS)
    solution: str | None = Field(default=None, min_length=1, max_length=TEXT_CHARS)

    @model_validator(mode="after")
    def _something(self) -> "CaseChanges":
        if not any(value is not None for value in self.model_dump().values()):
            raise ValueError("name at least one field to change")
        return self


def find(wanted: str, ports: Ports) -> Case:
    """By its own id, or by the run (in old data: the session) that it came from."""
    case = ports.ledger.case(wanted) or ports.ledger.case_of(wanted)
    if case is None:
        raise NotFound(f"no case {wanted}")
    return case


def edit(wanted: str, changes: CaseChanges, by: str, ports: Ports) -> Case:
    """Who changed which fields, and when, stays with the case."""
    return ports.ledger.edit_case(find(wanted, ports).case_id, CasePatch(**changes.model_dump()), by, ports.clock.now())
