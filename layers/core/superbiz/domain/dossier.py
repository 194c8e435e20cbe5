"""`dossier/1`: anybody's claims with the tool outputs that they cite, as input of `superbiz verify`.

What makes a dossier unreadable is refused with the field's name. A claim that breaks the claim schema is a result about that dossier, not a
fault of it: the claims are read as an Executor's output would be.
"""

import difflib
import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Literal, NamedTuple

from pydantic import Field, StrictBool, ValidationError

from superbiz.domain import canonical, executor_output, refs
from superbiz.domain.claims import Binding, Claim, ExecutorOutput, ParseStatus
from superbiz.domain.emptiness import is_empty
from superbiz.domain.evidence import (
    PREVIEW_CHARS,
    EvidenceRef,
    EvidenceStatus,
    Invocation,
    InvocationStatus,
    OutputRecord,
    RetrievalDetails,
    ToolCategory,
)
from superbiz.domain.values import JsonObject, Value, Window
from superbiz.errors import Invalid

MEND = "follow the shape of dossier/1"
MAX_CLAIMS = 1_000
BATCH = 20  # claims that an Executor may state at once
MAX_NOTES = 20
NEAR = 0.75  # how like a known field's name an unknown one must be to be taken for a slip
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_ABSENT = RetrievalDetails(evidence_status=EvidenceStatus.NO_EVIDENCE, evidence_refs=(EvidenceRef(raw_path=refs.NO_EVIDENCE, text=""),))


class DossierCall(Value):
    """One tool call as its author recorded it. Any tool's name and any form of id; `output` is the tool's JSON or text."""

    invocation_id: str = Field(min_length=1, max_length=200)
    run_id: str = Field(min_length=1, max_length=200)
    tool_name: str = Field(min_length=1, max_length=200)
    category: ToolCategory = ToolCategory.LOG
    status: InvocationStatus = InvocationStatus.SUCCESS
    input_params: JsonObject = Field(default_factory=dict)
    output: Any = None
    output_sha256: str | None = Field(default=None, pattern=r"^sha256:[0-9a-f]{64}$")
    truncated: StrictBool = False


class _Head(Value):
    schema_: Literal["dossier/1"] = Field(alias="schema")
    run_id: str = Field(min_length=1, max_length=200)
    question: str = ""
    incident: Window | None = None
    invocations: tuple[DossierCall, ...] = ()


class Dossier(NamedTuple):
    """`outputs` by invocation id, as the Gatekeeper's book takes them. `claims` is None where `parse` says why.

    `altered` are the calls whose output has not the hash that the dossier states; `notes` name fields that look like slips.
    """

    run_id: str
    question: str
    invocations: Mapping[str, Invocation]
    outputs: Mapping[str, Any]
    parse: ParseStatus
    claims: ExecutorOutput | None
    incident: Window | None = None
    altered: frozenset[str] = frozenset()
    notes: tuple[str, ...] = ()


def read(text: str | bytes) -> Dossier:
    """Raises Invalid where the text is no dossier, naming the field."""
    found = canonical.loads(text)
    if not isinstance(found, dict):
        raise Invalid("a dossier is a JSON object", code="NO_DOSSIER", mend=MEND)
    try:
        head = _Head.model_validate(found)
    except ValidationError as e:
        raise Invalid(f"dossier: {_field(e)}", code="NO_DOSSIER", mend=MEND) from e
    if not isinstance(found.get("claims"), list):
        raise Invalid("dossier: claims: not a list", code="NO_DOSSIER", mend=MEND)
    if len(found["claims"]) > MAX_CLAIMS:
        raise Invalid(
            f"dossier: claims: {len(found['claims'])} of them; at most {MAX_CLAIMS} are checked at once",
            code="NO_DOSSIER",
            mend="split it into several dossiers",
        )
    parse, claims = _claims(found["claims"], head.run_id)
    altered = frozenset(c.invocation_id for c in head.invocations if _altered(c))
    notes = tuple(dict.fromkeys(_slips(found)))[:MAX_NOTES]
    return Dossier(head.run_id, head.question, _invocations(head), _outputs(head), parse, claims, head.incident, altered, notes)


def _claims(given: Sequence[Any], run_id: str) -> tuple[ParseStatus, ExecutorOutput | None]:
    """As the claims of an Executor are read, batch by batch; the first batch that breaks the schema says so for all."""
    claims: list[Claim] = []
    for at in range(0, len(given) or 1, BATCH):
        parse, found = executor_output.parse(_text(given[at : at + BATCH]), run_id, 1)
        if found is None or not parse.valid:
            return _moved(parse, at), None if at else found
        claims += found.claims
    parse = parse.model_copy(update={"claim_count": len(claims)})
    return parse, ExecutorOutput(run_id=run_id, round=1).model_copy(update={"claims": tuple(claims)})


