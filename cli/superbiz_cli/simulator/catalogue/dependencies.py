"""Worlds in which something that is called fails: a provider, a certificate, a password, names that do not resolve."""

from datetime import timedelta

from superbiz_cli.simulator.catalogue import clinic, ledger, lines, rides
from superbiz_cli.simulator.catalogue.story import Story, Truth, at, change
from superbiz_cli.simulator.chatter import Habit
from superbiz_cli.simulator.faults import Bend, Failing

READ_TIMED_OUT = "HTTPSConnectionPool(host='api.maps.example.net', port=443): Read timed out. (read timeout=2.5)"
DOWN_TRACE = (
    "Traceback (most recent call last):",
    '  File "/app/pricing/maps.py", line 58, in route',
    "    answer = self._session.get(url, timeout=(1.0, 2.5))",
    '  File "/usr/local/lib/python3.12/site-packages/requests/adapters.py", line 713, in send',
    "    raise ReadTimeout(e, request=request)",
    f"requests.exceptions.ReadTimeout: {READ_TIMED_OUT}",
)


def provider_down() -> Story:
    """The map provider stops answering; pricing waits 2.5 s for it, and trips and quotes fail above it.

    An engineer sees read time-outs to one host in pricing's log, the remote spans at 2.5 s, everything above slow and failing, and
    pricing's own resources idle: the provider is down. There is no deploy near; a rollout of drivers-api five hours before is unrelated.
    """
    start, end = at(9, 42), at(10, 5)
    scenario = rides.BASE._replace(
        id="maps-provider-down",
        faults=(Failing(rides.MAPS, start, end, 0.7, READ_TIMED_OUT, after_ms=2_440.0, trace=DOWN_TRACE),),
        start=at(9, 28), end=end, now=at(10, 7), alarm=rides.failures_alarm(),
        changes=(
            change(at(4, 40), "deploy", "UpdateService", rides.DRIVERS, "drivers-api 1.88.0 rolled out to 1 task", "deploy-bot"),
            *ledger.backup(at(9, 15), at(9, 24), rides.DATABASE),
        ),
    )  # fmt: skip
    return Story(scenario, Truth("root_cause", (rides.MAPS,), "DEPENDENCY", ruled_out=(rides.DATABASE,)))


def password_rotated() -> Story:
    """The secret of statement-worker's database user is rotated; the worker keeps the old password and is refused from then on.

    A person asks why no statements are written. ledger-api has another user and works. The worker and PostgreSQL both log that password
    authentication failed for statement_app, from the minute of RotateSecret on. An engineer names the credential of statement-worker: it
    must read the secret again.
    """
    rotated, end = at(6, 30), at(6, 58)
    refused = 'FATAL: password authentication failed for user "statement_app"'
    session = ("statement_app@ledger", "10.0.31.{n}(50870)")
    trace = (
        "Traceback (most recent call last):",
        '  File "/app/statement_worker/db.py", line 24, in connect',
        "    return psycopg.connect(settings.dsn, connect_timeout=5)",
        f"psycopg.OperationalError: connection failed: {refused}",
    )
    hint = 'Connection matched file "/rdsdbdata/config/pg_hba.conf" line 13: "hostssl all all all scram-sha-256"'
    secret = "arn:aws:secretsmanager:eu-west-1:111122223333:secret:ledger/statement_app-Ab3xYz"
    scenario = ledger.BASE._replace(
        id="secret-rotated", alarm=None,
        question="No statements have been written since about half past six. What is wrong with statement-worker?",
        faults=(Failing(ledger.DATABASE, rotated, end, 1.0, refused, "SELECT entries", trace=trace, unreached=True),),
        start=at(6, 16), end=end, now=at(7, 0),
        habits=(
            *ledger.HABITS,
            Habit(ledger.DATABASE, 6, lines.postgres(refused.removeprefix("FATAL: "), "FATAL", *session), 4, 90, since=rotated),
            Habit(ledger.DATABASE, 6, lines.postgres(hint, "DETAIL", *session), 4, 90, since=rotated),
        ),
        changes=(
            *ledger.backup(at(3, 10), at(3, 14)),
            change(rotated, "cloudtrail", "RotateSecret", secret, "RotateSecret of ledger/statement_app", "secretsmanager.amazonaws.com"),
            change(at(6, 30, 20), "cloudtrail", "UpdateSecretVersionStage", secret, "AWSCURRENT moved to version 7f0c",
                "rotation-function"),
            change(at(5, 50), "deploy", "UpdateService", ledger.API, "ledger-api 9.2.1 rolled out to 2 tasks", "deploy-bot"),
        ),
    )  # fmt: skip
    truth = Truth(
        "root_cause",
        (ledger.WORKER, secret, ledger.DATABASE),
        "SECURITY",
        also=("CONFIGURATION",),
        telling=("RotateSecret",),
    )
    return Story(scenario, truth)


