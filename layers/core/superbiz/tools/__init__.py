"""One file a tool, and the recorder that wraps them.

`TOOLS` is made on first use: tools load numpy, which a function that only records or lists calls has no use for.
"""

from collections.abc import Mapping
from functools import lru_cache
from importlib import import_module
from typing import TYPE_CHECKING, Any

from superbiz.tools.tool import Tool

# In the order in which an investigation uses them: (module, class).
_CLASSES = (
    ("lookup_knowledge", "LookupKnowledge"),
    ("list_alarms", "ListAlarms"),
    ("query_metrics", "QueryMetrics"),
    ("rank_suspects", "RankSuspects"),
    ("query_logs", "QueryLogs"),
    ("query_traces", "QueryTraces"),
    ("list_changes", "ListChanges"),
    ("read_insights", "ReadInsights"),
    ("current_time", "CurrentTime"),
)

if TYPE_CHECKING:
    TOOLS: Mapping[str, Tool]


@lru_cache(maxsize=1)
def all_tools() -> Mapping[str, Tool]:
    """Every tool by its name."""
    made = (getattr(import_module(f"{__name__}.{module}"), name)() for module, name in _CLASSES)
    return {tool.name: tool for tool in made}


def __getattr__(name: str) -> Any:
    if name == "TOOLS":
        return all_tools()
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
