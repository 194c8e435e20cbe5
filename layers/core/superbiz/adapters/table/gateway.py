"""The door to DynamoDB: pynamodb's connection and expressions, with its errors mapped once.

Retries of throttling, 5xx and time-outs (with jitter) are botocore's, in standard mode. Collisions of transactions are ours to
repeat: DynamoDB refuses them at once. A write is answered only when it is durable.
"""

import random
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import islice
from typing import Any, NamedTuple, TypeVar

from botocore.exceptions import ClientError
from pynamodb.connection import Connection
from pynamodb.connection.base import MetaTable
from pynamodb.expressions.condition import Condition
from pynamodb.expressions.operand import Path
from pynamodb.expressions.update import Action

from superbiz.adapters.aws_errors import from_answer, mapped, original
from superbiz.adapters.table.keys import Key
from superbiz.adapters.table.mapping import Attribute, Item
from superbiz.errors import Broken, Invalid, Unavailable

BATCH_GET = 100
BATCH_WRITE = 25
COLLISIONS = 10
CONNECT_SECONDS, READ_SECONDS, ATTEMPTS = 2.0, 5.0, 4
WORTH_ANOTHER_TRY = frozenset({"TransactionConflict", "ThrottlingError", "ProvisionedThroughputExceeded"})
R = TypeVar("R")


class ConditionFailed(Exception):
    """A conditional write found something else. `item` is what it found, None where there is nothing."""

    def __init__(self, item: Item | None) -> None:
        super().__init__("condition failed")
        self.item = item


class Refused(Exception):
    """A transaction's conditions failed at these positions; nothing was written."""

    def __init__(self, positions: frozenset[int]) -> None:
        super().__init__(f"conditions failed at {sorted(positions)}")
        self.positions = positions


class Collision(Exception):
    """Another write was at the same item at the same moment."""


class Put(NamedTuple):
    """Write a whole item."""

    item: Item
    condition: Condition | None = None


class Update(NamedTuple):
    """Change attributes of an item (or make it)."""

    key: Key
    actions: Sequence[Action]
    condition: Condition | None = None


class Delete(NamedTuple):
    """Remove an item."""

    key: Key
    condition: Condition | None = None


class Check(NamedTuple):
    """Go on only if this holds."""

    key: Key
    condition: Condition


Write = Put | Update | Delete | Check


class Found(NamedTuple):
    """One response of a Query. `after` is where the next one begins, None at the end."""

    items: Sequence[Item]
    after: Item | None


def attribute(name: str) -> Path:
    """An attribute in a condition or update."""
    return Path([name])


def absent() -> Condition:
    """There is no such item."""
    return attribute("PK").does_not_exist()


def present() -> Condition:
    """There is such an item."""
    return attribute("PK").exists()


def is_running() -> Condition:
    """The run (or step) is under way."""
    return attribute("status") == {"S": "RUNNING"}


def setting(attributes: Mapping[str, Attribute]) -> list[Action]:
    """Actions that set these attributes."""
    return [attribute(name).set(value) for name, value in attributes.items()]


def removing(*names: str) -> list[Action]:
    """Actions that remove these attributes."""
    return [attribute(name).remove() for name in names]


def keyed(key: Key, attributes: Item, indexes: Mapping[str, str] | None = None) -> Item:
    """A whole item."""
    return {"PK": {"S": key.pk}, "SK": {"S": key.sk}, **{k: {"S": v} for k, v in (indexes or {}).items()}, **attributes}


def key_of(item: Item) -> Key:
    """Where an item is."""
    return Key(item["PK"]["S"], item["SK"]["S"])


