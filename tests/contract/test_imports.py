"""Data flows one way: what may import what."""

import ast
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "layers/core/superbiz"
FUNCTIONS = sorted(p.stem for p in (ROOT / "functions").glob("*.py"))
INNER = frozenset({"domain", "analysis", "ports", "errors"})


class Rule(NamedTuple):
    """A part of the package: which other parts and which libraries it may import."""

    part: str
    own: frozenset[str]
    libraries: frozenset[str]


RULES = (
    Rule("domain", frozenset({"domain", "errors"}), frozenset({"pydantic", "numpy"})),
    Rule("analysis", frozenset({"analysis", "domain", "errors"}), frozenset({"pydantic", "numpy"})),
    Rule("errors", frozenset(), frozenset()),
    Rule("settings", frozenset({"domain", "errors"}), frozenset({"pydantic"})),
    Rule("ports", frozenset({"domain", "ports", "settings", "errors"}), frozenset({"pydantic"})),
    Rule("tools", INNER | {"tools"}, frozenset({"pydantic", "numpy"})),
    Rule("engines", INNER | {"engines", "tools"}, frozenset({"pydantic", "numpy"})),
    Rule("services", INNER | {"services", "settings", "engines", "flow"}, frozenset({"pydantic"})),
    Rule("flow", INNER | {"flow", "services", "settings"}, frozenset({"pydantic"})),
)


def imports_of(path: Path) -> Iterator[str]:
    """Full names of what a file imports, wherever the import stands; for typing alone does not count."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for_typing = {id(n) for block in ast.walk(tree) if _is_for_typing(block) for n in ast.walk(block)}
    for node in ast.walk(tree):
        if id(node) in for_typing:
            continue
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def _is_for_typing(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"


def files_of(part: str) -> list[Path]:
    folder = PACKAGE / part
    return sorted(folder.rglob("*.py")) if folder.is_dir() else [PACKAGE / f"{part}.py"]


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.part)
def test_each_part_imports_only_what_it_may(rule: Rule):
    for path in files_of(rule.part):
        for name in imports_of(path):
            first, _, rest = name.partition(".")
            if first == "superbiz":
                assert rest.split(".")[0] in rule.own, f"{path.relative_to(ROOT)} imports {name}"
            else:
                assert first in sys.stdlib_module_names or first in rule.libraries, f"{path.relative_to(ROOT)} imports {name}"


def test_functions_never_import_each_other():
    for name in FUNCTIONS:
        imported = {n.partition(".")[0] for n in imports_of(ROOT / f"functions/{name}.py")}
        assert not imported & set(FUNCTIONS), name


def test_functions_know_no_adapter():
    for name in FUNCTIONS:
        for imported in imports_of(ROOT / f"functions/{name}.py"):
            assert not imported.startswith(("superbiz.adapters", "superbiz.engines", "boto3")), f"{name} imports {imported}"


def test_only_settings_reads_the_environment():
    for path in PACKAGE.rglob("*.py"):
        if path.name != "settings.py":
            text = path.read_text(encoding="utf-8")
            assert "os.environ" not in text, path
            assert "getenv" not in text, path


def test_wiring_alone_picks_adapters():
    for path in PACKAGE.rglob("*.py"):
        if path.name == "wiring.py" or "adapters" in path.parts:
            continue
        assert not [n for n in imports_of(path) if n.startswith("superbiz.adapters")], path
