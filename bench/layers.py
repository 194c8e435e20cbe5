"""Unzipped size of the layers as they are deployed, stacked as the functions attach them."""

import tempfile
from collections.abc import Iterator
from pathlib import Path

from scripts.build import LAYERS, build_layer

from bench.rows import Row

BOUNDS_MB = {"core": 60.0, "diagnosis": 145.0, "retrieval": 245.0}


def measure() -> Iterator[Row]:
    """Built anew for the deployed platform. Lambda counts bytes of files; a megabyte is a million of them."""
    with tempfile.TemporaryDirectory() as folder:
        total = 0
        for layer in LAYERS:
            build_layer(layer, Path(folder) / layer)
            own = size(Path(folder) / layer)
            total += own
            yield Row(f"layer {layer}: its own", own / 1e6, "MB")
            yield Row(f"layers up to {layer}", total / 1e6, "MB", BOUNDS_MB[layer])


def size(folder: Path) -> int:
    """Bytes of all files."""
    return sum(f.stat().st_size for f in folder.rglob("*") if f.is_file())
