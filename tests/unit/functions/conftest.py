"""The functions over ports in memory."""

import pytest

from superbiz.ports import Ports
from support.serving import Functions, memory_ports


@pytest.fixture
def ports() -> Ports:
    return memory_ports()


@pytest.fixture
def api(monkeypatch: pytest.MonkeyPatch, ports: Ports) -> Functions:
    return Functions(monkeypatch, ports)
