"""A Lambda runtime client in the standard library alone: `python runtime.py module.handler`, as the Runtime API wants it.

It runs in the function's own process, so it imports nothing of ours. Errors carry the exception's class name, as on AWS.
"""

import http.client
import importlib
import json
import os
import sys
import time
import traceback
from collections.abc import Callable
from email.message import Message
from typing import Any

API = "/2018-06-01/runtime"
Handler = Callable[[Any, "Context"], Any]


class Context:
    """What a handler is told of its invocation."""

    def __init__(self, headers: Message) -> None:
        self.aws_request_id = headers["Lambda-Runtime-Aws-Request-Id"]
        self.invoked_function_arn = headers["Lambda-Runtime-Invoked-Function-Arn"]
        self.function_name = os.environ["AWS_LAMBDA_FUNCTION_NAME"]
        self.function_version = os.environ["AWS_LAMBDA_FUNCTION_VERSION"]
        self.memory_limit_in_mb = os.environ["AWS_LAMBDA_FUNCTION_MEMORY_SIZE"]
        self.log_group_name = f"/aws/lambda/{self.function_name}"
        self.log_stream_name = os.environ.get("AWS_LAMBDA_LOG_STREAM_NAME", "")
        self.client_context = self.identity = None
        self._deadline_ms = int(headers["Lambda-Runtime-Deadline-Ms"])

    def get_remaining_time_in_millis(self) -> int:
        """Until the function is stopped."""
        return max(0, self._deadline_ms - int(time.time() * 1000))


class RuntimeApi:
    """The emulator's side. A connection that is gone means that the stack has stopped: so does this process."""

    def __init__(self, host: str) -> None:
        self._connection = http.client.HTTPConnection(host)

    def call(self, method: str, path: str, body: bytes | None = None) -> tuple[http.client.HTTPResponse, bytes]:
        """One request; its response and body."""
        try:
            self._connection.request(method, API + path, body, {"Content-Type": "application/json"})
            response = self._connection.getresponse()
            return response, response.read()
        except (OSError, http.client.HTTPException):
            sys.exit(0)


def described(error: BaseException, kind: str | None = None) -> bytes:
    """An error as Lambda describes it."""
    trace = traceback.format_exception(error)
    return json.dumps({"errorMessage": str(error), "errorType": kind or type(error).__name__, "stackTrace": trace}).encode()


def load(name: str) -> Handler:
    """The handler by its dotted name."""
    module, _, function = name.rpartition(".")
    handler: Handler = getattr(importlib.import_module(module.replace("/", ".")), function)
    return handler


def serve(handler: Handler, api: RuntimeApi) -> None:
    """One invocation after the other, for as long as the stack lives."""
    while True:
        response, body = api.call("GET", "/invocation/next")
        if response.status != http.client.OK:
            return
        context = Context(response.headers)
        os.environ["_X_AMZN_TRACE_ID"] = response.headers.get("Lambda-Runtime-Trace-Id") or ""
        path, answer = invoke(handler, body, context)
        sys.stdout.flush()
        sys.stderr.flush()
        api.call("POST", f"/invocation/{context.aws_request_id}{path}", answer)


def invoke(handler: Handler, body: bytes, context: Context) -> tuple[str, bytes]:
    """Where the answer goes, and its bytes."""
    try:
        result = handler(json.loads(body), context)
    except Exception as e:  # the process's edge: every error is the caller's to hear
        traceback.print_exc()
        return "/error", described(e)
    try:
        return "/response", json.dumps(result).encode()
    except (TypeError, ValueError) as e:
        return "/error", described(e, "Runtime.MarshalError")


def main() -> None:
    """Load the handler, then serve it."""
    layers = [path for path in os.environ.get("SUPERBIZ_LAYER_PATHS", "").split(os.pathsep) if path]
    own = os.path.dirname(__file__)  # noqa: PTH120  pathlib would be an import that the function did not ask for
    sys.path[:] = [os.environ["LAMBDA_TASK_ROOT"], *layers, *(path for path in sys.path if path != own)]
    api = RuntimeApi(os.environ["AWS_LAMBDA_RUNTIME_API"])
    try:
        handler = load(sys.argv[1])
    except BaseException as e:  # an import may end in anything, SystemExit included
        traceback.print_exc()
        api.call("POST", "/init/error", described(e, "Runtime.ImportModuleError"))
        sys.exit(1)
    serve(handler, api)


if __name__ == "__main__":
    main()
