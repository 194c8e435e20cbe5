"""The ledger and the object store in this process's memory: for the command line, and for tests that need no table.

Held to the same contract as the table (tests/contract/test_ledger.py). Safe for threads; gone with the process.
"""

from superbiz.adapters.memory.cases import MemoryCases
from superbiz.adapters.memory.control import MemoryControl
from superbiz.adapters.memory.incidents import MemoryIncidents
from superbiz.adapters.memory.knowledge import MemoryKnowledge
from superbiz.adapters.memory.legacy import MemoryLegacy
from superbiz.adapters.memory.objects import MemoryObjects
from superbiz.adapters.memory.sessions import MemorySessions
from superbiz.adapters.memory.steps import MemorySteps

__all__ = ["MemoryLedger", "MemoryObjects"]


class MemoryLedger(MemorySteps, MemorySessions, MemoryCases, MemoryLegacy, MemoryIncidents, MemoryKnowledge, MemoryControl):
    """`ports.Ledger` over one `Store`."""
