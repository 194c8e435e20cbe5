"""Switches, budget, breaker; what is configured and reachable."""

from collections.abc import Mapping

from typing_extensions import TypedDict

from superbiz.domain.control import Control
from superbiz.edge.views.shapes import time_of
from superbiz.services import health
from superbiz.settings import Settings


class ControlView(TypedDict):
    """`openUntil` is when the model's breaker closes again, null where it is closed."""

    intakePaused: bool
    modelPaused: bool
    budgetDay: str | None
    spentTokens: int
    dayTokenBudget: int
    openUntil: str | None
    failures: int


class PartView(TypedDict):
    """`reachable` is null where the part was not tried."""

    configured: bool
    reachable: bool | None
    detail: str


class HealthView(TypedDict):
    """`status` is ok, degraded or down."""

    status: str
    engine: str
    stack: str
    parts: dict[str, PartView]


def control_view(control: Control, settings: Settings) -> ControlView:
    """The CONTROL item."""
    return {
        "intakePaused": control.intake_paused,
        "modelPaused": control.model_paused,
        "budgetDay": control.budget_day.isoformat() if control.budget_day else None,
        "spentTokens": control.spent_tokens,
        "dayTokenBudget": settings.day_token_budget,
        "openUntil": time_of(control.open_until),
        "failures": control.failures,
    }


def health_view(parts: Mapping[str, health.Part], settings: Settings) -> HealthView:
    """Each part by itself."""
    return {
        "status": health.status(parts),
        "engine": settings.engine,
        "stack": settings.stack_name,
        "parts": {n: {"configured": p.configured, "reachable": p.reachable, "detail": p.detail} for n, p in parts.items()},
    }
