"""The runbook's own steps, word for word, each bound to the passage that it stands in."""

from collections.abc import Sequence
from typing import NamedTuple

from superbiz.domain import runbooks
from superbiz.domain.claims import Binding
from superbiz.domain.knowledge import Level
from superbiz.domain.runbooks import Step
from superbiz.engines.offline import citing, observing
from superbiz.engines.offline.observing import Record
from superbiz.ports import RecordedCall

MOST_STEPS = 3
# Below it, a page that no key names is more likely about something else: `python -m bench retrieval` tells how many alerts of services that
# no page is about come above it, and how many right pages below.
LEAST_SCORE = 0.23
MARKS = ('"', "'")
NO_MARKS = frozenset('"“”`')


class Told(NamedTuple):
    """A step in a sentence of its own."""

    text: str
    evidence: tuple[Binding, ...]


def steps(calls: Sequence[RecordedCall]) -> list[Told]:
    """The first steps of the page that leads: one that a key names, else the best by score where that is good enough to follow."""
    hits = observing.all_records(calls, "lookup_knowledge", "hits")
    page = _leading(hits)
    found = [(step, hit) for hit in page for step in runbooks.steps(hit.node["heading"], hit.node["text"])]
    of = dict(reversed(found))
    return [_told(step, of[step]) for step in runbooks.first((step for step, _ in found), MOST_STEPS)]


def _leading(hits: Sequence[Record]) -> list[Record]:
    named = [hit for hit in hits if hit.node["level"] == Level.L0]
    found = named or [hit for hit in hits if float(hit.node["score"]) >= LEAST_SCORE]
    return [hit for hit in found if hit.node["document_id"] == found[0].node["document_id"]]


def _told(step: Step, hit: Record) -> Told:
    text = f"From {hit.node['document_id']}: {quoted(step)}."
    leaf = Record(hit.call, f"{hit.path}.text", hit.node["text"])
    passage = citing.excerpt(leaf.text, step.passage)
    return Told(text, (Binding(invocation_id=hit.call.invocation_id, raw_path=leaf.path, evidence_excerpt=passage),))


def quoted(step: Step) -> str:
    """In marks that do not stand in it: a command as code, anything else as speech, and without marks where it holds all of them."""
    text = step.text if step.command else step.text.rstrip(".")
    if step.command and "`" not in text:
        return f"`{text}`"
    mark = next((mark for mark in MARKS if not (NO_MARKS if mark == '"' else frozenset("'")) & set(text)), "")
    return f"{mark}{text}{mark}"
