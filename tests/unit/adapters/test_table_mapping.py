"""Values as items and back."""

import random
from datetime import UTC, date, datetime, timedelta, timezone
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from superbiz.adapters import cursors
from superbiz.adapters.listing import key_time
from superbiz.adapters.memory import MemoryObjects
from superbiz.adapters.outputs import packed, unpacked
from superbiz.adapters.table import keys
from superbiz.adapters.table.mapping import INLINE_BYTES, PLAIN_BYTES, Mapper, documents
from superbiz.domain import canonical
from superbiz.domain.control import Control
from superbiz.domain.evidence import Invocation
from superbiz.domain.runs import Cost, Run, RunRequest, Step, Work
from superbiz.domain.values import UtcTime, Value
from superbiz.errors import Broken, Invalid
from support.builders import NOW, build_invocation, build_run, build_step

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


class Anything(Value):
    """A field of every kind."""

    text: str
    maybe_text: str | None = "not None"
    number: int
    flag: bool
    share: float
    when: UtcTime
    maybe_when: UtcTime | None = None
    day: date | None = None
    work: Work | None = Work.OPEN
    names: tuple[str, ...] = ()
    cost: Cost = Cost()
    document: dict[str, Any] = {}  # noqa: RUF012  pydantic copies it


ANYTHING = st.builds(
    Anything,
    text=st.text(),
    maybe_text=st.none() | st.text(),
    number=st.integers(),
    flag=st.booleans(),
    share=st.floats(allow_nan=False, allow_infinity=False),
    when=st.datetimes(timezones=st.just(UTC), min_value=datetime(1000, 1, 1)),  # noqa: DTZ001  hypothesis adds the zone
    day=st.none() | st.dates(),
    work=st.none() | st.sampled_from(Work),
    names=st.lists(st.text()).map(tuple),
    document=st.dictionaries(st.text(), JSON),
)


@given(ANYTHING)
def test_a_value_comes_back_as_it_was(value: Anything) -> None:
    mapper = Mapper(MemoryObjects())
    assert mapper.value(Anything, mapper.item(value)) == value


@pytest.mark.parametrize("value", [build_run(work=None), build_step(), build_invocation(), Control(), RunRequest(query="q")])
def test_the_products_own_values_come_back_as_they_were(value: Value) -> None:
    mapper = Mapper(MemoryObjects())
    assert mapper.value(type(value), mapper.item(value)) == value


def test_what_conditions_compare_is_native() -> None:
    mapper = Mapper(MemoryObjects())
    step = mapper.item(build_step(lease_until=NOW, attempt=3))
    assert (step["status"], step["attempt"], step["lease_until"]) == ({"S": "RUNNING"}, {"N": "3"}, {"S": "2026-07-08T23:10:00.000000Z"})
    assert mapper.item(Control(budget_day=date(2026, 7, 8)))["budget_day"] == {"S": "2026-07-08"}
    assert documents(Run) == {"cost"}
    assert documents(Step) == {"cost", "result"}
    assert documents(Invocation) == {"input_params", "output", "retrieval_details", "duration_ms"}


def test_a_field_without_an_attribute_is_none_whatever_its_default() -> None:
    mapper = Mapper(MemoryObjects())
    item = mapper.item(build_run(work=None))
    assert "work" not in item
    assert mapper.value(Run, item).work is None


def test_numbers_keep_their_spelling() -> None:
    mapper = Mapper(MemoryObjects())
    document = canonical.loads('{"a":1.50,"b":1e5,"c":-0.0,"d":0.1000000000000000055511151231257827,"e":[1,2.0]}')
    assert canonical.dumps(mapper.read_document(mapper.document(document))) == canonical.dumps(document)


@given(st.text(alphabet=st.characters(), max_size=3_000) | st.text(alphabet="ab\ud800\udfff界", max_size=2_000))
def test_a_text_of_any_letters_comes_back(text: str) -> None:
    mapper = Mapper(MemoryObjects())
    assert mapper.read_text(mapper.text(text)) == text


@pytest.mark.parametrize(("length", "kind"), [(0, "S"), (PLAIN_BYTES, "S"), (PLAIN_BYTES + 1, "B"), (3_000_000, "B")])
def test_where_a_text_goes_follows_from_its_size(length: int, kind: str) -> None:
    assert set(Mapper(MemoryObjects()).text("x" * length)) == {kind}


def test_what_does_not_pack_small_goes_aside_before_anything_refers_to_it() -> None:
    objects = MemoryObjects()
    text = random.Random(1).randbytes(60_000).hex()
    attribute = Mapper(objects).text(text)
    assert set(attribute) == {"M"}
    (stored,) = objects._data.values()
    assert len(stored) > INLINE_BYTES
    assert Mapper(objects).read_text(attribute) == text
    objects._data.clear()
    with pytest.raises(Broken):
        Mapper(objects).read_text(attribute)


def test_the_same_bytes_pack_alike() -> None:
    assert packed(b"x" * 100) == packed(b"x" * 100)


def test_a_bomb_is_broken(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("superbiz.adapters.outputs.MAX_UNPACKED", 1_000)
    assert unpacked(packed(b"x" * 999), "x") == b"x" * 999
    with pytest.raises(Broken):
        unpacked(packed(b"x" * 1_001), "x")


@given(st.lists(st.datetimes(timezones=st.just(UTC), min_value=datetime(1000, 1, 1)), min_size=2))  # noqa: DTZ001
def test_times_in_keys_sort_as_times(moments: list[datetime]) -> None:
    assert [key_time(m) for m in sorted(moments)] == sorted(key_time(m) for m in moments)


def test_times_in_keys_are_utc() -> None:
    east = timezone(timedelta(hours=8))
    assert key_time(datetime(2026, 1, 1, 7, 59, tzinfo=east)) == "2025-12-31T23:59:00.000000Z"


@given(st.text(), st.lists(st.text(min_size=1, alphabet=st.characters(codec="utf-8")), min_size=1, max_size=3))
def test_a_cursor_comes_back_to_its_own_list(scope: str, position: list[str]) -> None:
    assert cursors.decode(scope, cursors.encode(scope, *position), parts=len(position)) == tuple(position)


@given(st.text(max_size=60))
def test_no_other_text_is_a_cursor(text: str) -> None:
    with pytest.raises(Invalid):
        cursors.decode("scope", text, parts=1)


@given(st.integers(min_value=0), st.characters(codec="ascii", categories=["L", "N"]))
@settings(max_examples=200)
def test_a_changed_cursor_is_refused(place: int, letter: str) -> None:
    cursor = cursors.encode("scope", "2026-07-08T23:10:00.000000Z#run-1")
    place %= len(cursor)
    changed = cursor[:place] + letter + cursor[place + 1 :]
    if changed == cursor:
        return
    with pytest.raises(Invalid):
        cursors.decode("scope", changed, parts=1)


@given(st.text(), st.text())
def test_two_ids_never_share_a_key(a: str, b: str) -> None:
    if a != b:
        assert keys.part(a) != keys.part(b)
