"""Recorded data that may stand beside the repository. Tests that read it are skipped, with the reason, where it does not."""

from pathlib import Path

import pytest

DATA = Path(__file__).resolve().parents[2].parent / "shared" / "data"


def recorded(*path: str) -> Path:
    """A file or folder of the recorded data."""
    found = DATA.joinpath(*path)
    if not found.exists():
        pytest.skip(f"no recorded data at {found}")
    return found
