"""Every ledger that must keep the one contract.

`memory` and `moto` always run. With LEDGER_ENDPOINT set to the URL of a running DynamoDB (the local stack's, say), the same
tests run against that too, races included.
"""

import os
from collections.abc import Iterator

import pytest
from moto import mock_aws

from superbiz.adapters.memory import MemoryLedger, MemoryObjects
from superbiz.adapters.table import DynamoLedger
from superbiz.ports import Ledger, Objects
from support.tables import REGION, client_of, new_name, with_table

ENDPOINT = os.environ.get("LEDGER_ENDPOINT", "")
LEDGERS = ["memory", "moto", *(["endpoint"] if ENDPOINT else [])]


@pytest.fixture
def objects() -> Objects:
    return MemoryObjects()


@pytest.fixture(params=LEDGERS)
def ledger(request: pytest.FixtureRequest, objects: Objects, monkeypatch: pytest.MonkeyPatch) -> Iterator[Ledger]:
    """An empty ledger."""
    yield from _ledgers(request.param, objects, monkeypatch)


@pytest.fixture(params=[name for name in LEDGERS if name != "moto"])
def racing_ledger(request: pytest.FixtureRequest, objects: Objects, monkeypatch: pytest.MonkeyPatch) -> Iterator[Ledger]:
    """An empty ledger that threads may race on: moto checks a condition and writes without holding anything in between."""
    yield from _ledgers(request.param, objects, monkeypatch)


def _ledgers(kind: str, objects: Objects, monkeypatch: pytest.MonkeyPatch) -> Iterator[Ledger]:
    if kind == "memory":
        yield MemoryLedger()
        return
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "testing")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "testing")
    monkeypatch.delenv("AWS_ENDPOINT_URL", raising=False)
    if kind == "moto":
        with mock_aws():
            yield with_table(DynamoLedger(new_name(), objects, region=REGION))
    else:
        made = with_table(DynamoLedger(name := new_name(), objects, region=REGION, host=ENDPOINT))
        yield made
        client_of(made).delete_table(TableName=name)
