"""Write docs/openapi.json from the route table, the request models and the views' types.

    openapi.py            write it
    openapi.py --check    exit 1 where what is checked in differs

It runs in development and in CI alone: no function pays for it.
"""

import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import BaseModel, TypeAdapter
from pydantic.json_schema import GenerateJsonSchema

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "layers" / "core"))

from superbiz.domain.evidence import Invocation  # noqa: E402
from superbiz.domain.runs import Step  # noqa: E402
from superbiz.edge import queries, routes  # noqa: E402  the path above
from superbiz.edge.problems import MEDIA_TYPE, ProblemBody  # noqa: E402
from superbiz.edge.views.cases import CasePage, CaseView, FeedbackView  # noqa: E402
from superbiz.edge.views.incidents import AlarmAccepted, EpisodePage, IncidentView  # noqa: E402
from superbiz.edge.views.knowledge import DocumentPage, DocumentView, PreviewView  # noqa: E402
from superbiz.edge.views.runs import Accepted, RunDetail, RunPage  # noqa: E402
from superbiz.edge.views.sessions import SessionView  # noqa: E402
from superbiz.edge.views.system import ControlView, HealthView  # noqa: E402
from superbiz.edge.views.traces import TraceRest, TraceView  # noqa: E402
from superbiz.services import asking, cases, controlling, feedback, knowledge, runs  # noqa: E402

TARGET = ROOT / "docs" / "openapi.json"
JSON, STREAM = "application/json", "text/event-stream"
SCHEMAS = "#/components/schemas/"
DESCRIPTION = (
    "Diagnoses of incidents on AWS that say only what their evidence carries. Envelopes are camelCase; stored documents (reports, "
    "evaluation nodes, steps, tool calls, parameters) keep their snake_case inside. Times are ISO-8601 in UTC. Requests are signed "
    "with SigV4."
)

Shape = Any


class Reply(NamedTuple):
    """A good answer. `shape` None: no body, or one that is no JSON of ours."""

    shape: Shape
    says: str
    media: str | None = JSON


class Operation(NamedTuple):
    """What a route takes and gives. `headers` are those of the request that it reads."""

    replies: Mapping[int, Reply]
    query: type[BaseModel] | None = None
    body: Shape = None
    headers: Mapping[str, str] = {}
    problems: Sequence[int] = (400,)


def page(shape: Shape, query: type[BaseModel] = queries.PageQuery, problems: Sequence[int] = (400,)) -> Operation:
    """A list that is read page by page."""
    return Operation({200: Reply(shape, "A page")}, query, problems=problems)


OPERATIONS: Mapping[str, Operation] = {
    "ask": Operation(
        {
            200: Reply(RunDetail, "The run, where it ended within `wait`"),
            202: Reply(Accepted, "The run is under way"),
        },
        queries.WaitQuery,
        asking.Question,
        problems=(400, 413),
    ),
    "clearHistory": Operation(
        {200: Reply(SessionView, "The session, without its history")}, body=runs.SessionRef, problems=(400, 404, 413)
    ),
    "sendAlarm": Operation(
        {202: Reply(AlarmAccepted, "The event is with the intake; what becomes of it stands in the incident")},
        body=dict[str, Any],
        problems=(400, 413),
    ),
    "listRuns": page(RunPage, queries.RunsQuery),
    "getRun": Operation({200: Reply(RunDetail, "The run")}, problems=(404,)),
    "followRun": Operation(
        {
            200: Reply(str, "What happened since: events `step`, `invocation`, `done`; a comment where nothing did in ten seconds", STREAM),
            204: Reply(None, "The end has been seen", None),
        },
        queries.EventsQuery,
        headers={"Last-Event-ID": "The last event that was seen"},
        problems=(400, 404),
    ),
    "getOutput": Operation(
        {200: Reply(Any, "The whole output"), 206: Reply(Any, "A part, named by Content-Range; at most 3 MiB")},
        queries.OutputQuery,
        headers={"Range": "One range of bytes"},
        problems=(400, 404, 416),
    ),
    "getTrace": Operation(
        {200: Reply(TraceView | TraceRest, "The first page, or with a cursor a later one")}, queries.TraceQuery, problems=(400, 404)
    ),
    "getSession": Operation({200: Reply(SessionView, "The directory entry")}, problems=(400, 404)),
    "listSessionRuns": page(RunPage, problems=(400, 404)),
    "giveFeedback": Operation(
        {200: Reply(FeedbackView, "The opinion is stored")},
        body=feedback.Opinion,
        headers={"Accept-Language": "English where it prefers that to Chinese"},
        problems=(400, 404, 409, 413),
    ),
    "listCases": page(CasePage),
    "getCase": Operation({200: Reply(CaseView, "The case")}, problems=(404,)),
    "editCase": Operation({200: Reply(CaseView, "The case as it reads now")}, body=cases.CaseChanges, problems=(400, 404, 413)),
    "listIncidents": page(EpisodePage),
    "getIncident": Operation({200: Reply(IncidentView, "The incident")}, problems=(404,)),
    "putDocument": Operation({201: Reply(DocumentView, "The document is stored")}, body=knowledge.Upload, problems=(400, 413)),
    "listDocuments": page(DocumentPage, queries.DocumentsQuery),
    "removeDocument": Operation({204: Reply(None, "The document is gone", None)}, problems=(404,)),
    "previewKnowledge": Operation({200: Reply(PreviewView, "What a run would be shown")}, queries.PreviewQuery),
    "getControl": Operation({200: Reply(ControlView, "As it stands")}, problems=()),
    "setControl": Operation({200: Reply(ControlView, "As it is now")}, body=controlling.Switches, problems=(400, 413)),
    "getHealth": Operation(
        {200: Reply(HealthView, "What answers, and what does not"), 503: Reply(HealthView, "The table does not answer")}, problems=()
    ),
}

