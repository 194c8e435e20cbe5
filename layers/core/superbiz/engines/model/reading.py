"""Reading a model's answer: one JSON object, strictly, whatever stands around it. Nothing inside it is ever mended."""

import json
import re
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from superbiz.domain import canonical
from superbiz.domain.values import JsonObject
from superbiz.errors import Invalid

M = TypeVar("M", bound=BaseModel)
MAX_TRIES = 40
MAX_ERRORS = 8
_THOUGHT = re.compile(r"<think>.*?</think>|^.*?</think>", re.DOTALL)


def json_object(text: str) -> JsonObject:
    """The one JSON object of an answer: bare, fenced, or amid prose, thoughts aside. Invalid where there is none, or more than one."""
    text = _THOUGHT.sub("", text, count=1).strip() if "</think>" in text else text.strip()
    try:
        found = canonical.loads(text)
    except Invalid as bare:
        spans = _spans(text)
        if len(spans) != 1:
            raise Invalid(f"expected one JSON object, found {len(spans)}: {bare.message}", code="INVALID_JSON") from bare
        found = canonical.loads(text[slice(*spans[0])])
    if not isinstance(found, dict):
        raise Invalid(f"expected a JSON object, found {_kind(found)}", code="INVALID_JSON")
    return found


def value(model: type[M], document: JsonObject) -> M:
    """The document as a value. Invalid names what is wrong where, and repeats none of it."""
    try:
        return model.model_validate(document)
    except ValidationError as e:
        errors = e.errors(include_url=False, include_input=False, include_context=False)[:MAX_ERRORS]
        raise Invalid("; ".join(f"{'.'.join(map(str, x['loc']))}: {x['msg']}" for x in errors), code="SCHEMA_INVALID") from e


def _spans(text: str) -> list[tuple[int, int]]:
    """Where outermost JSON objects stand. The number of tries is bounded, so that rubbish costs little."""
    decoder, at, spans = json.JSONDecoder(), 0, []
    for _ in range(MAX_TRIES):
        at = text.find("{", at)
        if at < 0:
            break
        try:
            _, end = decoder.raw_decode(text, at)
        except (ValueError, RecursionError):
            at += 1
            continue
        spans.append((at, end))
        at = end
    return spans


def _kind(found: Any) -> str:
    return "null" if found is None else type(found).__name__
