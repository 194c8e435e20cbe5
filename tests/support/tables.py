"""The table as the template defines it, made in moto or at a running endpoint; and what is asked of it, counted."""

import uuid
from collections import Counter
from typing import Any

from superbiz.adapters.table import DynamoLedger
from support.template import written

TAKEN = ("AttributeDefinitions", "KeySchema", "GlobalSecondaryIndexes", "BillingMode")


def create_table(client: Any) -> str:
    """A table of its own for one test."""
    (properties,) = [r["Properties"] for r in written()["Resources"].values() if r["Type"] == "AWS::DynamoDB::Table"]
    name = f"table-{uuid.uuid4()}"
    client.create_table(TableName=name, **{key: properties[key] for key in TAKEN})
    return name


def counted(ledger: DynamoLedger) -> Counter[str]:
    """Counts every request of this ledger from now on, by operation; botocore's own repetitions too."""
    requests: Counter[str] = Counter()

    def count(event_name: str, **_: Any) -> None:
        requests[event_name.rsplit(".", 1)[-1]] += 1

    ledger.hooks.register("before-send.dynamodb", count)
    return requests
