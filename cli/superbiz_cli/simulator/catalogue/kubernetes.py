"""Worlds of a cluster: containers that end, images that are not there, probes, nodes, and pods that find no place."""

from datetime import timedelta

from superbiz.domain.observations import LogLine
from superbiz_cli.simulator.alarms import AlarmRule
from superbiz_cli.simulator.catalogue import clinic
from superbiz_cli.simulator.catalogue.story import Story, Truth, at, change
from superbiz_cli.simulator.faults import Bend, Failing
from superbiz_cli.simulator.load import Load
from superbiz_cli.simulator.scenario import Rollout, Scenario
from superbiz_cli.simulator.voices.frameworks import wrapped


def crash_loop() -> Story:
    """booking's new version wants an environment variable that its deployment does not set: each container ends at once, over and over.

    The old pods are gone (the strategy is Recreate), so the ingress gets 503 for everything that needs booking. The container's own last
    words are a KeyError of the missing variable; Kubernetes says Back-off restarting failed container. An engineer names booking, a
    configuration fault that came with the rollout. Alertmanager tells of it.
    """
    rollout, end = at(8, 31), at(8, 58)
    pods = ("booking-7f86cd5b9c-8zq5d", "booking-7f86cd5b9c-tn2xj")
    scenario = Scenario(
        id="k8s-crash-loop", system=clinic.CLINIC, cluster=clinic.CLUSTER, load=Load(rps=1.5),
        faults=(
            Failing(clinic.BOOKING, rollout, end, 1.0, "connect ECONNREFUSED", seen="connect ECONNREFUSED 172.20.88.14:8080", unreached=True),
            Bend(clinic.BOOKING, "restarts", rollout, end, to=9.0, rise=26.0),
            Bend(clinic.BOOKING, "ready", rollout, end, to=0.0),
            Bend(clinic.BOOKING, "cpu", rollout, end, times=0.2),
            Bend(clinic.BOOKING, "memory", rollout, end, times=0.4),
        ),
        start=at(8, 18), end=end, now=at(8, 59),
        alarm=AlarmRule("KubePodCrashLooping", "ContainerInsights", "pod_number_of_container_restarts", "Maximum", clinic.BOOKING, 2.5, False,
                        3, "Pod clinic/booking-7f86cd5b9c-8zq5d (booking) is in waiting state (reason: CrashLoopBackOff)."),
        notice="alertmanager", summary="Pod is crash looping.",
        labels={"namespace": clinic.NAMESPACE, "pod": pods[0], "container": clinic.BOOKING, "cluster": clinic.CLUSTER, "reason": "CrashLoopBackOff",
                "job": "kube-state-metrics"},
        habits=clinic.HABITS, rollouts=(Rollout(clinic.BOOKING, rollout, pods),),
        said=tuple(
            LogLine(clinic.APPLICATION_LOG, pod, int((rollout + timedelta(seconds=20 + 170 * n + 31 * which)).timestamp() * 1000), wrapped(text, clinic.BOOKING, pod, ok=False))
            for which, pod in enumerate(pods) for n in range(9) for text in (_STARTING, _ENDING)
        ),
        changes=(
            change(at(8, 30, 40), "deploy", "RolloutStarted", f"{clinic.NAMESPACE}/{clinic.BOOKING}", "deployment booking: image booking:2026.06.1 -> booking:2026.06.2", "argocd"),
            clinic.object_event(at(8, 31, 2), "Pulled", "Pod", pods[0], 'Successfully pulled image "booking:2026.06.2" in 2.1s', normal=True),
            *(e for pod in pods for e in clinic.repeated(at(8, 32), 5.0, 5, "BackOff", "Pod", pod, f"Back-off restarting failed container booking in pod {pod}")),
            change(at(6, 5), "kubernetes", "ScalingReplicaSet", f"{clinic.NAMESPACE}/{clinic.PORTAL}", "Scaled up replica set portal-78f6d9c5bd to 2 from 1", "deployment-controller"),
        ),
        runbooks=clinic.RUNBOOKS, quiet_minutes=10, normal_minutes=110,
    )  # fmt: skip
    return Story(scenario, Truth("root_cause", (clinic.BOOKING, *pods), "CONFIGURATION", also=("DEPLOYMENT",)))


_STARTING = "[1] [INFO] Starting gunicorn 23.0.0"
_ENDING = (
    "Traceback (most recent call last):\n"
    '  File "/app/booking/settings.py", line 31, in <module>\n'
    '    CALENDAR_URL = os.environ["CALENDAR_URL"]\n'
    '  File "<frozen os>", line 714, in __getitem__\n'
    "KeyError: 'CALENDAR_URL'\n"
    "[1] [ERROR] Worker failed to boot."
)
