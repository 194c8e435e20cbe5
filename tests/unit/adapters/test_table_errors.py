"""What DynamoDB and the network answer, as the product's errors, and how long the ledger tries before it says so."""

import os
import socket
import subprocess
import sys
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from superbiz.adapters import cursors
from superbiz.adapters.memory import MemoryObjects
from superbiz.adapters.table import DynamoLedger, gateway
from superbiz.errors import Broken, Invalid, Unavailable
from superbiz.ports import Ledger
from support.builders import NOW, RUN_ID, build_failed_invocation, build_step
from support.dynamodb_server import Reply, Script, answering, cancelled, refusal
from support.tables import REGION, Bench

USES: dict[str, Callable[[Ledger], object]] = {
    "get": lambda ledger: ledger.run(RUN_ID),
    "put": lambda ledger: ledger.save_reply(RUN_ID, 1, 1, {}),
    "update": lambda ledger: ledger.switch(intake_paused=True),
    "transaction": lambda ledger: ledger.lease_step(build_step(), NOW),
    "query": lambda ledger: ledger.file(RUN_ID),
    "delete": lambda ledger: ledger.delete_document("d"),
    "index": lambda ledger: ledger.session_runs("s", 5, None),
}
OK = Reply(200)


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody's credentials, one attempt by botocore, no pauses of ours."""
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "testing")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "testing")
    monkeypatch.setattr(gateway, "ATTEMPTS", 1)
    monkeypatch.setattr(gateway.random, "uniform", lambda _a, _b: 0.0)


def at(script: Script) -> DynamoLedger:
    return DynamoLedger("the-table", MemoryObjects(), region=REGION, host=script.url)


@pytest.mark.parametrize(
    "reply",
    [
        refusal("ProvisionedThroughputExceededException"),
        refusal("ThrottlingException"),
        refusal("RequestLimitExceeded"),
        refusal("InternalServerError", 500),
        refusal("SomethingNew", 502),
        Reply(503, "<html>"),
    ],
)
def test_throttling_and_server_errors_may_pass(reply: Reply) -> None:
    with answering(reply) as script:
        ledger = at(script)
        for use in USES.values():
            with pytest.raises(Unavailable):
                use(ledger)


@pytest.mark.parametrize("code", ["AccessDeniedException", "ValidationException", "UnrecognizedClientException", "SomethingNew"])
def test_other_refusals_are_ours_to_mend(code: str) -> None:
    with answering(refusal(code)) as script:
        ledger = at(script)
        for use in USES.values():
            with pytest.raises(Broken) as caught:
                use(ledger)
            assert caught.value.code == code


def test_a_missing_table_is_named_with_the_mend() -> None:
    with answering(refusal("ResourceNotFoundException")) as script, pytest.raises(Broken, match=r"the-table.*TABLE_NAME"):
        USES["get"](at(script))


def test_a_throttled_write_is_repeated_by_botocore_and_answered_when_it_is_made(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gateway, "ATTEMPTS", 4)
    throttled = refusal("ThrottlingException")
    with answering(throttled, throttled, OK) as script:
        assert at(script).record_invocation(build_failed_invocation(), None)
    assert [a.operation for a in script.asked] == ["PutItem"] * 3


def test_a_transaction_keeps_its_token_through_botocores_repetitions(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gateway, "ATTEMPTS", 4)
    with answering(refusal("InternalServerError", 500), OK) as script:
        assert at(script).lease_step(build_step(), NOW).held
    assert len(script.asked) == 2
    assert len({a.body["ClientRequestToken"] for a in script.asked}) == 1


@pytest.mark.parametrize("reason", ["TransactionConflict", "ThrottlingError", "ProvisionedThroughputExceeded"])
def test_a_transaction_that_others_were_in_the_way_of_is_made_again(reason: str) -> None:
    collision = cancelled("None", reason)
    with answering(collision, collision, OK) as script:
        assert at(script).lease_step(build_step(), NOW).held
    assert len({a.body["ClientRequestToken"] for a in script.asked}) == 3


