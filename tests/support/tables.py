"""The table as the template defines it, made in moto or at a running endpoint; and what is asked of it, counted."""

import uuid
from collections import Counter
from typing import Any

from superbiz.adapters.memory import MemoryObjects
from superbiz.adapters.table import DynamoLedger
from superbiz.adapters.table.mapping import Item
from support.template import written

REGION = "us-east-1"
TAKEN = ("AttributeDefinitions", "KeySchema", "GlobalSecondaryIndexes", "BillingMode")


def with_table(ledger: DynamoLedger) -> DynamoLedger:
    """The ledger, its table made as the template has it."""
    (properties,) = [r["Properties"] for r in written()["Resources"].values() if r["Type"] == "AWS::DynamoDB::Table"]
    client_of(ledger).create_table(TableName=ledger._table._table_name, **{key: properties[key] for key in TAKEN})
    return ledger


def client_of(ledger: DynamoLedger) -> Any:
    """botocore's client of this ledger: to make one costs more than a test."""
    return ledger._table.connection.client


def new_name() -> str:
    return f"table-{uuid.uuid4()}"


class Bench:
    """A ledger over a table in moto, what lies beside it, and a look into the table."""

    def __init__(self) -> None:
        self.table_name = new_name()
        self.objects = MemoryObjects()
        self.ledger = with_table(DynamoLedger(self.table_name, self.objects, region=REGION))
        self.client = client_of(self.ledger)

    def items(self, pk: str = "", sk: str = "") -> list[Item]:
        """All items whose keys begin so."""
        pages = self.client.get_paginator("scan").paginate(TableName=self.table_name)
        found = [item for page in pages for item in page["Items"]]
        return [item for item in found if item["PK"]["S"].startswith(pk) and item["SK"]["S"].startswith(sk)]


def size_of(item: Item) -> int:
    """An item's size as DynamoDB counts it: names and values; a number at most 21 bytes."""
    return sum(len(name.encode()) + _value_size(value) for name, value in item.items())


def _value_size(attribute: dict[str, Any]) -> int:
    ((kind, value),) = attribute.items()
    if kind == "M":
        return 3 + sum(1 + len(name.encode()) + _value_size(inner) for name, inner in value.items())
    return {"S": lambda: len(value.encode()), "B": lambda: len(value), "N": lambda: 21, "BOOL": lambda: 1}[kind]()


def counted(ledger: DynamoLedger) -> Counter[str]:
    """Counts every request of this ledger from now on, by operation; botocore's own repetitions too."""
    requests: Counter[str] = Counter()

    def count(event_name: str, **_: Any) -> None:
        requests[event_name.rsplit(".", 1)[-1]] += 1

    ledger.hooks.register("before-send.dynamodb", count)
    return requests
