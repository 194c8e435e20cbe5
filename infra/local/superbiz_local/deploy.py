"""Create the stack by CloudFormation, as `sam deploy` does it."""

import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from superbiz_local.packaging import Sources, key_of, package

ARTIFACTS = "superbiz-artifacts"
CAPABILITIES = ["CAPABILITY_IAM", "CAPABILITY_AUTO_EXPAND"]
_POLL_SECONDS = 0.05
_TIMEOUT_SECONDS = 120.0


class DeployFailed(Exception):
    """CloudFormation's own words: which resource, and why."""


def deploy(
    client: Callable[[str], Any], template: Path, stack_name: str, sources: Sources, parameters: Mapping[str, str]
) -> dict[str, str]:
    """The stack's outputs, once it is complete."""
    s3, cloudformation = client("s3"), client("cloudformation")
    s3.create_bucket(Bucket=ARTIFACTS)

    def store(data: bytes) -> str:
        key = key_of(data)
        s3.put_object(Bucket=ARTIFACTS, Key=key, Body=data)
        return f"s3://{ARTIFACTS}/{key}"

    key = store(package(template, sources, store).encode()).removeprefix("s3://")
    cloudformation.create_stack(
        StackName=stack_name,
        TemplateURL=f"{s3.meta.endpoint_url}/{key}",
        Capabilities=CAPABILITIES,
        Parameters=[{"ParameterKey": k, "ParameterValue": v} for k, v in parameters.items()],
    )
    return _outputs(cloudformation, stack_name)


def _outputs(cloudformation: Any, stack_name: str) -> dict[str, str]:
    give_up = time.monotonic() + _TIMEOUT_SECONDS
    while time.monotonic() < give_up:
        stack = cloudformation.describe_stacks(StackName=stack_name)["Stacks"][0]
        if stack["StackStatus"] == "CREATE_COMPLETE":
            return {output["OutputKey"]: output["OutputValue"] for output in stack.get("Outputs", [])}
        if not stack["StackStatus"].endswith("_IN_PROGRESS") or stack["StackStatus"].startswith("ROLLBACK"):
            raise DeployFailed(f"{stack['StackStatus']}: {_reasons(cloudformation, stack_name)}")
        time.sleep(_POLL_SECONDS)
    raise DeployFailed(f"not complete after {_TIMEOUT_SECONDS:g} s")


def _reasons(cloudformation: Any, stack_name: str) -> str:
    events = cloudformation.describe_stack_events(StackName=stack_name)["StackEvents"]
    failed = [f"{e['LogicalResourceId']}: {e.get('ResourceStatusReason')}" for e in events if "FAILED" in e["ResourceStatus"]]
    return "; ".join(failed) or "no reason given"
