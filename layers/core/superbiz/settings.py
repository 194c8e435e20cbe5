"""The one place that reads the environment: lazily, and whole. Each field is a variable of the template, in capitals."""

import os
from collections.abc import Mapping
from enum import StrEnum
from functools import lru_cache

from pydantic import Field, ValidationError

from superbiz.domain.runs import EngineName
from superbiz.domain.values import Value
from superbiz.errors import Broken


class RedactIps(StrEnum):
    """Private addresses are needed to diagnose with and tell of no person; public ones may be those of clients."""

    NONE = "none"
    PUBLIC = "public"
    ALL = "all"


class Settings(Value):
    """Names of resources are empty where a function has no use for them."""

    stack_name: str = "superbiz"
    table_name: str = ""
    bucket_name: str = ""
    state_machine_arn: str = ""
    intake_queue_url: str = ""
    evaluation_queue_url: str = ""
    topic_arn: str = ""
    event_bus_name: str = ""
    console_url: str = ""
    engine: EngineName = EngineName.OFFLINE
    world_dir: str = ""
    stack_region: str = ""
    stack_account: str = ""
    evidence_role_name: str = Field(default="", description="the role that is assumed to read an account that is not the stack's")
    evidence_external_id: str = ""
    model_base_url: str = ""
    model_name: str = ""
    model_key_parameter: str = ""
    model_timeout_seconds: float = 60.0
    model_input_price: float = Field(default=0.0, description="US dollars a million input tokens")
    model_output_price: float = Field(default=0.0, description="US dollars a million output tokens")
    lease_seconds: float = Field(default=30.0, gt=0, description="how long a step is held without a sign of life")
    run_token_budget: int = 200_000
    day_token_budget: int = 5_000_000
    milvus_uri: str = ""
    milvus_token_parameter: str = ""
    episode_cooldown_minutes: int = 30
    redact_ips: RedactIps = Field(default=RedactIps.PUBLIC, description="which IP addresses are replaced in what is recorded")
    max_open_runs: int = Field(default=20, description="alarm runs under way at once; further alarms are deferred")


def from_environment(environment: Mapping[str, str]) -> Settings:
    """Empty variables count as absent. Raises Broken with the variable's name where a value is unusable."""
    given = {name: environment[name.upper()] for name in Settings.model_fields if environment.get(name.upper())}
    try:
        return Settings.model_validate(given)
    except ValidationError as e:
        first = e.errors()[0]
        raise Broken(f"setting {str(first['loc'][0]).upper()}: {first['msg']}", code="BAD_SETTING") from e


@lru_cache(maxsize=1)
def settings() -> Settings:
    """The process's settings, read once."""
    return from_environment(os.environ)
