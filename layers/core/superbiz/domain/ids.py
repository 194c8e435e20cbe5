"""Identifiers: their forms, and those that follow from others so that a second try meets the first."""

import re
import uuid

SESSION_ID = r"^[A-Za-z0-9_-]{1,64}$"  # a pattern of request models, which have no other end than the text's
RUN_ID = re.compile(r"run-[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\Z")
NAMESPACE = uuid.UUID("6f0c1b52-5a0e-5d3c-9a77-0b6f5f1c2d3e")


def new_run_id() -> str:
    return f"run-{uuid.uuid4()}"


def new_session_id() -> str:
    return f"session-{uuid.uuid4()}"


def derived(*parts: object) -> str:
    """The UUID that follows from these parts: the same parts, the same UUID."""
    return str(uuid.uuid5(NAMESPACE, "\x1f".join(str(p) for p in parts)))


def run_id_from(*parts: object) -> str:
    return f"run-{derived('run', *parts)}"


def step_id(run_id: str, step_index: int) -> str:
    return f"step-{derived('step', run_id, step_index)}"


def invocation_id(run_id: str, step_index: int, seq: int) -> str:
    return f"inv-{derived('invocation', run_id, step_index, seq)}"


def case_id(diagnosis_id: str) -> str:
    """A bare UUID; a run owns at most one case because its case's id follows from it."""
    return derived("case", diagnosis_id)
