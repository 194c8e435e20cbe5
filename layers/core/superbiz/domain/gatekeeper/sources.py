"""What a claim rests on: how many witnesses its citations are, and whether an outsider could have written all that they say.

One measurement told twice is one witness: the same node, a node and one of its own fields, the same record out of a repeated call. Two
measurements out of one call are two, where they are records of different things (another subject or another metric): the call only fetched
them, neither follows from the other. Bare log lines of one call are one witness, for nothing tells who wrote them.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from superbiz.domain import refs
from superbiz.domain.evidence import ToolCategory
from superbiz.domain.gatekeeper.book import normalised
from superbiz.domain.gatekeeper.rule import Citation
from superbiz.domain.reading import words

# Fields that say of what a record is.
IDENTITY = words.table(
    "subject resource service host pod node function database table queue operation name callee callee_name metric template statement step "
    "signature sql wait"
)
# Fields that hold words of whoever called, deployed or logged; what stands below a container of them does too.
OUTSIDER_FIELDS = words.table(
    "message msg log line text body raw content description alarm_description alarmdescription reason state_reason statereason "
    "newstatereason summary title comment user_agent useragent referer referrer url path query template statement example sample exception "
    "stack stack_trace error_message errormessage cause detail details note notes change_message commit_message"
)
OUTSIDER_CONTAINERS = words.table(
    "tags tag headers header annotations annotation labels metadata cookies parameters requestparameters user_data"
)
# Fields that a tool fills by counting: a record with one of them is a measure, whatever texts it also holds.
MEASURED = words.table(
    "count counts of normal normal_of lines bad_lines normal_lines normal_bad_lines matched total errors hits misses spans weight score "
    "worst baseline deviation value average sum maximum minimum p50 p90 p95 p99"
)


class Source(NamedTuple):
    """Where a citation comes from, as far as independence asks."""

    call: str
    tool: str
    path: refs.Path
    identity: frozenset[tuple[str, str]]
    text: str


def testimonies(citations: Sequence[Citation]) -> list[Citation]:
    """Those that can bear witness of what happened now: silence and knowledge can not."""
    return [c for c in citations if not c.silent and c.call.category is not ToolCategory.KNOWLEDGE]


def independent(citations: Sequence[Citation]) -> int:
    """How many independent sources they are."""
    kept: list[Source] = []
    for source in map(_source, citations):
        if not any(_same(source, other) for other in kept):
            kept.append(source)
    return len(kept)


def outsiders(c: Citation) -> bool:
    """Whether somebody outside could have written all that this citation rests on."""
    path = refs.parse_path(c.binding.raw_path) or ()
    fields = [str(part).casefold() for part in path if isinstance(part, str)]
    if not OUTSIDER_CONTAINERS.isdisjoint(fields):
        return True
    node = c.book.node(c.binding.invocation_id, c.binding.raw_path)
    if isinstance(node, str):
        return c.call.category is ToolCategory.LOG or bool(fields and fields[-1] in OUTSIDER_FIELDS)
    if isinstance(node, Mapping):
        texts = [normalised(text) for text in _outsider_texts(node)]
        alone = any(c.excerpt in text for text in texts)
        return alone or (c.call.category is ToolCategory.LOG and bool(texts) and MEASURED.isdisjoint(map(str.casefold, map(str, node))))
    return isinstance(node, Sequence) and c.call.category is ToolCategory.LOG and all(isinstance(item, str) for item in node)


def _outsider_texts(node: Mapping[str, Any]) -> Iterator[str]:
    for field, item in node.items():
        if isinstance(item, str) and field.casefold() in OUTSIDER_FIELDS:
            yield item


def _source(c: Citation) -> Source:
    path = refs.parse_path(c.binding.raw_path) or ()
    node = c.book.node(c.binding.invocation_id, c.binding.raw_path)
    fields = node if isinstance(node, Mapping) else c.book.surroundings(c.binding.invocation_id, c.binding.raw_path)
    identity = frozenset((str(key), value) for key, value in fields.items() if key in IDENTITY and isinstance(value, str))
    return Source(c.binding.invocation_id, c.call.tool_name, path, identity, c.text)


def _same(one: Source, other: Source) -> bool:
    if one.call == other.call:
        return _nested(one.path, other.path) or one.identity == other.identity
    if one.text == other.text:
        return True
    return one.tool == other.tool and bool(one.identity) and one.identity == other.identity


def _nested(one: refs.Path, other: refs.Path) -> bool:
    shorter = min(len(one), len(other))
    return one[:shorter] == other[:shorter]
