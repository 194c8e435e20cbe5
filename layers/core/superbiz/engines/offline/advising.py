"""Next steps that name the resource and where to look: the known fault's, else what the kind of sign asks for."""

import re
from collections.abc import Mapping, Sequence

from superbiz.analysis import faults
from superbiz.analysis.deciding import Candidate, Channel, Sign
from superbiz.analysis.signatures import SIGNATURES
from superbiz.engines.offline import wording
from superbiz.engines.offline.observing import Record

MOST_STEPS = 6

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
    Channel.CALLS: "Open traces of {name} of {resource} in the X-Ray console, and read where they end.",
    Channel.EVENT: "Read the events of {resource} around {time} in the console of {source}.",
    Channel.CHANGE: "Review {name} of {resource} at {time}, and roll it back if it explains the onset.",
}
# How the events of a source are read by command, in place of its console.
# Places in the code of libraries and runtimes: whoever runs the service did not write them.
LIBRARY = re.compile(
    r"hikaripool|site-packages|node_modules|/usr/(?:local/)?lib/|\b(?:java|javax|jdk|sun|org\.(?:apache|springframework|hibernate|postgresql))\.",
    re.IGNORECASE,
)
SOURCE_STEPS: Mapping[str, str] = {
    "rds": "Read what else happened: aws rds describe-events --source-type db-instance --source-identifier {resource} --duration 1440",
    "ecs": "Read what else happened: aws ecs describe-services --services {resource}, field events, for its cluster",
    "kubernetes": "Read what else happened: kubectl get events --all-namespaces --sort-by=.lastTimestamp, lines of {resource}",
    "cloudtrail": "Read who changed what: aws cloudtrail lookup-events --lookup-attributes "
    "AttributeKey=ResourceName,AttributeValue={resource}, from before {time}",
}


def steps(candidates: Sequence[Candidate], records: Mapping[str, Record]) -> list[str]:
    """Steps for these causes, each once: those of a known fault first, then of the strongest signs."""
    found: list[str] = []
    for candidate in candidates:
        strongest = {sign.channel: sign for sign in reversed(candidate.signs)}
        ordered = sorted(strongest.values(), key=lambda s: (s.channel is not Channel.FAULT, -s.strength))
        found += [step for sign in ordered for step in _of(candidate.resource, sign, records.get(sign.key))]
    return list(dict.fromkeys(found))[:MOST_STEPS]


def _of(resource: str, sign: Sign, record: Record | None) -> list[str]:
    fault = faults.fault_of(sign.fault)
    if fault:
        return [f"{step.format(resource=resource)}." for step in fault.steps]
    return _of_record(resource, sign.channel, record) if record and sign.channel in CHANNEL_STEPS else []


def _of_record(resource: str, channel: Channel, record: Record) -> list[str]:
    signature = next((s for s in SIGNATURES if s.name == record.node.get("signature")), None)
    fields = {k: wording.told(v) for k, v in record.node.items() if isinstance(v, str | int | float)} | {"resource": resource}
    told = SOURCE_STEPS.get(str(fields.get("source"))) if channel is Channel.EVENT else None
    step = told or CHANNEL_STEPS[channel]
    if channel is Channel.STEP and LIBRARY.search(str(fields.get("location", ""))):
        return []
    own = [step.format_map(fields)] if all(w in fields for w in re.findall(r"{(\w+)}", step)) else []
    return [*([f"{signature.step.format(resource=resource)}."] if signature else []), *own]
