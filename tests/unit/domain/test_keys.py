"""L0 keys: one form for one name."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from superbiz.domain import keys
from superbiz.domain.incidents import AlarmMetric, AlarmNotice, AlarmState


@pytest.mark.parametrize(
    "spellings",
    [
        ("KubeAPIDown", "kube-api-down", "Kube API Down", " kubeapidown ", "`KubeAPIDown`", "ＫｕｂｅAPIDown"),
        ("ERR_CONN_4711", "err-conn-4711", "Err Conn 4711"),
        ("GET /api/orders/{id}", "/api/orders/:orderId/", "https://shop.example.com/API/orders/<n>?page=2#top"),
        ("数据库 连接池耗尽", "数据库连接池耗尽", "《数据库连接池耗尽》"),
    ],
)
def test_spellings_of_one_name_are_one_key(spellings: tuple[str, ...]) -> None:
    assert len({keys.normalised(s) for s in spellings}) == 1


@pytest.mark.parametrize(
    ("one", "other"), [("E1-1", "E11"), ("5 03", "503"), ("/orders", "/orders/{id}"), ("pool-dry", "pool-full"), ("超时", "超限")]
)
def test_different_names_are_different_keys(one: str, other: str) -> None:
    assert keys.normalised(one) != keys.normalised(other)


@given(st.text(max_size=300))
def test_normalising_twice_changes_nothing(key: str) -> None:
    form = keys.normalised(key)
    assert keys.normalised(form) == form
    assert len(form) <= keys.MAX_KEY


def test_what_is_too_long_or_blank_is_no_key() -> None:
    assert keys.normalised("a" * 201) == ""
    assert keys.normalised(' "-_" ') == ""


def test_a_document_has_several_keys_each_once() -> None:
    meta = {"alarms": ("PoolDry", "pool dry"), "error_codes": ("E1001",), "paths": ("/api/pay",), "keys": ("Hikari",), "weight": ("20",)}
    found = keys.of_document("docs/PoolDry.md", ["Pool dry", "Connection pool"], meta, given=["given-1"])
    assert found == ("given-1", "Hikari", "PoolDry", "E1001", "/api/pay", "Connection pool")


def test_an_alarm_is_looked_up_by_name_then_by_what_it_names() -> None:
    notice = AlarmNotice(
        event_id="e",
        via="eventbridge",
        alarm_name="orders-pool-dry",
        alarm_arn="arn:aws:cloudwatch:eu-west-1:111122223333:alarm:orders-pool-dry",
        account="111122223333",
        region="eu-west-1",
        state=AlarmState.ALARM,
        description="see `Pool Runbook`, error HIKARI_30000 at /api/orders/17",
        metrics=(AlarmMetric(metric_name="DatabaseConnections", dimensions={"DBInstanceIdentifier": "payments-prod"}),),
        occurred_at=datetime(2026, 7, 1, tzinfo=UTC),
    )
    assert keys.from_alarm(notice) == (
        "orders-pool-dry",
        "Pool Runbook",
        "/api/orders/17",
        "/api/orders/{}",
        "HIKARI_30000",
        "DatabaseConnections",
        "payments-prod",
    )


def test_a_question_is_looked_up_by_the_names_in_it() -> None:
    found = keys.from_text("为什么KubeAPIDown告警一直触发？错误码ERR_4711, java.lang.NullPointerException in OrderService at p99")
    assert found[:5] == ("KubeAPIDown", "ERR_4711", "java.lang.NullPointerException", "OrderService", "p99")


def test_a_short_question_is_also_looked_up_whole() -> None:
    assert keys.from_text("connection pool dry") == ("connection pool dry",)


def test_the_number_of_candidates_is_bounded() -> None:
    assert len(keys.from_text(" ".join(f"E{n}" for n in range(500)))) == keys.MAX_CANDIDATES


@given(st.text(max_size=2000))
def test_any_text_gives_candidates_that_are_keys(text: str) -> None:
    assert all(keys.normalised(k) for k in keys.from_text(text))
