"""What a Lambda function leaves in its log group: START, the function's own lines, END, REPORT."""

import uuid

from superbiz_cli.simulator.voices.happening import Happening, error_text, stamp
from superbiz_cli.simulator.writing import compact

MEMORY = 512


def function(h: Happening) -> list[str]:
    """One invocation. A cause that begins with `Task timed out` is the runtime's own line, without one of the function."""
    request = str(uuid.UUID(int=int(h.trace_id, 16)))
    started = ["INIT_START Runtime Version: python:3.13.v31"] if h.delay_ms else []
    lines = [*started, f"START RequestId: {request} Version: $LATEST", *_own(h, request), f"END RequestId: {request}", _report(h, request)]
    return lines if not h.ok or h.delay_ms or h.subject % 2 else [lines[-1]]


def _own(h: Happening, request: str) -> list[str]:
    if h.cause.startswith("Task timed out"):
        return [f"{stamp(h.at_ms)} {request} {h.cause}"]
    row = {
        "level": "INFO" if h.ok else "ERROR", "location": "handler:42", "message": (h.said or h.operation) if h.ok else error_text(h),
        "timestamp": stamp(h.at_ms), "service": h.service, "function_request_id": request, "xray_trace_id": f"1-{h.trace_id[:8]}",
    }  # fmt: skip
    return [compact(row | ({"exception": "\n".join(h.trace)} if h.trace else {}))]


def _report(h: Happening, request: str) -> str:
    used, took = 96 + h.subject % 23, h.took_ms - h.delay_ms
    line = (
        f"REPORT RequestId: {request}\tDuration: {took:.2f} ms\tBilled Duration: {int(took) + 1} ms\t"
        f"Memory Size: {MEMORY} MB\tMax Memory Used: {used} MB"
    )
    return line + (f"\tInit Duration: {h.delay_ms:.2f} ms" if h.delay_ms else "")
