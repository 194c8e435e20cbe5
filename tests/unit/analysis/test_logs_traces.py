"""Stack traces: to which line they belong, and what they tell of the code."""

import pytest

from superbiz.analysis.logs import Count, Sighting
from superbiz.analysis.sampling import SpanIndex
from superbiz.analysis.stacktraces import Thrown, continues, thrown
from superbiz.analysis.templates import Miner
from superbiz.domain.observations import LogLine
from support.incidents import build_line

JAVA = """org.shop.OrderFailed: could not order
\tat org.shop.Orders.place(Orders.java:88)
\tat java.base/java.lang.Thread.run(Thread.java:840)
Caused by: java.lang.NullPointerException: Cannot invoke "Cart.items()"
\tat org.springframework.aop.Invoker.invoke(Invoker.java:12)
\tat org.shop.Carts.total(Carts.java:41)
\tat org.shop.Orders.place(Orders.java:80)
\t... 12 more"""
PYTHON = """Traceback (most recent call last):
  File "/srv/shop/orders.py", line 12, in place
    cart.total()
  File "/srv/shop/carts.py", line 41, in total
    return self.items[key]
  File "/usr/lib/python3.12/site-packages/lru/cache.py", line 7, in get
    raise KeyError(key)
KeyError: 'k-17'

During handling of the above exception, another exception occurred:

Traceback (most recent call last):
  File "/srv/shop/handlers.py", line 5, in handle
    place()
RuntimeError: order failed"""
GO = """panic: runtime error: index out of range [3] with length 3

goroutine 34 [running]:
main.total(0xc000012345)
\t/srv/shop/carts.go:41 +0x1d
main.main()
\t/srv/shop/main.go:12 +0x22"""
NODE = """TypeError: Cannot read properties of undefined (reading 'items')
    at total (/srv/shop/carts.js:41:17)
    at process.processTicksAndRejections (node:internal/process/task_queues:95:5)"""
DOTNET = """System.InvalidOperationException: order failed
 ---> System.NullReferenceException: Object reference not set to an instance of an object.
   at System.Linq.Enumerable.Sum(IEnumerable`1 source)
   at Shop.Carts.Total(Cart cart) in /src/Shop/Carts.cs:line 41
   --- End of inner exception stack trace ---
   at Shop.Orders.Place() in /src/Shop/Orders.cs:line 80"""
RUBY = """NoMethodError: undefined method `items' for nil
\tfrom /srv/shop/carts.rb:41:in `total'"""
TRACES = [
    (JAVA, Thrown("java.lang.NullPointerException", "Carts.java:41")),
    (PYTHON, Thrown("KeyError", "/srv/shop/carts.py:41")),
    (GO, Thrown("panic", "/srv/shop/carts.go:41")),
    (NODE, Thrown("TypeError", "/srv/shop/carts.js:41")),
    (DOTNET, Thrown("System.NullReferenceException", "/src/Shop/Carts.cs:41")),
    (RUBY, Thrown("NoMethodError", "/srv/shop/carts.rb:41")),
]


@pytest.mark.parametrize(("trace", "told"), TRACES)
def test_the_first_cause_and_the_innermost_line_of_ones_own_code_are_found(trace: str, told: Thrown) -> None:
    found = thrown(trace)
    assert (found.exception, found.location) == told[:2]
    assert told.exception in found.line


def sightings(lines: list[LogLine]) -> list[Sighting]:
    return list(Count(Miner(), lambda line: line.log_stream, SpanIndex()).read(lines).tally().said.values())


@pytest.mark.parametrize(("trace", "told"), TRACES)
def test_a_trace_of_many_lines_is_one_statement_with_the_line_before(trace: str, told: Thrown) -> None:
    lines = [build_line("ERROR request failed"), *[build_line(text) for text in trace.split("\n")], build_line("INFO next request")]
    failed, following = sightings(lines)
    assert (failed.exception, failed.thrown.location, failed.count) == (*told[:2], 1)
    assert not following.bad


@pytest.mark.parametrize(("trace", "told"), TRACES)
def test_a_message_of_many_lines_is_read_like_many_messages(trace: str, told: Thrown) -> None:
    (failed,) = sightings([build_line(f"request failed\n{trace}")])
    assert failed.thrown == thrown(trace)
    assert failed.thrown[:2] == told[:2]
    assert failed.bad, "it names no level, but something was thrown"


def test_traces_of_streams_that_are_mixed_are_told_apart() -> None:
    texts = zip(JAVA.split("\n"), NODE.split("\n") + [""] * 5, strict=True)
    mixed = [build_line(text, log_stream=name) for pair in texts for text, name in zip(pair, ("java", "node"), strict=True) if text]
    heads = [build_line("ERROR request failed", log_stream=name) for name in ("java", "node")]
    java, node = sightings([*heads, *mixed])
    assert (java.exception, node.exception) == ("java.lang.NullPointerException", "TypeError")


def test_an_exceptions_own_line_is_a_statement_where_nothing_bad_stands_before_it() -> None:
    first, second = sightings([build_line("INFO all is well"), build_line("ValueError: bad input")])
    assert (first.bad, second.bad, second.exception) == (False, True, "ValueError")


def test_an_exceptions_own_line_long_after_an_error_is_a_statement() -> None:
    assert len(sightings([build_line("ERROR request failed", minute=1), build_line("ValueError: bad input", minute=2)])) == 2


def test_indented_lines_after_an_ordinary_one_are_statements() -> None:
    assert len(sightings([build_line("INFO summary"), build_line("  orders: 17"), build_line("  carts: 4")])) == 3


@pytest.mark.parametrize(
    "line",
    ["\tat com.shop.Orders.create(Orders.java:41)", "Caused by: java.net.ConnectException: refused", '  File "app/db.py", line 118, in get',
     "\t... 12 more", "goroutine 1 [running]:", "\t/srv/shop/carts.go:41 +0x1d", "   --- End of inner exception stack trace ---"],
)  # fmt: skip
def test_frames_continue_the_line_before(line: str) -> None:
    assert continues(line)


@pytest.mark.parametrize("line", ["ERROR at startup", "at 12:00 the job began", "", "  orders: 17", "Attempt 3 of 5"])
def test_other_lines_do_not(line: str) -> None:
    assert not continues(line)
