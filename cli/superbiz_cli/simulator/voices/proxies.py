"""Access and error lines of proxies: nginx as an ingress, Envoy as a sidecar."""

from superbiz_cli.simulator.voices.happening import Happening, access_stamp, stamp

AGENTS = ("okhttp/4.12.0", "Mozilla/5.0 (iPhone; CPU iPhone OS 18_4 like Mac OS X)", "python-requests/2.32.3")
STATUS = (
    ("certificate", 502, "UF"), ("timed out", 504, "UT"), ("timeout", 504, "UT"), ("deadline", 504, "UT"), ("Timed Out", 504, "UT"),
        ("Gateway Timeout", 504, "UT"),
    ("Internal Server Error", 500, "-"), ("Too Many Requests", 429, "-"), ("refused", 502, "UF"), ("Bad Gateway", 502, "UF"),
    ("404 Not Found", 404, "-"),
)  # fmt: skip


def nginx(h: Happening) -> list[str]:
    """The combined access log with request times; what failed also in the words of the error log."""
    method, path = _asked(h)
    status, _flag = _status(h)
    took, peer = h.took_ms / 1000, f"10.0.{h.subject % 4 + 10}.{h.subject % 200 + 20}"
    access = (
        f'{peer} - - [{access_stamp(h.at_ms)}] "{method} {path} HTTP/1.1" {status} {180 + h.subject % 900} "-" '
        f'"{AGENTS[h.subject % 3]}" rt={took:.3f} uct=0.001 urt={took:.3f} us={status}'
    )
    if status < 502 or h.subject % 3:
        return [access]
    when = stamp(h.at_ms, " ")[:19].replace("-", "/")
    error = (
        f"{when} [error] 29#29: *{h.subject} {_words(h, status)} upstream, client: {peer}, server: _, "
        f'request: "{method} {path} HTTP/1.1", upstream: "http://{h.callee or h.service}:8080{path}"'
    )
    return [access, error]


def envoy(h: Happening) -> list[str]:
    """Envoy's default access log."""
    method, path = _asked(h)
    status, flag = _status(h)
    return [
        f'[{stamp(h.at_ms)}] "{method} {path} HTTP/1.1" {status} {flag} 0 {120 + h.subject % 700} {h.took_ms:.0f} {h.took_ms:.0f} "-" '
        f'"{AGENTS[h.subject % 3]}" "{h.trace_id}" "{h.service}" "10.0.12.{h.subject % 90 + 9}:8080"'
    ]


def _words(h: Happening, status: int) -> str:
    if "certificate has expired" in h.cause:
        return "upstream SSL certificate verify error: (10:certificate has expired) while SSL handshaking to"
    words = "upstream timed out (110: Operation timed out)" if status == 504 else "upstream prematurely closed connection"
    return f"{words} while reading response header from"


def _asked(h: Happening) -> tuple[str, str]:
    method, _, path = h.operation.partition(" ")
    return method, path.replace("{id}", str(h.subject)) or "/"


def _status(h: Happening) -> tuple[int, str]:
    if h.ok:
        return 200, "-"
    return next(((status, flag) for words, status, flag in STATUS if words in h.cause), (503, "UH"))
