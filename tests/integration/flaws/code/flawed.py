import os
import sys


class Unavailable(Exception):
    pass


def quick(_event, _context):
    return {"statusCode": 200, "headers": {"content-type": "application/json"}, "body": "{}", "path": sys.path, "pid": os.getpid()}


def raising(event, _context):
    if event.get("raise"):
        raise Unavailable("told to")
    return os.getpid()


def publishing(event, _context):
    import boto3
    from botocore.exceptions import ClientError

    try:
        boto3.client("sns").publish(TopicArn=event["topic"], Message="any")
    except ClientError as e:
        return e.response["Error"]["Code"]
    return None
