"""One local stack a session over tiny functions, to try the stack itself."""

from collections.abc import Iterator

import pytest

from superbiz_local.packaging import from_source
from superbiz_local.stack import ROOT, LocalStack
from support.local import TINY, Told


@pytest.fixture(scope="session")
def tiny_stack() -> Iterator[LocalStack]:
    """The real template and state machine over functions that tell what they were told."""
    with LocalStack(sources=from_source(ROOT)._replace(functions=TINY), vectors=False, wait_scale=0.05) as stack:
        yield stack


@pytest.fixture(scope="session")
def told(tiny_stack: LocalStack) -> Told:
    return Told(tiny_stack)
