"""Log lines as templates for `Habit`, one function a framework. `{n}` in a message is a drawn number, `{stamp}` and its like the time."""


def logback(logger: str, message: str, level: str = "INFO") -> str:
    """Logback's JSON encoder."""
    return f'{{{{"@timestamp":"{{stamp}}","level":"{level}","logger_name":"{logger}","message":"{message}"}}}}'


def winston(service: str, message: str, level: str = "info") -> str:
    """A Node service's JSON."""
    return f'{{{{"level":"{level}","message":"{message}","service":"{service}","timestamp":"{{stamp}}"}}}}'


def zap(caller: str, message: str, field: str, level: str = "info") -> str:
    """A Go service's JSON; the drawn number stands in the field."""
    return f'{{{{"level":"{level}","ts":"{{stamp}}","caller":"{caller}","msg":"{message}","{field}":{{n}}}}}}'


def python(logger: str, message: str, level: str = "INFO") -> str:
    """Python's logging under Gunicorn."""
    return f"{{comma}} [22] [{level}] {logger}: {message}"


def fluentbit(container: str, text: str, namespace: str) -> str:
    """A container's line as Container Insights ships it."""
    kubernetes = f'{{{{"pod_name":"{{task}}","namespace_name":"{namespace}","container_name":"{container}"}}}}'
    return f'{{{{"stream":"stderr","_p":"F","log":"{text}","kubernetes":{kubernetes}}}}}'


def postgres(text: str, level: str = "LOG", session: str = "@", client: str = "") -> str:
    """RDS for PostgreSQL with `%t:%r:%u@%d:[%p]:`."""
    return f"{{zone}}:{client}:{session}:[{'73{n}' if client else '531'}]:{level}:  {text}"


def mysql(text: str, code: str = "MY-010914", level: str = "Note") -> str:
    """RDS for MySQL's error log."""
    return f"{{plain}} 0 [{level}] [{code}] [Server] {text}"


def coredns(text: str, level: str = "INFO") -> str:
    """CoreDNS."""
    return f"[{level}] {text}"
