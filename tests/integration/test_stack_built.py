"""The product from what `make build` makes: layers and functions alone, under the runtime's own Python."""

from pathlib import Path

import pytest

from superbiz_local.packaging import from_built
from superbiz_local.stack import LocalStack
from superbiz_local.triggers import put_alarm_event
from support.built import build_script, built_folder
from support.local import alarm_event, call, ended, evaluated, eventually, runs_of

pytestmark = pytest.mark.stack


def test_an_alarm_becomes_a_report_from_built_artifacts_alone(world: Path) -> None:
    folder = built_folder()
    with LocalStack(
        world_dir=world, sources=from_built(folder), interpreter=f"{build_script().runtime_python()} -I -S", enforce_policies=True
    ) as stack:
        put_alarm_event(stack, alarm_event("orders-built"))
        (run,) = eventually(lambda: runs_of(stack, "orders-built"), "no run was opened", 60)
        report = ended(stack, run["runId"])
        assert report["status"] == "SUCCESS"
        assert evaluated(stack, run["runId"], "aiops_rule_evaluation")
        added = call(
            stack,
            "POST",
            "/api/knowledge/documents",
            {"filename": "orders.md", "content": "# orders-built\n\nRaise the pool of order-service."},
        )
        assert added.status in {200, 201}, added.body
        assert "Raise the pool" in str(call(stack, "GET", "/api/knowledge/preview?key=orders-built").body)
