"""Log shifts: counts by requests, statements that no longer follow, errors beyond a service's share."""

import time
from collections.abc import Iterable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from superbiz.analysis import logs
from superbiz.analysis.logs import END, Count, Place, Shift, Step, Tally
from superbiz.analysis.sampling import SpanIndex
from superbiz.analysis.templates import Miner
from superbiz.domain.observations import LogLine, Span
from support.incidents import build_line, build_span, span_id


def service_of(line: LogLine) -> str:
    return line.log_group.rsplit("/", 1)[-1]


def request(number: int, *messages: str) -> list[LogLine]:
    """A request is a trace with one span, which its lines name."""
    return [build_line(f"{message} span={span_id(number * 100)}", minute=number + n / 100) for n, message in enumerate(messages)]


def requests(count: int, *messages: str) -> list[LogLine]:
    return [line for n in range(count) for line in request(n, *messages)]


def spans_of(lines: Iterable[LogLine]) -> list[Span]:
    numbers = sorted({int(line.message[-10:], 16) for line in lines if "span=" in line.message})
    return [build_span(n) for n in numbers]


def tallied(*periods: list[LogLine], spans: list[list[Span]] | None = None) -> tuple[list[Tally], Miner]:
    miner = Miner()
    known = spans or [spans_of(lines) for lines in periods]
    counts = [Count(miner, service_of, SpanIndex(of)).read(lines) for lines, of in zip(periods, known, strict=True)]
    return [c.tally() for c in counts], miner


def compared(now: list[LogLine], normal: list[LogLine]) -> tuple[Tally, Tally, Miner]:
    (a, b), miner = tallied(now, normal)
    return a, b, miner


def step_to(shifts: list[Shift], miner: Miner, text: str) -> Shift:
    return next(s for s in shifts if isinstance(s.what, Step) and text in (miner.template(s.what.then) or s.what.then))


def test_a_statement_that_no_longer_follows_is_the_largest_shift() -> None:
    now = requests(12, "INFO received the cart of a client", "INFO answered after all was done")
    normal = requests(10, "INFO received the cart of a client", "INFO reserved stock in the warehouse", "INFO answered after all was done")
    a, b, miner = compared(now, normal)
    found = logs.steps(a, b)
    gone = step_to(found, miner, "reserved stock")
    assert (gone.times, gone.of, gone.normal, gone.normal_of) == (0, 12, 10, 10)
    assert gone.change == "gone"
    assert abs(gone.score) == abs(found[0].score)


def test_an_operation_that_stops_early_shows_a_new_end() -> None:
    a, b, _ = compared(
        requests(8, "INFO received the cart of a client"),
        requests(8, "INFO received the cart of a client", "INFO reserved stock in the warehouse"),
    )
    ended = next(s for s in logs.steps(a, b) if isinstance(s.what, Step) and s.what.then == END and s.what.after and s.score > 0)
    assert ended.change == "new"
    assert ended.times == 8


def test_a_loop_within_a_request_counts_once() -> None:
    now = [*requests(3, *["INFO tried a supplier again"] * 50), *requests(9, "INFO received the cart of a client")]
    a, b, _ = compared(now, requests(12, "INFO tried a supplier again"))
    tried = next(s for s in logs.statements(a, b) if s.normal == 12)
    assert (tried.times, tried.of) == (3, 9), "three of the nine requests that were seen"


def test_more_load_alone_is_no_shift() -> None:
    now, normal = (
        requests(200, "INFO received the cart of a client", "INFO answered after all was done"),
        requests(10, "INFO received the cart of a client", "INFO answered after all was done"),
    )
    a, b, _ = compared(now, normal)
    assert logs.statements(a, b) == []
    assert logs.steps(a, b) == []


def test_errors_beyond_a_services_share_are_a_burst() -> None:
    now = [build_line(f"{'ERROR pool empty' if n % 2 else 'INFO ok'} {n}", minute=n / 10) for n in range(40)]
    normal = [build_line(f"INFO ok {n}", minute=n / 10) for n in range(40)]
    a, b, _ = compared(now, normal)
    burst = logs.bursts(a, b)[0]
    assert (burst.service, burst.bad, burst.lines, burst.normal_bad) == ("orders", 20, 40, 0)
    assert logs.quiet(a, b) == []
    assert logs.bursts(b, b) == []


def test_without_a_normal_period_errors_still_stand_out() -> None:
    (tally,), _ = tallied([build_line(f"ERROR {n}") for n in range(5)])
    assert logs.bursts(tally, None)[0].bad == 5


def test_stack_frames_are_no_statements() -> None:
    lines = [build_line("ERROR java.lang.IllegalStateException: x"), build_line("\tat com.shop.A.b(A.java:1)"), build_line("Caused by: y")]
    (tally,), _ = tallied(lines)
    assert tally.lines == 3
    assert len(tally.said) == 1


def test_a_service_that_fell_silent_is_told_by_its_lines() -> None:
    """Places that one period does not know are not compared: that says nothing of a rate."""
    a, b, _ = compared([build_line("INFO x")], [build_line("INFO x", service="billing"), build_line("INFO x", service="billing")])
    assert logs.statements(a, b) == []


