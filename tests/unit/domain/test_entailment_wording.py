"""Claims in an engineer's own words over other tools' records: what is true passes, its changed twin does not."""

from typing import Any

import pytest

from superbiz.domain import canonical
from superbiz.domain.claims import Claim, ClaimType
from superbiz.domain.entailment import Cited, Entailment, judge, known_in
from superbiz.domain.reading import quantities, times
from superbiz.domain.verification import CheckResult, Expressible


def cited(node: Any, excerpt: str = "", **params: Any) -> Cited:
    text = node if isinstance(node, str) else canonical.dumps(node)
    return Cited(excerpt or text[:400], text, {}, params)


def said(text: str, *evidence: Cited, kind: ClaimType = ClaimType.OBSERVATION) -> Entailment:
    return judge(Claim(claim_id="c1", claim_text=text, claim_type=kind, critical=True), evidence, known_in(evidence))


POD = cited({"name": "mailer", "restartCount": 6, "ready": False, "reason": "OOMKilled", "finishedAt": "2026-02-11T08:41:30Z"})
IDLE = cited({"name": "relay", "restartCount": 0, "ready": True})
ERRORS = cited({"service": "mailer", "error_ratio": 0.27, "baseline": 0.004})
SPEED = cited({"service": "mailer", "metric": "latency", "baseline": 150.0, "peak": 1800, "unit": "ms"})
SPAN = cited({"operation": "/send", "service": "mailer", "durationMs": 2450})
MEMORY = cited({"resource": "users-db", "metric": "FreeableMemory", "before_bytes": 4294967296, "after_bytes": 268435456})
CPU = cited({"resource": "users-db", "metric": "CPUUtilization", "unit": "Percent", "avg": 88.2, "normal": 22.1})
CACHE = cited({"host": "cache-7", "keyspace_hits": 300, "keyspace_misses": 1700, "evicted_keys": 91440})
LAG = cited({"group": "mail-consumer", "lag": 2350000, "lag_before": 900})
QUEUE = cited({"QueueName": "mail-dlq", "Depth": 74, "OldestMessageAgeSeconds": 7200})
FLOW = cited({"service": "mailer", "metric": "RequestCount", "normal": 800, "current": 200})
ORDERS = cited({"service": "shop", "requests": 9000, "errors": 1800, "availability": 0.8})
POOL = cited("maxPoolSize=8 (was 40) of mailer")
ROLLOUT = cited({"service": "mailer", "version": "v3.2.0", "deployed_at": "2026-02-11T08:36:10Z", "notes": "memory limit 512Mi -> 128Mi"})
OTHER = cited({"service": "relay", "version": "v1.0.9", "deployed_at": "2026-02-11T06:00:00Z", "notes": "new icons"})
TARGETS = cited({"target_group": "tg-mailer", "healthy": 1, "unhealthy": 3})
BREAKER = cited("mailer circuit breaker to relay OPEN after 12 failures")
TLS = cited({"host": "smtp.example", "error": "certificate has expired or is not yet valid"})
CHINESE = cited({"服务": "mail-service", "内容": "连接池已耗尽，等待 20000 ms，等待线程 64"})