def certificate_expired() -> Story:
    """At midnight the serving certificate of records expires; cert-manager has failed to renew it for days.

    Nobody can reach records over TLS any more: portal logs CERT_HAS_EXPIRED, the ingress the same in nginx's words, records itself sees no
    requests at all and is healthy. An engineer names the expired certificate of records.
    """
    expired, end = at(0, 0), at(0, 24)
    words = "certificate has expired"
    trace = (
        "    at TLSSocket.onConnectSecure (node:_tls_wrap:1674:34)",
        "    at TLSSocket.emit (node:events:518:28)",
        "    code: 'CERT_HAS_EXPIRED'",
    )
    refused = "Certificate request for clinic/records-tls failed: acme: error code 429 urn:ietf:params:acme:error:rateLimited"
    scenario = clinic.BASE._replace(
        id="certificate-expired",
        faults=(
            Failing(clinic.RECORDS, expired, end, 1.0, words, seen=words, trace=trace, unreached=True),
            Bend(clinic.RECORDS, "cpu", expired, end, times=0.3),
            Bend(clinic.RECORDS, "received", expired, end, times=0.15),
        ),
        start=at(0, 0) - timedelta(minutes=14), end=end, now=at(0, 25), alarm=clinic.failures_alarm(4.0),
        changes=(
            *(
                clinic.object_event(at(0, 5) - timedelta(days=n), "Failed", "CertificateRequest", "records-tls-4", refused, count=31 - n)
                for n in (2, 1)
            ),
            clinic.object_event(at(0, 2), "Failed", "CertificateRequest", "records-tls-4", refused, count=32),
            change(at(0, 0) - timedelta(hours=3), "kubernetes", "ScalingReplicaSet", f"{clinic.NAMESPACE}/{clinic.BOOKING}",
                   "Scaled down replica set booking-5c7b9d6f4 to 2 from 3", "deployment-controller"),
        ),
    )  # fmt: skip
    return Story(scenario, Truth("root_cause", (clinic.RECORDS, "records-tls", "records-tls-4"), "SECURITY", telling=("records-tls",)))


_HOST = "clinic-mysql.cx1a2b3c4d5e.eu-west-1.rds.amazonaws.com"
_PYTHON_DNS = (
    "Traceback (most recent call last):",
    '  File "/usr/local/lib/python3.12/site-packages/pymysql/connections.py", line 661, in connect',
    "    sock = socket.create_connection((self.host, self.port), self.connect_timeout, **kwargs)",
    f"pymysql.err.OperationalError: (2003, \"Can't connect to MySQL server on '{_HOST}' "
    '([Errno -3] Temporary failure in name resolution)")',
)
_JAVA_DNS = (
    f"java.net.UnknownHostException: {_HOST}: Temporary failure in name resolution",
    "\tat java.base/java.net.Inet6AddressImpl.lookupAllHostAddr(Native Method)",
    "\tat com.mysql.cj.protocol.StandardSocketFactory.connect(StandardSocketFactory.java:130)",
    "\t... 33 more",
)


def names_unresolved() -> Story:
    """CoreDNS gets no answers from its upstream resolver: a third of look-ups of names outside the cluster time out.

    booking and records, in Python's and Java's words, can not resolve the database's name; the database itself is healthy and gets fewer
    queries. CoreDNS logs i/o timeouts to 10.0.0.2. An engineer names CoreDNS (name resolution), a network fault; that two services in two
    languages fail alike speaks against a fault of either.
    """
    start, end = at(13, 31), at(13, 52)
    timed_out = "plugin/errors: 2 " + _HOST + ". A: read udp 10.0.11.{n}:41877->10.0.0.2:53: i/o timeout"
    scenario = clinic.BASE._replace(
        id="k8s-dns",
        faults=(
            *(Failing(clinic.DATABASE, start, end, 0.34, _PYTHON_DNS[-1], op, trace=_PYTHON_DNS, unreached=True, after_ms=5_000.0)
              for op in ("SELECT slots", "INSERT bookings")),
            Failing(clinic.DATABASE, start, end, 0.34, _JAVA_DNS[0], "SELECT patients", trace=_JAVA_DNS, unreached=True, after_ms=5_000.0),
            Bend(clinic.COREDNS, "cpu", start, end, times=2.4, rise=2.0),
        ),
        start=at(13, 18), end=end, now=at(13, 53), alarm=clinic.failures_alarm(),
        habits=(*clinic.HABITS, Habit(clinic.COREDNS, 1.6, lines.coredns(timed_out, "ERROR"), 4, 250, since=start)),
        changes=(
            clinic.rolled_out(at(9, 5), clinic.PORTAL, "deployment portal: image portal:2026.06.1 -> portal:2026.06.2"),
            *ledger.backup(at(3, 30), at(3, 36), clinic.DATABASE),
        ),
    )  # fmt: skip
    return Story(scenario, Truth("root_cause", (clinic.COREDNS, *clinic.COREDNS_PODS), "NETWORK"))
