"""Stored outputs by range: exactly the bytes that were asked for."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from superbiz.domain import canonical
from superbiz.errors import Invalid, NotFound
from superbiz.ports import Ports, RecordedCall
from superbiz.services import outputs
from superbiz.services.outputs import WHOLE, Span, Unsatisfiable, output, span_of
from support.builders import RUN_ID, build_failed_invocation
from support.recorded_runs import finished_run, first_call
from support.serving import memory_ports


@pytest.fixture(scope="module")
def ports() -> Ports:
    made = memory_ports()
    finished_run(made)
    return made


def stored(ports: Ports) -> bytes:
    data = ports.ledger.output(first_call(ports, ports.ledger.run(RUN_ID)))  # type: ignore[arg-type]
    assert data is not None
    return data


def part(ports: Ports, header: str | None = None, start: int | None = None, end: int | None = None) -> outputs.Slice:
    call = first_call(ports, ports.ledger.run(RUN_ID))  # type: ignore[arg-type]
    return output(RUN_ID, call.invocation_id, span_of(header, start, end), ports)


def test_without_a_range_it_is_the_whole_with_its_hash(ports: Ports) -> None:
    whole = part(ports)
    assert (whole.data, whole.whole) == (stored(ports), True)
    assert whole.sha256 == canonical.sha256(whole.data)


@given(st.integers(0, 400), st.integers(0, 400))
def test_a_range_is_the_bytes_from_one_to_the_other(start: int, last: int) -> None:
    ports = memory_ports()
    finished_run(ports)
    data = stored(ports)
    if last < start:
        assert span_of(f"bytes={start}-{last}", None, None) == WHOLE
        return
    try:
        found = part(ports, f"bytes={start}-{last}")
    except Unsatisfiable:
        assert start >= len(data)
    else:
        assert found.data == data[start : last + 1]
        assert found.content_range == f"bytes {start}-{min(last, len(data) - 1)}/{len(data)}"


def test_other_spellings_of_a_range(ports: Ports) -> None:
    data = stored(ports)
    assert part(ports, "bytes=5-").data == data[5:]
    assert part(ports, "bytes=-7").data == data[-7:]
    assert part(ports, "bytes=-99999").data == data
    assert part(ports, start=3).data == data[3:]
    assert part(ports, end=4).data == data[:4]
    assert part(ports, "bytes=0-0", start=2, end=9).data == data[2:9]


@pytest.mark.parametrize("header", ["", "bytes", "bytes=", "bytes=-", "lines=0-5", "bytes=0-1,4-5", "bytes=a-b", "bytes=0-" + "9" * 40])
def test_an_unreadable_range_asks_for_the_whole(header: str) -> None:
    assert span_of(header, None, None) == WHOLE


def test_a_range_beyond_the_end_or_backwards_is_refused(ports: Ports) -> None:
    for header in ("bytes=99999-", "bytes=-0"):
        with pytest.raises(Unsatisfiable) as refused:
            part(ports, header)
        assert refused.value.status == 416
    with pytest.raises(Invalid):
        span_of(None, 5, 5)


def test_a_large_output_comes_in_parts_that_join_to_the_whole(ports: Ports, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(outputs, "MOST_BYTES", 100)
    data, joined = stored(ports), b""
    while len(joined) < len(data):
        found = part(ports, start=len(joined))
        assert len(found.data) <= 100
        joined += found.data
    assert joined == data
    assert not part(ports).whole
    assert span_of(None, None, None) == Span(0, None)


def test_a_call_without_an_output_says_why() -> None:
    ports = memory_ports()
    failed = build_failed_invocation()
    finished_run(ports, calls=(RecordedCall(failed, None),))
    with pytest.raises(NotFound, match="AccessDenied"):
        output(RUN_ID, failed.invocation_id, WHOLE, ports)
    with pytest.raises(NotFound):
        output(RUN_ID, "inv-of-nobody", WHOLE, ports)
    with pytest.raises(NotFound):
        output("run-of-nobody", failed.invocation_id, WHOLE, ports)
