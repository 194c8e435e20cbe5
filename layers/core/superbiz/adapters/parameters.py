"""Secrets by name: an SSM SecureString, or for one's own machine a file (`file:/path`). Kept five minutes: a new key is taken up."""

import time
from pathlib import Path

from superbiz.adapters.aws import client
from superbiz.adapters.aws_errors import mapped
from superbiz.errors import Broken

KEPT_SECONDS = 300.0
FILE = "file:"


class Secret:
    """Call it for the value. An empty name is an empty secret: some endpoints want none."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._value: str | None = None
        self._until = 0.0

    def __call__(self) -> str:
        """Raises Unavailable where SSM can not be asked, Broken where the parameter is not there or not permitted."""
        if self._value is None or time.monotonic() > self._until:
            self._value = self._read()
            self._until = time.monotonic() + KEPT_SECONDS
        return self._value

    def _read(self) -> str:
        if not self._name:
            return ""
        if self._name.startswith(FILE):
            return _from_file(Path(self._name.removeprefix(FILE)))
        with mapped(f"the parameter {self._name}"):
            reply = client("ssm").get_parameter(Name=self._name, WithDecryption=True)
        return str(reply["Parameter"]["Value"])


def _from_file(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8").strip()
    except OSError as e:
        raise Broken(f"can not read the secret in {path}: {e.strerror}", code="BAD_SETTING") from e
