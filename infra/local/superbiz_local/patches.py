"""What ministack 1.5.33 lacks for this application, mended from outside: one function a flaw, each with its reason.

They touch private names, so the version is pinned. `tests/integration/test_patches.py` shows for each that it works, and that the emulator
still needs it: a patch whose flaw is mended upstream fails there and goes.
"""

import functools
import io
import json
import os
import time
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from ministack import app
from ministack.core import iam_actions, lambda_runtime
from ministack.services import cloudwatch, dynamodb, eventbridge, lambda_svc, stepfunctions
from ministack.services.cloudformation import provisioners

from superbiz_local.names import INTERPRETER, LAYER_PATHS, LAYER_POINTER, REPLAY

RUNTIME = Path(__file__).with_name("runtime.py")
_BOOTSTRAP = f'#!/bin/sh\nexec ${INTERPRETER} "{RUNTIME}" "$_HANDLER"\n'
_PROMPT_DRAIN_SECONDS = 0.005
_START_SLEEP_SECONDS = 0.15


def run_python_under_a_runtime_client() -> None:
    """The emulator's own Python worker calls every exception `Runtime.HandlerError` and dies of it, so that no Retry or Catch by class name
    matches. Its runtime for `provided` functions speaks the real Runtime API: run Python functions there, under a client of our own."""
    choose, warm = lambda_runtime._worker_class_for, lambda_svc._execute_function_warm

    class PythonWorker(lambda_runtime.ProvidedWorker):  # type: ignore[misc]  # the emulator is untyped
        def __init__(self, name: str, config: dict[str, Any], code: bytes) -> None:
            super().__init__(name, config, _with_bootstrap(code))

    def worker_class(config: dict[str, Any]) -> type:
        return PythonWorker if _is_python(config) else choose(config)

    def execute(function: dict[str, Any], event: object, request_id: str) -> Any:
        provided = _is_python(function.get("config") or function)
        return (lambda_svc._execute_function_provided_warm if provided else warm)(function, event, request_id)

    lambda_runtime._worker_class_for = worker_class
    lambda_svc._execute_function_warm = execute


def give_functions_their_layers() -> None:
    """The `provided` runtime does not unpack layers. Ours hold a pointer to folders: hand these to the runtime client."""
    environment = lambda_svc._provided_worker_env

    def with_layers(config: dict[str, Any], code_dir: str, port: int) -> dict[str, str]:
        paths = [path for layer in config.get("Layers", []) for path in _pointed_at(lambda_svc._resolve_layer_zip(layer))]
        return {**environment(config, code_dir, port), LAYER_PATHS: os.pathsep.join(paths)}

    lambda_svc._provided_worker_env = with_layers


def answer_without_nagle() -> None:
    """The Runtime API writes headers and body apart: with Nagle's algorithm each invocation waits 40 ms for a delayed acknowledgement."""
    build = lambda_runtime.ProvidedWorker._build_handler_class

    def build_quick(self: Any, *args: Any) -> Any:
        handler = build(self, *args)
        handler.disable_nagle_algorithm = True
        return handler

    lambda_runtime.ProvidedWorker._build_handler_class = build_quick


def drain_logs_promptly() -> None:
    """After each invocation the emulator waits 50 ms for a first log line, also where none comes. Our client flushes before it answers."""
    drain = lambda_runtime.Worker._drain_stderr_bounded

    def drain_promptly(self: Any, first_line_wait: float = _PROMPT_DRAIN_SECONDS, **rest: float) -> Any:
        return drain(self, min(first_line_wait, _PROMPT_DRAIN_SECONDS), **rest)

    lambda_runtime.Worker._drain_stderr_bounded = drain_promptly


def start_executions_at_once() -> None:
    """Each execution begins with a sleep of 150 ms. Every other sleep of the module stays as it is."""
    real = stepfunctions.time

    class WithoutStartSleep:
        def __getattr__(self, name: str) -> Any:
            return getattr(real, name)

        @staticmethod
        def sleep(seconds: float) -> None:
            real.sleep(0.001 if seconds == _START_SLEEP_SECONDS else seconds)

    stepfunctions.time = WithoutStartSleep()


def open_routes_to_this_machine() -> None:
    """A route with AuthorizationType answers 403 whatever is signed. The template has no open variant, so it is taken off here: the stack
    listens on 127.0.0.1 alone."""
    read = provisioners._apigw_v2_route_props

    def without_authorization(props: Mapping[str, Any]) -> Any:
        return read({name: value for name, value in props.items() if name != "AuthorizationType"})

    provisioners._apigw_v2_route_props = without_authorization


def keep_time_to_live() -> None:
    """CloudFormation's TimeToLiveSpecification is dropped on creation."""
    handler = provisioners._RESOURCE_HANDLERS["AWS::DynamoDB::Table"]
    create = handler["create"]

    def create_with_ttl(logical_id: str, props: dict[str, Any], stack_name: str) -> Any:
        made = create(logical_id, props, stack_name)
        if ttl := props.get("TimeToLiveSpecification"):
            enabled = str(ttl.get("Enabled")).lower() == "true"
            dynamodb._update_ttl({"TableName": made[0], "TimeToLiveSpecification": {**ttl, "Enabled": enabled}})
        return made

    handler["create"] = create_with_ttl