class Gateway:
    """One table. The client is made on first use and shared by threads."""

    def __init__(self, table_name: str, region: str | None, host: str | None, sleep: Callable[[float], None] = time.sleep) -> None:
        self._table_name, self._region, self._host, self._sleep = table_name, region, host, sleep
        self._lock = threading.Lock()
        self._made: Connection | None = None

    @property
    def connection(self) -> Connection:
        """pynamodb's connection, with a short patience: an API call has seconds."""
        with self._lock:
            if self._made is None:
                made = Connection(
                    region=self._region,
                    host=self._host,
                    connect_timeout_seconds=CONNECT_SECONDS,
                    read_timeout_seconds=READ_SECONDS,
                    retry_configuration={"total_max_attempts": ATTEMPTS, "mode": "standard"},
                    max_pool_connections=32,
                )
                made.add_meta_table(MetaTable(_schema(self._table_name)))
                with _mapped(self._table_name):
                    made.client  # noqa: B018  made under the lock: botocore's client factory is not safe for threads
                self._made = made
            return self._made

    def get(self, key: Key) -> Item | None:
        """Consistent read of one item."""
        found = self._call("GetItem", self._operation(key, consistent_read=True))
        return found.get("Item")

    def put(self, item: Item, condition: Condition | None = None) -> Item | None:
        """Write an item; the one it replaced is returned. Raises ConditionFailed."""
        operation = self._operation(
            key_of(item),
            key="Item",
            attributes=item,
            condition=condition,
            return_values="ALL_OLD",
            return_values_on_condition_failure="ALL_OLD" if condition is not None else None,
        )
        return self._call("PutItem", operation).get("Attributes")

    def put_new(self, item: Item) -> Item | None:
        """Write an item if there is none: None then, else the item that is there."""
        try:
            self.put(item, absent())
        except ConditionFailed as e:
            return e.item or self.get(key_of(item)) or item
        return None

    def update(self, key: Key, actions: Sequence[Action], condition: Condition | None = None) -> Item:
        """Change an item; the whole new one is returned. Raises ConditionFailed."""
        operation = self._operation(
            key,
            actions=actions,
            condition=condition,
            return_values="ALL_NEW",
            return_values_on_condition_failure="ALL_OLD" if condition is not None else None,
        )
        return dict(self._call("UpdateItem", operation)["Attributes"])

    def delete(self, key: Key) -> Item | None:
        """Remove an item; what was there is returned."""
        return self._call("DeleteItem", self._operation(key, return_values="ALL_OLD")).get("Attributes")

    def transact(self, writes: Sequence[Write]) -> None:
        """All or nothing. Raises Refused with the positions whose conditions failed."""
        self._call("TransactWriteItems", {"TransactItems": [self._action(write) for write in writes]})

    def query(
        self,
        pk: str,
        sk: Condition | None = None,
        *,
        index: str | None = None,
        forward: bool = True,
        limit: int | None = None,
        after: Item | None = None,
    ) -> Found:
        """One Query of a partition of the table (consistent) or of an index."""
        names: dict[str, str] = {}
        values: dict[str, Any] = {}
        condition: Condition = attribute(f"{index or ''}PK") == {"S": pk}
        if sk is not None:
            condition = condition & sk
        operation: dict[str, Any] = {
            "TableName": self._table_name,
            "KeyConditionExpression": condition.serialize(names, values),
            "ExpressionAttributeNames": {placeholder: name for name, placeholder in names.items()},
            "ExpressionAttributeValues": values,
            "ScanIndexForward": forward,
        }
        operation |= {"IndexName": index} if index else {"ConsistentRead": True}
        operation |= {"Limit": limit} if limit else {}
        operation |= {"ExclusiveStartKey": after} if after else {}
        try:
            found = self._call("Query", operation)
        except Broken as e:
            if after and e.code in ("ValidationException", "SerializationException"):
                raise Invalid("cursor: leads to no place of this list", code="BAD_CURSOR") from e
            raise
        return Found(found["Items"], found.get("LastEvaluatedKey"))

    def walk(self, pk: str, sk: Condition | None = None, *, after: Item | None = None, **options: Any) -> Iterator[Item]:
        """All items of a Query, its pages followed as they are needed."""
        while True:
            found = self.query(pk, sk, after=after, **options)
            yield from found.items
            after = found.after
            if after is None:
                return

    def batch_get(self, keys: Sequence[Key]) -> list[Item]:
        """The items that are there, in the order asked for. Consistent."""
        found: dict[Key, Item] = {}
        for some in portions(list(dict.fromkeys(keys)), BATCH_GET):
            asked = {self._table_name: {"Keys": [keyed(key, {}) for key in some], "ConsistentRead": True}}
            for answer in self._batches("BatchGetItem", asked, "UnprocessedKeys"):
                found |= {key_of(item): item for item in answer["Responses"].get(self._table_name, [])}
        return [found[key] for key in keys if key in found]

    def batch_write(self, puts: Iterable[Item] = (), deletes: Iterable[Key] = ()) -> None:
        """Unconditional writes, each item on its own."""
        requests: list[dict[str, Any]] = [{"PutRequest": {"Item": item}} for item in puts]
        requests += [{"DeleteRequest": {"Key": keyed(key, {})}} for key in deletes]
        for some in portions(requests, BATCH_WRITE):
            for _ in self._batches("BatchWriteItem", {self._table_name: some}, "UnprocessedItems"):
                pass

    def repeated(self, attempt: Callable[[], R]) -> R:
        """Repeat while the attempt collides with another writer, with growing, jittered pauses."""
        for n in range(COLLISIONS):
            try:
                return attempt()
            except Collision:
                self._sleep(random.uniform(0.0, min(1.0, 0.02 * 2**n)))
        raise Unavailable(f"table {self._table_name}: too many writers at one item", code="CONTENDED")

    def _batches(self, operation: str, asked: dict[str, Any], left: str) -> Iterator[dict[str, Any]]:
        for n in range(COLLISIONS):
            answer = self._call(operation, {"RequestItems": asked})
            yield answer
            asked = answer.get(left) or {}
            if not asked:
                return
            self._sleep(random.uniform(0.0, min(1.0, 0.05 * 2**n)))
        raise Unavailable(f"table {self._table_name}: throttled", code="THROTTLED")

    def _operation(self, at: Key, **options: Any) -> dict[str, Any]:
        return self.connection.get_operation_kwargs(self._table_name, at.pk, range_key=at.sk, **options)

    def _action(self, write: Write) -> dict[str, Any]:
        if isinstance(write, Put):
            return {"Put": self._operation(key_of(write.item), key="Item", attributes=write.item, condition=write.condition)}
        if isinstance(write, Update):
            return {"Update": self._operation(write.key, actions=write.actions, condition=write.condition)}
        name = "Delete" if isinstance(write, Delete) else "ConditionCheck"
        return {name: self._operation(write.key, condition=write.condition)}

    def _call(self, operation: str, arguments: dict[str, Any]) -> dict[str, Any]:
        def once() -> dict[str, Any]:
            with _mapped(self._table_name):
                return self.connection.dispatch(operation, dict(arguments))

        return self.repeated(once)


