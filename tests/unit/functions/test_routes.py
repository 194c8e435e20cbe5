"""The route table is what the functions answer."""

import importlib
import re

import pytest

from superbiz.edge import routes
from superbiz.edge.api import Api

FUNCTIONS = sorted({route.function for route in routes.ROUTES})


def told(path: str) -> str:
    """`/api/trace/{runId}` and `/api/trace/.+` are one path; names of parameters do not matter."""
    return re.sub(r"<\w+>|\{\w+\}|\.\+", "*", path)


@pytest.mark.parametrize("function", FUNCTIONS)
def test_a_function_answers_its_routes_and_no_other(function: str) -> None:
    app = importlib.import_module(function).app
    assert isinstance(app, Api)
    registered = {(route.method, told(route.path)) for route in app._static_routes + app._dynamic_routes}
    assert registered == {(route.method, told(route.path)) for route in routes.of(function)}


def test_no_route_stands_twice() -> None:
    assert len({(r.method, told(r.path)) for r in routes.ROUTES}) == len(routes.ROUTES)
    assert len({r.operation for r in routes.ROUTES}) == len(routes.ROUTES)


def test_a_path_matches_its_own_routes_alone() -> None:
    assert [r.operation for r in routes.matching("/api/runs/x")] == ["getRun"]
    assert {r.operation for r in routes.matching("/api/cases/x")} == {"getCase", "editCase"}
    assert [r.operation for r in routes.matching("/api/trace/any/thing?at#all")] == ["getTrace"]
    assert routes.matching("/api/runs/x/y") == ()
    assert routes.matching("/api.runs") == ()
