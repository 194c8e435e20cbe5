"""The Gatekeeper's speed: 1,000 claims against 50 MB of recorded outputs, how that grows, and dossiers of other tools by the minute.

Times are of processor time on one core. Growth is the time of twice the claims, or twice the bytes, by that of once, at a fifth of the
size, the median of interleaved runs: about 2 at most is linear. Dossiers are varied: three tools, up to six claims, true and false,
outputs of 1 to 60 records.
"""

import json
import random
import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from bench.rows import Row
from superbiz.domain import canonical
from superbiz.services import verifying

CLAIMS, MEGABYTES = 1_000, 50
RECORDS_A_CALL = 5_000
RUNS = 3
PART = 5  # growth is measured at this part of the size
DOSSIERS = 300
CORES = 2
SEED = 20_260_708
MOST_SECONDS, MOST_GROWTH, LEAST_DOSSIERS = 20.0, 2.4, 10_000
SERVICES = ("order-service", "payment-service", "inventory-service", "orders-db", "gateway", "search-api")
FAILURES = ("Connection is not available", "request timed out", "disk quota exceeded", "certificate has expired", "queue is full")


class Size(NamedTuple):
    """How much there is to check."""

    claims: int
    megabytes: int


def measure() -> Iterator[Row]:
    """Seconds, growth, and dossiers a minute."""
    whole = Size(CLAIMS, MEGABYTES)
    yield Row(f"{CLAIMS} claims against {MEGABYTES} MB of outputs", _interleaved({whole: _checking(whole)}, 1)[whole], "s", MOST_SECONDS)
    part = CLAIMS // PART, MEGABYTES // PART
    once, claims, size = Size(*part), Size(2 * part[0], part[1]), Size(part[0], 2 * part[1])
    timed = _interleaved({s: _checking(s) for s in (once, claims, size)}, RUNS)
    yield Row("twice the claims take so many times as long", timed[claims] / timed[once], "x", MOST_GROWTH)
    yield Row("twice the bytes take so many times as long", timed[size] / timed[once], "x", MOST_GROWTH)
    yield Row(f"dossiers a minute on {CORES} cores", dossiers_a_minute(), "", LEAST_DOSSIERS, at_least=True)


def dossiers_a_minute(count: int = DOSSIERS) -> float:
    """Of `superbiz verify --jsonl`, whose cores share nothing: that of one core, twice."""
    texts = [canonical.encoded(made) for made in varied(count)]
    started = time.process_time()
    for text in texts:
        json.dumps(verifying.verify_text(text), ensure_ascii=False)
    return CORES * 60 * count / (time.process_time() - started)


def _interleaved(checks: dict[Size, Callable[[], None]], runs: int) -> dict[Size, float]:
    taken: dict[Size, list[float]] = {size: [] for size in checks}
    for _ in range(runs):
        for size, check in checks.items():
            started = time.process_time()
            check()
            taken[size].append(time.process_time() - started)
    return {size: statistics.median(times) for size, times in taken.items()}


def _checking(size: Size) -> Callable[[], None]:
    """Reads nothing: what is measured is the check of claims and outputs that are already parsed."""
    from superbiz.domain import gatekeeper
    from superbiz.domain.claims import Claim, ExecutorOutput, ParseState, ParseStatus
    from superbiz.domain.dossier import read

    chance = random.Random(SEED)
    calls = _large_calls(chance, size.megabytes * 1_000_000)
    given = read(canonical.encoded({"schema": "dossier/1", "run_id": "run-1", "invocations": calls, "claims": []}))
    made = tuple(Claim.model_validate(_line_claim(chance, calls, n)) for n in range(size.claims))
    output = ExecutorOutput(run_id="run-1", round=1).model_copy(update={"claims": made})
    parse = ParseStatus(status=ParseState.OK, valid=True, claim_count=size.claims)

    def check() -> None:
        book = gatekeeper.EvidenceBook(given.run_id, given.invocations, given.outputs)
        result = gatekeeper.admit(output, parse, book, 1)
        if result.counts.bindings_ok != size.claims:
            raise RuntimeError(f"{result.counts.bindings_ok} of {size.claims} citations were found")

    return check


def _large_calls(chance: random.Random, size: int) -> list[dict[str, Any]]:
    calls: list[dict[str, Any]] = []
    written = 0
    while written < size:
        lines = [_line(chance, n) for n in range(RECORDS_A_CALL)]
        written += sum(map(len, lines))
        calls.append(_call(f"inv-{len(calls)}", "query_logs", "LOG", {"logs": lines, "matched": len(lines)}))
    return calls


