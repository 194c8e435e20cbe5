"""`superbiz verify --jsonl`: a line out for each line in, in its order, over as many batches as there are."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from superbiz_cli import verify
from superbiz_cli.main import app

LINE = "mailer timed out after 3000 ms"


def dossier(n: int) -> str:
    evidence = [{"invocation_id": "call", "raw_path": "$", "evidence_excerpt": LINE}]
    claim = {"claim_id": "c", "claim_text": LINE, "claim_type": "observation", "critical": True, "evidence": evidence}
    call = {"invocation_id": "call", "run_id": f"r{n}", "tool_name": "tail", "output": LINE}
    return json.dumps({"schema": "dossier/1", "run_id": f"r{n}", "invocations": [call], "claims": [claim]})


def test_lines_keep_their_order_and_bad_ones_are_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(verify, "BATCH", 3)
    given = [dossier(n) for n in range(20)]
    given[1] = given[13] = "{"
    source, target = tmp_path / "in.jsonl", tmp_path / "out.jsonl"
    source.write_text("\n".join(given))
    done = CliRunner().invoke(app, ["verify", "--jsonl", str(source), str(target)])
    lines = [json.loads(line) for line in target.read_text().splitlines()]
    assert done.exit_code == 2
    assert [line["run_id"] for line in lines] == [None if n in (1, 13) else f"r{n}" for n in range(20)]
    assert [line["line"] for line in lines if line["run_id"] is None] == [2, 14]
    assert {line["verdict"] for line in lines if line["run_id"]} == {"PASS"}
    assert {f.name for f in tmp_path.iterdir()} == {"in.jsonl", "out.jsonl"}
    assert "in.jsonl:14:" in done.output


def test_a_broken_dossier_is_named_with_its_file(tmp_path: Path) -> None:
    broken = tmp_path / "broken.json"
    broken.write_text('{"schema":"dossier/1","run_id":5,"claims":[]}')
    done = CliRunner().invoke(app, ["verify", str(broken)])
    assert done.exit_code != 0
    assert "broken.json" in str(done.exception)
    assert "run_id" in str(done.exception)