def test_a_single_write_that_met_a_transaction_is_made_again() -> None:
    with answering(refusal("TransactionConflictException"), OK) as script:
        assert at(script).record_invocation(build_failed_invocation(), None)


def test_collisions_without_end_are_unavailable() -> None:
    with answering(cancelled("TransactionConflict", "None")) as script, pytest.raises(Unavailable) as caught:
        at(script).lease_step(build_step(), NOW)
    assert (caught.value.code, len(script.asked)) == ("CONTENDED", gateway.COLLISIONS)


def test_a_transaction_that_dynamodb_finds_malformed_is_ours_to_mend() -> None:
    with answering(cancelled("ValidationError", "None")) as script, pytest.raises(Broken):
        at(script).lease_step(build_step(), NOW)


def test_a_failed_condition_decides_even_where_others_were_in_the_way() -> None:
    with answering(cancelled("ConditionalCheckFailed", "TransactionConflict"), OK) as script, pytest.raises(Exception, match="not running"):
        at(script).lease_step(build_step(lease_until=NOW + timedelta(minutes=1)), NOW)


@pytest.mark.parametrize("code", ["ValidationException", "SerializationException"])
def test_a_forged_place_in_a_list_is_the_callers_mistake(code: str) -> None:
    forged = cursors.encode(f"trace|{RUN_ID}", "\ud800")
    with answering(refusal(code)) as script, pytest.raises(Invalid):
        at(script).trace(RUN_ID, forged)


def test_what_a_batch_left_over_is_asked_for_again(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    table = bench.ledger._table
    keys = [gateway.Key("P", str(n)) for n in range(230)]
    table.batch_write(puts=[gateway.keyed(key, {}) for key in keys])
    real, calls = table.connection.dispatch, []

    def half(operation: str, arguments: dict[str, Any]) -> dict[str, Any]:
        calls.append(operation)
        ((table_name, asked),) = arguments["RequestItems"].items()
        rows = asked["Keys"] if operation == "BatchGetItem" else asked
        now, later = rows[: len(rows) // 2 + 1], rows[len(rows) // 2 + 1 :]

        def as_asked(some: list[Any]) -> Any:
            return asked | {"Keys": some} if operation == "BatchGetItem" else some

        done = real(operation, {"RequestItems": {table_name: as_asked(now)}})
        left = "UnprocessedKeys" if operation == "BatchGetItem" else "UnprocessedItems"
        return done | {left: {table_name: as_asked(later)} if later else {}}

    monkeypatch.setattr(table.connection, "dispatch", half)
    assert [gateway.key_of(item) for item in table.batch_get(keys)] == keys
    assert len(calls) > 3
    table.batch_write(deletes=keys)
    assert table.batch_get(keys) == []


def test_a_batch_that_is_never_done_is_unavailable() -> None:
    left = Reply(200, '{"UnprocessedItems":{"the-table":[{"DeleteRequest":{"Key":{"PK":{"S":"P"},"SK":{"S":"S"}}}}]}}')
    with answering(left) as script, pytest.raises(Unavailable):
        at(script)._table.batch_write(deletes=[gateway.Key("P", "S")])


def test_nobody_at_the_endpoint_is_unavailable() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        ledger = DynamoLedger("t", MemoryObjects(), region=REGION, host=f"http://127.0.0.1:{taken.getsockname()[1]}")
        with pytest.raises(Unavailable):
            USES["get"](ledger)


def test_no_region_is_ours_to_mend(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("AWS_DEFAULT_REGION", "AWS_REGION", "AWS_PROFILE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AWS_CONFIG_FILE", "/nowhere")
    with pytest.raises(Broken):
        USES["get"](DynamoLedger("t", MemoryObjects()))


def test_making_a_ledger_makes_no_client_and_imports_nothing_heavy() -> None:
    code = (
        "import sys; from superbiz.adapters.table import DynamoLedger; from superbiz.adapters.objects import S3Objects;"
        "ledger = DynamoLedger('t', S3Objects('b'));"
        "print(ledger._table._made, sorted({'boto3', 'numpy', 'openai', 'pymilvus', 'pandas'} & set(sys.modules)))"
    )
    given = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=given)
    assert done.stdout.strip() == "None []"
