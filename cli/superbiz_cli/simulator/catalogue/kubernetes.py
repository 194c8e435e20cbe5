"""Worlds of a rollout on a cluster: containers that end at once, an image that is not there, a probe that is too strict."""

from datetime import datetime, timedelta

from superbiz.domain.observations import LogLine
from superbiz_cli.simulator.alarms import AlarmRule
from superbiz_cli.simulator.catalogue import clinic, ledger
from superbiz_cli.simulator.catalogue.story import Story, Truth, at, change
from superbiz_cli.simulator.chatter import Habit, Rollout
from superbiz_cli.simulator.faults import Bend, Failing, Fault, Slowdown
from superbiz_cli.simulator.voices.frameworks import wrapped

_STARTING = "[1] [INFO] Starting gunicorn 23.0.0"
_ENDING = (
    "Traceback (most recent call last):\n"
    '  File "/app/booking/settings.py", line 31, in <module>\n'
    '    CALENDAR_URL = os.environ["CALENDAR_URL"]\n'
    '  File "<frozen os>", line 714, in __getitem__\n'
    "KeyError: 'CALENDAR_URL'\n"
    "[1] [ERROR] Worker failed to boot."
)

OVERLOAD = "too many requests in flight, rejected"
PROBING = (
    '{plain} kubelet: I0609 prober.go:120] "Probe failed" probeType="Liveness" pod="clinic/records" containerName="records" attempt={n}'
)


def restarts_alarm(deployment: str, *, name: str, words: str, threshold: float = 2.5) -> AlarmRule:
    """A deployment's containers are started again and again."""
    metric = "pod_number_of_container_restarts"
    return AlarmRule(name, "ContainerInsights", metric, "Maximum", deployment, threshold, False, 3, words)


def _unserved(service: str, start: datetime, end: datetime, share: float) -> tuple[Fault, ...]:
    """A share of its calls finds no pod that is ready."""
    gone = "connect ECONNREFUSED 172.20.88.14:8080"
    return (
        Failing(service, start, end, share, gone, seen=gone, unreached=True),
        Bend(service, "ready", start, end, to=2.0 * (1 - share)),
        Bend(service, "cpu", start, end, times=max(0.2, 1 - share)),
        Bend(service, "received", start, end, times=max(0.1, 1 - share)),
    )


def crash_loop() -> Story:
    """booking's new version wants an environment variable that its deployment does not set: each container ends at once, over and over.

    The old pods are gone (the strategy is Recreate), so all that needs booking fails. The container's own last words are a KeyError of the
    missing variable; Kubernetes says Back-off restarting failed container. An engineer names booking, a fault of configuration that came
    with the rollout. Alertmanager tells of it; that portal was scaled up two hours before is routine.
    """
    rollout, end = at(8, 31), at(8, 58)
    pods = ("booking-7f86cd5b9c-8zq5d", "booking-7f86cd5b9c-tn2xj")
    starts = [(pod, rollout + timedelta(seconds=20 + 170 * n + 31 * which)) for which, pod in enumerate(pods) for n in range(9)]
    backing_off = "Back-off restarting failed container booking in pod {}"
    scenario = clinic.BASE._replace(
        id="k8s-crash-loop",
        faults=(
            *_unserved(clinic.BOOKING, rollout, end, 1.0),
            Bend(clinic.BOOKING, "restarts", rollout, end, to=9.0, rise=26.0),
            Bend(clinic.BOOKING, "memory", rollout, end, times=0.4),
        ),
        start=at(8, 18), end=end, now=at(8, 59),
        alarm=restarts_alarm(clinic.BOOKING, name="KubePodCrashLooping",
                             words=f"Pod clinic/{pods[0]} (booking) is in waiting state (reason: CrashLoopBackOff)."),
        notice="alertmanager", summary="Pod is crash looping.",
        labels={"namespace": clinic.NAMESPACE, "pod": pods[0], "container": clinic.BOOKING, "cluster": clinic.CLUSTER,
                "reason": "CrashLoopBackOff", "job": "kube-state-metrics"},
        rollouts=(Rollout(clinic.BOOKING, rollout, pods, alive=False),),
        said=tuple(
            LogLine(clinic.APPLICATION_LOG, pod, int(moment.timestamp() * 1000), wrapped(text, clinic.BOOKING, pod, ok=False))
            for pod, moment in starts for text in (_STARTING, _ENDING)
        ),
        changes=(
            clinic.rolled_out(at(8, 30, 40), clinic.BOOKING, "deployment booking: image booking:2026.06.1 -> booking:2026.06.2"),
            clinic.object_event(at(8, 31, 2), "Pulled", "Pod", pods[0], 'Successfully pulled image "booking:2026.06.2" in 2.1s',
                normal=True),
            *(e for p in pods for e in clinic.repeated(at(8, 32), 5.0, 5, "BackOff", "Pod", p, backing_off.format(p))),
            change(at(6, 5), "kubernetes", "ScalingReplicaSet", f"{clinic.NAMESPACE}/{clinic.PORTAL}",
                   "Scaled up replica set portal-78f6d9c5bd to 2 from 1", "deployment-controller"),
        ),
    )  # fmt: skip
    return Story(
        scenario, Truth("root_cause", (clinic.BOOKING, *pods), "CONFIGURATION", also=("DEPLOYMENT",), telling=("BackOff", "Rollout"))
    )


