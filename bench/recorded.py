"""Where recorded incidents lie on this machine: beside the project, or where SUPERBIZ_RECORDED_DATA says."""

import os
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def folder(name: str) -> Path | None:
    """The folder of a data set, or None where it is not here (said aloud)."""
    place = Path(os.environ.get("SUPERBIZ_RECORDED_DATA", ROOT.parent / "shared" / "data")) / name
    if place.is_dir():
        return place
    print(f"     {name}: not on this machine, left out")
    return None
