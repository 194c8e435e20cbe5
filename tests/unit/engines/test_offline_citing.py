"""Excerpts and the sentences they carry."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from superbiz.domain import canonical
from superbiz.engines.offline import citing, wording
from superbiz.engines.offline.observing import Record
from support.builders import build_invocation

TEXT = st.text(st.characters(exclude_categories=("Cs",)), max_size=900)


def record(node: dict[str, object]) -> Record:
    return Record(build_invocation(), "$.steps[0]", node)


def test_a_short_text_is_cited_whole() -> None:
    assert citing.excerpt('{"a":1}') == '{"a":1}'


def test_a_long_record_is_cut_between_fields() -> None:
    text = canonical.dumps({"a": "x" * 300, "b": "y" * 300})
    assert citing.excerpt(text) == '{"a":"' + "x" * 300 + '"'


def test_a_long_line_is_cut_between_words() -> None:
    assert citing.excerpt("word " * 100).endswith("word")


def test_the_passage_that_is_quoted_stands_in_the_excerpt() -> None:
    line = "x " * 300 + "Connection is not available" + " y" * 300
    assert "Connection is not available" in citing.excerpt(line, "Connection is not available")
    assert citing.excerpt("short enough", "elsewhere") == "short enough"
    assert citing.excerpt("x " * 300, "not there") == ""


def test_a_quote_beyond_the_records_excerpt_gets_a_binding_of_its_own() -> None:
    found = citing.bindings(record({"a": "x" * 390, "then": "INFO reserved stock"}), 'a step: "reserved stock"')
    assert [b.raw_path for b in found] == ["$.steps[0]", "$.steps[0].then"]
    assert found[1].evidence_excerpt == "INFO reserved stock"


def test_an_excerpt_is_looked_up_where_it_is_said_to_stand() -> None:
    bound = citing.bindings(record({"a": "b"}), "")[0]
    assert citing.holds(bound, {bound.invocation_id: {"steps": [{"a": "b"}]}})
    assert not citing.holds(bound, {bound.invocation_id: {"steps": [{"a": "c"}]}})
    assert not citing.holds(bound, {})


@given(TEXT, TEXT)
def test_an_excerpt_is_a_passage_of_at_most_400_characters(text: str, holding: str) -> None:
    for found in (citing.excerpt(text), citing.excerpt(text, holding)):
        assert found in text
        assert len(found) <= citing.LONGEST


@given(st.dictionaries(st.text(min_size=1, max_size=20), TEXT, min_size=1, max_size=6))
def test_an_excerpt_of_a_record_is_a_passage_of_it(node: dict[str, str]) -> None:
    text = json.dumps(node, ensure_ascii=False, separators=(",", ":"))
    assert citing.excerpt(text) in text


@pytest.mark.parametrize(
    ("text", "quoted"),
    [
        (
            "<*> ERROR Pool#17 <*> Connection is not available, request timed out after <*>ms",
            "Connection is not available, request timed out after",
        ),
        ("INFO Cart#15 reserved", "INFO Cart#15 reserved"),
        ('he said "all is well with us" <*>', "all is well with us"),
        ("<*>", ""),
    ],
)
def test_a_quote_is_the_longest_passage_without_wildcards_and_marks(text: str, quoted: str) -> None:
    assert wording.quote(text) == quoted


@given(TEXT)
def test_a_quote_stands_in_its_text_and_can_stand_between_marks(text: str) -> None:
    found = wording.quote(text)
    assert found in text
    assert '"' not in found
    assert len(found) <= wording.QUOTED


def test_numbers_are_told_as_they_are_spelled_in_the_record() -> None:
    stored = canonical.loads('{"worst":0.10,"count":3}')
    assert wording.told(stored["worst"]) == "0.10"
    assert wording.told(stored["count"]) == "3"
