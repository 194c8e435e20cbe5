"""More traces, statements or places than can be kept: what is counted instead stays true, and is known to be a part."""

import pytest

from superbiz.analysis import logs, sampling, tallying
from superbiz.analysis.logs import Count, Place, Tally
from superbiz.analysis.sampling import SpanIndex
from superbiz.analysis.templates import Miner
from superbiz.domain.observations import LogLine, Span
from support.incidents import build_line, build_span, span_id

FIRST, SECOND = "INFO received the cart of a client", "INFO answered after all was done"


def requests(count: int, messages: tuple[str, ...] = (FIRST, SECOND), every: int = 1) -> tuple[list[LogLine], list[Span]]:
    """The second message in every n-th request only."""
    lines = [
        build_line(f"{message} span={span_id(n * 100)}", minute=n / 100 + i / 1_000)
        for n in range(count)
        for i, message in enumerate(messages)
        if i == 0 or n % every == 0
    ]
    return lines, [build_span(n * 100, trace_id=f"{n:032x}") for n in range(count)]


def tally(period: tuple[list[LogLine], list[Span]], miner: Miner) -> Tally:
    lines, spans = period
    return Count(miner, lambda line: line.log_group.rsplit("/", 1)[-1], SpanIndex(spans)).read(lines).tally()


@pytest.mark.parametrize("members", [300, 500, 1_000])
def test_a_sample_of_traces_has_the_same_shares(monkeypatch: pytest.MonkeyPatch, members: int) -> None:
    monkeypatch.setattr(tallying, "MOST_MEMBERS", members)
    miner = Miner()
    now, normal = tally(requests(1_000, every=2), miner), tally(requests(1_000), miner)
    assert now.share < 1
    assert now.lines == 1_500, "all lines are counted"
    fewer = next(s for s in logs.statements(now, normal) if "answered" in miner.template(s.what[1]))
    assert fewer.change == "fewer"
    assert 50 <= fewer.of <= 600
    assert fewer.times / fewer.of == pytest.approx(0.5, abs=0.12)
    assert fewer.normal == fewer.normal_of


def test_the_same_traces_are_chosen_every_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tallying, "MOST_MEMBERS", 100)
    lines, spans = requests(400)
    first, again = tally((lines, spans), Miner()), tally((lines, list(reversed(spans))), Miner())
    assert {k: len(v) for k, v in first.requests_at.items()} == {k: len(v) for k, v in again.requests_at.items()}


def test_a_rare_statement_that_no_trace_of_the_sample_made_is_compared_by_its_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tallying, "MOST_MEMBERS", 300)
    miner = Miner()
    now = tally(requests(1_000, (FIRST, "ERROR lost the parcel of a client"), every=100), miner)
    new = next(s for s in logs.statements(now, tally(requests(1_000, (FIRST,)), miner)) if "lost the parcel" in miner.template(s.what[1]))
    assert (new.times, new.of, new.normal, new.normal_of, new.change) == (10, 1_010, 0, 1_000, "new")


def test_statements_beyond_those_that_can_be_kept_are_counted_as_untold(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tallying, "MOST_SIGHTINGS", 3)
    lines = [build_line("INFO cart" + " is full" * n) for n in range(5)]
    found = tally((lines, []), Miner())
    assert (found.lines, found.by_service["orders"], found.untold, len(found.said)) == (5, 5, 2, 3)


def test_places_beyond_those_that_can_be_kept_are_the_services_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tallying, "MOST_PLACES", 2)
    spans = [build_span(n * 100, name=f"POST /{word}") for n, word in enumerate(("a", "b", "c", "d"))]
    lines = [build_line(f"INFO x span={s.span_id}") for s in spans]
    assert set(tally((lines, spans), Miner()).lines_at) == {Place("orders", "POST /a"), Place("orders", "POST /b"), Place("orders", "")}


def test_what_is_kept_of_a_line_is_bounded() -> None:
    (seen,) = tally(([build_line("ERROR " + "x" * 1_000_000)], []), Miner()).said.values()
    assert len(seen.sample) == tallying.SAMPLED


def test_a_period_that_is_read_holds_no_ids_any_more() -> None:
    lines, spans = requests(50)
    index = SpanIndex(spans)
    Count(Miner(), lambda _line: "orders", index).read(lines)
    assert index.find([lines[0].message], ["orders"]) == [None]


def test_spans_beyond_those_that_can_be_kept_are_said_and_their_lines_are_not_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sampling, "MOST_SPANS", 50)
    miner = Miner()
    now, normal = tally(requests(200), miner), tally(requests(40, (FIRST,)), miner)
    assert (now.unindexed, normal.unindexed, now.lines) == (150, 0, 400)
    assert {s.what[0].operation for s in logs.statements(now, normal)} == {"POST /orders"}
