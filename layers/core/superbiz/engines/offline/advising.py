"""Next steps that name the resource and where to look: the runbook's own, else what the kind of sign asks for."""

import re
from collections.abc import Iterator, Mapping, Sequence

from superbiz.analysis.deciding import Candidate, Channel
from superbiz.analysis.signatures import SIGNATURES
from superbiz.engines.offline import observing, wording
from superbiz.engines.offline.observing import Record
from superbiz.engines.offline.playbook import Book

MOST_STEPS = 6
RUNBOOK_STEPS = 3
SHORTEST, LONGEST = 12, 300
_ITEM = re.compile(r"^\s*(?:[-*+]|\d{1,2}[.)])\s+(.+?)\s*$", re.MULTILINE)

# What a sign of this kind asks a person to do. Fields are those of its record.
CHANNEL_STEPS: Mapping[Channel, str] = {
    Channel.SUSPECT: "Open the slowest and failing traces of {resource} in the X-Ray console and read where its own time or errors arise.",
    Channel.SYMPTOM: "Measure what {resource} calls and what calls it: nothing beside its own {metric} is known here.",
    Channel.CONDITION: "Compare {metric} of {resource} with its limit; raise the limit, or find what uses it up.",
    Channel.STEP: "Read the code of {resource} at {location} and its last change.",
    Channel.LINE: "Read the log lines of {resource} from {first} on, and what comes before them.",
    Channel.BURST: "Read the log lines of {resource} from {first} on, and what comes before them.",
    Channel.NETWORK: "Measure delay and loss on the way to {resource}: security groups, routes, name resolution and the host it runs on.",
    Channel.ERRORS: "Open the failing traces of {resource} in the X-Ray console, operation {name}.",
    Channel.EVENT: "Read the events of {resource} around {time} in the console of {source}.",
    Channel.CHANGE: "Review {name} of {resource} at {time}, and roll it back if it explains the onset.",
}


def steps(candidates: Sequence[Candidate], records: Mapping[str, Record]) -> list[str]:
    """Steps for these causes, the strongest signs first, each once. A known signature's step stands before that of its channel."""
    found: list[str] = []
    for candidate in candidates:
        strongest = {sign.channel: sign for sign in reversed(candidate.signs)}
        for sign in sorted(strongest.values(), key=lambda s: -s.strength):
            record = records.get(sign.key)
            if record:
                found += _of(candidate.resource, sign.channel, record)
    return list(dict.fromkeys(found))[:MOST_STEPS]


def runbook_steps(book: Book) -> Iterator[tuple[Record, str]]:
    """The listed steps of the best hit, with the hit."""
    hits = observing.all_records(book.calls, "lookup_knowledge", "hits")
    if not hits:
        return
    best = next((h for h in hits if h.node["level"] == "L0"), hits[0])
    same = [h for h in hits if h.node["document_id"] == best.node["document_id"]]
    listed = [(hit, step) for hit in same for step in _ITEM.findall(hit.node["text"]) if SHORTEST <= len(step) <= LONGEST]
    yield from [(hit, step.rstrip(".")) for hit, step in listed if '"' not in step and "`" not in step][:RUNBOOK_STEPS]


def _of(resource: str, channel: Channel, record: Record) -> list[str]:
    signature = next((s for s in SIGNATURES if s.name == record.node.get("signature")), None)
    fields = {k: wording.told(v) for k, v in record.node.items() if isinstance(v, str | int | float)} | {"resource": resource}
    wanted = re.findall(r"{(\w+)}", CHANNEL_STEPS[channel])
    own = [CHANNEL_STEPS[channel].format_map(fields)] if all(w in fields for w in wanted) else []
    return [*([f"{signature.step.format(resource=resource)}."] if signature else []), *own]
