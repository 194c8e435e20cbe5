"""What AWS calls its kinds of resources: in metrics, in ARNs, in X-Ray and in log groups. Names only; nothing is read here.

Namespaces and dimensions are those of the services' own "CloudWatch metrics" pages in the AWS documentation.
"""

import re
from collections.abc import Iterator, Mapping
from functools import cache
from typing import NamedTuple

from superbiz.analysis.kinds import SUBJECT_DIMENSIONS


class Kind(NamedTuple):
    """`dimensions` name one resource. `arn` is service and resource part of its ARN, `logs` the log groups that are its own; both with the
    dimensions in braces (after a bar, what they look like), and `*` for anything. `traced` are X-Ray's types of it; `beside`
    other namespaces that measure it, with their names for its dimensions.
    """

    namespace: str
    dimensions: tuple[str, ...]
    arn: str = ""
    logs: tuple[str, ...] = ()
    traced: tuple[str, ...] = ()
    beside: tuple[tuple[str, tuple[str, ...]], ...] = ()


class Resource(NamedTuple):
    """One resource as its metrics name it; `dimensions` in the order of its kind."""

    namespace: str
    dimensions: tuple[tuple[str, str], ...]

    @property
    def name(self) -> str:
        """The telling name: the last dimension's; of a custom metric's, the one that is called after what it is."""
        given = self.named()
        told = None if kind_of(self) else next((given[d] for d in TELLING if d in given), None)
        return told or self.dimensions[-1][1]

    def named(self) -> dict[str, str]:
        """The dimensions as a mapping."""
        return dict(self.dimensions)


