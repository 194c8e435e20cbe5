"""Cold import of each API function against the floor of what it can not do without, and what it must not load."""

import json
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from bench.rows import Row

ROOT = Path(__file__).resolve().parents[1]
API_FUNCTIONS = ("chat", "feedback", "traces", "knowledge")
LIGHT = ("chat", "alerts", "feedback", "traces")
HEAVY = ("openai", "numpy", "pymilvus", "pandas")
FLOOR = """
import boto3, pydantic, pynamodb.connection
from aws_lambda_powertools import Logger, Metrics
from aws_lambda_powertools.event_handler import APIGatewayHttpResolver
boto3.client("stepfunctions")
"""
RUNS = 11
BOUND = 1.15
TIMED = "import sys, time, json; t = time.perf_counter()\n{body}\nprint(json.dumps([time.perf_counter() - t, sorted(sys.modules)]))"


def measure() -> Iterator[Row]:
    """Medians of pairs, floor and function in turn, with compiled bytecode as the layers ship it."""
    with tempfile.TemporaryDirectory() as cache:
        for name in dict.fromkeys((*API_FUNCTIONS, *LIGHT)):
            body = f"import {name}"
            _run(body, cache), _run(FLOOR, cache)  # compiles
            pairs = [(_run(body, cache)[0], _run(FLOOR, cache)[0]) for _ in range(RUNS)]
            yield Row(f"{name}: import", statistics.median(own for own, _ in pairs) * 1000, "ms")
            yield Row(f"{name}: import against the floor", statistics.median(own / floor for own, floor in pairs), "x", BOUND)
        for name in LIGHT:
            loaded = {module.partition(".")[0] for module in _run(f"import {name}", cache)[1]}
            yield Row(
                f"{name}: heavy libraries loaded ({', '.join(sorted(loaded & set(HEAVY))) or 'none'})", len(loaded & set(HEAVY)), "", 0
            )


def _run(body: str, cache: str) -> tuple[float, list[str]]:
    environment = {
        **{k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"},
        "PYTHONPYCACHEPREFIX": cache,
        "PYTHONPATH": os.pathsep.join(map(str, (ROOT / "functions", ROOT / "layers/core"))),
        "AWS_DEFAULT_REGION": "us-east-1",
        "POWERTOOLS_SERVICE_NAME": "bench",
        "POWERTOOLS_METRICS_NAMESPACE": "bench",
        "TABLE_NAME": "bench",
    }
    done = subprocess.run([sys.executable, "-c", TIMED.format(body=body)], env=environment, capture_output=True, text=True, check=True)
    seconds, modules = json.loads(done.stdout.splitlines()[-1])
    return seconds, modules
