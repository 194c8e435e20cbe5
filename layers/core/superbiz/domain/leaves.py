"""The texts of a JSON value, each with the name that it stands under."""

from collections.abc import Callable, Collection, Mapping
from typing import Any

from superbiz.domain.canonical import MAX_DEPTH
from superbiz.errors import Invalid

Change = Callable[[str, str], str]
"""(text, the name it stands under, or "") -> text"""
_NAMES, _VALUES = ("name", "key", "parametername", "variable"), ("value", "parametervalue")


def changed(value: Any, change: Change, *, spared: Collection[str] = (), name: str = "", depth: int = 0) -> Any:
    """The same JSON with every text changed, keys too; numbers stay. What stands under a `spared` key is left as it is.

    The items of a list stand under the list's name, and `{"name": "X", "value": "…"}` names its value X.
    """
    if depth > MAX_DEPTH:
        raise Invalid(f"nested deeper than {MAX_DEPTH} levels", code="INVALID_JSON")
    if isinstance(value, str):
        return change(value, name)
    if isinstance(value, Mapping):
        return _mapping(value, change, spared, depth)
    if isinstance(value, list | tuple):
        return [changed(item, change, spared=spared, name=name, depth=depth + 1) for item in value]
    return value


def _mapping(value: Mapping[str, Any], change: Change, spared: Collection[str], depth: int) -> dict[str, Any]:
    given, found = _given_name(value), dict[str, Any]()
    for key, item in value.items():
        if key in spared:
            found[key] = item
            continue
        name = given if given and key.lower() in _VALUES else key
        found[_free(change(key, ""), found)] = changed(item, change, spared=spared, name=name, depth=depth + 1)
    return found


def _given_name(value: Mapping[str, Any]) -> str:
    return next((item for key, item in value.items() if isinstance(item, str) and isinstance(key, str) and key.lower() in _NAMES), "")


def _free(key: str, taken: Mapping[str, Any]) -> str:
    """Two keys that look alike once they are changed are both kept."""
    n, tried = 1, key
    while tried in taken:
        n += 1
        tried = f"{key} ({n})"
    return tried