def image_missing() -> Story:
    """portal is rolled out with a tag that was never pushed: the new pods can not pull it, and half of the old ones are already gone.

    Kubernetes says ErrImagePull, then ImagePullBackOff, with not found from the registry. The pod that is left carries everything: slow,
    and refusing a part. booking and records are idle and healthy. An engineer names portal's rollout. Nobody touched the nodes.
    """
    rollout, end = at(10, 40), at(11, 4)
    image = "111122223333.dkr.ecr.eu-west-1.amazonaws.com/portal:2026.06.3-rc"
    pods = ("portal-5fd8b7c64f-jw6ts", "portal-5fd8b7c64f-qg8vz")
    pull = (
        f'Failed to pull image "{image}": rpc error: code = NotFound desc = failed to pull and unpack image "{image}": '
        f"failed to resolve reference: {image}: not found"
    )
    scenario = clinic.BASE._replace(
        id="k8s-image-missing",
        faults=(
            *(Bend(clinic.PORTAL, q, rollout, end, to=v) for q, v in (("ready", 1.0), ("pending", 2.0), ("cpu", 96.0))),
            Slowdown(clinic.PORTAL, rollout, end, 9.0, rise=4.0),
            Failing(clinic.PORTAL, rollout + timedelta(minutes=1), end, 0.24, OVERLOAD, seen="503 Service Unavailable", rise=3.0),
        ),
        start=at(10, 26), end=end, now=end + timedelta(minutes=1),
        alarm=clinic.failures_alarm(6.0)._replace(service="ingress-nginx", name="ingress-faults-high"), notice="sns",
        rollouts=(Rollout(clinic.PORTAL, rollout, clinic.PORTAL_PODS[:1]),),
        changes=(
            clinic.rolled_out(rollout, clinic.PORTAL, "deployment portal: image portal:2026.06.2 -> portal:2026.06.3-rc"),
            *(e for p in pods for e in clinic.repeated(at(10, 40, 20), 6.0, 4, "Failed", "Pod", p, pull)),
            *(e for p in pods for e in clinic.repeated(at(10, 41), 6.0, 4, "BackOff", "Pod", p,
                f'Back-off pulling image "{image}": ImagePullBackOff')),
        ),
    )  # fmt: skip
    return Story(
        scenario,
        Truth("root_cause", (clinic.PORTAL, *pods), "DEPLOYMENT", also=("CONFIGURATION",), telling=("BackOff", "Failed", "Rollout")),
    )


def probe_too_strict() -> Story:
    """records' liveness probe is changed to begin after five seconds; the JVM needs forty to start, so no container lives long enough.

    Kubernetes says Liveness probe failed, connection refused, and restarts. The JVM logs Starting, never Started, and no error at all.
    Patients can not be read. An engineer names the probe of records: a configuration. Its image did not change.
    """
    rollout, end = at(14, 12), at(14, 38)
    pods = ("records-7c9f5b8d66-4mxnp", "records-7c9f5b8d66-zt2lh")
    starts = [(pod, rollout + timedelta(seconds=15 + 62 * n + 20 * which)) for which, pod in enumerate(pods) for n in range(20)]
    refused = 'Liveness probe failed: Get "http://10.0.12.31:8080/actuator/health": dial tcp 10.0.12.31:8080: connect: connection refused'
    said = '{"@timestamp":"%s","level":"INFO","logger_name":"com.records.Application","message":"%s"}'
    texts = (
        (0, "Starting Application v4.8.2 using Java 21.0.6"),
        (9, "Tomcat initialized with port 8080 (http)"),
        (25, "Commencing graceful shutdown"),
    )
    scenario = clinic.BASE._replace(
        id="k8s-probe-too-strict",
        faults=(*_unserved(clinic.RECORDS, rollout, end, 1.0), Bend(clinic.RECORDS, "restarts", rollout, end, to=20.0, rise=25.0)),
        start=at(13, 58), end=end, now=end + timedelta(minutes=1),
        alarm=restarts_alarm(clinic.RECORDS, name="records-restarts-high", words="Containers of records are restarted", threshold=3.5),
        rollouts=(Rollout(clinic.RECORDS, rollout, pods, alive=False),),
        said=tuple(
            LogLine(clinic.APPLICATION_LOG, pod, int((m + timedelta(seconds=s)).timestamp() * 1000),
                    said % ((m + timedelta(seconds=s)).strftime("%Y-%m-%dT%H:%M:%S.307Z"), text))
            for pod, m in starts for s, text in texts
        ),
        changes=(
            clinic.rolled_out(rollout, clinic.RECORDS,
                "deployment records: livenessProbe.initialDelaySeconds 60 -> 5, timeoutSeconds 5 -> 1; image unchanged"),
            *(e for p in pods for e in clinic.repeated(at(14, 12, 30), 4.0, 6, "Unhealthy", "Pod", p, refused, growing=12)),
            *(e for p in pods for e in clinic.repeated(at(14, 12, 40), 4.0, 6, "Killing", "Pod", p,
                                                       "Container records failed liveness probe, will be restarted")),
            *ledger.backup(at(13, 40), at(13, 47), clinic.DATABASE),
        ),
        habits=(*clinic.HABITS, Habit(clinic.NODES[1], 20, PROBING, 1, 60, since=rollout)),
    )  # fmt: skip
    telling = ("Unhealthy", "Killing", "Rollout")
    return Story(scenario, Truth("root_cause", (clinic.RECORDS, *pods), "CONFIGURATION", also=("DEPLOYMENT",), telling=telling))
