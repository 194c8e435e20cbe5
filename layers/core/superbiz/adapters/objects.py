"""Objects in S3."""

import threading
from typing import Any

from superbiz.adapters.aws_errors import mapped

ATTEMPTS = 4


class S3Objects:
    """`ports.Objects` in one bucket. The client is made on first use and shared by threads."""

    def __init__(self, bucket_name: str, *, region: str | None = None, host: str | None = None) -> None:
        self._bucket, self._region, self._host = bucket_name, region, host
        self._lock = threading.Lock()
        self._made: Any = None

    def put(self, key: str, data: bytes) -> None:
        """Answered when it is durable."""
        with mapped(self._what(key)):
            self._client.put_object(Bucket=self._bucket, Key=key, Body=data)

    def get(self, key: str) -> bytes | None:
        """None where there is no such object."""
        from botocore.exceptions import ClientError

        with mapped(self._what(key)):
            try:
                return bytes(self._client.get_object(Bucket=self._bucket, Key=key)["Body"].read())
            except ClientError as e:
                if e.response.get("Error", {}).get("Code") == "NoSuchKey":
                    return None
                raise

    @property
    def _client(self) -> Any:
        with self._lock:
            if self._made is None:
                import boto3
                from botocore.config import Config

                config = Config(connect_timeout=2, read_timeout=10, retries={"total_max_attempts": ATTEMPTS, "mode": "standard"})
                session = boto3.session.Session(region_name=self._region)
                self._made = session.client("s3", endpoint_url=self._host, config=config)
            return self._made

    def _what(self, key: str) -> str:
        return f"object {key} in bucket {self._bucket or '(BUCKET_NAME is not set)'}"
