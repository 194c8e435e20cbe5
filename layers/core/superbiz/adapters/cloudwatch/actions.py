"""Everything that the adapter may ask of an account: the roles that read evidence allow these actions and no others.

`resource` is the ARN after the partition, with `{account}` for the account's number; empty where AWS grants an action for all resources or
not at all (after the Service Authorization Reference).
"""

from collections.abc import Iterable
from typing import NamedTuple

from superbiz.adapters.cloudwatch.session import action
from superbiz.domain.values import JsonObject

ALARMS = "cloudwatch:*:{account}:alarm:*"
LOG_GROUPS = "logs:*:{account}:log-group:*"
DEPLOYMENT_GROUPS = "codedeploy:*:{account}:deploymentgroup:*"
HEALTH_EVENTS = "health:*::event/*"
INSIGHTS = "pi:*:{account}:metrics/rds/*"


class Action(NamedTuple):
    """An operation of a service, both as boto3 and its API name them."""

    service: str
    operation: str
    resource: str = ""

    @property
    def name(self) -> str:
        """As IAM spells it: `logs:StartQuery`."""
        return action(self.service, self.operation)


ACTIONS = (
    Action("cloudwatch", "DescribeAlarms", ALARMS),
    Action("cloudwatch", "DescribeAlarmHistory", ALARMS),
    Action("cloudwatch", "ListMetrics"),
    Action("cloudwatch", "GetMetricData"),
    Action("logs", "DescribeLogGroups"),
    Action("logs", "StartQuery", LOG_GROUPS),
    Action("logs", "GetQueryResults"),
    Action("logs", "StopQuery"),
    Action("logs", "FilterLogEvents", LOG_GROUPS),
    Action("xray", "GetServiceGraph"),
    Action("xray", "GetTimeSeriesServiceStatistics"),
    Action("xray", "GetTraceSummaries"),
    Action("xray", "BatchGetTraces"),
    Action("resourcegroupstaggingapi", "GetResources"),
    Action("lambda", "GetFunctionConfiguration", "lambda:*:{account}:function:*"),
    Action("lambda", "ListEventSourceMappings"),
    Action("apigateway", "GetRestApis", "apigateway:*::/restapis"),
    Action("apigateway", "GetStages", "apigateway:*::/restapis/*/stages"),
    Action("apigatewayv2", "GetStages", "apigateway:*::/apis/*/stages"),
    Action("stepfunctions", "DescribeStateMachine", "states:*:{account}:stateMachine:*"),
    Action("cloudtrail", "LookupEvents"),
    Action("rds", "DescribeEvents"),
    Action("rds", "DescribeDBInstances", "rds:*:{account}:db:*"),
    Action("rds", "DescribeDBClusters", "rds:*:{account}:cluster:*"),
    Action("pi", "GetResourceMetrics", INSIGHTS),
    Action("pi", "DescribeDimensionKeys", INSIGHTS),
    Action("ecs", "DescribeServices", "ecs:*:{account}:service/*"),
    Action("ecs", "ListTasks"),  # AWS checks it against container instances, of which Fargate has none
    Action("ecs", "DescribeTasks", "ecs:*:{account}:task/*"),
    Action("ecs", "DescribeTaskDefinition"),
    Action("autoscaling", "DescribeScalingActivities"),
    Action("application-autoscaling", "DescribeScalingActivities"),
    Action("codedeploy", "ListDeployments", DEPLOYMENT_GROUPS),
    Action("codedeploy", "BatchGetDeployments", DEPLOYMENT_GROUPS),
    Action("health", "DescribeEvents"),
    Action("health", "DescribeEventDetails", HEALTH_EVENTS),
    Action("health", "DescribeAffectedEntities", HEALTH_EVENTS),
)
# What CloudWatch masks stays masked, whatever else the role may do.
NEVER = "logs:Unmask"


def policy(account: str, partition: str = "aws", only: Iterable[str] = ()) -> JsonObject:
    """An IAM policy for those of the actions that are named, or all: as small as AWS lets it be."""
    wanted = set(only) or {one.name for one in ACTIONS}
    by_resource: dict[str, list[str]] = {}
    for one in ACTIONS:
        if one.name in wanted:
            by_resource.setdefault(one.resource, []).append(one.name)
    statements = [
        {"Effect": "Allow", "Action": names, "Resource": f"arn:{partition}:{resource.format(account=account)}" if resource else "*"}
        for resource, names in by_resource.items()
    ]
    return {"Version": "2012-10-17", "Statement": [*statements, {"Effect": "Deny", "Action": [NEVER], "Resource": "*"}]}
