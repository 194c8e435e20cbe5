"""The edge of the API: bodies and parameters in, JSON or a problem out. Functions translate with it; services decide."""

import base64
import json
from typing import Any, TypeVar
from urllib.parse import unquote

from aws_lambda_powertools.event_handler import APIGatewayHttpResolver, Response
from pydantic import BaseModel, ValidationError

from superbiz.domain import canonical
from superbiz.domain.values import JsonObject
from superbiz.edge import problems, routes
from superbiz.edge.telemetry import Telemetry
from superbiz.errors import Invalid, NotFound, Rejected, TooLarge

JSON = "application/json"
HEADERS = {"cache-control": "no-store", "x-content-type-options": "nosniff"}
# IAM-signed requests may carry their signature in the query.
SIGNATURE = "x-amz-"
M = TypeVar("M", bound=BaseModel)


class Api(APIGatewayHttpResolver):
    """A function's resolver: our own 404, 405 and problems, sizes and bodies checked, one log line and count a request."""

    def __init__(self, function: str) -> None:
        super().__init__(serializer=_json)
        self.telemetry = Telemetry(function)
        self.serve = self.telemetry.observe(self._serve)
        self.exception_handler(Exception)(self._failed)
        self.not_found(self._unmatched)

    def body(self, model: type[M]) -> M:
        """The request's JSON as this model. Raises Invalid naming the field, or the position where it is no JSON; TooLarge."""
        return checked(model, self.json())

    def json(self) -> JsonObject:
        """The request's JSON object."""
        try:
            found = canonical.loads(self._bytes())
            canonical.encoded(found)
        except Invalid as e:
            raise Invalid(f"body: {e.message}", code=e.code, mend="send a JSON object in UTF-8") from e
        if not isinstance(found, dict):
            raise Invalid("body: not a JSON object", code="INVALID_JSON", mend="send a JSON object in UTF-8")
        return found

    def query(self, model: type[M]) -> M:
        """The query's parameters as this model."""
        given = self.current_event.query_string_parameters or {}
        return checked(model, {name: value for name, value in given.items() if not name.lower().startswith(SIGNATURE)})

    def header(self, name: str) -> str | None:
        """A header of the request, by its name in any case."""
        return self.current_event.headers.get(name)

    def rest(self, prefix: str) -> str:
        """What follows in the path: an id that may hold any character. (The gateway leaves `%25` as it is.)"""
        return unquote(self.current_event.path.removeprefix(prefix))

    @property
    def caller(self) -> str:
        """Who asks, as the authorizer knows them."""
        authorizer = self._context.get("authorizer") or {}
        claims = (authorizer.get("jwt") or {}).get("claims") or {}
        iam = (authorizer.get("iam") or {}).get("userArn")
        return str(claims.get("email") or claims.get("sub") or iam or "unknown")

    @property
    def request_id(self) -> str:
        """The gateway's id of this request."""
        return str(self._context.get("requestId") or "")

    @property
    def _context(self) -> JsonObject:
        return self.current_event.get("requestContext") or {}

    def _serve(self, event: JsonObject, context: Any) -> JsonObject:
        try:
            reply = self.resolve(event, context)
        except Exception as e:  # the process edge: an event that is no request of the gateway's
            self.telemetry.log.exception("no answer could be made")
            reply = _plain(problems.of(e, "", ""))
        reply["headers"] = {**HEADERS, **{name.lower(): value for name, value in (reply.get("headers") or {}).items()}}
        status = int(reply["statusCode"])
        self.telemetry.log.info("answered", status=status, request=event.get("routeKey"), request_path=event.get("rawPath"))
        self.telemetry.count("ServerErrors" if status >= 500 else "ClientErrors" if status >= 400 else "Answers")
        return reply

    def _bytes(self) -> bytes:
        event = self.current_event
        raw, limit = event.body or "", self._most_bytes()
        # Base64 carries three bytes in four characters; a longer text can not be within the limit.
        if len(raw) > limit * (4 / 3 if event.is_base64_encoded else 1) + 4:
            raise _too_large(limit)
        try:
            data = base64.b64decode(raw, validate=True) if event.is_base64_encoded else raw.encode()
        except ValueError as e:  # no base64, or a lone surrogate
            raise Invalid(f"body: {e}", code="INVALID_BODY") from e
        if len(data) > limit:
            raise _too_large(limit)
        return data

    def _most_bytes(self) -> int:
        fitting = (r.max_body for r in routes.matching(self.current_event.path) if r.method == self.current_event.http_method)
        return next(fitting, routes.SMALL_BODY)

    def _failed(self, error: Exception) -> Response[str]:
        if not isinstance(error, Rejected):
            self.telemetry.log.error("the request failed", exc_info=error)
        return _response(problems.of(error, self.request_id, self.current_event.path))

    def _unmatched(self, _error: Exception) -> Response[str]:
        path, method = self.current_event.path, self.current_event.http_method
        allowed = tuple(route.method for route in routes.matching(path))
        if allowed and method not in allowed:
            return _response(problems.not_allowed(method, allowed, self.request_id, path))
        return _response(problems.of(NotFound(f"nothing is at {path}"), self.request_id, path))


def answer(body: Any, status: int = 200, **headers: str) -> Response[str]:
    """JSON with a status and headers (`retry_after` becomes `retry-after`)."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Response(status_code=status, content_type=JSON, body=_json(body), headers=named)


def nothing() -> Response[str]:
    """204. The body is empty rather than absent: not every gateway takes null."""
    return Response(status_code=204, body="")


def data(body: bytes, status: int, media_type: str, headers: dict[str, str]) -> Response[str]:
    """Bytes as they are: they travel as base64, and the gateway turns them back."""
    made = Response(status_code=status, content_type=media_type, body=base64.b64encode(body).decode("ascii"), headers=dict(headers))
    made.base64_encoded = True
    return made


def checked(model: type[M], given: JsonObject) -> M:
    """The model, or Invalid with the fields that are wrong."""
    try:
        return model.model_validate(given)
    except ValidationError as e:
        raise Invalid("; ".join(_told(error) for error in e.errors(include_url=False, include_input=False)[:5])) from e


def _told(error: Any) -> str:
    """`question: Field required`: the outermost name is what the caller wrote or left out."""
    where = ".".join(str(part) for part in error["loc"])
    words = str(error["msg"]).removeprefix("Value error, ")
    return f"{where}: {words}" if where else words


def _too_large(limit: int) -> TooLarge:
    return TooLarge(f"body: over {limit:,} bytes", mend="send less")


def _response(problem: problems.Problem) -> Response[str]:
    return Response(
        status_code=problem.status, content_type=problems.MEDIA_TYPE, body=_json(problem.body), headers=dict(problem.headers)
    )  # fmt: skip


def _plain(problem: problems.Problem) -> JsonObject:
    return {"statusCode": problem.status, "headers": {"content-type": problems.MEDIA_TYPE}, "body": _json(problem.body)}


def _json(body: Any) -> str:
    return json.dumps(body, ensure_ascii=False, separators=(",", ":"))
