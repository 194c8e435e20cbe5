"""Tries calls with the role of the function that it runs as, and tells which were refused."""

from functools import lru_cache

import boto3
from botocore.exceptions import ClientError

REFUSALS = {"AccessDenied", "AccessDeniedException", "AuthorizationError", "AuthorizationErrorException"}


def handler(event, _context):
    return [outcome(*call) for call in event["calls"]]


@lru_cache
def client(service):
    return boto3.client(service)


def outcome(service, operation, parameters):
    try:
        getattr(client(service), operation)(**parameters)
    except ClientError as e:
        code = e.response["Error"]["Code"]
        return "refused" if code in REFUSALS else code
    return "allowed"
