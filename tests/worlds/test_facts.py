"""The offline engine's typed facts over worlds of the catalogue and the demo's."""

from collections.abc import Iterator
from itertools import combinations
from typing import Any, NamedTuple

import pytest

from superbiz.domain import canonical, facts
from superbiz.domain.claims import Claim, ClaimType
from superbiz.domain.facts import Source
from superbiz.domain.facts.labels import Sentence
from superbiz.domain.reading.parts import saying
from superbiz_cli.simulator.catalogue import CATALOGUE
from superbiz_cli.simulator.demo import write_demo_world
from superbiz_cli.worlds import Diagnosis, diagnose
from worlds.reporting import Written

LEAST_FOUND = 0.99
UNTYPED = (ClaimType.ACTION, ClaimType.ABSENCE)


class Told(NamedTuple):
    claim: Claim
    sources: list[Source]


def told(found: Diagnosis) -> Iterator[Told]:
    """The claims that tell of records, with the calls that they cite."""
    calls = {i.invocation_id: i for i in found.file.invocations}
    for given in found.file.artifacts[1]["structured"]["claims"]:
        claim = Claim.model_validate(given)
        cited = dict.fromkeys(b.invocation_id for b in claim.evidence)
        if claim.claim_type not in UNTYPED:
            yield Told(claim, [_source(calls[i], canonical.loads(found.file.outputs[i])) for i in cited])


def _source(call: Any, output: Any) -> Source:
    return Source(call.invocation_id, output, call.input_params, call.output.complete, call.tool_name)


def check(claims: list[Told]) -> tuple[int, int]:
    """Every number and time has a fact, every fact recomputes, no sentence is rejected; (pairs that were swapped, pairs found)."""
    pairs = found = 0
    for claim, sources in claims:
        read = [facts.parse(f) for f in claim.facts]
        said = saying(claim.claim_text, frozenset())
        assert [o.reason for f in read if not (o := facts.recompute(f, sources)).holds] == []
        assert list(facts.swapped(said, read)) == []
        assert [s.text for s in Sentence(said).slots if not any(s.holds(f) for f in read)] == []
        for text in swaps(claim.claim_text):
            pairs += 1
            found += bool(list(facts.swapped(saying(text, frozenset()), read)))
    return pairs, found


def swaps(text: str) -> Iterator[str]:
    """The text with two of its numbers in each other's place."""
    slots = [s for s in Sentence(saying(text, frozenset())).slots if s.amount is not None]
    for a, b in combinations(slots, 2):
        one, other = (s.text.split(" ")[0] for s in (a, b))
        if a.amount and b.amount and a.amount.value != b.amount.value:
            yield text[: a.span[0]] + other + text[a.span[0] + len(one) : b.span[0]] + one + text[b.span[0] + len(other) :]


def test_every_fact_of_the_catalogue_recomputes_and_swapped_numbers_are_found(written: Written) -> None:
    claims = [c for name in list(CATALOGUE)[::13] for c in told(diagnose(written(name)))]
    pairs, found = check(claims)
    assert sum(len(c.claim.facts) for c in claims) > 15
    assert found >= LEAST_FOUND * pairs > 0


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Diagnosis:
    folder = tmp_path_factory.mktemp("demo")
    write_demo_world(folder)
    return diagnose(folder)


def test_the_demo_world_tells_facts_in_its_report(demo: Diagnosis) -> None:
    check(list(told(demo)))
    report = demo.record.report
    assert report is not None
    assert any(claim["facts"] for claim in report["claims"])


@pytest.mark.parametrize("fields", [{"value": 10**9}, {"path": "$.nowhere"}])
def test_a_fact_that_is_changed_does_not_recompute(demo: Diagnosis, fields: dict[str, Any]) -> None:
    claim, sources = next(t for t in told(demo) if t.claim.facts)
    assert not facts.recompute(facts.parse(claim.facts[0] | fields), sources).holds
