"""Local stacks, one a session: over tiny functions, to try the stack itself; and the product, its policies enforced."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from superbiz_local.packaging import from_source
from superbiz_local.stack import ROOT, LocalStack
from support.local import TINY, Told, build_alarming_world


@pytest.fixture(scope="session")
def tiny_stack() -> Iterator[LocalStack]:
    """The real template and state machine over functions that tell what they were told."""
    with LocalStack(sources=from_source(ROOT)._replace(functions=TINY), vectors=False, wait_scale=0.05) as stack:
        yield stack


@pytest.fixture(scope="session")
def told(tiny_stack: LocalStack) -> Told:
    return Told(tiny_stack)


@pytest.fixture(scope="session")
def world(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small incident: a connection pool that runs dry after a deploy."""
    return build_alarming_world(tmp_path_factory.mktemp("world"))


@pytest.fixture(scope="session")
def product(world: Path) -> Iterator[LocalStack]:
    """The product as it is deployed: real functions, each with its own role and no more."""
    with LocalStack(world_dir=world, enforce_policies=True, wait_scale=0.2) as stack:
        yield stack
