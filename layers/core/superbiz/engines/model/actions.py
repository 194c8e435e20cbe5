"""What a model may do next: call tools, or finish; and how a finish becomes an `executor_evidence_v2` document.

Run, round, subjects, what was not checked and `no_evidence_needed` are set by code. Claims of the first findings are kept by id, word for
word. Nothing that a model writes freely goes into findings: a resource, an operation or a suspect that was ruled out has to stand in the
evidence by that name.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from pydantic import Field

from superbiz.domain import canonical
from superbiz.domain.claims import Cause, Claim, ClaimType, Conclusion, ExecutorOutput, Findings, RuledOut
from superbiz.domain.values import JsonObject, Value
from superbiz.engines.model import proposals
from superbiz.engines.model.reading import value
from superbiz.errors import Invalid
from superbiz.ports import Brief

MAX_CLAIMS = 20
MAX_TURN_CALLS = 4
_SPACE = re.compile(r"\s")
_REQUEST = re.compile(r"(?:GET|PUT|POST|PATCH|DELETE|HEAD) /[\w/{}.:*-]{0,200}")
_ADDRESS = re.compile(r"://|\bwww\.", re.IGNORECASE)


class ToolCall(Value):
    """One call, its arguments as the tool's schema names them."""

    tool: str
    arguments: JsonObject = Field(default_factory=dict)


class Finish(Value):
    """The model's conclusion. `keep_claim_ids` adopts claims that stand already."""

    conclusion: Conclusion
    causes: tuple[Cause, ...] = ()
    ruled_out: tuple[RuledOut, ...] = ()
    keep_claim_ids: tuple[str, ...] = ()
    claims: tuple[Claim, ...] = ()
    open_questions: tuple[str, ...] = ()
    answer: str = ""


class Action(Value):
    """Exactly one of calls and finish counts: calls where there are any."""

    thought: str = ""
    calls: tuple[ToolCall, ...] = ()
    finish: Finish | None = None


def read_action(document: JsonObject, tools: Iterable[str], *, last: bool) -> Action:
    """Invalid where it is no action, names a tool that there is not, or asks for calls when none are left."""
    action = value(Action, document)
    if last and action.finish is None:
        raise Invalid("no more tool calls are possible: `finish` must be given", code="SCHEMA_INVALID")
    if last:
        return action.model_copy(update={"calls": ()})
    if not action.calls and action.finish is None:
        raise Invalid("neither `calls` nor `finish` is given", code="SCHEMA_INVALID")
    known = tuple(tools)
    if strange := [c.tool for c in action.calls if c.tool not in known]:
        raise Invalid(f"there is no tool named {strange[0][:60]!r}; there are {', '.join(known)}", code="SCHEMA_INVALID")
    return action.model_copy(update={"calls": tuple(_given(c) for c in action.calls)})


class Ground:
    """What was asked and recorded. A name is a value of a record, or a part of one that is an identifier: what a log line, an alarm's text
    or a question speaks of is nobody's name by that alone."""

    def __init__(self, asked: Iterable[str], outputs: Iterable[Any]) -> None:
        recorded = tuple(outputs)
        self.text = "\n".join((*asked, *map(canonical.dumps, recorded))).casefold()
        leaves = frozenset(leaf.casefold() for output in recorded for leaf in _leaves(output))
        self._values = leaves
        self._identifiers = "\n".join(leaf for leaf in leaves if not _SPACE.search(leaf))

    def holds(self, name: str) -> bool:
        wanted = name.strip().casefold()
        if not wanted or wanted in self._values:
            return bool(wanted)
        return re.search(rf"(?<![a-z0-9]){re.escape(wanted)}(?![a-z0-9])", self._identifiers) is not None

    def does(self, operation: str) -> bool:
        """Operations are told in log lines too, by method and path."""
        return self.holds(operation) or (_REQUEST.fullmatch(operation) is not None and operation.casefold() in self.text)


