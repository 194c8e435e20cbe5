"""One diagnosis of each spoiled world, however many tests look at it."""

from collections.abc import Callable
from functools import cache

import pytest

from superbiz_cli.worlds import Diagnosis
from support.worlds import Spoil, asked, diagnosed, healthy_world

Spoiled = Callable[..., Diagnosis]


@pytest.fixture(scope="package")
def spoiled(tmp_path_factory: pytest.TempPathFactory) -> Spoiled:
    """Of a healthy shop's world, spoiled into a new one; started by a question where it is so wanted, else by the alarm."""

    healthy = healthy_world()

    @cache
    def diagnosis(spoil: Spoil, question: bool = False) -> Diagnosis:
        files = spoil(healthy)
        return diagnosed(tmp_path_factory.mktemp("world"), asked(files) if question else files)

    return diagnosis
