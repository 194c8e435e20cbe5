"""What `superbiz diagnose` shows while it works."""

from pathlib import Path

from superbiz.flow.outcome import RunRef
from superbiz_cli.diagnose import CHECKING, LARGE, Progress


def test_of_large_files_it_is_told_how_far_they_are_read() -> None:
    told: list[str] = []
    progress = Progress(told.append)
    progress.read(Path("w/logs.jsonl.gz"), LARGE, 3 * LARGE)
    progress.begin("executor", RunRef(run_id="run-1"))
    progress.read(Path("w/traces.jsonl.gz"), 5, 10)
    progress.read(Path("w/logs.jsonl.gz"), 3 * LARGE, 3 * LARGE)
    assert told == [
        f"{CHECKING}: logs.jsonl.gz, 8 of 24 MB",
        "executor (round 1)",
        "executor (round 1)",
        "executor (round 1): logs.jsonl.gz, 24 of 24 MB",
    ]
