"""Application logs as frameworks write them: Logback JSON, winston, Gunicorn's Python, zap, and any of them inside Fluent Bit's JSON."""

from superbiz_cli.simulator.voices.happening import Happening, error_text, stamp
from superbiz_cli.simulator.writing import compact

TOLD = 3  # every third success is told, as services log at INFO
NAMESPACE = "clinic"  # of the one system that runs on Kubernetes


def logback(h: Happening) -> list[str]:
    """Logback's JSON encoder; the stack trace is one field."""
    if _silent(h):
        return []
    row = {
        "@timestamp": stamp(h.at_ms), "level": "INFO" if h.ok else "ERROR", "logger_name": f"com.{h.service.replace('-', '.')}.Api",
        "thread_name": f"http-nio-8080-exec-{h.subject % 12 + 1}", "service": h.service, "trace_id": h.trace_id,
        "message": (h.said or f"{h.operation} done") if h.ok else f"{h.operation} failed: {error_text(h)}", "took_ms": round(h.took_ms),
    }  # fmt: skip
    return [compact(row | ({"stack_trace": "\n".join((error_text(h), *h.trace))} if h.trace else {}))]


def winston(h: Happening) -> list[str]:
    """JSON lines of a Node service."""
    if _silent(h):
        return []
    row = {
        "level": "info" if h.ok else "error", "message": (h.said or h.operation) if h.ok else f"{h.operation}: {error_text(h)}",
        "service": h.service, "timestamp": stamp(h.at_ms), "traceId": h.trace_id, "durationMs": round(h.took_ms),
    }  # fmt: skip
    return [compact(row | ({"stack": "\n".join((f"Error: {error_text(h)}", *h.trace))} if h.trace else {}))]


def gunicorn(h: Happening) -> list[str]:
    """A Python service: its own logger, tracebacks below the line."""
    if _silent(h):
        return []
    head = f"{stamp(h.at_ms, ' ', ',')} [{h.subject % 4 + 21}] [{'INFO' if h.ok else 'ERROR'}] {h.service.replace('-', '_')}.views:"
    if h.ok:
        return [f"{head} {h.said or h.operation} in {h.took_ms:.0f} ms trace={h.trace_id[:16]}"]
    return ["\n".join((f"{head} {h.operation} failed trace={h.trace_id[:16]}: {error_text(h)}", *h.trace))]


def zap(h: Happening) -> list[str]:
    """A Go service."""
    if _silent(h):
        return []
    row = {
        "level": "info" if h.ok else "error", "ts": stamp(h.at_ms), "caller": "api/handler.go:" + ("71" if h.ok else "88"),
        "msg": (h.said or "request") if h.ok else "request failed", "op": h.operation, "trace": h.trace_id[:16],
        "took": f"{h.took_ms:.1f}ms",
    }  # fmt: skip
    return [compact(row if h.ok else row | {"error": error_text(h)} | ({"stacktrace": "\n".join(h.trace)} if h.trace else {}))]


def fluentbit(h: Happening) -> list[str]:
    """Container Insights ships each line inside Fluent Bit's JSON, with the pod that wrote it."""
    return [wrapped(line, h.service, h.task, h.ok) for line in gunicorn(h)]


def wrapped(line: str, container: str, pod: str, ok: bool = True) -> str:
    """A container's line as Fluent Bit sends it."""
    kubernetes = {"pod_name": pod, "namespace_name": NAMESPACE, "container_name": container}
    return compact({"stream": "stdout" if ok else "stderr", "_p": "F", "log": line, "kubernetes": kubernetes})


def _silent(h: Happening) -> bool:
    return h.ok and h.subject % TOLD != 0