def _leaves(node: Any) -> Iterator[str]:
    if isinstance(node, str):
        yield node
    elif isinstance(node, Mapping | list | tuple):
        for item in node.values() if isinstance(node, Mapping) else node:
            yield from _leaves(item)


def output_of(finish: Finish, brief: Brief, basis: ExecutorOutput | None, ground: Ground) -> ExecutorOutput:
    """The document. Invalid where ids clash or are unknown, or a conclusion lacks what it needs."""
    standing = {claim.claim_id: claim for claim in basis.claims} if basis else {}
    claims = (*_kept(finish.keep_claim_ids, standing), *proposals.fit(_new(finish.claims, standing), ground.text))
    if len(claims) > MAX_CLAIMS:
        raise Invalid(f"{len(claims)} claims; at most {MAX_CLAIMS} are possible", code="SCHEMA_INVALID")
    ids = {claim.claim_id for claim in claims}
    causes = tuple(_cause(cause, ids, ground) for cause in finish.causes if ground.holds(cause.resource))
    if finish.conclusion is Conclusion.ROOT_CAUSE and not causes:
        raise Invalid("conclusion is root_cause, but `causes` names no resource as the evidence spells it", code="SCHEMA_INVALID")
    return ExecutorOutput(
        run_id=brief.run.run_id,
        round=brief.round,
        findings=Findings(
            conclusion=finish.conclusion,
            causes=causes,
            ruled_out=tuple(r.model_copy(update={"claim_ids": _among(r.claim_ids, ids)}) for r in finish.ruled_out if ground.holds(r.what)),
            not_checked=basis.findings.not_checked if basis else (),
            subjects=basis.findings.subjects if basis else (),
        ),
        claims=claims,
        open_questions=finish.open_questions,
        executor_final_answer=finish.answer,
    )


def _cause(cause: Cause, ids: set[str], ground: Ground) -> Cause:
    operation = cause.operation if cause.operation and ground.does(cause.operation) else None
    return cause.model_copy(update={"claim_ids": _among(cause.claim_ids, ids), "operation": operation})


def _given(call: ToolCall) -> ToolCall:
    return call.model_copy(update={"arguments": _without_nulls(call.arguments)})


def _without_nulls(node: Any) -> Any:
    """An optional parameter that is null was not given."""
    if isinstance(node, Mapping):
        return {key: _without_nulls(item) for key, item in node.items() if item is not None}
    return [_without_nulls(item) for item in node] if isinstance(node, list) else node


def _kept(wanted: Iterable[str], standing: Mapping[str, Claim]) -> tuple[Claim, ...]:
    unknown = [claim_id for claim_id in wanted if claim_id not in standing]
    if unknown:
        raise Invalid(
            f"keep_claim_ids: no claim {unknown[0][:60]!r} stands; there are {', '.join(standing) or 'none'}", code="SCHEMA_INVALID"
        )
    return tuple(standing[claim_id] for claim_id in dict.fromkeys(wanted))


def _new(claims: Iterable[Claim], standing: Mapping[str, Claim]) -> tuple[Claim, ...]:
    """Its typed facts stand as they were written: the Gatekeeper recomputes them."""
    new = tuple(claims)
    ids = [claim.claim_id for claim in new]
    taken = [claim_id for n, claim_id in enumerate(ids) if claim_id in standing or claim_id in ids[:n]]
    if taken:
        raise Invalid(f"claim id {taken[0]!r} is taken; new claims need ids of their own", code="SCHEMA_INVALID")
    if any(claim.claim_type is ClaimType.ACTION and _ADDRESS.search(claim.claim_text) for claim in new):
        raise Invalid("an action names a web address; name the console page or the command", code="SCHEMA_INVALID")
    return new


def _among(claim_ids: Iterable[str], there: set[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(claim_id for claim_id in claim_ids if claim_id in there))