@contextmanager
def _mapped(table_name: str) -> Iterator[None]:
    """DynamoDB's own refusals first, the rest as for any service."""
    what = f"table {table_name}"
    with mapped(what):
        try:
            yield
        except ClientError as e:
            code = e.response.get("Error", {}).get("Code")
            if code == "ConditionalCheckFailedException":
                raise ConditionFailed(original(e).response.get("Item")) from e
            if code == "TransactionConflictException":
                raise Collision(str(e)) from e
            if code == "TransactionCanceledException":
                raise _cancelled(e, what) from e
            raise


def _cancelled(error: ClientError, what: str) -> Exception:
    """Conditions decide; where only other writers were in the way, it is worth another try."""
    codes = [reason.code if reason else None for reason in getattr(error, "cancellation_reasons", ())]
    failed = frozenset(n for n, code in enumerate(codes) if code == "ConditionalCheckFailed")
    if failed:
        return Refused(failed)
    if any(code in WORTH_ANOTHER_TRY for code in codes):
        return Collision(str(error))
    return from_answer(error, what)


def _schema(table_name: str) -> dict[str, Any]:
    """As much of the table's definition as pynamodb needs to spell keys."""
    return {
        "TableName": table_name,
        "AttributeDefinitions": [{"AttributeName": name, "AttributeType": "S"} for name in ("PK", "SK")],
        "KeySchema": [{"AttributeName": "PK", "KeyType": "HASH"}, {"AttributeName": "SK", "KeyType": "RANGE"}],
    }


def portions(things: Iterable[R], size: int) -> Iterator[list[R]]:
    """The things in lists of at most this size; taken only as far as they are wanted."""
    rest = iter(things)
    while some := list(islice(rest, size)):
        yield some
