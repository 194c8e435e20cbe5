"""Excerpts: exact passages of recorded texts, at most 400 characters, which hold what a sentence says."""

import re
from collections.abc import Iterable, Mapping

from superbiz.domain import refs
from superbiz.domain.claims import Binding
from superbiz.engines.offline.observing import Record

LONGEST = 400
MOST_BINDINGS = 5
_BOUNDARY = re.compile(r',"')
_WORD_END = re.compile(r"(?<=[\s,;:])\S*\Z")


def excerpt(text: str, holding: str = "") -> str:
    """The passage from the text's start, or around what it has to hold, cut between fields or words."""
    if len(text) <= LONGEST:
        return text
    at = text.find(holding) if holding else 0
    if at < 0:
        return ""
    start = 0 if at + len(holding) <= LONGEST else at
    piece = text[start : start + LONGEST]
    ends = [m.start() for m in _BOUNDARY.finditer(piece)] if text[:1] == "{" and start == 0 else []
    fitting = [end for end in ends if end >= at - start + len(holding)]
    return piece[: fitting[-1]] if fitting else _WORD_END.sub("", piece).rstrip() or piece


def bindings(record: Record, sentence: str) -> list[Binding]:
    """The record's own passage, and where that does not reach the passage that the sentence quotes, the field that holds it."""
    found = [_binding(record, excerpt(record.text))]
    for quoted in re.findall(r'"([^"]+)"', sentence):
        if quoted not in found[0].evidence_excerpt and isinstance(record.node, dict):
            field = next((k for k, v in record.node.items() if isinstance(v, str) and quoted in v), None)
            if field:
                leaf = Record(record.call, f"{record.path}.{field}", record.node[field])
                found.append(_binding(leaf, excerpt(leaf.text, quoted)))
    return found


def whole(records: Iterable[tuple[Record, str]]) -> tuple[Binding, ...]:
    """The bindings of several records, without twins, those of each record's first place before any second ones."""
    groups = [bindings(record, sentence) for record, sentence in records]
    ordered = [g[0] for g in groups] + [b for g in groups for b in g[1:]]
    return tuple(dict.fromkeys(b for b in ordered if b.evidence_excerpt))[:MOST_BINDINGS]


def holds(binding: Binding, outputs: Mapping[str, object]) -> bool:
    """Whether the excerpt really stands in the stored output at its path."""
    if refs.same_path(binding.raw_path, refs.NO_EVIDENCE):
        return True
    found = refs.derive(outputs.get(binding.invocation_id), binding.raw_path)
    return found is not None and binding.evidence_excerpt in found.text


def _binding(record: Record, passage: str) -> Binding:
    return Binding(invocation_id=record.call.invocation_id, raw_path=record.path, evidence_excerpt=passage)
