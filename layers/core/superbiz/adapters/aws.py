"""AWS clients, made on first use: importing boto3 and reading its service models costs more than many a request."""

from functools import cache
from typing import Any

# Quick calls on the way of a request: a hung connection must not eat the function's whole time.
CONNECT_SECONDS, READ_SECONDS, ATTEMPTS = 3, 10, 4


@cache
def client(service: str) -> Any:
    """One client a service and process; endpoint, region and credentials are the environment's."""
    import boto3
    from botocore.config import Config

    retries = {"mode": "standard", "total_max_attempts": ATTEMPTS}
    config = Config(connect_timeout=CONNECT_SECONDS, read_timeout=READ_SECONDS, retries=retries)
    return boto3.client(service, config=config)