def _call(name: str, tool: str, category: str, output: Any) -> dict[str, Any]:
    return {"invocation_id": name, "run_id": "run-1", "tool_name": tool, "category": category, "input_params": {"top": 5}, "output": output}


def _line(chance: random.Random, n: int) -> str:
    at = f"2026-07-08 {n // 3600 % 24:02}:{n // 60 % 60:02}:{n % 60:02}"
    failure = f"{chance.choice(FAILURES)} after {chance.randrange(100, 99_999)}ms"
    return f"{at} ERROR {chance.choice(SERVICES)} {failure}, trace {chance.getrandbits(64):016x}"


def _line_claim(chance: random.Random, calls: Sequence[dict[str, Any]], n: int) -> dict[str, Any]:
    """A claim on a line; every third with a changed number."""
    call = chance.choice(calls)
    at = chance.randrange(RECORDS_A_CALL)
    line = call["output"]["logs"][at]
    service, rest = line[26:].split(" ", 1)
    failure, took = rest.split(" after ")
    milliseconds = int(took.split("ms")[0]) + (n % 3 == 0)
    bound = {
        "invocation_id": call["invocation_id"],
        "raw_path": f"$.logs[{at}]",
        "evidence_excerpt": f"{failure} after {took.split(',')[0]}",
    }
    text = f"{service} said {failure} after {milliseconds} ms at {line[11:19]}"
    return {"claim_id": f"c{n}", "claim_text": text, "claim_type": "observation", "critical": True, "evidence": [bound]}


def varied(count: int, seed: int = SEED) -> Iterator[dict[str, Any]]:
    """Dossiers as three kinds of tools would write them."""
    chance = random.Random(seed)
    for n in range(count):
        calls = [_logs_call(chance), _metrics_call(chance), _changes_call(chance)]
        made = [claim for call in calls for claim in _row_claims(chance, call, chance.randrange(0, 3))]
        for at, claim in enumerate(made):
            claim["claim_id"] = f"c{at}"
        yield {"schema": "dossier/1", "run_id": "run-1", "question": f"What happened to order {n}?", "invocations": calls, "claims": made}


def _logs_call(chance: random.Random) -> dict[str, Any]:
    return _call("logs", "search_logs", "LOG", {"logs": [_line(chance, chance.randrange(80_000)) for _ in range(chance.randrange(1, 60))]})


def _metrics_call(chance: random.Random) -> dict[str, Any]:
    rows = [
        {
            "subject": s,
            "metric": "Latency",
            "direction": "rose",
            "worst": chance.randrange(200, 9_000),
            "baseline": chance.randrange(1, 199),
        }
        for s in SERVICES
    ]
    return _call("metrics", "get_metrics", "METRIC", {"series": rows})


def _changes_call(chance: random.Random) -> dict[str, Any]:
    rows = [
        {"time": f"2026-07-08T{chance.randrange(24):02}:{chance.randrange(60):02}:00Z", "name": "UpdateService", "resource": s}
        for s in SERVICES
    ]
    return _call("changes", "list_changes", "CHANGE", {"changes": rows})


def _row_claims(chance: random.Random, call: dict[str, Any], count: int) -> Iterator[dict[str, Any]]:
    for _ in range(count):
        ((field, rows),) = call["output"].items()
        at = chance.randrange(len(rows))
        row, wrong = rows[at], chance.random() < 0.4
        said, excerpt = _said(row, call["tool_name"], 1 if wrong else 0)
        bound = {"invocation_id": call["invocation_id"], "raw_path": f"$.{field}[{at}]", "evidence_excerpt": excerpt}
        yield {"claim_id": "", "claim_text": said, "claim_type": "observation", "critical": chance.random() < 0.7, "evidence": [bound]}


def _said(row: Any, tool: str, off: int) -> tuple[str, str]:
    """A sentence about a row, with its number off by so much, and the passage that it cites."""
    if tool == "search_logs":
        service, rest = row[26:].split(" ", 1)
        return f"{service}: {rest.split(',')[0]} at {row[11:17]}{(int(row[17:19]) + off) % 60:02}", rest.split(",")[0]
    excerpt = canonical.dumps(row)[:-1]
    if tool == "get_metrics":
        return f"Latency of {row['subject']} rose: worst {row['worst'] + off}, baseline {row['baseline']}", excerpt
    hour = (int(row["time"][11:13]) + off) % 24
    return f"UpdateService of {row['resource']} at 2026-07-08T{hour:02}{row['time'][13:]}", excerpt
