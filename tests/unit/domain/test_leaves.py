"""Every text of a JSON value is met with the name that it stands under."""

from typing import Any

import pytest

from superbiz.domain import leaves
from superbiz.errors import Invalid


def met(value: Any) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    leaves.changed(value, lambda text, name: (found.append((text, name)), text)[1])
    return found


def test_a_text_is_met_with_its_key_its_lists_key_or_the_name_beside_it() -> None:
    assert ("x", "password") in met({"password": "x"})
    assert ("x", "passwords") in met({"passwords": ["x", {"a": 1}]})
    assert ("x", "DB_PASSWORD") in met([{"name": "DB_PASSWORD", "value": "x"}])
    assert met("x") == [("x", "")]


def test_keys_are_changed_and_two_that_come_to_look_alike_are_both_kept() -> None:
    def change(text: str, _name: str) -> str:
        return "<EMAIL>" if "@" in text else text

    assert leaves.changed({"a@b.example": 1, "c@d.example": 2, "e": 3}, change) == {"<EMAIL>": 1, "<EMAIL> (2)": 2, "e": 3}


def test_numbers_and_what_is_spared_stay() -> None:
    given = {"n": 4111111111111111, "f": 1.5, "b": True, "z": None, "kept": {"deep": "x"}, "changed": "x"}
    assert leaves.changed(given, lambda text, _: text.upper(), spared=("kept",)) == {
        "N": 4111111111111111, "F": 1.5, "B": True, "Z": None, "kept": {"deep": "x"}, "CHANGED": "X",
    }  # fmt: skip


def test_bottomless_nesting_is_refused() -> None:
    value: Any = "x"
    for _ in range(500):
        value = [value]
    with pytest.raises(Invalid):
        leaves.changed(value, lambda text, _: text)
