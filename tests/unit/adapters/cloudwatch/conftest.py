"""Clients over moto, for the services that moto is true to."""

from collections.abc import Iterator

import boto3
import pytest
from moto import mock_aws

from superbiz.adapters.cloudwatch.session import Clients, Reach


@pytest.fixture
def moto_clients(monkeypatch: pytest.MonkeyPatch) -> Iterator[Clients]:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "testing")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "testing")
    monkeypatch.delenv("AWS_ENDPOINT_URL", raising=False)
    with mock_aws():
        yield Clients(Reach("eu-west-1"), boto3.client)
