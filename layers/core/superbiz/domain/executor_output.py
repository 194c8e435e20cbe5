"""Reading an Executor's answer: strict JSON of `executor_evidence_v2`, or the exact reason why it is none.

A repair only strips what stands around the document (fences, prose); the document itself is never altered.
"""

import re
from typing import Any

from pydantic import ValidationError

from superbiz.domain import canonical
from superbiz.domain.claims import SCHEMA_VERSION, ExecutorOutput, ParseState, ParseStatus
from superbiz.errors import Invalid

MAX_ERRORS = 20
_MARKS = ('"claims"', f'"{SCHEMA_VERSION}"')
_TOKEN = re.compile(r'\\.|["{}]', re.DOTALL)
_Parsed = tuple[ParseStatus, ExecutorOutput | None]


def parse(raw: str, run_id: str, round_: int) -> _Parsed:
    """The status and, where the schema holds, the output. Run and round are set by code, whatever the document says."""
    text = raw.strip()
    if not text:
        return _failed(ParseState.EMPTY, "expected a JSON document, found nothing"), None
    try:
        document, state = canonical.loads(text), ParseState.OK
    except Invalid as e:
        candidates = [c for c in _objects(text) if any(mark in c for mark in _MARKS)]
        if len(candidates) != 1:
            return _without_document(text, len(candidates), e.message), None
        try:
            document, state = canonical.loads(candidates[0]), ParseState.REPAIRED
        except Invalid as broken:
            return _failed(ParseState.INVALID_JSON, broken.message), None
    return _validated(document, state, run_id, round_)


def _validated(document: Any, state: ParseState, run_id: str, round_: int) -> _Parsed:
    if not isinstance(document, dict):
        return _failed(ParseState.SCHEMA_INVALID, f"expected a JSON object, found {type(document).__name__}"), None
    if "claims" not in document:
        return _failed(ParseState.SCHEMA_INVALID, "claims: missing"), None
    try:
        canonical.encoded(document)  # what could not be stored (lone surrogates, nesting beyond reason) is refused here
        output = ExecutorOutput.model_validate(document | {"run_id": run_id, "round": round_})
    except Invalid as e:
        return _failed(ParseState.INVALID_JSON, e.message), None
    except ValidationError as e:
        return _failed(ParseState.SCHEMA_INVALID, *map(_error, e.errors(include_url=False, include_input=False)[:MAX_ERRORS])), None
    return _judged(output, state)


def _judged(output: ExecutorOutput, state: ParseState) -> _Parsed:
    if not output.claims and not output.no_evidence_needed:
        return _failed(ParseState.EMPTY, "no claims"), output
    status = ParseStatus(status=state, valid=True, schema_version=output.schema_version, claim_count=len(output.claims))
    return status, output


def _without_document(text: str, candidates: int, error: str) -> ParseStatus:
    if candidates > 1:
        return _failed(ParseState.INVALID_JSON, f"expected one document, found {candidates}")
    if text.startswith(("{", "[", "```")) or any(mark in text for mark in _MARKS):
        return _failed(ParseState.INVALID_JSON, error)
    return _failed(ParseState.LEGACY_TEXT, "expected a JSON document, found plain text")


def _failed(state: ParseState, *errors: str) -> ParseStatus:
    """Fallback means that the raw text is kept for a reader as debug context; nothing in it is confirmed."""
    return ParseStatus(status=state, valid=False, errors=errors, used_fallback=state in (ParseState.INVALID_JSON, ParseState.LEGACY_TEXT))


def _error(error: Any) -> str:
    return f"{'.'.join(map(str, error['loc']))}: {error['msg']}"


def _objects(text: str) -> list[str]:
    """The outermost balanced `{…}` of a text, in one pass; braces inside JSON strings do not count."""
    spans: list[tuple[int, int]] = []
    open_at: list[int] = []
    quoted = False
    for token in _TOKEN.finditer(text):
        mark = token[0]
        if mark == '"':
            quoted = bool(open_at) and not quoted
        elif mark == "{" and not quoted:
            open_at.append(token.start())
        elif mark == "}" and not quoted and open_at:
            start = open_at.pop()
            while spans and spans[-1][0] > start:
                spans.pop()
            spans.append((start, token.end()))
    return [text[start:end] for start, end in spans]