def read_concurrency_as_a_number() -> None:
    """A template parameter of type Number arrives as text, and the queue poller then compares a number with a text, for ever."""
    handler = provisioners._RESOURCE_HANDLERS["AWS::Lambda::EventSourceMapping"]
    create = handler["create"]

    def create_with_number(logical_id: str, props: dict[str, Any], stack_name: str) -> Any:
        scaling = {name: int(value) for name, value in props.get("ScalingConfig", {}).items()}
        return create(logical_id, {**props, **({"ScalingConfig": scaling} if scaling else {})}, stack_name)

    handler["create"] = create_with_number


def let_alarms_emit_events() -> None:
    """An alarm's change of state reaches its SNS actions alone: no rule of EventBridge ever sees it."""
    dispatch = cloudwatch._dispatch_alarm_actions

    def dispatch_and_emit(alarm: dict[str, Any], old: str, new: str, reason: str) -> None:
        dispatch(alarm, old, new, reason)
        entry = {
            "Source": "aws.cloudwatch",
            "DetailType": "CloudWatch Alarm State Change",
            "Resources": [alarm.get("AlarmArn", "")],
            "Detail": json.dumps(_alarm_detail(alarm, old, new, reason)),
        }
        eventbridge._put_events({"Entries": [entry]}, allow_aws_source=True)

    cloudwatch._dispatch_alarm_actions = dispatch_and_emit


def let_a_replay_speak_for_aws() -> None:
    """PutEvents rightly refuses `aws.*` sources. A recorded alarm event has one: an entry marked as a replay passes, no other."""
    put = eventbridge._put_events

    def put_marked(data: dict[str, Any], allow_aws_source: bool = False) -> Any:
        marked = all(entry.get("TraceHeader") == REPLAY for entry in data.get("Entries", [])) and bool(data.get("Entries"))
        return put(data, allow_aws_source or marked)

    eventbridge._put_events = put_marked


def let_policies_see_leading_keys() -> None:
    """With policies enforced, a condition on `dynamodb:LeadingKeys` finds no value: what a role may write is bound to keys by just that."""
    context = iam_actions.dynamodb_service_context

    def with_leading_keys(body: bytes) -> dict[str, Any]:
        keys = sorted(_leading_keys(json.loads(body or b"{}")))
        return {**context(body), **({"dynamodb:LeadingKeys": keys} if keys else {})}

    iam_actions.dynamodb_service_context = with_leading_keys


def count_this_machine_as_tls() -> None:
    """With policies enforced, those that refuse plain HTTP refuse everything here: nothing leaves the loopback interface."""
    pin = app.pin_request_origin
    app.pin_request_origin = lambda address, _secure: pin(address, True)


PATCHES: tuple[Callable[[], None], ...] = (
    run_python_under_a_runtime_client,
    give_functions_their_layers,
    answer_without_nagle,
    drain_logs_promptly,
    start_executions_at_once,
    open_routes_to_this_machine,
    keep_time_to_live,
    read_concurrency_as_a_number,
    let_alarms_emit_events,
    let_a_replay_speak_for_aws,
    let_policies_see_leading_keys,
    count_this_machine_as_tls,
)


def apply_all() -> None:
    """Patch the emulator in this process, before it starts."""
    for patch in PATCHES:
        patch()


def _is_python(config: Mapping[str, Any]) -> bool:
    return str(config.get("Runtime", "")).startswith("python")


@functools.lru_cache(maxsize=64)
def _with_bootstrap(code: bytes) -> bytes:
    packed = io.BytesIO(code)
    with zipfile.ZipFile(packed, "a") as archive:
        entry = zipfile.ZipInfo("bootstrap")
        entry.external_attr = 0o755 << 16
        archive.writestr(entry, _BOOTSTRAP)
    return packed.getvalue()


def _pointed_at(layer: bytes | None) -> list[str]:
    if layer is None:
        return []
    with zipfile.ZipFile(io.BytesIO(layer)) as archive:
        paths: list[str] = json.loads(archive.read(LAYER_POINTER))
    return paths


def _leading_keys(request: Any) -> set[str]:
    """Partition key values (our tables name the attribute PK) of every Key and Item in a request, transactions and batches included."""
    if isinstance(request, list):
        return set().union(*(_leading_keys(part) for part in request))
    if not isinstance(request, dict):
        return set()
    own = {item["PK"]["S"] for item in (request.get("Key"), request.get("Item")) if isinstance(item, dict) and "S" in item.get("PK", {})}
    return own.union(*(_leading_keys(part) for name, part in request.items() if name not in {"Key", "Item"}))


def _alarm_detail(alarm: Mapping[str, Any], old: str, new: str, reason: str) -> dict[str, Any]:
    """The detail as EventBridge carries it: dimensions are a map there, and `reasonData` is a string that may be absent."""
    state = {"value": new, "reason": reason, "timestamp": time.strftime("%Y-%m-%dT%H:%M:%S.000+0000", time.gmtime())}
    if data := alarm.get("StateReasonData"):
        state["reasonData"] = data
    metric = {
        "namespace": alarm.get("Namespace"),
        "name": alarm.get("MetricName"),
        "dimensions": {d["Name"]: d["Value"] for d in alarm.get("Dimensions", [])},
    }
    stat = {"metric": metric, "period": alarm.get("Period"), "stat": alarm.get("Statistic")}
    return {
        "alarmName": alarm.get("AlarmName"),
        "state": state,
        "previousState": {"value": old},
        "configuration": {
            "description": alarm.get("AlarmDescription", ""),
            "metrics": [{"id": "m1", "metricStat": stat, "returnData": True}] if alarm.get("MetricName") else [],
        },
    }
