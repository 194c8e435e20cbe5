"""The template, read as data: what every resource of a kind must have, whatever is added later."""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from superbiz.adapters.cloudwatch.actions import ACTIONS
from superbiz.edge.routes import ROUTES
from superbiz.settings import Settings
from support.template import TEMPLATE, Json, Statement, definition, deployed, resources, statements, written

FUNCTIONS = resources("AWS::Lambda::Function")
# Powertools' own variables; every other one is a field of the settings.
POWERTOOLS = {"POWERTOOLS_SERVICE_NAME", "POWERTOOLS_METRICS_NAMESPACE", "LOG_LEVEL"}
# Actions that AWS grants for all resources or not at all.
RESOURCELESS = {
    "xray:PutTraceSegments",
    "xray:PutTelemetryRecords",
    "xray:GetSamplingRules",
    "xray:GetSamplingTargets",
    "logs:CreateLogDelivery",
    "logs:GetLogDelivery",
    "logs:UpdateLogDelivery",
    "logs:DeleteLogDelivery",
    "logs:ListLogDeliveries",
    "logs:PutResourcePolicy",
    "logs:DescribeResourcePolicies",
    "logs:DescribeLogGroups",
} | {action.name for action in ACTIONS if not action.resource}
WRITES = {"dynamodb:PutItem", "dynamodb:UpdateItem", "dynamodb:DeleteItem", "dynamodb:BatchWriteItem", "dynamodb:PartiQLUpdate"}
MODEL_CALLERS = {"ExecutorFunction", "StepsFunction"}


def role_of(function: str) -> str:
    name: str = FUNCTIONS[function]["Role"]["Fn::GetAtt"][0]
    return name


def variables(function: str) -> set[str]:
    return set(FUNCTIONS[function].get("Environment", {}).get("Variables", {}))


def allowed() -> Iterator[Statement]:
    for role in resources("AWS::IAM::Role"):
        yield from (s for s in statements(role) if s.effect == "Allow")


def targets_of_events() -> dict[str, Any]:
    """Functions that are invoked asynchronously: by a rule, or by an alarm's action."""
    by_rule = {
        target["Arn"]["Fn::GetAtt"][0]: rule
        for rule in resources("AWS::Events::Rule").values()
        for target in rule["Targets"]
        if target["Arn"]["Fn::GetAtt"][0] in FUNCTIONS
    }
    by_alarm = {
        p["FunctionName"]["Ref"]: p
        for p in resources("AWS::Lambda::Permission").values()
        if p["Principal"] == "lambda.alarms.cloudwatch.amazonaws.com"
    }
    return by_rule | by_alarm


def test_the_template_is_valid() -> None:
    command = [str(Path(sys.executable).with_name("cfn-lint")), str(TEMPLATE)]
    linted = subprocess.run(command, check=False, capture_output=True, text=True)
    assert linted.returncode == 0, linted.stdout


def test_every_function_has_a_role_that_no_other_has() -> None:
    roles = [role_of(function) for function in FUNCTIONS]
    assert len(set(roles)) == len(roles) == 10


def test_no_star_is_allowed_but_where_aws_knows_no_resource() -> None:
    for statement in allowed():
        assert not any("*" in action for action in statement.actions), statement
        if "*" in statement.resources:
            assert set(statement.actions) <= RESOURCELESS, statement


def test_no_function_may_unmask_what_cloudwatch_masks() -> None:
    for function in FUNCTIONS:
        denied = [s for s in statements(role_of(function)) if s.effect == "Deny" and "logs:Unmask" in s.actions]
        assert denied, function
        assert denied[0].resources == ("*",)


def test_a_function_may_write_into_its_own_log_group_alone() -> None:
    for function, properties in FUNCTIONS.items():
        group = properties["LoggingConfig"]["LogGroup"]["Ref"]
        granted = [s.resources for s in statements(role_of(function)) if s.effect == "Allow" and "logs:PutLogEvents" in s.actions]
        assert granted == [({"Fn::GetAtt": [group, "Arn"]},)], function


# REQ-181: new executions never write the legacy items.
def test_only_feedback_may_write_legacy_items() -> None:
    for function in FUNCTIONS:
        denied = any(
            WRITES - {"dynamodb:PartiQLUpdate"} <= set(s.actions)
            and s.effect == "Deny"
            and s.condition == {"ForAnyValue:StringLike": {"dynamodb:LeadingKeys": ["DIAGSESSION#*"]}}
            for s in statements(role_of(function))
        )
        assert denied == (function != "FeedbackFunction"), function


# REQ-181: and what a role may write is named by key.
def test_every_write_to_the_table_is_bound_to_keys() -> None:
    for statement in allowed():
        if WRITES & set(statement.actions):
            keys = statement.condition["ForAllValues:StringLike"]["dynamodb:LeadingKeys"]
            assert all(not key.startswith("*") for key in keys)
            assert any(key.startswith("DIAGSESSION") for key in keys) == (statement.role == "FeedbackRole"), statement


