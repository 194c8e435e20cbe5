"""How the tests of the catalogue ask for its worlds and for the reports on them."""

from pathlib import Path
from typing import Protocol

from superbiz.domain.values import JsonObject

SEED = 7


class Written(Protocol):
    """The folder of a world of the catalogue."""

    def __call__(self, name: str, seed: int = SEED) -> Path: ...


class Reported(Protocol):
    """The report on a world of the catalogue."""

    def __call__(self, name: str, seed: int = SEED) -> JsonObject: ...
