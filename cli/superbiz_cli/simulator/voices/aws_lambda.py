"""What a Lambda function leaves in its log group: START, the function's own lines, END, REPORT."""

import uuid

from superbiz_cli.simulator.voices.happening import Happening, error_text, stamp
from superbiz_cli.simulator.writing import compact

MEMORY = 512


def function(h: Happening) -> list[str]:
    """One invocation. A cause that begins with `Task timed out` is the runtime's own line, without one of the function."""
    request = str(uuid.UUID(int=int(h.trace_id, 16)))
    lines = [f"START RequestId: {request} Version: $LATEST", *_own(h, request), f"END RequestId: {request}", _report(h, request)]
    return lines if not h.ok or h.subject % 2 else [lines[-1]]


def _own(h: Happening, request: str) -> list[str]:
    if h.cause.startswith("Task timed out"):
        return [f"{stamp(h.at_ms)} {request} {h.cause}"]
    row = {
        "level": "INFO" if h.ok else "ERROR", "location": "handler:42", "message": (h.said or h.operation) if h.ok else error_text(h),
        "timestamp": stamp(h.at_ms), "service": h.service, "function_request_id": request, "xray_trace_id": f"1-{h.trace_id[:8]}",
    }  # fmt: skip
    return [compact(row | ({"exception": "\n".join(h.trace)} if h.trace else {}))]


def _report(h: Happening, request: str) -> str:
    used = 96 + h.subject % 23
    return (
        f"REPORT RequestId: {request}\tDuration: {h.took_ms:.2f} ms\tBilled Duration: {int(h.took_ms) + 1} ms\t"
        f"Memory Size: {MEMORY} MB\tMax Memory Used: {used} MB"
    )
