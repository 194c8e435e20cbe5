"""What an endpoint can do, found once: each refusal that names a part of our request takes that part away.

Answers are asked for by JSON schema, else as a JSON object, else as plain text; from the second form on the schema stands in the prompt.
"""

import json
import re
from enum import StrEnum
from typing import Any, NamedTuple

from superbiz.domain.values import JsonObject, Value
from superbiz.ports import ModelAsk, ModelMessage


class Form(StrEnum):
    """How structure is asked for, best first."""

    JSON_SCHEMA = "json_schema"
    JSON_OBJECT = "json_object"
    TEXT = "text"


class Abilities(Value):
    """`proven` says that an answer has come back for such a request."""

    form: Form = Form.JSON_SCHEMA
    limit_field: str = "max_tokens"
    temperature: bool = True
    proven: bool = False


class Refusal(NamedTuple):
    """A 400 or 422: what the endpoint said, in lower case, and the error code it gave."""

    text: str
    code: str


SCHEMA_NOTE = (
    "\n\nAnswer with one JSON object and nothing else: no prose, no code fence. It must fit this JSON schema, every property present:\n"
)
_NEXT_FORM = {Form.JSON_SCHEMA: Form.JSON_OBJECT, Form.JSON_OBJECT: Form.TEXT}
_NAMES_FORM = re.compile(r"response_format|json_schema|json_object|json mode|schema|grammar|structured output|guided")
_OTHER_CAUSE = re.compile(
    r"context.{0,20}(length|window)|maximum context|too many tokens|too long|content.{0,10}(polic|filter|management)|invalid_prompt"
    r"|model.{0,40}(not found|not exist)|model_not_found|safety"
)


def adapted(abilities: Abilities, refusal: Refusal) -> Abilities | None:
    """What to try next after a refusal; None where another form would not help.

    A refusal without a cause counts against the form until an answer has proven it.
    """
    said = refusal.text
    if "max_completion_tokens" in said and abilities.limit_field == "max_tokens":
        return abilities.model_copy(update={"limit_field": "max_completion_tokens"})
    if "temperature" in said and abilities.temperature:
        return abilities.model_copy(update={"temperature": False})
    if _OTHER_CAUSE.search(f"{refusal.code} {said}") or (abilities.proven and not _NAMES_FORM.search(said)):
        return None
    form = _NEXT_FORM.get(abilities.form)
    return abilities.model_copy(update={"form": form, "proven": False}) if form else None


def learned(abilities: Abilities, text: str, finish: str, schema: JsonObject) -> Abilities:
    """After an answer: the request is proven; a form that was silently ignored is given up for plain text."""
    ignored = finish == "stop" and abilities.form is not Form.TEXT and not _obeys(text, schema)
    return abilities.model_copy(update={"proven": True, "form": Form.TEXT if ignored else abilities.form})


def request(model: str, ask: ModelAsk, abilities: Abilities) -> JsonObject:
    """The body of a chat completion for what this endpoint can do."""
    body: JsonObject = {
        "model": model,
        "messages": [m._asdict() for m in _messages(ask, abilities)],
        abilities.limit_field: ask.max_tokens,
    }
    if abilities.temperature:
        body["temperature"] = 0
    if abilities.form is Form.JSON_SCHEMA:
        described = {"name": ask.schema_name, "strict": True, "schema": ask.schema}
        body["response_format"] = {"type": "json_schema", "json_schema": described}
    elif abilities.form is Form.JSON_OBJECT:
        body["response_format"] = {"type": "json_object"}
    return body


def _messages(ask: ModelAsk, abilities: Abilities) -> tuple[ModelMessage, ...]:
    if abilities.form is Form.JSON_SCHEMA:
        return tuple(ask.messages)
    first, *rest = ask.messages
    note = SCHEMA_NOTE + json.dumps(ask.schema, ensure_ascii=False, separators=(",", ":"))
    return (ModelMessage(first.role, first.content + note), *rest)


def _obeys(text: str, schema: JsonObject) -> bool:
    try:
        answer: Any = json.loads(text)
    except (ValueError, RecursionError):
        return False
    return isinstance(answer, dict) and set(schema.get("required", ())) <= answer.keys()
