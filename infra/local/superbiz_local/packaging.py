"""The template made ready for a deployment: what it names by path goes to S3, as `sam package` does it."""

import hashlib
import io
import json
import zipfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from samtranslator.yaml_helper import yaml_parse

from superbiz_local.names import LAYER_POINTER

Template = dict[str, Any]
Store = Callable[[bytes], str]
_ZIP_EPOCH = (1980, 1, 1, 0, 0, 0)


class Sources(NamedTuple):
    """Where the code comes from: the functions' folder (of files, or of a folder each), and for each layer (by logical id) the folders that
    its functions import from."""

    functions: Path
    layers: dict[str, Sequence[Path]]


def from_source(root: Path) -> Sources:
    """The working tree: handlers and package as they stand, other packages from this Python's own environment."""
    return Sources(root / "functions", {"CoreLayer": [root / "layers" / "core"], "DiagnosisLayer": [], "RetrievalLayer": []})


def from_built(folder: Path) -> Sources:
    """What `scripts/build.py host FOLDER` made. Run it with the interpreter that it was built for, isolated: `python3.13 -I -S`."""
    layers: dict[str, Sequence[Path]] = {f"{path.name.capitalize()}Layer": [path / "python"] for path in (folder / "layers").iterdir()}
    return Sources(folder / "functions", layers)


def package(template: Path, sources: Sources, store: Store) -> str:
    """The template's text with every path replaced by where `store` put its content."""
    parsed: Template = yaml_parse(template.read_text())
    for name, resource in parsed["Resources"].items():
        properties = resource.get("Properties", {})
        if resource["Type"] == "AWS::Serverless::Function":
            properties["CodeUri"] = store(_code(sources.functions, properties["Handler"]))
        elif resource["Type"] == "AWS::Serverless::LayerVersion":
            properties["ContentUri"] = store(_pointer(sources.layers[name]))
        elif resource["Type"] == "AWS::Serverless::StateMachine":
            definition = yaml_parse((template.parent / properties["DefinitionUri"]).read_text())
            properties["DefinitionUri"] = store(json.dumps(definition).encode())
    return json.dumps(parsed)


def zipped(files: dict[str, bytes]) -> bytes:
    """A zip archive: the same files, the same bytes."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in sorted(files):
            archive.writestr(zipfile.ZipInfo(name, _ZIP_EPOCH), files[name])
    return packed.getvalue()


def key_of(data: bytes) -> str:
    """Content-addressed: an unchanged function stays as it is on an update."""
    return hashlib.sha256(data).hexdigest()


def _code(functions: Path, handler: str) -> bytes:
    own = functions / handler.partition(".")[0]
    folder = own if own.is_dir() else functions
    return zipped({str(f.relative_to(folder)): f.read_bytes() for f in _files(folder)})


def _files(folder: Path) -> list[Path]:
    return [f for f in sorted(folder.rglob("*")) if f.is_file() and "__pycache__" not in f.parts]


def _pointer(paths: Sequence[Path]) -> bytes:
    """A layer that names folders of this machine instead of holding a copy of them: packing hundreds of megabytes would take minutes."""
    return zipped({LAYER_POINTER: json.dumps([str(p.resolve()) for p in paths]).encode()})