def _text(batch: Sequence[Any]) -> str:
    return canonical.dumps({"claims": batch})


def _moved(parse: ParseStatus, by: int) -> ParseStatus:
    """Errors by the claims' places in the dossier."""
    moved = (re.sub(r"\Aclaims\.(\d+)", lambda m: f"claims.{int(m[1]) + by}", error) for error in parse.errors)
    return parse.model_copy(update={"errors": tuple(moved)})


def _altered(call: DossierCall) -> bool:
    stated = call.output_sha256
    return stated is not None and call.status is InvocationStatus.SUCCESS and canonical.sha256(canonical.encoded(call.output)) != stated


def _slips(found: JsonObject) -> Iterator[str]:
    """Unknown fields are dropped; one whose name is like a known one is named, for its author meant something by it."""
    yield from _unknown(found, "", {*(f.alias or n for n, f in _Head.model_fields.items()), "claims"})
    for n, call in enumerate(_objects(found.get("invocations"))):
        yield from _unknown(call, f"invocations[{n}].", set(DossierCall.model_fields))
    for n, claim in enumerate(_objects(found.get("claims"))):
        yield from _unknown(claim, f"claims[{n}].", set(Claim.model_fields))
        for m, bound in enumerate(_objects(claim.get("evidence"))):
            yield from _unknown(bound, f"claims[{n}].evidence[{m}].", set(Binding.model_fields))


def _objects(given: Any) -> Iterator[JsonObject]:
    return (item for item in given if isinstance(item, dict)) if isinstance(given, list) else iter(())


def _unknown(given: JsonObject, where: str, known: set[str]) -> Iterator[str]:
    for field in [f for f in given if f not in known and len(f) <= 40][:MAX_NOTES]:
        like = difflib.get_close_matches(field, known, 1, NEAR)
        if like:
            yield f"{where}{field}: no such field, it is left out; {like[0]}?"


def _invocations(head: _Head) -> dict[str, Invocation]:
    found: dict[str, Invocation] = {}
    for n, call in enumerate(head.invocations):
        if call.invocation_id in found:
            raise Invalid(f"dossier: invocations[{n}].invocation_id: {call.invocation_id!r} stands twice", code="NO_DOSSIER", mend=MEND)
        found[call.invocation_id] = _invocation(call, n + 1)
    return found


def _outputs(head: _Head) -> dict[str, Any]:
    return {c.invocation_id: c.output for c in head.invocations if c.status is InvocationStatus.SUCCESS}


def _invocation(call: DossierCall, seq: int) -> Invocation:
    """The call as if it had been recorded: its refs come from its output, its category says whether it is evidence."""
    failed = call.status is InvocationStatus.FAILED
    data = None if failed else canonical.encoded(call.output)
    return Invocation(
        invocation_id=call.invocation_id,
        run_id=call.run_id,
        session_id=call.run_id,
        step_index=1,
        seq=seq,
        tool_name=call.tool_name,
        category=call.category,
        status=call.status,
        input_params=call.input_params,
        input_digest=canonical.digest(call.input_params),
        output_preview="" if data is None else data[: 4 * PREVIEW_CHARS].decode("utf-8", "ignore")[:PREVIEW_CHARS],
        output=None if data is None else OutputRecord(sha256=canonical.sha256(data), size=len(data), complete=_complete(call)),
        retrieval_details=_details(call),
        counts_for_evidence=call.category.counts_for_evidence,
        started_at=_EPOCH,
    )


def _details(call: DossierCall) -> RetrievalDetails:
    """Empty and whole is no evidence; empty and cut short says nothing. Other refs are derived where they are cited."""
    if call.status is InvocationStatus.FAILED:
        return RetrievalDetails(evidence_status=EvidenceStatus.ERROR)
    if not call.category.counts_for_evidence:
        return RetrievalDetails(evidence_status=EvidenceStatus.NOT_APPLICABLE)
    if not is_empty(call.output):
        return RetrievalDetails(evidence_status=EvidenceStatus.SUPPORTED)
    return _ABSENT if _complete(call) else RetrievalDetails(evidence_status=EvidenceStatus.NOT_APPLICABLE)


def _complete(call: DossierCall) -> bool:
    return not call.truncated and not (isinstance(call.output, Mapping) and call.output.get("complete") is False)


def _field(error: ValidationError) -> str:
    first = error.errors()[0]
    path = "".join(f"[{p}]" if isinstance(p, int) else f".{p}" for p in first["loc"]).lstrip(".")
    return f"{path or 'it'}: {first['msg']}"
