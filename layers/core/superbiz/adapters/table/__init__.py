"""The ledger in one DynamoDB table. Its keys and access patterns are charted in `keys.py`."""

from superbiz.adapters.table.control import TableControl
from superbiz.adapters.table.incidents import TableIncidents
from superbiz.adapters.table.knowledge import TableKnowledge
from superbiz.adapters.table.legacy import TableLegacy
from superbiz.adapters.table.steps import TableSteps

__all__ = ["DynamoLedger"]


class DynamoLedger(TableSteps, TableLegacy, TableIncidents, TableKnowledge, TableControl):
    """`ports.Ledger` over one table; what is too large for an item goes to the object store. The client is made on first use."""