# More telling rows first: a metric belongs to the first kind whose dimensions it has.
KINDS = (
    Kind("AWS/Lambda", ("FunctionName",), "lambda:function:{FunctionName}", ("/aws/lambda/{FunctionName}",),
         ("AWS::Lambda::Function", "AWS::Lambda"), (("LambdaInsights", ("function_name",)),)),
    Kind("AWS/RDS", ("DBInstanceIdentifier",), "rds:db:{DBInstanceIdentifier}", ("/aws/rds/instance/{DBInstanceIdentifier}/*",)),
    Kind("AWS/RDS", ("DBClusterIdentifier",), "rds:cluster:{DBClusterIdentifier}", ("/aws/rds/cluster/{DBClusterIdentifier}/*",)),
    Kind("AWS/DocDB", ("DBInstanceIdentifier",)),
    Kind("AWS/DocDB", ("DBClusterIdentifier",), "", ("/aws/docdb/{DBClusterIdentifier}/*",)),
    Kind("AWS/ECS", ("ClusterName", "ServiceName"), "ecs:service/{ClusterName}/{ServiceName}",
         ("/ecs/{ServiceName}", "/ecs/{ClusterName}/{ServiceName}", "/aws/ecs/{ServiceName}", "/aws/ecs/{ClusterName}/{ServiceName}"),
         ("AWS::ECS::Service",), (("ECS/ContainerInsights", ("ClusterName", "ServiceName")),)),
    Kind("ECS/ContainerInsights", ("ClusterName", "ServiceName"), "",
         ("/ecs/{ServiceName}", "/ecs/{ClusterName}/{ServiceName}", "/aws/ecs/{ServiceName}", "/aws/ecs/{ClusterName}/{ServiceName}"),
         (), (("AWS/ECS", ("ClusterName", "ServiceName")),)),
    Kind("AWS/ECS", ("ClusterName",), "ecs:cluster/{ClusterName}", (), (), (("ECS/ContainerInsights", ("ClusterName",)),)),
    Kind("ContainerInsights", ("ClusterName", "Namespace", "Service"), "", ("/aws/containerinsights/{ClusterName}/application",)),
    Kind("ContainerInsights", ("ClusterName", "Namespace", "PodName"), "", ("/aws/containerinsights/{ClusterName}/application",)),
    Kind("ContainerInsights", ("ClusterName", "Namespace"), "", ("/aws/containerinsights/{ClusterName}/application",)),
    Kind("ContainerInsights", ("ClusterName", "NodeName"), "",
         ("/aws/containerinsights/{ClusterName}/host", "/aws/containerinsights/{ClusterName}/dataplane")),
    Kind("ContainerInsights", ("ClusterName",), "eks:cluster/{ClusterName}",
         ("/aws/containerinsights/{ClusterName}/application", "/aws/containerinsights/{ClusterName}/dataplane",
          "/aws/eks/{ClusterName}/cluster"),
         ("AWS::EKS::Cluster",)),
    Kind("ContainerInsights", ("Namespace", "Service"), "", ("/aws/containerinsights/*/application",)),
    Kind("ContainerInsights", ("Namespace", "PodName"), "", ("/aws/containerinsights/*/application",)),
    Kind("ContainerInsights", ("Namespace",), "", ("/aws/containerinsights/*/application",)),
    Kind("ApplicationSignals", ("Service",), "", (),
         ("AWS::ECS::Fargate", "AWS::ECS::EC2", "AWS::ECS::Container", "AWS::EKS::Container", "AWS::EC2::Instance", "remote")),
    Kind("AWS/ApplicationELB", ("TargetGroup",), "elasticloadbalancing:{TargetGroup|targetgroup/.+}"),
    Kind("AWS/ApplicationELB", ("LoadBalancer",), "elasticloadbalancing:loadbalancer/{LoadBalancer|app/.+}"),
    Kind("AWS/NetworkELB", ("LoadBalancer",), "elasticloadbalancing:loadbalancer/{LoadBalancer|net/.+}"),
    Kind("AWS/ELB", ("LoadBalancerName",)),
    Kind("AWS/SQS", ("QueueName",), "sqs:{QueueName}", (), ("AWS::SQS::Queue",)),
    Kind("AWS/SNS", ("TopicName",), "sns:{TopicName}", (), ("AWS::SNS", "AWS::SNS::Topic")),
    Kind("AWS/DynamoDB", ("TableName",), "dynamodb:table/{TableName}", (), ("AWS::DynamoDB::Table",)),
    Kind("AWS/ApiGateway", ("ApiName",), "", (), ("AWS::ApiGateway::Stage",)),
    Kind("AWS/ApiGateway", ("ApiId",), "", ("/aws/apigateway/{ApiId}/*", "/aws/http-api/{ApiId}*", "/aws/vendedlogs/apis/{ApiId}*")),
    Kind("AWS/States", ("StateMachineArn",), "states:stateMachine:{StateMachineArn}", (), ("AWS::StepFunctions::StateMachine",)),
    Kind("AWS/Kinesis", ("StreamName",), "kinesis:stream/{StreamName}", (), ("AWS::Kinesis::Stream",)),
    Kind("AWS/ElastiCache", ("CacheClusterId",), "elasticache:cluster:{CacheClusterId}", ("/aws/elasticache/{CacheClusterId}*",)),
    Kind("AWS/ElastiCache", ("ReplicationGroupId",), "elasticache:replicationgroup:{ReplicationGroupId}"),
    Kind("AWS/ES", ("DomainName",), "es:domain/{DomainName}", ("/aws/OpenSearchService/domains/{DomainName}/*",)),
    Kind("AWS/Kafka", ("Cluster Name",)),
    Kind("AWS/EC2", ("InstanceId",), "ec2:instance/{InstanceId}", (), (), (("CWAgent", ("InstanceId",)),)),
    Kind("CWAgent", ("InstanceId",), "", (), (), (("AWS/EC2", ("InstanceId",)),)),
    Kind("AWS/EC2", ("AutoScalingGroupName",), "", (), (), (("AWS/AutoScaling", ("AutoScalingGroupName",)),)),
    Kind("AWS/EBS", ("VolumeId",), "ec2:volume/{VolumeId}"),
    Kind("AWS/EFS", ("FileSystemId",), "elasticfilesystem:file-system/{FileSystemId}"),
    Kind("AWS/NATGateway", ("NatGatewayId",), "ec2:natgateway/{NatGatewayId}"),
    Kind("AWS/S3", ("BucketName",), "", (), ("AWS::S3::Bucket",)),
    Kind("AWS/Events", ("RuleName",), "events:rule/{RuleName}"),
)  # fmt: skip
TELLING = (
    *SUBJECT_DIMENSIONS,
    *("service", "service.name", "app", "application", "deployment", "container", "pod", "job", "instance", "host"),
)
CLUSTER = "ClusterName"
APPLICATIONS = frozenset({"ApplicationSignals"})  # named by their own words, and logging wherever they please
WHOLE_ARN = frozenset({"StateMachineArn"})  # the dimension is the whole ARN, where others give its last part
# Breakdowns of what is measured as a whole anyway: one series an Availability Zone, a version, a process; and what a caller measures of
# whom it calls, which is not the caller's own.
BREAKDOWNS = frozenset(
    {"AvailabilityZone", "AvailabilityZones", "ExecutedVersion", "Resource", "EventSourceMappingUUID", "cpu", "interface", "device",
     "fstype", "TaskId", "ContainerInstanceId", "FullPodName", "ContainerId", "RemoteService", "RemoteOperation", "RemoteEnvironment",
     "RemoteResourceIdentifier", "RemoteResourceType"}
)  # fmt: skip
# Logs that are metrics or flow records in the form of logs, and come by the gigabyte.
UNREADABLE = re.compile(r"/performance$|/prometheus$|^RDSOSMetrics$|flow-?logs?\b|cloudtrail|^aws/spans$|/application-signals/data", re.I)
SERVICE_LABELS = ("service", "service_name", "app", "application", "app_kubernetes_io_name", "container", "job")
CLUSTER_LABELS = ("cluster", "cluster_name", "clustername", "eks_cluster")
# What a ReplicaSet adds to its workload's name: a hash and a suffix of the letters and digits that Kubernetes takes for such.
_POD = re.compile(r"(-[bcdfghjklmnpqrstvwxz2456789]{6,10})?-[bcdfghjklmnpqrstvwxz2456789]{5}$")
_FIELD = re.compile(r"\{([^}|]+)(?:\|([^}]+))?\}")


