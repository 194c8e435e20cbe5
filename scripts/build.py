"""Build what is deployed.

    build.py                         everything, by `sam build`: .aws-sam/build
    build.py layer NAME FOLDER       one layer (what layers/*/Makefile call)
    build.py function NAME FOLDER    one function (what functions/Makefile calls)
    build.py host FOLDER             layers and functions for this machine, to be imported by tests

The standard library alone: it runs under whatever Python `sam build` finds.
"""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LAYERS = ("core", "diagnosis", "retrieval")
RUNTIME = "3.13"
PLATFORM = "aarch64-manylinux_2_28"  # the runtime's own system is Amazon Linux 2023, glibc 2.34
SAM = ROOT / ".venv-sam"
# Never imported where the package runs, and tens of megabytes.
LEFT_OUT = ("tests", "__pycache__")


def build_layer(name: str, folder: Path, platform: str | None = PLATFORM) -> None:
    """`folder`/python with the layer's packages, compiled: without .pyc a cold start takes two and a half times as long."""
    target = folder / "python"
    where = ["--python-platform", platform, "--python-version", RUNTIME] if platform else ["--python", runtime_python() or sys.executable]
    what = ["--no-deps", "--only-binary", ":all:", "--require-hashes", "--requirement", str(ROOT / "layers" / name / "requirements.txt")]
    subprocess.run([uv(), "pip", "install", "--quiet", "--target", str(target), *where, *what], check=True)
    if name == "core":
        shutil.copytree(ROOT / "layers" / "core" / "superbiz", target / "superbiz", dirs_exist_ok=True)
    _trim(target)
    compile_all(target)


def build_function(name: str, folder: Path) -> None:
    """The function's one file. SAM names it by logical id: AlarmActionFunction is alarm_action.py."""
    folder.mkdir(parents=True, exist_ok=True)
    module = re.sub(r"(?<!^)(?=[A-Z])", "_", name.removesuffix("Function")).lower()
    shutil.copy2(ROOT / "functions" / f"{module}.py", folder)
    compile_all(folder)


def build_host(folder: Path) -> None:
    """The same for this machine's system, so that what was built can be imported here."""
    shutil.rmtree(folder, ignore_errors=True)
    for layer in LAYERS:
        build_layer(layer, folder / "layers" / layer, platform=None)
    for source in sorted((ROOT / "functions").glob("*.py")):
        build_function(source.stem, folder / "functions" / source.stem)


def build_all() -> None:
    """By SAM CLI, which lives in an environment of its own: its pins are not ours."""
    python = SAM / "bin" / "python"
    lock = ROOT / "requirements" / "sam.lock"
    stamp = SAM / ".installed"
    if not stamp.exists() or stamp.stat().st_mtime < lock.stat().st_mtime:
        subprocess.run([uv(), "venv", "--quiet", "--allow-existing", "--python", sys.executable, str(SAM)], check=True)
        subprocess.run([uv(), "pip", "install", "--quiet", "--python", str(python), "--require-hashes", "-r", str(lock)], check=True)
        stamp.touch()
    environment = {**os.environ, "SAM_CLI_TELEMETRY": "0", "UV": uv(), "PYTHON": sys.executable}
    subprocess.run([str(SAM / "bin" / "sam"), "build", "--template", str(ROOT / "template.yaml")], cwd=ROOT, env=environment, check=True)


def compile_all(folder: Path) -> None:
    """Compiled for the runtime, by the runtime's own version, and never checked again: an unpacked layer has one time for all files."""
    python = runtime_python()
    if python is None:
        sys.stderr.write(f"No Python {RUNTIME} on this machine: {folder} is left uncompiled, and its cold starts will be slow\n")
        return
    subprocess.run([python, "-m", "compileall", "-q", "-j", "2", "--invalidation-mode", "unchecked-hash", str(folder)], check=True)


def runtime_python() -> str | None:
    """An interpreter of the runtime's version, where this machine has one."""
    kept = sorted(Path.home().glob(f".pyenv/versions/{RUNTIME}.*/bin/python"))
    return next((str(c) for c in (sys.executable, f"python{RUNTIME}", *kept) if _is_runtime(str(c))), None)


def _is_runtime(python: str) -> bool:
    ask = [python, "-c", "import sys; print('%d.%d' % sys.version_info[:2])"]
    try:
        return subprocess.run(ask, check=False, capture_output=True, text=True).stdout.strip() == RUNTIME
    except OSError:
        return False


def uv() -> str:
    """The environment's own, else the one on the path."""
    ours = ROOT / ".venv" / "bin" / "uv"
    return os.environ.get("UV") or (str(ours) if ours.exists() else "uv")


def _trim(folder: Path) -> None:
    for left_out in LEFT_OUT:
        for path in list(folder.rglob(left_out)):
            shutil.rmtree(path, ignore_errors=True)


def main(arguments: list[str]) -> None:
    """By the words of the docstring."""
    match arguments:
        case []:
            build_all()
        case ["layer", name, folder]:
            build_layer(name, Path(folder))
        case ["function", name, folder]:
            build_function(name, Path(folder))
        case ["host", folder]:
            build_host(Path(folder))
        case _:
            sys.exit(__doc__)


if __name__ == "__main__":
    main(sys.argv[1:])
