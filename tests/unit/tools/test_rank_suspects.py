"""`rank_suspects` over incidents in memory."""

import pytest

from superbiz.domain import canonical
from superbiz.domain.observations import Series
from superbiz.ports import SourceUnavailable
from support.incidents import Incident, build_series, build_span, calls, normal_series, run_tool, wavering

MAP = calls(gateway=["orders"], orders=["payments", "stock"])


def latency(subject: str, base: float, extra: float) -> tuple[list[Series], list[Series]]:
    """A node's latency and requests, in the incident and on the day before."""
    now = [*wavering(base, 10), *[base + extra] * 5]
    rows = [build_series(now, subject=subject), build_series([100.0] * 15, subject=subject, metric="Requests", stat="Sum", unit="Count")]
    usual = [
        normal_series(wavering(base, 120), subject=subject),
        normal_series([100.0] * 120, subject=subject, metric="Requests", stat="Sum", unit="Count"),
    ]
    return rows, usual


def incident(**extra: float) -> Incident:
    base = {"gateway": 0.3, "orders": 0.2, "payments": 0.1, "stock": 0.05}
    rows = [latency(name, base[name], extra.get(name, 0.0)) for name in base]
    return Incident(series=[s for now, _ in rows for s in now], normal_series=[s for _, usual in rows for s in usual], services=MAP)


def asked(given: Incident, **params: object) -> dict[str, object]:
    return run_tool("rank_suspects", given, **({"metric": "Latency", "target": "gateway"} | params))


def test_the_deepest_service_with_excess_of_its_own_ranks_first() -> None:
    found = asked(incident(gateway=0.5, orders=0.5, payments=0.5))
    first = found["suspects"][0]
    assert (first["resource"], first["rank"]) == ("payments", 1)
    assert first["own_excess"] == pytest.approx(50, rel=0.1)
    assert first["rarity"] < 0.001


def test_a_suspect_tells_by_whom_the_symptom_reaches_it() -> None:
    first = asked(incident(gateway=0.5, orders=0.5, payments=0.5))["suspects"][0]
    assert first["called_by"] == ["gateway", "orders"], "the callers on the way, the symptom's resource first"


def test_the_symptom_itself_and_what_no_call_leads_to_have_no_way() -> None:
    given = incident(gateway=0.5)
    found = asked(given)["suspects"]
    assert all("called_by" not in s for s in found if s["resource"] == "gateway")
    given.services = calls()
    assert all("called_by" not in s for s in asked(given)["suspects"])


def test_the_symptom_is_told_against_its_normal_range() -> None:
    symptom = asked(incident(gateway=0.5, payments=0.5))["symptom"]
    assert (symptom["subject"], symptom["worst"], symptom["direction"]) == ("gateway", 0.8, "rose")
    assert symptom["rarity"] < 0.01


def test_an_ordinary_symptom_is_not_rare() -> None:
    found = asked(incident())
    assert found["symptom"]["rarity"] > 0.2
    assert found["quiet"], "nodes as on ordinary days are positive observations"


def test_equal_suspects_share_a_rank() -> None:
    given = incident(gateway=0.6, orders=0.6, payments=0.3)
    stock = [
        s.model_copy(update={"dimensions": {"ServiceName": "stock"}}) for s in given.series if s.dimensions["ServiceName"] == "payments"
    ]
    usual = [
        s.model_copy(update={"dimensions": {"ServiceName": "stock"}})
        for s in given.normal_series
        if s.dimensions["ServiceName"] == "payments"
    ]
    rest = [s for s in given.series if s.dimensions["ServiceName"] != "stock"]
    rest_usual = [s for s in given.normal_series if s.dimensions["ServiceName"] != "stock"]
    found = asked(Incident(series=[*rest, *stock], normal_series=[*rest_usual, *usual], services=MAP))["suspects"]
    assert [(s["resource"], s["rank"]) for s in found[:2]] == [("payments", 1), ("stock", 1)]


def test_lost_availability_is_counted_in_requests() -> None:
    rows = [
        build_series([*[100.0] * 10, *[50.0] * 5], subject=name, metric="Availability", unit="Percent") for name in ("gateway", "payments")
    ] + [build_series([200.0] * 15, subject=name, metric="Requests", stat="Sum") for name in ("gateway", "payments")]
    usual = [
        normal_series(wavering(99.9, 60, 0.001), subject=name, metric="Availability", unit="Percent") for name in ("gateway", "payments")
    ]
    usual += [normal_series([200.0] * 60, subject=name, metric="Requests", stat="Sum") for name in ("gateway", "payments")]
    found = asked(Incident(series=rows, normal_series=usual, services=calls(gateway=["payments"])), metric="Availability")
    assert found["suspects"][0]["resource"] == "payments"
    assert found["suspects"][0]["own_excess"] == pytest.approx(100, rel=0.01), "half of two hundred requests"


def test_without_a_map_the_traces_draw_it() -> None:
    given = incident(gateway=0.5, orders=0.5, payments=0.5)
    given.services = None
    given.spans = [build_span(1, service="gateway"), build_span(2, parent=1, service="orders"), build_span(3, parent=2, service="payments")]
    found = asked(given)
    assert found["suspects"][0]["resource"] == "payments"
    assert "calls are taken from traces" in found["notes"]


def test_without_any_map_that_is_said() -> None:
    given = incident(payments=0.5)
    given.services = None
    found = asked(given, target=None)
    assert found["suspects"][0]["resource"] == "payments"
    assert any("no service map" in note for note in found["notes"])


def test_another_statistic_stands_in_where_the_one_asked_for_is_not_there() -> None:
    assert asked(incident(gateway=0.5), stat="p99")["symptom"]["stat"] == "Average"


def test_a_metric_that_nobody_has_ranks_nobody() -> None:
    found = asked(incident(), metric="Wibble")
    assert found["suspects"] == []
    assert found["symptom"] is None
    assert found["nodes"] == 0


def test_the_map_stands_in_the_output() -> None:
    assert {"name": "gateway", "calls": ["orders"]} in asked(incident())["services"]


def test_an_excerpt_holds_what_a_claim_needs() -> None:
    first = canonical.dumps(asked(incident(gateway=0.5, payments=0.5))["suspects"][0])
    assert len(first) <= 400


def test_a_missing_source_is_unavailable() -> None:
    with pytest.raises(SourceUnavailable):
        asked(Incident(services=MAP))