def resources_of(namespace: str, dimensions: Mapping[str, str]) -> tuple[Resource, ...]:
    """The resources that a metric measures, the most telling first (a service, then its cluster); in namespaces that are not in the table
    all dimensions together are one. None without dimensions."""
    given = {name: value for name, value in dimensions.items() if value}
    rows = [k for k in KINDS if k.namespace == namespace and all(d in given for d in k.dimensions)]
    if CLUSTER in given:  # a namespace is one of its cluster's
        rows = [k for k in rows if CLUSTER in k.dimensions or "Namespace" not in k.dimensions]
    if not rows and given:
        return (Resource(namespace, tuple(sorted(given.items()))),)
    return tuple(Resource(namespace, tuple((d, given[d]) for d in k.dimensions)) for k in rows)


def from_labels(labels: Mapping[str, str]) -> tuple[Resource, ...]:
    """What AWS may know of an alert's labels, as Prometheus and Grafana spell them: a workload of a cluster, a service by its name."""
    given = {name.casefold(): value for name, value in labels.items() if value}
    service = next((given[n] for n in SERVICE_LABELS if n in given), "")
    cluster = next((given[n] for n in CLUSTER_LABELS if n in given), "")
    pod = given.get("deployment") or _POD.sub("", given.get("pod", ""))
    told = {CLUSTER: cluster, "Namespace": given.get("namespace", ""), "Service": service, "PodName": pod}
    found = resources_of("ContainerInsights", told) if told["Namespace"] else ()
    return (*found, *(Resource("ApplicationSignals", (("Service", n),)) for n in dict.fromkeys((service, pod)) if n))


def kind_of(resource: Resource) -> Kind | None:
    """Its row of the table; None for custom metrics."""
    names = tuple(name for name, _ in resource.dimensions)
    return next((k for k in KINDS if k.namespace == resource.namespace and k.dimensions == names), None)


def from_node(name: str, kind: str) -> Resource | None:
    """The resource behind a node of the service map. An API's node is called `api/stage`."""
    row = next((k for k in KINDS if kind in k.traced and len(k.dimensions) == 1), None)
    if row is None or not name:
        return None
    told = name.rsplit("/", 1)[0] if kind == "AWS::ApiGateway::Stage" else name
    return Resource(row.namespace, ((row.dimensions[0], told),))


def from_arn(arn: str) -> Resource | None:
    """The resource that an ARN names, where its kind is in the table. A function's alias or version is the function."""
    parts = arn.split(":", 5)
    if len(parts) < 6 or parts[0] != "arn":
        return None
    told = ":".join([parts[2], *parts[5].split(":")[: 2 if parts[2] == "lambda" else None]])
    for kind in KINDS:
        values = _read(kind.arn, told) if kind.arn else None
        if values:
            return Resource(kind.namespace, tuple((d, arn if d in WHOLE_ARN else values[d]) for d in kind.dimensions))
    return None


def arn_of(resource: Resource, partition: str, region: str, account: str) -> str | None:
    """None where the kind's ARN can not be told from its dimensions."""
    kind = kind_of(resource)
    if kind is None or not kind.arn or not account:
        return None
    if kind.dimensions[0] in WHOLE_ARN:
        return resource.name
    service, _, path = _filled(kind.arn, resource).partition(":")
    return f"arn:{partition}:{service}:{region}:{account}:{path}"


def log_groups_of(resource: Resource) -> tuple[str, ...]:
    """Names of log groups that may be its own; `*` stands for anything."""
    kind = kind_of(resource)
    return tuple(_filled(name, resource) for name in kind.logs) if kind else ()


def from_log_group(name: str) -> Resource | None:
    """The resource whose own log group this is, by AWS's own naming."""
    for kind in KINDS:
        for template in kind.logs:
            values = _read(template, name) if template.startswith("/aws/") else None
            if values and set(kind.dimensions) <= set(values):
                return Resource(kind.namespace, tuple((d, values[d]) for d in kind.dimensions))
    return None


def measured_in(resource: Resource) -> Iterator[Resource]:
    """The resource as each namespace that measures it names it, its own first."""
    yield resource
    kind = kind_of(resource)
    for namespace, names in kind.beside if kind else ():
        yield Resource(namespace, tuple((n, v) for n, (_, v) in zip(names, resource.dimensions, strict=True)))


def _filled(template: str, resource: Resource) -> str:
    values = resource.named()
    return _FIELD.sub(lambda field: values[field[1]], template)


def _read(template: str, text: str) -> dict[str, str] | None:
    """The template's fields as they stand in a text; None where it does not fit."""
    found = _pattern(template).fullmatch(text)
    return {field[1]: value for field, value in zip(_FIELD.finditer(template), found.groups(), strict=True)} if found else None


@cache
def _pattern(template: str) -> re.Pattern[str]:
    """A field without a pattern of its own is a name without separators."""
    told, at = "", 0
    for field in _FIELD.finditer(template):
        told += re.escape(template[at : field.start()]) + f"({field[2] or '[^/:]+'})"
        at = field.end()
    return re.compile(told + re.escape(template[at:]).replace(r"\*", ".*"))
