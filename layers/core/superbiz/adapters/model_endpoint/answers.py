"""Reading an answer as endpoints really give it: null content, parts, refusals, missing usage, an error under status 200."""

import json
from collections.abc import Mapping
from datetime import datetime
from typing import Any, NamedTuple

from superbiz.adapters.model_endpoint import faults
from superbiz.adapters.model_endpoint.faults import Fault
from superbiz.domain.values import JsonObject

_FINISH = {"length": "length", "max_tokens": "length", "content_filter": "refusal", "refusal": "refusal"}


class Answer(NamedTuple):
    """`finish` is stop, length or refusal. `estimated` says that no usage was told."""

    text: str
    finish: str
    input_tokens: int
    output_tokens: int
    estimated: bool
    model: str


def estimate_tokens(text: str) -> int:
    """On the high side: three characters a token for ASCII, one and a half tokens a character for everything else."""
    plain = sum(c.isascii() for c in text)
    return -(-plain // 3) + -(-(len(text) - plain) * 3 // 2)


def request_tokens(body: JsonObject) -> int:
    """What a request's messages and schema may count as input."""
    messages = body["messages"]
    schema = json.dumps(body.get("response_format", ""), ensure_ascii=False)
    return estimate_tokens(schema) + sum(estimate_tokens(m["content"]) + 8 for m in messages)


def read(raw: bytes, asked: JsonObject, now: datetime) -> Answer | Fault:
    """A whole answer, or the fault that it is."""
    try:
        document = json.loads(raw)
    except (ValueError, RecursionError):
        return faults.nonsense("not JSON, or cut off")
    if not isinstance(document, dict):
        return faults.nonsense("no JSON object")
    choice = _first_choice(document)
    if choice is None:
        return _failure(document, now)
    message = choice["message"]
    text, refused = _text(message.get("content")), message.get("refusal")
    finish = "refusal" if refused and not text else _FINISH.get(str(choice.get("finish_reason")), "stop")
    return Answer(text, finish, *_usage(document.get("usage"), asked, text), _name(document, asked))


def _first_choice(document: JsonObject) -> JsonObject | None:
    choices = document.get("choices")
    first = choices[0] if isinstance(choices, list) and choices else None
    return first if isinstance(first, dict) and isinstance(first.get("message"), dict) else None


def _failure(document: JsonObject, now: datetime) -> Fault:
    """Gateways report a failure behind them under status 200, with its status as the code."""
    error = document.get("error")
    code = error.get("code") if isinstance(error, dict) else None
    if isinstance(code, int) and 400 <= code < 600:
        return faults.of_status(code, error, {}, now)
    return faults.nonsense("no choices")


def _text(content: Any) -> str:
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        return "".join(part["text"] for part in content if isinstance(part, dict) and isinstance(part.get("text"), str))
    return ""


def _usage(usage: Any, asked: JsonObject, text: str) -> tuple[int, int, bool]:
    told = [usage.get(name) for name in ("prompt_tokens", "completion_tokens")] if isinstance(usage, Mapping) else []
    counts = [n for n in told if isinstance(n, int) and not isinstance(n, bool) and n >= 0]
    if len(counts) == 2:
        return counts[0], counts[1], False
    return request_tokens(asked), estimate_tokens(text), True


def _name(document: JsonObject, asked: JsonObject) -> str:
    name = document.get("model")
    return name[:200] if isinstance(name, str) and name else str(asked["model"])
