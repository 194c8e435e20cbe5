"""What a sentence tells of its facts: each number under its own name, however the sentence is built and the facts are listed."""

from itertools import combinations, permutations
from typing import Any

import pytest

from superbiz.domain import facts
from superbiz.domain.facts import Fact, Source, Told
from superbiz.domain.facts.labels import Sentence
from superbiz.domain.reading.parts import saying


def fact(metric: str, value: Any, subject: str = "checkout", **fields: Any) -> Fact:
    return facts.parse({"subject": subject, "metric": metric, "value": value, "path": "$.a"} | fields)


EXCESS = (fact("own_excess", 3), fact("ordinary_excess", 5))
WORST = (fact("worst", 1843.2, unit="ms"), fact("baseline", 4.1, unit="ms"))
SHARE = (fact("errors", 40), fact("requests", 1200))
OWNERS = (fact("errors", 12, "orders"), fact("errors", 3, "payments"))
TOLD: tuple[tuple[str, tuple[Fact, ...]], ...] = (
    ("checkout has own excess 3, where 5 is ordinary", EXCESS),
    ("Where 5 is ordinary for checkout, its own excess is 3", EXCESS),
    ("Latency of checkout rose from 4.1 ms (baseline) to 1843.2 ms (worst)", WORST),
    ("Latency of checkout rose from a baseline of 4.1 ms to a worst of 1843.2 ms", WORST),
    ("checkout: worst 1843.2 ms (baseline 4.1 ms)", WORST),
    ("1843.2 ms at worst, with baseline 4.1 ms, in checkout", WORST),
    ("checkout logged 40 errors in 1200 requests", SHARE),
    ("40 errors of 1200 requests to checkout", SHARE),
    ("Of 1200 requests to checkout, 40 were errors", SHARE),
    ("orders had 12 errors, payments had 3 errors", OWNERS),
    ("12 errors in orders and 3 errors in payments", OWNERS),
    ("checkout has count 8 of 35, normal 0 of 10", (fact("count", 8), fact("of", 35), fact("normal", 0), fact("normal_of", 10))),
    ("p50 of checkout is 20 ms and p99 is 900 ms", (fact("p50_ms", 20), fact("p99_ms", 900))),
    ("CPU of checkout was 93 % while memory was 41 %", (fact("cpu", 93, unit="%"), fact("memory", 41, unit="%"))),
)


@pytest.mark.parametrize(("text", "known"), TOLD)
def test_a_true_sentence_passes_in_whatever_order_its_facts_are_listed(text: str, known: tuple[Fact, ...]) -> None:
    for listed in permutations(known):
        assert list(facts.swapped(saying(text, frozenset()), listed)) == []


@pytest.mark.parametrize(("text", "known"), TOLD)
def test_two_numbers_that_changed_places_are_found(text: str, known: tuple[Fact, ...]) -> None:
    slots = Sentence(saying(text, frozenset())).slots
    for a, b in combinations(slots, 2):
        swapped = text[: a.span[0]] + b.text + text[a.span[1] : b.span[0]] + a.text + text[b.span[1] :]
        for listed in (known, known[::-1]):
            assert list(facts.swapped(saying(swapped, frozenset()), listed)), swapped


def test_a_number_under_the_name_of_another_fact_is_found_though_that_one_is_not_told() -> None:
    assert list(facts.swapped(saying("checkout: baseline 1843.2 ms", frozenset()), WORST))
    assert not list(facts.swapped(saying("checkout: worst 1843.2 ms", frozenset()), WORST))


def test_times_that_changed_places_are_found() -> None:
    known = (fact("onset", "2026-03-02T10:05:00Z"), fact("recovered_at", "2026-03-02T10:30:00Z"))
    text = "checkout: onset at {}, recovered at {}"
    assert not list(facts.swapped(saying(text.format("2026-03-02T10:05:00Z", "2026-03-02T10:30:00Z"), frozenset()), known))
    assert list(facts.swapped(saying(text.format("2026-03-02T10:30:00Z", "2026-03-02T10:05:00Z"), frozenset()), known))


def test_a_number_is_carried_only_under_a_word_of_its_name() -> None:
    known = [fact("errors", 12)]
    assert facts.carried(saying("checkout logged 12 errors", frozenset()), known)
    assert not facts.carried(saying("orders restarted 12 times", frozenset()), known)


def test_a_fact_of_two_units_is_told_by_no_number() -> None:
    assert not list(facts.swapped(saying("checkout took 5 ms", frozenset()), [fact("took", "5 ms", unit="%")]))


NODE = {
    "service": "checkout",
    "bad_lines": 10,
    "lines": 33,
    "first": "2026-03-02T10:05:00Z",
    "worst": 7,
    "worst_at": "2026-03-02T10:06:00Z",
}


def test_facts_are_derived_in_the_order_of_the_sentence_and_recompute() -> None:
    text = "checkout logged 10 bad lines of 33 lines, first at 2026-03-02T10:05:00Z, worst 7 at 2026-03-02T10:06:00Z"
    made = facts.derived([Told("t1", "$.errors[0]", NODE)], text)
    assert [(f["metric"], f["value"], f["path"]) for f in made] == [
        ("bad lines", 10, "$.errors[0].bad_lines"),
        ("lines", 33, "$.errors[0].lines"),
        ("first", "2026-03-02T10:05:00Z", "$.errors[0].first"),
        ("worst", 7, "$.errors[0].worst"),
    ]
    assert made[3]["time"] == "2026-03-02T10:06:00Z"
    source = Source("t1", {"errors": [NODE]}, {})
    assert all(facts.recompute(facts.parse(f), [source]).holds for f in made)
    changed = Source("t1", {"errors": [NODE | {"lines": 34}]}, {})
    assert [facts.recompute(facts.parse(f), [changed]).holds for f in made] == [True, False, True, True]


def test_a_quotation_and_a_text_have_no_facts() -> None:
    assert facts.derived([Told("t1", "$.errors[0]", NODE)], 'checkout logged: "10 of 33"') == ()
    assert facts.derived([Told("t1", "$.lines[0]", "10 errors")], "10 errors") == ()
