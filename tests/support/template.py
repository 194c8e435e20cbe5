"""The template as tests read it: after the SAM transform, with Ref, Sub and GetAtt left as they are written."""

import json
import os
import re
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple
from unittest.mock import patch

from samtranslator.translator.transform import transform
from samtranslator.yaml_helper import yaml_parse

ROOT = Path(__file__).parents[2]
TEMPLATE = ROOT / "template.yaml"
DEFINITION = ROOT / "infra" / "diagnosis.asl.yaml"
Json = dict[str, Any]


@lru_cache(maxsize=1)
def written() -> Json:
    """As it is written."""
    parsed: Json = yaml_parse(TEMPLATE.read_text())
    return parsed


@lru_cache(maxsize=1)
def deployed() -> Json:
    """After the transform: native resources only."""
    parsed = json.loads(re.sub(r'"(functions/|layers/\w+|infra/[\w.]+)"', '"s3://bucket/key"', json.dumps(written())))

    class NoPolicies:
        def load(self) -> Json:
            return {}

    with patch.dict(os.environ, {"AWS_DEFAULT_REGION": "us-east-1"}):  # the transform wants to know one
        result: Json = transform(parsed, {}, NoPolicies())
    return result


def resources(kind: str) -> dict[str, Json]:
    """Properties by logical id."""
    return {name: r.get("Properties", {}) for name, r in deployed()["Resources"].items() if r["Type"] == kind}


@lru_cache(maxsize=1)
def definition() -> Json:
    """The state machine."""
    parsed: Json = yaml_parse(DEFINITION.read_text())
    return parsed


class Statement(NamedTuple):
    role: str
    sid: str
    effect: str
    actions: tuple[str, ...]
    resources: tuple[Any, ...]
    condition: Json


def statements(role: str) -> Iterator[Statement]:
    """Of a role: its own and those of the managed policies that it names, both branches of every condition."""
    properties = resources("AWS::IAM::Role")[role]
    managed = resources("AWS::IAM::ManagedPolicy")
    documents = [p["PolicyDocument"] for p in properties.get("Policies", [])]
    documents += [managed[ref["Ref"]]["PolicyDocument"] for ref in properties.get("ManagedPolicyArns", [])]
    for document in documents:
        for statement in document["Statement"]:
            for branch in statement.get("Fn::If", [None, statement])[1:]:
                if "Effect" in branch:
                    yield Statement(
                        role,
                        branch.get("Sid", ""),
                        branch["Effect"],
                        tuple(_listed(branch["Action"])),
                        tuple(_listed(branch["Resource"])),
                        branch.get("Condition", {}),
                    )


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]