TITLES = {
    400: "The request's content is wrong: field or position, and how to mend it",
    404: "No such thing",
    409: "Not in this state, or not now",
    413: "Over a stated limit",
    416: "The range lies beyond the end",
}


class Schemas:
    """The JSON schemas of all shapes, each defined once."""

    def __init__(self, shapes: Mapping[tuple[str, str], Shape]) -> None:
        generator = GenerateJsonSchema(by_alias=True, ref_template=SCHEMAS + "{model}")
        inputs = [(key, _mode(key), TypeAdapter(shape).core_schema) for key, shape in shapes.items()]
        found, definitions = generator.generate_definitions(inputs)
        self.definitions: dict[str, Any] = {str(name): schema for name, schema in definitions.items()}
        self._of = {key: found[(key, _mode(key))] for key in shapes}

    def of(self, operation: str, role: str) -> Any:
        """The schema of an operation's query, body or answer (by status)."""
        return self._of[(operation, role)]


def _mode(key: tuple[str, str]) -> Any:
    return "validation" if key[1] in ("query", "body") else "serialization"


def document() -> dict[str, Any]:
    """The whole document."""
    schemas = Schemas(_shapes())
    trace = schemas.definitions["TraceView"]["properties"], schemas.definitions["TraceRest"]["properties"]
    for properties in trace:
        properties["steps"]["items"] = {"$ref": f"{SCHEMAS}Step"}
        properties["toolInvocations"]["items"] = {"$ref": f"{SCHEMAS}Invocation"}
    paths: dict[str, dict[str, Any]] = {}
    for route in routes.ROUTES:
        paths.setdefault(route.path, {})[route.method.lower()] = _operation(route, schemas)
    asked = {operation.query.__name__ for operation in OPERATIONS.values() if operation.query}
    shown = {name: schema for name, schema in sorted(schemas.definitions.items()) if name not in asked}
    licence = {"name": "Apache-2.0", "identifier": "Apache-2.0"}
    return {
        "openapi": "3.1.0",
        "info": {"title": "SuperBizAgent", "version": "1", "description": DESCRIPTION, "license": licence},
        "security": [{"sigv4": []}],
        "paths": paths,
        "components": {"schemas": shown, "securitySchemes": {"sigv4": _sigv4()}},
    }


def _shapes() -> dict[tuple[str, str], Shape]:
    shapes: dict[tuple[str, str], Shape] = {("", "problem"): ProblemBody, ("", "step"): Step, ("", "invocation"): Invocation}
    for name, operation in OPERATIONS.items():
        shapes |= {(name, str(status)): reply.shape for status, reply in operation.replies.items() if reply.shape is not None}
        shapes |= {(name, "query"): operation.query} if operation.query else {}
        shapes |= {(name, "body"): operation.body} if operation.body else {}
    return shapes


def _operation(route: routes.Route, schemas: Schemas) -> dict[str, Any]:
    operation = OPERATIONS[route.operation]
    made: dict[str, Any] = {"operationId": route.operation, "summary": route.summary, "tags": [route.path.split("/")[2]]}
    parameters = [*_path_parameters(route.path), *_query_parameters(route, operation, schemas), *_headers(operation)]
    if parameters:
        made["parameters"] = parameters
    if operation.body:
        made["requestBody"] = {"required": True, "content": {JSON: {"schema": schemas.of(route.operation, "body")}}}
    made["responses"] = _responses(route, operation, schemas)
    return made


def _path_parameters(path: str) -> list[dict[str, Any]]:
    names = [part[1:-1] for part in path.split("/") if part.startswith("{")]
    return [{"name": name, "in": "path", "required": True, "schema": {"type": "string"}} for name in names]


def _query_parameters(route: routes.Route, operation: Operation, schemas: Schemas) -> list[dict[str, Any]]:
    if operation.query is None:
        return []
    name = schemas.of(route.operation, "query")["$ref"].removeprefix(SCHEMAS)
    schema = schemas.definitions[name]
    required = schema.get("required", [])
    return [{"name": n, "in": "query", "required": n in required, "schema": s} for n, s in schema["properties"].items()]


def _headers(operation: Operation) -> list[dict[str, Any]]:
    return [{"name": n, "in": "header", "description": d, "schema": {"type": "string"}} for n, d in operation.headers.items()]


def _responses(route: routes.Route, operation: Operation, schemas: Schemas) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for status, reply in operation.replies.items():
        found[str(status)] = {"description": reply.says}
        if reply.media:
            found[str(status)]["content"] = {reply.media: {"schema": schemas.of(route.operation, str(status))}}
    problem = {MEDIA_TYPE: {"schema": schemas.of("", "problem")}}
    for status in operation.problems:
        found[str(status)] = {"description": TITLES[status], "content": problem}
    return found | {"default": {"description": "An error as problem details (RFC 9457)", "content": problem}}


def _sigv4() -> dict[str, str]:
    return {"type": "apiKey", "name": "Authorization", "in": "header", "x-amazon-apigateway-authtype": "awsSigv4"}


def text() -> str:
    """The file's content."""
    return json.dumps(document(), indent=2, ensure_ascii=False) + "\n"


def main(arguments: Sequence[str]) -> int:
    """Write, or compare."""
    if "--check" in arguments:
        same = TARGET.exists() and TARGET.read_text(encoding="utf-8") == text()
        sys.stderr.write("" if same else f"{TARGET} is not what the routes and models say: run scripts/openapi.py\n")
        return 0 if same else 1
    TARGET.write_text(text(), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
