"""Silence that is made to say more than that one query matched nothing.

A call of the scene is emptied, so that its silence is real; the true claim of it is worded as the product does, and told with a hedge. A
mutant counts as caught only where it may not be said at all.
"""

import random
from collections.abc import Callable
from typing import Any

from bench.grounding.mutant import Maker, Twist
from bench.grounding.scenes import Call, Claim
from bench.grounding.truth import Truth, picked

SCOPED = "No matching evidence was found by {tool} over {window}."
OVER = (
    "There are no errors in {thing}.", "{thing} is healthy.", "{thing} has never failed.", "Nothing is wrong with {thing}.",
    "{thing} can be ruled out.", "{tool} found nothing, so {thing} is not the cause.", "No errors occurred anywhere.",
    "{thing} works as it should.", "The search proves that {thing} had no problem.", "There was no change to {thing}.",
    "{thing} did not fail.", "No outage of {thing} took place.", "{thing} 没有任何错误。", "{thing} 运行正常。", "可以排除 {thing}。",
    "{thing} 没有问题。", "No fault exists in {thing} beyond what is known.", "Zero errors in {thing}, all day long.",
)  # fmt: skip
NO_ERRORS = (
    "There are no errors in {thing}.", "{thing} logged no errors.", "No failures of {thing} were seen.", "{thing} 没有错误。",
    "{thing} shows no sign of trouble.", "No request of {thing} failed.",
)  # fmt: skip


def silent(call: Call, text: str, claim_type: str = "absence") -> Claim:
    """A claim that rests on the silence of a call."""
    bound = {"invocation_id": call["invocation_id"], "raw_path": "$.no_evidence", "evidence_excerpt": ""}
    return {"claim_id": "c1", "claim_text": text, "claim_type": claim_type, "critical": True, "evidence": [bound]}


def scoped(call: Call) -> str:
    """How the product words silence: the query and its window, and nothing more."""
    window = call["input_params"].get("window") or {}
    over = f"{window['start']} to {window['end']}" if "start" in window else "the window that it asked for"
    return SCOPED.format(tool=call["tool_name"], window=over)


def emptied(call: Call) -> Call:
    """The call as if it had matched nothing, whole."""
    return {**call, "status": "SUCCESS", "output": [], "truncated": False}


def _call(truth: Truth, chance: random.Random) -> Call:
    able = [c for c in truth.scene.calls if c["status"] == "SUCCESS" and c["category"] != "UTILITY"]
    found = picked(chance, able)
    assert found is not None
    return dict(found)


def _over_emptied(change: Callable[[Call], Call], claim_type: str = "absence", *, over: bool) -> Maker:
    """A claim on the silence of a call that was emptied and changed; `over` words it beyond its query."""

    def make(truth: Truth, chance: random.Random) -> Twist | None:
        if truth.subject is None:
            return None
        call = change(emptied(_call(truth, chance)))
        text = chance.choice(OVER).format(thing=truth.subject, tool=call["tool_name"]) if over else scoped(call)
        calls = [call if c["invocation_id"] == call["invocation_id"] else c for c in truth.scene.calls]
        return Twist((silent(call, text, claim_type),), tuple(calls))

    return make


def _over_full(truth: Truth, chance: random.Random) -> Claim:
    """Silence of a call that did match something."""
    call = picked(chance, [c for c in truth.scene.calls if c["status"] == "SUCCESS" and _tells(c["output"])])
    return silent(call, scoped(call))


def _tells(output: Any) -> bool:
    """Whether a result has a row."""
    return isinstance(output, dict) and any(isinstance(rows, list) and rows for rows in output.values())


def _other_scope(truth: Truth, chance: random.Random) -> Twist | None:
    """A query that named one thing is told as one that named another, or asked of another day."""
    if truth.subject is None:
        return None
    call = emptied(_call(truth, chance)) | {"input_params": {"service": truth.subject}}
    said = chance.choice(
        (
            "No matching evidence was found by {tool} (service=billing-gateway) over the window that it asked for.",
            "No matching evidence was found by {tool} over 2019-01-01T00:00:00Z to 2019-01-31T00:00:00Z.",
            "No record of checkout-v9 was found by {tool}.",
            "{tool} found no matching record for svc-returns between 01:07 and 02:09.",
        )
    )
    calls = [call if c["invocation_id"] == call["invocation_id"] else c for c in truth.scene.calls]
    return Twist((silent(call, said.format(tool=call["tool_name"])),), tuple(calls))


def _none_seen(truth: Truth, chance: random.Random) -> Claim | None:
    """ "No errors" on a record of something else, or of errors."""
    f = truth.fields
    told: Any = f.get("bad_lines", f.get("errors"))
    of_errors = f.get("kind") == "errors" or told == 0 or "own_excess" in f or f.get("state") == "OK" or f.get("count") == 0
    if truth.subject is None or truth.kind == "cause" or (of_errors and not told):
        return None
    return truth.saying(chance.choice(NO_ERRORS).format(thing=truth.subject))


def _as_it_is(call: Call) -> Call:
    return call


def _failed(call: Call) -> Call:
    return {**call, "status": "FAILED", "output": None}


def _cut_short(call: Call) -> Call:
    return {**call, "truncated": True}


def _incomplete(call: Call) -> Call:
    return {**call, "output": {"errors": [], "complete": False}}


def _not_evidence(call: Call) -> Call:
    return {**call, "category": "UTILITY"}


KINDS: dict[str, Maker] = {
    "worded as a fact": _over_emptied(_as_it_is, over=True), "over a full result": _over_full,
    "over a failed call": _over_emptied(_failed, over=False),
    "over a truncated result": _over_emptied(_cut_short, over=False), "over an incomplete result": _over_emptied(_incomplete, over=False),
    "over no evidence tool": _over_emptied(_not_evidence, over=False),
    "typed observation": _over_emptied(_as_it_is, "observation", over=True),
    "another scope": _other_scope, "none seen": _none_seen,
}  # fmt: skip
