"""Write each layer's requirements.txt: the lock, for the deployed platform, cut down to what the layer brings. `lock_layers.py UV`.

The layers are stacked: core, then diagnosis, then retrieval. What a layer below brings is not brought again.
"""

import re
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from build import LAYERS, PLATFORM, ROOT, RUNTIME

BLOCK = re.compile(r"^(?P<name>[A-Za-z0-9._-]+)==.*(?:\n {4}.*)*", re.MULTILINE)


def resolve(uv: str, extra: str | None) -> dict[str, str]:
    """Package name to its locked line with hashes, for what pyproject names (with one of its extras)."""
    wanted = ["--extra", extra] if extra else []
    target = ["--python-platform", PLATFORM, "--python-version", RUNTIME]
    style = ["--quiet", "--no-header", "--no-annotate", "--no-emit-index-url", "--generate-hashes"]
    command = [uv, "pip", "compile", "pyproject.toml", *wanted, "--constraints", "requirements/lock.txt", *target, *style]
    text = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    return {block["name"]: block[0] for block in BLOCK.finditer(text)}


def main() -> None:
    """All layers, from the bottom up."""
    below: set[str] = set()
    for layer in LAYERS:
        packages = resolve(sys.argv[1], None if layer == "core" else layer)
        own = [block for name, block in sorted(packages.items()) if name not in below]
        (ROOT / "layers" / layer / "requirements.txt").write_text("\n".join(own) + "\n")
        below |= packages.keys()


if __name__ == "__main__":
    main()
