"""The voices of the demo's shop: JSON access lines, Logback, pino, Python's logging, Go's key=value."""

from superbiz_cli.simulator.voices.happening import Happening, stamp
from superbiz_cli.simulator.writing import compact


def gateway(h: Happening) -> list[str]:
    """A JSON access line for every request."""
    method, path = h.operation.split(" ", 1)
    status = {"ok": 201 if method == "POST" else 200, "failed": 500}.get(h.outcome, 503)
    row = {
        "time": stamp(h.at_ms),
        "level": "info" if status < 500 else "error",
        "msg": "request",
        "method": method,
        "path": path.replace("{id}", str(h.subject)),
        "status": status,
        "duration_ms": round(h.took_ms),
        "trace_id": h.trace_id,
    }
    if h.outcome != "ok":
        row |= {"upstream": h.callee or h.service, "error": h.cause}
    return [compact(row)]


def spring(h: Happening) -> list[str]:
    """Logback's pattern; failures with their stack trace in the same event."""
    head = f"{stamp(h.at_ms, ' ')} {{level}} [{h.service},{h.trace_id},{h.span_id}] [nio-8080-exec-{h.subject % 10 + 1}]"
    if h.outcome == "ok":
        if not h.operation.startswith("POST"):
            return []
        return [head.format(level=" INFO") + f" s.o.OrderController : order {h.subject} accepted in {h.took_ms:.0f} ms"]
    head = head.format(level="ERROR")
    if h.outcome == "pool":
        return [
            f"{head} s.o.OrderController : {h.operation} failed for order {h.subject}: Unable to acquire JDBC Connection\n{_pool_trace(h)}"
        ]
    return [f"{head} s.o.OrderController : {h.operation} failed for order {h.subject}: {h.callee or h.service} answered {h.cause}"]


def _pool_trace(h: Happening) -> str:
    return (
        "org.springframework.transaction.CannotCreateTransactionException: Could not open JPA EntityManager for transaction\n"
        "\tat org.springframework.orm.jpa.JpaTransactionManager.doBegin(JpaTransactionManager.java:466)\n"
        "\tat shop.orders.OrderService.place(OrderService.java:88)\n"
        "\tat shop.orders.OrderController.create(OrderController.java:41)\n"
        f"Caused by: java.sql.SQLTransientConnectionException: {h.cause} ({h.waiting})\n"
        "\tat com.zaxxer.hikari.pool.HikariPool.createTimeoutException(HikariPool.java:686)\n"
        "\tat com.zaxxer.hikari.pool.HikariPool.getConnection(HikariPool.java:179)\n"
        "\t... 61 more"
    )


def pino(h: Happening) -> list[str]:
    """JSON lines of a Node service."""
    row = {
        "level": 30 if h.outcome == "ok" else 50,
        "time": round(h.at_ms),
        "name": h.service,
        "hostname": h.task,
        "traceId": h.trace_id,
        "orderId": h.subject,
        "ms": round(h.took_ms),
        "msg": "payment authorised" if h.outcome == "ok" else h.cause,
    }
    return [compact(row)]


def python(h: Happening) -> list[str]:
    """The standard library's logging."""
    level = "INFO" if h.outcome == "ok" else "ERROR"
    what = f"reserved 1 item for order {h.subject}" if h.outcome == "ok" else f"reservation for order {h.subject} failed: {h.cause}"
    return [f"{stamp(h.at_ms, ' ', ',')} {level:<8} inventory.reserve [{h.trace_id[:16]}] {what} took_ms={h.took_ms:.1f}"]


def logfmt(h: Happening) -> list[str]:
    """Go's key=value lines; only every fourth success is told."""
    if h.outcome == "ok" and h.subject % 4:
        return []
    level = "info" if h.outcome == "ok" else "error"
    told = "" if h.outcome == "ok" else f' err="{h.cause}"'
    return [f'ts={stamp(h.at_ms)} level={level} svc={h.service} op="{h.operation}" trace={h.trace_id[:16]} dur={h.took_ms:.1f}ms{told}']