def test_reading_functions_can_not_write() -> None:
    assert not [s for s in statements("TracesRole") if s.effect == "Allow" and (WRITES | {"s3:PutObject"}) & set(s.actions)]


def test_the_intake_can_not_call_the_model() -> None:
    for function in set(FUNCTIONS) - MODEL_CALLERS:
        assert "MODEL_KEY_PARAMETER" not in variables(function), function
        keys = [s for s in statements(role_of(function)) if s.sid == "ModelKey" or "${ModelKeyParameter}" in json.dumps(s.resources)]
        assert not keys, function


# REQ-060: the Gatekeeper's function, and every other but the executor, has no way to evidence.
def test_only_the_executor_may_read_evidence() -> None:
    evidence = {action.name for action in ACTIONS} | {"sts:AssumeRole"}
    services = ("logs:StartQuery", "logs:Get", "cloudwatch:", "xray:Get", "xray:Batch", "cloudtrail:", "rds:", "ecs:", "pi:", "health:")
    for function in set(FUNCTIONS) - {"ExecutorFunction"}:
        for statement in statements(role_of(function)):
            named = [a for a in statement.actions if a in evidence or a.startswith(services)]
            assert statement.effect == "Deny" or not named, statement


def test_settings_are_the_templates_variables() -> None:
    used = set().union(*(variables(function) for function in FUNCTIONS))
    assert used - POWERTOOLS == {name.upper() for name in Settings.model_fields}
    assert used >= POWERTOOLS


def test_every_parameter_is_used() -> None:
    text = json.dumps({k: v for k, v in written().items() if k != "Parameters"})
    assert [name for name in written()["Parameters"] if f'"{name}"' not in text and f"${{{name}}}" not in text] == []


def test_no_route_is_without_authorization() -> None:
    routes = resources("AWS::ApiGatewayV2::Route")
    assert {name: route.get("AuthorizationType") for name, route in routes.items() if route.get("AuthorizationType") != "AWS_IAM"} == {}
    assert "$default" in {route["RouteKey"] for route in routes.values()}


def test_routes_are_those_of_the_table() -> None:
    functions = {f"{route.method} {route.path}": route.function for route in ROUTES} | {"$default": "traces"}
    found = {r["RouteKey"]: r["Target"]["Fn::Sub"] for r in resources("AWS::ApiGatewayV2::Route").values()}
    assert found == {key: f"integrations/${{{name.capitalize()}Integration}}" for key, name in functions.items()}


def test_every_integration_reaches_its_function_with_permission() -> None:
    permitted = {
        p["FunctionName"]["Ref"] for p in resources("AWS::Lambda::Permission").values() if p["Principal"] == "apigateway.amazonaws.com"
    }
    integrations = resources("AWS::ApiGatewayV2::Integration")
    assert {i["IntegrationUri"]["Fn::GetAtt"][0] for i in integrations.values()} == permitted
    assert all(i["PayloadFormatVersion"] == "2.0" for i in integrations.values())


def test_every_function_is_traced_and_logs_into_a_group_with_retention() -> None:
    groups = resources("AWS::Logs::LogGroup")
    assert all("RetentionInDays" in group for group in groups.values())
    for function in FUNCTIONS.values():
        assert function["LoggingConfig"]["LogGroup"]["Ref"] in groups
        assert function["TracingConfig"] == {"Mode": "Active"}


def test_the_state_machine_logs_errors_without_data() -> None:
    logging = resources("AWS::StepFunctions::StateMachine")["Diagnosis"]["LoggingConfiguration"]
    assert (logging["Level"], logging["IncludeExecutionData"]) == ("ERROR", False)
    assert logging["Destinations"][0]["CloudWatchLogsLogGroup"]["LogGroupArn"]["Fn::GetAtt"][0] in resources("AWS::Logs::LogGroup")


def test_every_queue_has_a_dead_letter_queue_or_is_one() -> None:
    queues = resources("AWS::SQS::Queue")
    dead = {q["RedrivePolicy"]["deadLetterTargetArn"]["Fn::GetAtt"][0] for q in queues.values() if "RedrivePolicy" in q}
    assert {name for name, q in queues.items() if "RedrivePolicy" not in q} == dead | {"UndeliveredEvents"}


def test_every_asynchronous_function_says_where_its_failures_go() -> None:
    failures = {
        config["FunctionName"]["Ref"]: config["DestinationConfig"] for config in resources("AWS::Lambda::EventInvokeConfig").values()
    }
    assert set(failures) == set(targets_of_events()) == {"AlarmActionFunction", "SweeperFunction"}
    for function, destination in failures.items():
        queue = destination["OnFailure"]["Destination"]
        assert queue == {"Fn::GetAtt": ["UndeliveredEvents", "Arn"]}
        assert [s for s in statements(role_of(function)) if "sqs:SendMessage" in s.actions and queue in s.resources], function


def test_every_rule_keeps_what_it_can_not_deliver() -> None:
    for name, rule in resources("AWS::Events::Rule").items():
        assert all("DeadLetterConfig" in target for target in rule["Targets"]), name