PAIRS = (
    ("a count in words", "The mailer container restarted six times", "The mailer container restarted nine times", POD),
    ("a recorded zero", "relay has not restarted", "relay has restarted 3 times", IDLE),
    ("a state", "mailer is not ready", "mailer is ready", POD),
    ("a share of one", "The error ratio of mailer jumped to 27%", "The error ratio of mailer jumped to 72%", ERRORS),
    ("a factor", "mailer latency increased 12x over its baseline", "mailer latency increased 30x over its baseline", SPEED),
    ("a unit in a camel-case field", "The mailer request to /send took 2.45 s", "The mailer request to /send took 24.5 s", SPAN),
    ("bytes", "Freeable memory of users-db dropped from 4 GiB to 256 MiB",
     "Freeable memory of users-db dropped from 4 MiB to 256 KiB", MEMORY),
    ("a bound", "CPU of users-db was over 85%", "CPU of users-db was over 95%", CPU),
    ("a bound below", "CPU of users-db was under 90%", "CPU of users-db was under 60%", CPU),
    ("a hit rate", "The hit rate of cache-7 is 15%", "The hit rate of cache-7 is 85%", CACHE),
    ("thousands", "cache-7 evicted about 91k keys", "cache-7 evicted about 19k keys", CACHE),
    ("millions", "The lag of mail-consumer is 2.35M", "The lag of mail-consumer is 23.5M", LAG),
    ("millions in words", "The lag of mail-consumer grew from 900 to 2.35 million",
     "The lag of mail-consumer grew from 900 to 5.32 million", LAG),
    ("an age", "The oldest message of mail-dlq is 2 hours old", "The oldest message of mail-dlq is 2 minutes old", QUEUE),
    ("a loss", "mailer requests fell by 75%", "mailer requests fell by 25%", FLOW),
    ("a part", "20% of shop requests failed", "80% of shop requests failed", ORDERS),
    ("a part in words", "A fifth of shop's requests failed", "A third of shop's requests failed", ORDERS),
    ("what was before", "mailer's maxPoolSize was changed from 40 to 8", "mailer's maxPoolSize was changed from 8 to 40", POOL),
    ("a written day", "mailer v3.2.0 was deployed on 11 February 2026 at 08:36",
     "mailer v3.2.0 was deployed on 12 February 2026 at 08:36", ROLLOUT),
    ("an American day", "mailer v3.2.0 was deployed on February 11, 2026", "mailer v3.2.0 was deployed on March 11, 2026", ROLLOUT),
    ("a half of the day", "mailer v3.2.0 was deployed at 8:36 AM", "mailer v3.2.0 was deployed at 8:36 PM", ROLLOUT),
    ("parts of a whole", "3 of the 4 targets of tg-mailer are unhealthy", "3 of the 9 targets of tg-mailer are unhealthy", TARGETS),
    ("the field of a number", "3 targets of tg-mailer are unhealthy", "3 targets of tg-mailer are healthy", TARGETS),
    ("what happened", "The circuit breaker to relay opened after 12 failures", "The circuit breaker to relay never opened", BREAKER),
    ("what is denied", "The certificate of smtp.example has expired", "The certificate of smtp.example is valid", TLS),
    ("Chinese", "mail-service 的连接池已耗尽", "mail-service 的连接池没有耗尽", CHINESE),
    ("a Chinese unit", "mail-service 等待 20 秒", "mail-service 等待 2 秒", CHINESE),
)  # fmt: skip


@pytest.mark.parametrize(("true", "evidence"), [(t, e) for _, t, _, e in PAIRS], ids=[p[0] for p in PAIRS])
def test_a_true_claim_in_plain_words_is_supported(true: str, evidence: Cited) -> None:
    # REQ-070
    found = said(true, evidence)
    assert found.result is CheckResult.SUPPORTED, found.reason


@pytest.mark.parametrize(("false", "evidence"), [(f, e) for _, _, f, e in PAIRS], ids=[p[0] for p in PAIRS])
def test_its_changed_twin_is_not(false: str, evidence: Cited) -> None:
    # REQ-070
    assert said(false, evidence).expressible is Expressible.NONE


def test_the_time_between_two_events_is_worked_out() -> None:
    assert said("mailer was OOMKilled about five minutes after mailer v3.2.0 was deployed", POD, ROLLOUT).result is CheckResult.SUPPORTED
    assert said("mailer was OOMKilled about fifty minutes after mailer v3.2.0 was deployed", POD, ROLLOUT).expressible is Expressible.NONE


def test_all_is_not_shown_by_one() -> None:
    assert said("All mailer pods were OOMKilled", POD).expressible is Expressible.HEDGED


def test_a_cause_is_tied_to_its_effect() -> None:
    mended = said("mailer v3.2.0 caused the OOMKilled mailer", ROLLOUT, POD, kind=ClaimType.CAUSE)
    invented = said("relay v1.0.9 caused the OOMKilled mailer", OTHER, POD, kind=ClaimType.CAUSE)
    assert (mended.expressible, invented.expressible) == (Expressible.FULL, Expressible.HEDGED)


def test_a_number_before_a_colon_is_a_number() -> None:
    assert [q.value for q in quantities.in_text("restarts 9: too many")] == [9.0]
    assert [m.clock for m in times.in_text("ALARM at 10:14:02: 412 errors")] == [(10, 14)]


def test_a_loss_is_no_gain() -> None:
    assert said("mailer requests rose by 75%", FLOW).result is CheckResult.CONTRADICTED
