"""Canonical JSON: the bytes that are hashed, stored and cited.

UTF-8, no white space, keys in the order they were given, every number in the spelling it arrived in, no NaN or infinity,
no key twice, no lone surrogate. Two parses of the same canonical text are equal, and writing one gives the same text.
"""

import hashlib
import json
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from json.encoder import encode_basestring
from typing import Any

from superbiz.errors import Invalid

MAX_DEPTH = 200
SHOWN = 100
MAX_DIGITS = 4_300
BOM = "\ufeff"


class Spelled(float):
    """A float that remembers how it was written (`1.50`, `1e5`), so that a citation of it stays exact."""

    text: str

    def __new__(cls, text: str) -> "Spelled":
        number = super().__new__(cls, text)
        number.text = text
        return number


def loads(text: str | bytes) -> Any:
    """Parse JSON strictly. Raises Invalid for a key given twice, NaN, infinity, bad UTF-8 or nesting beyond reason."""
    try:
        if isinstance(text, bytes):
            text = text.decode("utf-8")
        if text.startswith(BOM):
            raise Invalid("not JSON: it begins with a byte order mark", code="INVALID_JSON", mend="save it as UTF-8 without one")
        return json.loads(text, parse_float=Spelled, parse_int=_whole, parse_constant=_no_constant, object_pairs_hook=_no_twins)
    except UnicodeDecodeError as e:
        raise Invalid(f"not UTF-8: byte {e.start} is {e.object[e.start]:#04x}", code="INVALID_JSON", mend="save it as UTF-8") from e
    except RecursionError as e:
        raise Invalid("nested too deeply", code="INVALID_JSON") from e
    except ValueError as e:
        raise Invalid(f"not JSON: {e}", code="INVALID_JSON") from e


def dumps(value: Any) -> str:
    """The canonical text of a JSON value. Raises Invalid for what JSON can not hold."""
    out: list[str] = []
    _write(value, out, 0)
    return "".join(out)


def encoded(value: Any) -> bytes:
    """The canonical text as UTF-8 bytes. A lone surrogate has none and is refused."""
    try:
        return dumps(value).encode("utf-8")
    except UnicodeEncodeError as e:
        raise Invalid(f"text with a lone surrogate: {e.reason}", code="INVALID_JSON") from e


def sha256(data: bytes) -> str:
    return "sha256:" + hashlib.sha256(data).hexdigest()


def digest(value: Any) -> str:
    """SHA-256 of the canonical bytes with sorted keys: equal parameters have equal digests whatever their order."""
    return sha256(encoded(_sorted(value)))


def number_text(number: float | int) -> str:
    if isinstance(number, Spelled):
        return number.text
    if isinstance(number, float) and not math.isfinite(number):
        raise Invalid("NaN and infinity are not JSON", code="INVALID_JSON")
    return repr(number)


def _write(value: Any, out: list[str], depth: int) -> None:
    if depth > MAX_DEPTH:
        raise Invalid(f"nested deeper than {MAX_DEPTH} levels", code="INVALID_JSON")
    if isinstance(value, str):
        out.append(encode_basestring(value))
    elif value is None or isinstance(value, bool):
        out.append("null" if value is None else "true" if value else "false")
    elif isinstance(value, int | float):
        out.append(number_text(value))
    elif isinstance(value, Mapping):
        _write_object(value, out, depth)
    elif isinstance(value, Sequence):
        _write_array(value, out, depth)
    else:
        raise Invalid(f"a {type(value).__name__} is not JSON", code="INVALID_JSON")


def _write_object(value: Mapping[Any, Any], out: list[str], depth: int) -> None:
    out.append("{")
    for n, (key, item) in enumerate(value.items()):
        if not isinstance(key, str):
            raise Invalid(f"key {key!r} is not text", code="INVALID_JSON")
        out.append(("," if n else "") + encode_basestring(key) + ":")
        _write(item, out, depth + 1)
    out.append("}")


def _write_array(value: Sequence[Any], out: list[str], depth: int) -> None:
    out.append("[")
    for n, item in enumerate(value):
        if n:
            out.append(",")
        _write(item, out, depth + 1)
    out.append("]")


def _sorted(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {k: _sorted(value[k]) for k in sorted(value)}
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [_sorted(v) for v in value]
    return value


def _whole(text: str) -> int:
    if len(text) > MAX_DIGITS:
        raise ValueError(f"a number of {len(text)} digits; at most {MAX_DIGITS} are read")
    return int(text)


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")


def _no_twins(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) != len(pairs):
        twin = next(key for key, times in Counter(k for k, _ in pairs).items() if times > 1)
        raise ValueError(f"key {twin[:SHOWN]!r} stands twice")
    return made
