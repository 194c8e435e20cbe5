"""What texts and queries are searched by."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from superbiz.domain import alarms, terms
from support.builders import build_alarm


@pytest.mark.parametrize("spelling", ["KubeAPIDown", "kube-api-down", "kube_api.down", "The Kube APIs are down", "ＫｕｂｅＡＰＩＤｏｗｎ"])
def test_spellings_of_a_name_share_its_terms(spelling: str) -> None:
    assert {"kube", "api"} <= set(terms.of(spelling))


def test_a_compound_also_counts_as_a_whole_in_any_number() -> None:
    assert "alertmanag" in terms.of("AlertManager")
    assert "alertmanag" in terms.of("alertmanagers")
    assert "errconn4711" in terms.of("ERR_CONN_4711")


def test_forms_of_a_word_are_one_term_and_common_words_are_none() -> None:
    assert terms.of("the services are failing") == terms.of("a service has failed")
    assert terms.of("what is the matter with it") == terms.of("matter")


def test_numbers_with_units_are_no_terms_and_codes_are() -> None:
    assert terms.of("5m 10 99th 24h x") == []
    assert terms.of("503 4711 5xx") == ["503", "4711", "5xx"]


def test_chinese_is_read_in_pairs_apart_from_latin() -> None:
    assert terms.of("连接池Pool耗尽") == ["连接", "接池", "pool", "耗尽"]


def test_a_template_asks_for_its_labels_by_their_names() -> None:
    asked = terms.asked('{{ printf "%.2f" $value }}% of {{ $labels.job_name }} pods in {{$labels.namespace}} are down, ${deploy.env}')
    assert {"job", "name", "namespac", "pod"} <= set(asked)
    assert not {"printf", "valu", "label", "deploi", "env"} & set(asked)
    assert asked["pod"] > asked["namespac"]


def test_a_sentence_is_about_what_it_begins_with() -> None:
    asked = terms.asked("disks of the node are full. quorum is lost")
    assert asked["disk"] > asked["node"] > asked["full"]
    assert asked["quorum"] == asked["disk"]


def test_a_name_says_more_than_a_word_and_twice_is_less_than_double() -> None:
    asked = terms.asked("restarts of Redis, restarts of kube-proxy")
    assert asked["kube"] > asked["redi"]
    once, twice = terms.asked("restart")["restart"], terms.asked("restart. restart")["restart"]
    assert once < twice < 2 * once


def test_what_every_alarm_says_is_not_asked_for() -> None:
    reason = (
        "Threshold Crossed: 1 out of the last 1 datapoints [98.22 (18/04/23 19:07:00)] was less than the threshold (99.5) "
        "(minimum 1 datapoint for OK -> ALARM transition)."
    )
    notice = build_alarm(alarm_name="checkout-latency", reason=reason, description="Checkout is slow")
    asked = set(terms.asked(alarms.summary(notice)))
    assert {"checkout", "latenc", "slow"} <= asked
    assert not {"threshold", "cross", "datapoint", "transit", "minimum", "account", "reason", "2026"} & asked


@given(st.text(max_size=300))
def test_any_text_has_terms_without_blanks(text: str) -> None:
    assert all(term and not any(c.isspace() for c in term) for term in [*terms.of(text), *terms.asked(text), *terms.sequence(text)])
    assert all(weight > 0 for weight in terms.asked(text).values())
    assert all(len(piece) == terms.PIECE for piece in terms.spelling(text))