def test_the_stack_never_diagnoses_its_own_alarms() -> None:
    (excluded,) = resources("AWS::Events::Rule")["AlarmRule"]["EventPattern"]["detail"]["alarmName"]
    assert {"Fn::Sub": "${AWS::StackName}-"} in excluded["anything-but"]["prefix"]
    for name, alarm in resources("AWS::CloudWatch::Alarm").items():
        assert alarm["AlarmName"]["Fn::Sub"].startswith("${AWS::StackName}-"), name
        assert alarm["AlarmActions"], name


def consumers() -> list[tuple[str, str]]:
    return [
        (mapping["FunctionName"]["Ref"], mapping["EventSourceArn"]["Fn::GetAtt"][0])
        for mapping in resources("AWS::Lambda::EventSourceMapping").values()
    ]


@pytest.mark.parametrize(("function", "queue"), consumers())
def test_a_message_stays_hidden_for_six_times_its_consumers_time(function: str, queue: str) -> None:
    assert FUNCTIONS[function]["Timeout"] * 6 <= resources("AWS::SQS::Queue")[queue]["VisibilityTimeout"]


def test_every_consumer_is_bounded_and_gives_back_single_messages() -> None:
    for mapping in resources("AWS::Lambda::EventSourceMapping").values():
        assert mapping["FunctionResponseTypes"] == ["ReportBatchItemFailures"]
        assert "MaximumConcurrency" in mapping["ScalingConfig"]


def states_of(function: str) -> list[Json]:
    return [s for s in definition()["States"].values() if s.get("Resource") == f"${{{function}Arn}}"]


@pytest.mark.parametrize("function", sorted(MODEL_CALLERS))
def test_model_call_function_state_and_execution_are_nested_in_time(function: str) -> None:
    model = written()["Parameters"]["ModelTimeoutSeconds"]
    states = [state["TimeoutSeconds"] for state in states_of(function)]
    assert states
    assert model["Default"] <= model["MaxValue"] < FUNCTIONS[function]["Timeout"] < min(states)
    assert max(states) < definition()["TimeoutSeconds"]


def test_an_execution_has_time_for_both_rounds_at_their_slowest() -> None:
    states = definition()["States"]
    a_round = sum(states[name]["TimeoutSeconds"] for name in ("Executor", "Gatekeeper", "Verifier"))
    assert 2 * a_round + states["Composer"]["TimeoutSeconds"] < definition()["TimeoutSeconds"]


def test_the_api_answers_before_its_gateway_gives_up() -> None:
    for integration in resources("AWS::ApiGatewayV2::Integration").values():
        function = integration["IntegrationUri"]["Fn::GetAtt"][0]
        assert FUNCTIONS[function]["Timeout"] * 1000 < integration["TimeoutInMillis"] <= 30_000


def test_layers_are_attached_only_where_they_are_used() -> None:
    layers = {name: [layer["Ref"].rstrip("0123456789abcdef") for layer in f["Layers"]] for name, f in FUNCTIONS.items()}
    core = ["CoreLayer"]
    assert layers.pop("ExecutorFunction") == layers.pop("KnowledgeFunction") == [*core, "DiagnosisLayer", "RetrievalLayer"]
    assert layers.pop("StepsFunction") == [*core, "DiagnosisLayer"]
    assert all(attached == core for attached in layers.values())


def test_functions_run_on_arm_without_snapshots() -> None:
    for name, function in FUNCTIONS.items():
        assert (function["Runtime"], function["Architectures"]) == ("python3.13", ["arm64"]), name
        assert "SnapStart" not in function, name


def test_what_is_kept_is_private_encrypted_and_recoverable() -> None:
    table, bucket = deployed()["Resources"]["Table"], deployed()["Resources"]["Bucket"]
    assert table["DeletionPolicy"] == bucket["DeletionPolicy"] == "Retain"
    assert table["Properties"]["PointInTimeRecoverySpecification"]["PointInTimeRecoveryEnabled"]
    assert table["Properties"]["BillingMode"] == "PAY_PER_REQUEST"
    assert set(bucket["Properties"]["PublicAccessBlockConfiguration"].values()) == {True}
    assert bucket["Properties"]["BucketEncryption"]
    (tls,) = resources("AWS::S3::BucketPolicy")["BucketPolicy"]["PolicyDocument"]["Statement"]
    assert (tls["Effect"], tls["Condition"]) == ("Deny", {"Bool": {"aws:SecureTransport": "false"}})
    assert all(queue["SqsManagedSseEnabled"] for queue in resources("AWS::SQS::Queue").values())


# REQ-150: nothing but history and alarm events ever expires; the table's one expiry attribute is this.
def test_the_table_expires_by_its_ttl_attribute() -> None:
    assert resources("AWS::DynamoDB::Table")["Table"]["TimeToLiveSpecification"] == {"AttributeName": "ttl", "Enabled": True}
