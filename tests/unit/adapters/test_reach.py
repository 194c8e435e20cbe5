"""Whether an address answers."""

import socket
from collections.abc import Iterator

import pytest

from superbiz.adapters.reach import reach


@pytest.fixture
def listening() -> Iterator[int]:
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server.getsockname()[1]


def test_an_address_that_accepts_a_connection_is_reached(listening: int) -> None:
    assert reach(f"http://127.0.0.1:{listening}/v1") is None


def test_one_that_does_not_says_why(listening: int) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        free = server.getsockname()[1]
    assert "127.0.0.1" in (reach(f"http://127.0.0.1:{free}") or "")


@pytest.mark.parametrize("uri", ["", "no address", "http://", "http://127.0.0.1:99999", "http://[::1"])
def test_what_is_no_address_is_not_reached(uri: str) -> None:
    assert reach(uri)
