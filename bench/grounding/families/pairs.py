"""Claims that go wrong together, or with another's evidence: copied excerpts, contradictions, typed facts that the record does not bear.

Guards: a copied excerpt's records do not name the claim's subject. Contradicting records are two calls that tell of one thing, metric and
time differently, each claim being true of its own.
"""

import copy
import random
from collections.abc import Mapping
from typing import Any

from bench.grounding.mutant import Maker, Twist, citing
from bench.grounding.scenes import Call, Claim
from bench.grounding.truth import Truth, picked
from superbiz.domain import canonical, refs

EXCERPT = 300


def _copied(truth: Truth, chance: random.Random) -> Claim | None:
    """A real citation of something else."""
    if truth.subject is None:
        return None
    others = [c for c in truth.scene.claims if c["evidence"] and c["claim_type"] not in ("absence", "action")]
    apart = [o for o in (Truth(truth.scene, c) for c in others) if truth.subject not in "\n".join(o.texts)]
    other = picked(chance, apart)
    return None if other is None else citing(truth.claim, *other.claim["evidence"])


def _same_subject(truth: Truth, chance: random.Random) -> Claim | None:
    """A real citation of the same thing that tells of another metric."""
    metric = truth.fields.get("metric")
    if truth.subject is None or not metric or metric not in truth.text or truth.kind == "cause":
        return None
    others = [Truth(truth.scene, c) for c in truth.scene.claims if c["evidence"] and c["claim_type"] in ("observation", "impact")]
    apart = [o for o in others if truth.subject in "\n".join(o.texts) and metric not in "\n".join(o.texts)]
    other = picked(chance, apart)
    return None if other is None else citing(truth.claim, *other.claim["evidence"])


def _two_values(truth: Truth, chance: random.Random) -> Twist | None:
    f = truth.fields
    if not f.get("worst_at") or truth.kind == "cause" or "subject" not in f:
        return None
    other = round(float(f["worst"]) * chance.choice((0.41, 1.9, 2.7)) + 3, 3)
    if abs(other - float(f["worst"])) < 0.3 * max(abs(other), abs(float(f["worst"]))):
        return None
    said = "{metric} of {subject} was {worst} at {worst_at}."
    return _pair(truth, {"worst": other}, said.format_map(f), said.format_map({**f, "worst": other}))


def _two_states(truth: Truth, _: random.Random) -> Twist | None:
    f = truth.fields
    if "state" not in f or "since" not in f:
        return None
    other = "OK" if f["state"] == "ALARM" else "ALARM"
    said = "{name} is in state {state} since {since}."
    return _pair(truth, {"state": other}, said.format_map(f), said.format_map({**f, "state": other}))


def _two_counts(truth: Truth, chance: random.Random) -> Twist | None:
    f = truth.fields
    if "bad_lines" not in f:
        return None
    other = int(f["bad_lines"]) * 2 + chance.randint(5, 50)
    said = "{service} logged {bad_lines} bad lines of {lines} lines."
    return _pair(
        truth,
        {"bad_lines": other, "lines": f["lines"] + 2 * other},
        said.format_map(f),
        said.format_map({**f, "bad_lines": other, "lines": f["lines"] + 2 * other}),
    )


def _pair(truth: Truth, changed: Mapping[str, Any], one: str, two: str) -> Twist:
    """Two claims, each of its own call: the second is a call like the first whose record differs."""
    bound = dict(truth.claim["evidence"][0])
    first = truth.scene.call(bound["invocation_id"])
    twin: Call = copy.deepcopy(first) | {"invocation_id": first["invocation_id"][:-2] + "zz"}
    found, node = refs.node_at(twin["output"], refs.parse_path(bound["raw_path"]) or ())
    assert found
    node |= changed
    node.pop("points", None)
    bare = {**truth.claim, "facts": [], "claim_type": "observation"}
    claims = (
        {**bare, "claim_id": "one", "claim_text": one, "evidence": [bound]},
        {
            **bare,
            "claim_id": "two",
            "claim_text": two,
            "evidence": [{**bound, "invocation_id": twin["invocation_id"], "evidence_excerpt": _head(node)}],
        },
    )
    return Twist(claims, (*truth.scene.calls, twin))


def _head(node: Any) -> str:
    text = canonical.dumps(node)
    return text if len(text) <= EXCERPT else text[:EXCERPT].rsplit(",", 1)[0]


def _fact(field: str) -> Maker:
    """A typed fact with one of its fields changed; the sentence stays as it is."""

    def make(truth: Truth, chance: random.Random) -> Claim | None:
        facts = [dict(f) for f in truth.claim.get("facts") or ()]
        able = [n for n, f in enumerate(facts) if f.get(field) is not None]
        at = picked(chance, able)
        if at is None:
            return None
        new = _another(facts[at][field], field)
        return None if new is None else {**truth.claim, "facts": [f | {field: new} if n == at else f for n, f in enumerate(facts)]}

    return make


def _another(value: Any, field: str) -> Any:
    if isinstance(value, bool):
        return not value
    if isinstance(value, int | float):
        return value * 3 + 7
    if field == "subject":
        return "billing-gateway"
    if field == "time":
        return "2019-04-05T06:07:08Z"
    return None


COPIED: dict[str, Maker] = {"of another thing": _copied, "of another metric": _same_subject}
CONTRADICTING: dict[str, Maker] = {"two values": _two_values, "two states": _two_states, "two counts": _two_counts}
FACTS: dict[str, Maker] = {"value": _fact("value"), "subject": _fact("subject"), "time": _fact("time")}
