"""Objects in S3."""

from collections.abc import Iterator

import boto3
import pytest
from moto import mock_aws

from superbiz.adapters.memory import MemoryObjects
from superbiz.adapters.objects import S3Objects
from superbiz.errors import Broken, Unavailable
from superbiz.ports import Objects
from support.tables import REGION


@pytest.fixture(params=["memory", "s3"])
def objects(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[Objects]:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "testing")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "testing")
    monkeypatch.delenv("AWS_ENDPOINT_URL", raising=False)
    with mock_aws():
        boto3.client("s3", region_name=REGION).create_bucket(Bucket="objects")
        yield MemoryObjects() if request.param == "memory" else S3Objects("objects", region=REGION)


@pytest.mark.parametrize("data", [b"", b"\x00\xff" * 1_000_000])
def test_bytes_come_back(objects: Objects, data: bytes) -> None:
    objects.put("sha256/ab/abc", data)
    assert objects.get("sha256/ab/abc") == data


def test_the_last_bytes_put_are_what_is_there(objects: Objects) -> None:
    objects.put("k", b"1")
    objects.put("k", b"2")
    assert objects.get("k") == b"2"


def test_what_is_not_there_is_none(objects: Objects) -> None:
    assert objects.get("nothing") is None


@pytest.mark.usefixtures("objects")
def test_a_missing_bucket_is_named_with_the_mend() -> None:
    with pytest.raises(Broken, match=r"no-such-bucket.*BUCKET_NAME"):
        S3Objects("no-such-bucket", region=REGION).put("k", b"")
    with pytest.raises(Broken, match="BUCKET_NAME"):
        S3Objects("no-such-bucket", region=REGION).get("k")


def test_nobody_at_the_endpoint_is_unavailable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "testing")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "testing")
    monkeypatch.setattr("superbiz.adapters.objects.ATTEMPTS", 1)
    with pytest.raises(Unavailable):
        S3Objects("b", region=REGION, host="http://127.0.0.1:9").get("k")
