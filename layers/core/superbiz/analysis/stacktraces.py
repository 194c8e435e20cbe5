"""What a line says of where in the code it was made and of what was thrown, and the same of a stack trace's many lines."""

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from superbiz.analysis.collapsing import SOURCES

LONGEST = 20_000  # characters of a stack trace that are looked at
# These patterns start at a token's beginning only, so that a hostile line can not make them quadratic.
_IN_FILE = rf"\.(?:{SOURCES}):\d+"
_LOCATION = re.compile(rf"(?<![\w.$/-])((?:[\w$]+\.)*[A-Z][\w$]*#\d{{1,5}}|[\w$/.-]+{_IN_FILE})\b")
_PLACED = re.compile(rf"[A-Z]\w*#\d{{1,5}}\b|{_IN_FILE}\b")
_THROWN = ("Exception", "Error", "Timeout", "Fault", "Refused", "panic")
_EXCEPTION = re.compile(r"(?<![\w.])((?:[A-Za-z_]\w*\.)*[A-Z]\w*(?:Exception|Error|Timeout|Fault|Refused))\b|^(panic)(?=: )")
# The rest of what the line before began: frames and causes.
_CONTINUED = re.compile(
    r"\s+at\s|\s*\.\.\. \d+ (?:more|common)|\s+File \"|\s*(?:Caused by|Suppressed): |Traceback \(most recent call last\)"
    r"|\s*During handling of the above|\s*The above exception was|\s+--- End of |\s*---> |goroutine \d+ \[|\s+\S+\.go:\d+|created by \S+"
    r"|\s+from \S+\.rb:\d+"
)
# What only belongs to a trace that has begun, or to an error: the thrown thing itself, functions, source text, blank lines.
_PERHAPS = re.compile(
    r"(?:[A-Za-z_]\w*\.)*[A-Z]\w*(?:Exception|Error|Throwable)(?:: |$)|(?:[a-z_]\w*\.)+[A-Z]\w*(?:: |$)|panic: "
    r"|(?:[\w./-]|\(\*\w{1,99}\))+\([^)\n]*\)$|\s+\S|\s*$|\[signal |exit status \d"
)
_BEGINNING = frozenset(" \t\n.-CSTDgc")  # of lines that continue
_FRAME = re.compile(
    r"^[ \t]*(?:at [^\n(]*\((?P<java>[\w$]+\.(?:java|kt|scala|groovy):\d+)\)"
    r"|at [^\n]{1,400}? in (?P<net>(?:[A-Za-z]:)?[^\n:]{1,300}\.(?:cs|vb|fs)):line (?P<net_line>\d+)"
    r"|at (?:[^\n(]*\()?(?P<node>[^\s()]+\.[cm]?[jt]sx?:\d+):\d+\)?"
    r"|File \"(?P<python>[^\"\n]+)\", line (?P<python_line>\d+)"
    r"|(?P<go>[^\s:]+\.go:\d+)"
    r"|(?:from )?(?P<ruby>[^\s:]+\.rb:\d+):in)",
    re.M,
)
_OF_LIBRARIES = re.compile(
    r"\bat (?:java|javax|jakarta|jdk|sun|com\.sun|kotlin|scala|groovy|org\.(?:springframework|apache|hibernate|eclipse|jboss|junit)"
    r"|io\.(?:netty|undertow|opentelemetry)|reactor|feign|okhttp3|com\.zaxxer|System|Microsoft)\."
    r"|/(?:site|dist)-packages/|/lib/python\d|/node_modules/|\bnode:|/internal/|/go/src/|/pkg/mod/|/gems/|/ruby/\d|/vendor/"
)
_QUALIFIED = re.compile(r"\s*((?:[a-z_]\w*\.)+[A-Z]\w*)(?=: |\n|$)")  # a thrown thing by its class, whatever its name
_CAUSED = re.compile(r"^\s*Caused by:|---> ", re.M)
_LATER = re.compile(r"^(?:During handling of the above|The above exception was)", re.M)  # Python tells what was first first


class Thrown(NamedTuple):
    """The exception that a stack trace began with, the innermost line of code that belongs to no library, and the exception's own line."""

    exception: str | None = None
    location: str | None = None
    line: str = ""

    def __bool__(self) -> bool:
        return self.exception is not None or self.location is not None


def location_of(line: str) -> str | None:
    """The place in the code that the line names: `OrderService#41`, `shop/orders.py:41`."""
    match = _LOCATION.search(line) if _PLACED.search(line) else None
    return match[1] if match else None


def keep_places(line: str, digits: Mapping[int, int | str]) -> str:
    """The line with the numbers of such places translated."""
    return _LOCATION.sub(lambda m: m[0].translate(digits), line) if _PLACED.search(line) else line


def exception_of(line: str) -> str | None:
    """The exception type that the line names."""
    match = _EXCEPTION.search(line) if any(word in line for word in _THROWN) else None
    return (match[1] or match[2]) if match else None


def continues(message: str) -> bool:
    """Whether a line is the rest of the one before it, as the frames of a stack trace are."""
    return message[:1] in _BEGINNING and _CONTINUED.match(message) is not None


def may_continue(message: str) -> bool:
    """Whether it is so where the line before it tells of an error."""
    word = message[:200].partition(" ")[0]
    return (not word or word[-1] in ":)" or word == message or "(" in word or word[0] in "\t[e") and _PERHAPS.match(message) is not None


def thrown(trace: str) -> Thrown:
    """What a stack trace tells: of Java, Kotlin, Python, Go, Node, .NET and Ruby. Of several causes, the first one in time counts."""
    text = trace[:LONGEST]
    if later := _LATER.search(text):
        text = text[: later.start()]
    causes = [m.end() for m in _CAUSED.finditer(text)]
    inner = text[causes[-1] :] if causes else text
    frames = list(_FRAME.finditer(inner)) or list(_FRAME.finditer(text))
    python = any(f["python"] for f in frames)
    ordered = frames[::-1] if python else frames
    own = next((f for f in ordered if not _OF_LIBRARIES.search(f[0])), ordered[0] if ordered else None)
    lines = inner.splitlines()
    exception, line = _named([one for one in reversed(lines) if one[:1] not in (" ", "\t")] if python else lines)
    return Thrown(exception, _place(own) if own else None, line.strip())


def _named(lines: Sequence[str]) -> tuple[str | None, str]:
    """The first exception that these lines name, and the line. (Python names it after the frames.)"""
    for line in lines:
        qualified = _QUALIFIED.match(line)
        exception = qualified[1] if qualified else exception_of(line)
        if exception:
            return exception, line
    return None, ""


def _place(frame: re.Match[str]) -> str:
    if frame["net"]:
        return f"{frame['net']}:{frame['net_line']}"
    if frame["python"]:
        return f"{frame['python']}:{frame['python_line']}"
    return frame["java"] or frame["node"] or frame["go"] or frame["ruby"]
