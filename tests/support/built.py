"""What `make build` makes, built once a session for this machine."""

import importlib.util
import tempfile
from functools import cache
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[2]


@cache
def build_script() -> ModuleType:
    """scripts/build.py as a module."""
    spec = importlib.util.spec_from_file_location("build_script", ROOT / "scripts" / "build.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@cache
def _folder() -> tempfile.TemporaryDirectory[str]:
    folder = tempfile.TemporaryDirectory(prefix="superbiz-built-")
    build_script().build_host(Path(folder.name))
    return folder


def built_folder() -> Path:
    """The folder with `layers` and `functions`. Skips where there is no Python of the runtime's version to build for."""
    if build_script().runtime_python() is None:
        pytest.skip(f"no Python {build_script().RUNTIME} on this machine to build for and to import with")
    return Path(_folder().name)
