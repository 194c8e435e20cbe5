"""What the groups of the table's ledger share: gateway, mapper, and lists in an index."""

from collections.abc import Iterator
from typing import Any

from superbiz.adapters import cursors
from superbiz.adapters.table.gateway import Gateway, keyed
from superbiz.adapters.table.keys import Key, Listing
from superbiz.adapters.table.mapping import Item, Mapper
from superbiz.domain.values import JsonObject
from superbiz.ports import Objects, Page


class Group:
    """A group of the ledger's methods over one table."""

    def __init__(self, table_name: str, objects: Objects, *, region: str | None = None, host: str | None = None) -> None:
        self._table = Gateway(table_name, region, host)
        self._map = Mapper(objects)
        self._months: set[str] = set()

    @property
    def hooks(self) -> Any:
        """botocore's events of this ledger's client, for tests and benchmarks that count requests."""
        return self._table.connection.client.meta.events

    def _holding(self, key: Key, document: JsonObject) -> Item:
        """An item that holds one document."""
        return keyed(key, {"document": self._map.document(document)})

    def _listed(self, listing: Listing, cursor: str | None, *, ask: int | None = None, forward: bool = False) -> Iterator[Item]:
        """Entries of an index behind the cursor, newest first; Queries are made as they are needed."""
        after = self._after(listing, cursor)
        return self._table.walk(listing.pk, index=listing.gsi, forward=forward, limit=ask, after=after)

    def _page(self, listing: Listing, limit: int, cursor: str | None) -> Page[Item]:
        """A page of items behind an index that holds keys only: one Query, one batch."""
        entries: list[str] = []
        limit = max(1, limit)
        for entry in self._listed(listing, cursor, ask=limit + 1):
            entries.append(sort_key(listing, entry))
            if len(entries) > limit:
                break
        shown, more = entries[:limit], len(entries) > limit
        items = self._table.batch_get([listing.item(sk) for sk in shown])
        return Page(items, cursors.encode(scope(listing), shown[-1]) if more else None)

    def _after(self, listing: Listing, cursor: str | None) -> Item | None:
        """The index's own place of a cursor: it can name no other partition."""
        if cursor is None:
            return None
        (sk,) = cursors.decode(scope(listing), cursor, parts=1)
        return start_after(listing, sk)


def start_after(listing: Listing, sk: str) -> Item:
    """Where a Query of an index goes on behind this sort key."""
    return keyed(listing.item(sk), {}, {f"{listing.gsi}PK": listing.pk, f"{listing.gsi}SK": sk})


def scope(listing: Listing) -> str:
    """What a list's cursors are bound to."""
    return f"{listing.gsi}|{listing.pk}"


def sort_key(listing: Listing, entry: Item) -> str:
    """An entry's place in its index."""
    return str(entry[f"{listing.gsi}SK"]["S"])
