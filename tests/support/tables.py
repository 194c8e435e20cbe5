"""The table as the template defines it, made in moto, or at a running endpoint."""

import uuid
from pathlib import Path
from typing import Any

import yaml

TEMPLATE = Path(__file__).resolve().parents[2] / "template.yaml"
TAKEN = ("AttributeDefinitions", "KeySchema", "GlobalSecondaryIndexes", "BillingMode")


class _Template(yaml.SafeLoader):
    """Reads a CloudFormation template; what its short tags stand for is of no interest here."""


_Template.add_multi_constructor("!", lambda loader, _tag, node: _content(loader, node))


def _content(loader: yaml.SafeLoader, node: yaml.Node) -> Any:
    if isinstance(node, yaml.ScalarNode):
        return loader.construct_scalar(node)
    return loader.construct_sequence(node) if isinstance(node, yaml.SequenceNode) else loader.construct_mapping(node)


def resource(kind: str) -> dict[str, Any]:
    """The properties of the template's one resource of this kind."""
    resources = yaml.load(TEMPLATE.read_text(encoding="utf-8"), Loader=_Template)["Resources"]
    (found,) = [r for r in resources.values() if r["Type"] == kind]
    return dict(found["Properties"])


def create_table(client: Any, name: str | None = None) -> str:
    """A table of its own for one test, as the template has it."""
    properties = resource("AWS::DynamoDB::Table")
    name = name or f"table-{uuid.uuid4()}"
    client.create_table(TableName=name, **{key: properties[key] for key in TAKEN})
    return name