MESSAGES = st.text(max_size=60)


@given(st.lists(MESSAGES, max_size=40), st.lists(MESSAGES, max_size=40))
def test_any_lines_give_finite_shifts(now: list[str], normal: list[str]) -> None:
    a, b, _ = compared([build_line(m, minute=n) for n, m in enumerate(now)], [build_line(m, minute=n) for n, m in enumerate(normal)])
    for shift in [*logs.statements(a, b), *logs.steps(a, b)]:
        assert 0 <= shift.times <= shift.of
        assert 0 <= shift.normal <= shift.normal_of
        assert abs(shift.score) < 1_000
    assert a.lines == len(now)


def test_an_operation_that_says_nothing_any_more_is_told_by_its_spans() -> None:
    normal = requests(12, "INFO received the cart of a client")
    other = [build_line("INFO the service speaks elsewhere")]
    (a, b), miner = tallied(other, normal, spans=[[build_span(n * 100) for n in range(9)], spans_of(normal)])
    gone = step_to(logs.steps(a, b), miner, "received the cart")
    assert (gone.times, gone.of, gone.normal, gone.normal_of, gone.change) == (0, 9, 12, 12, "gone")


def test_logs_of_a_service_that_are_missing_altogether_say_nothing_of_its_steps() -> None:
    normal = requests(12, "INFO received the cart of a client")
    (a, b), _ = tallied(
        [build_line("INFO fine", service="billing")], normal, spans=[[build_span(n * 100) for n in range(9)], spans_of(normal)]
    )
    assert logs.steps(a, b) == []


def test_keys_of_both_periods_agree_although_words_turn_out_to_be_variable_later() -> None:
    now = [build_line(f"INFO cart of {name} is full") for name in ("anna", "ben", "carl", "dora", "emil", "fritz")]
    (a, b), miner = tallied(now, [build_line("INFO cart of anna is full")] * 2)
    assert {said.key for said in a.said} == {said.key for said in b.said}
    assert [seen.count for seen in a.said.values()] == [6]
    assert {miner.template(said.key) for said in a.said} == {"INFO cart of <*> is full"}


def test_a_line_that_names_its_trace_alone_belongs_to_its_services_first_span() -> None:
    span = build_span(100, trace_id="5" * 32)
    (tally,), _ = tallied(
        [build_line(f"INFO x trace={span.trace_id}")], spans=[[build_span(101, name="SELECT", start_ms=span.start_ms + 1), span]]
    )
    assert set(tally.lines_at) == {Place("orders", "POST /orders")}


SCRIPTS = "Latin Кириллица Ελληνικά עברית العربية हिन्दी বাংলা தமிழ் ไทย 한국어 日本語 中文 ქართული Հայերեն አማርኛ ខ្មែរ ລາວ မြန်မာ සිංහල తెలుగు 🎉"
PIECES = [
    *SCRIPTS.split(), "ERROR", "\tat a.B.c(D.java:1)", "Caused by: x", "ValueError: y", "\n", "\x00", "\ufffd", "\ud800", "{",
    '{"level":"error"}', f"span={span_id(100)}",
]  # fmt: skip
ODD_LINES = st.builds(
    build_line,
    st.lists(st.sampled_from(PIECES), max_size=6).map(" ".join),
    timestamp=st.integers(-62_135_596_800_000, 253_402_300_799_000),
    log_stream=st.sampled_from(["a", "b", ""]),
    service=st.sampled_from(["orders", "billing", ""]),
)


@given(st.lists(ODD_LINES, max_size=30), st.lists(ODD_LINES, max_size=30))
def test_lines_of_any_language_and_clock_are_all_counted(now: list[LogLine], normal: list[LogLine]) -> None:
    (a, b), miner = tallied(now, normal, spans=[[build_span(100)], [build_span(100)]])
    assert (a.lines, b.lines) == (len(now), len(normal))
    assert sum(seen.count for seen in a.said.values()) == a.by_service.total() <= len(now)
    assert all(seen.first <= seen.last for seen in a.said.values())
    assert all(a.bad_by_service[service] <= lines for service, lines in a.by_service.items())
    assert all(miner.template(said.key) is not None for said in a.said)
    assert all(abs(s.score) < 1_000 for s in [*logs.statements(a, b), *logs.steps(a, b)])


HOSTILE = ("at " + "(" * 4_000, "a." * 2_000, "A" * 4_000, "at " + " in " * 1_000 + ".cs", "(" * 4_000, "\t" * 4_000, "Caused by: " * 400)


@pytest.mark.parametrize("hostile", HOSTILE)
def test_a_hostile_stack_trace_costs_no_more_than_a_long_one(hostile: str) -> None:
    started = time.process_time()
    tallied([build_line("ERROR x"), *[build_line(hostile)] * 300, build_line("ERROR x\n" + "\n".join([hostile] * 100))])
    assert time.process_time() - started < 1.5
