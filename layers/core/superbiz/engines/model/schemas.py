"""The JSON schemas that a model's answers are asked for by: every property required, nothing else allowed, and only keywords that
structured-output endpoints know."""

from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum
from typing import Any

from superbiz.domain.claims import ClaimType, Conclusion, FaultCategory
from superbiz.domain.facts import Aggregate, Op
from superbiz.domain.values import JsonObject
from superbiz.domain.verification import CheckResult, Expressible, Verdict
from superbiz.engines.model.talk import Shape

STRING: JsonObject = {"type": "string"}
NUMBER: JsonObject = {"type": "number"}
BOOLEAN: JsonObject = {"type": "boolean"}
_KEPT = ("type", "description", "enum")


def obj(**properties: JsonObject) -> JsonObject:
    """An object with exactly these properties."""
    return {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}


def array(items: JsonObject) -> JsonObject:
    """A list of these."""
    return {"type": "array", "items": items}


def nullable(schema: JsonObject) -> JsonObject:
    """This, or null."""
    return {"anyOf": [schema, {"type": "null"}]}


def one_of(values: Iterable[StrEnum]) -> JsonObject:
    """One of an enumeration's words."""
    return {"type": "string", "enum": [v.value for v in values]}


STRINGS = array(STRING)
BINDING = obj(invocation_id=STRING, raw_path=STRING, evidence_excerpt=STRING)
FACT = obj(
    subject=STRING,
    metric=STRING,
    op=one_of(Op),
    value={"anyOf": [NUMBER, STRING, {"type": "null"}]},
    unit=nullable(STRING),
    time=nullable(STRING),
    aggregate=one_of(Aggregate),
    path=STRING,
)
CLAIM = obj(
    claim_id=STRING,
    claim_text=STRING,
    claim_type=one_of(ClaimType),
    critical=BOOLEAN,
    evidence=array(BINDING),
    facts=array(FACT),
)
CAUSE = obj(resource=STRING, operation=nullable(STRING), fault_category=one_of(FaultCategory), score=NUMBER, claim_ids=STRINGS)
FINISH = obj(
    conclusion=one_of(Conclusion),
    causes=array(CAUSE),
    ruled_out=array(obj(what=STRING, why=STRING, claim_ids=STRINGS)),
    keep_claim_ids=STRINGS,
    claims=array(CLAIM),
    open_questions=STRINGS,
    answer=STRING,
)
FINISH_ONLY = Shape("finish", obj(thought=STRING, finish=FINISH))
RESULT = one_of(r for r in CheckResult if r is not CheckResult.NOT_VERIFIED)  # that one is the Gatekeeper's to say
VERIFICATION = Shape(
    "verification",
    obj(
        claim_checks=array(obj(claim_id=STRING, reason=STRING, result=RESULT, expressible=one_of(Expressible))),
        facts_checked=array(obj(claim_id=STRING, fact=STRING, critical=BOOLEAN, result=RESULT)),
        rationale=STRING,
        critical_fact_count={"type": "integer"},
        groundedness_score=NUMBER,
        verdict=one_of(Verdict),
    ),
)
COMPOSITION = Shape("composition", obj(conclusion=STRING, root_cause=STRINGS, evidence=STRINGS))


def action(tools: Sequence[JsonObject]) -> Shape:
    """Call tools, or finish."""
    calls = [obj(tool={"type": "string", "enum": [t["name"]]}, arguments=strict(t["input_schema"])) for t in tools]
    return Shape("action", obj(thought=STRING, calls=array({"anyOf": calls}), finish=nullable(FINISH)))


def described(tool: JsonObject) -> str:
    """A tool in the prompt: what it does, and each parameter, since not every endpoint shows its model the schema."""
    schema = tool["input_schema"]
    needed = schema.get("required", ())
    told = [
        f"  - `{name}`{'' if name in needed else ' (optional)'}{': ' + part['description'] if 'description' in part else ''}"
        for name, part in schema.get("properties", {}).items()
    ]
    return "\n".join((f"- `{tool['name']}`: {' '.join(tool['description'].split())}", *told))


def strict(schema: JsonObject) -> JsonObject:
    """A tool's input schema in this form: references written out, optional parameters nullable, limits left to the tool's own check."""
    return _strict(schema, schema.get("$defs", {}))


def _strict(schema: Mapping[str, Any], defs: Mapping[str, Any]) -> JsonObject:
    if "$ref" in schema:
        schema = {**defs[schema["$ref"].rsplit("/", 1)[-1]], **{k: v for k, v in schema.items() if k != "$ref"}}
    if "allOf" in schema and len(schema["allOf"]) == 1:
        schema = {**schema["allOf"][0], **{k: v for k, v in schema.items() if k != "allOf"}}
        return _strict(schema, defs)
    made: JsonObject = {key: schema[key] for key in _KEPT if key in schema}
    if "const" in schema:
        made |= {"enum": [schema["const"]]}
    for name in ("anyOf", "oneOf"):
        if name in schema:
            made["anyOf"] = [_strict(option, defs) for option in schema[name]]
    if schema.get("type") == "array":
        made["items"] = _strict(schema.get("items", STRING), defs)
    if schema.get("type") == "object":
        made |= _strict_object(schema, defs)
    return made


def _strict_object(schema: Mapping[str, Any], defs: Mapping[str, Any]) -> JsonObject:
    needed = schema.get("required", ())
    properties = {
        name: _strict(part, defs) if name in needed else _optional(_strict(part, defs))
        for name, part in schema.get("properties", {}).items()
    }
    return obj(**properties)


def _optional(schema: JsonObject) -> JsonObject:
    if {"type": "null"} in schema.get("anyOf", ()):
        return schema
    described = {"description": schema["description"]} if "description" in schema else {}
    return described | nullable({k: v for k, v in schema.items() if k != "description"})
