"""A diagnosed world as `superbiz verify` could be given it: its calls with their whole outputs, and the claims that were made of them."""

import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any, NamedTuple

from bench.sets import RECORDED, recorded_set, simulated
from superbiz.domain import refs
from superbiz.domain.claims import Claim as Spelling
from superbiz.domain.evidence import Invocation
from superbiz.domain.runs import EngineName
from superbiz.flow.stage import StoredOutputs
from superbiz_cli.simulator.demo import write_demo_world
from superbiz_cli.worlds import diagnose

PROCESSES = 2
WORLD_SEED = 7  # of the simulated worlds: the one that they are looked at with
Claim = dict[str, Any]
Call = dict[str, Any]


class Scene(NamedTuple):
    """One diagnosed world. `claims` are the Executor's, all of them true: code read them off the records. `findings` are its own too,
    before anything was checked; `report` is what came of them. `truth` is None where nobody tells it."""

    set_name: str
    world: str
    run_id: str
    question: str
    calls: tuple[Call, ...]
    claims: tuple[Claim, ...]
    findings: Mapping[str, Any]
    report: Mapping[str, Any]
    truth: Mapping[str, Any] | None = None

    @property
    def key(self) -> str:
        """What tells it from the scenes of other sets."""
        return f"{self.set_name} {self.world}"

    def dossier(self, claims: Iterable[Claim], calls: Iterable[Call] | None = None) -> dict[str, Any]:
        """A `dossier/1` of these claims over this world's calls, or over other ones."""
        kept = self.calls if calls is None else tuple(calls)
        return {
            "schema": "dossier/1",
            "run_id": self.run_id,
            "question": self.question,
            "invocations": list(kept),
            "claims": list(map(_bare, claims)),
        }

    def call(self, invocation_id: str) -> Call:
        """The call of an id; KeyError where there is none."""
        found = next((c for c in self.calls if c["invocation_id"] == invocation_id), None)
        if found is None:
            raise KeyError(invocation_id)
        return found

    def node(self, bound: Mapping[str, str]) -> Any:
        """What stands at a citation of this world; None where nothing does."""
        parts = refs.parse_path(bound["raw_path"])
        return None if parts is None else refs.node_at(self.call(bound["invocation_id"])["output"], parts)[1]


def _bare(claim: Claim) -> Claim:
    """The claim as its schema has it, without what this package notes beside it."""
    return {k: v for k, v in claim.items() if k in Spelling.model_fields}


def demo(out: Path) -> list[Scene]:
    """The demo world's scene."""
    world = out / "demo"
    write_demo_world(world)
    return [scene_of("Demo", world, None)]


def every(seed: int = WORLD_SEED) -> Iterator[list[Scene]]:
    """The scenes of every set at hand, set by set."""
    with tempfile.TemporaryDirectory() as folder:
        yield demo(Path(folder))
        yield _scenes([("Catalogue", case.folder, case.truth) for case in simulated(Path(folder), (seed,))])
    for name in RECORDED:
        found = recorded_set(name)
        if found:
            yield _scenes([(case.set_name, case.folder, case.truth) for case in found])


def _scenes(worlds: Sequence[tuple[str, Path, Mapping[str, Any]]]) -> list[Scene]:
    with ProcessPoolExecutor(PROCESSES, get_context("spawn")) as pool:
        return list(pool.map(scene_of, *zip(*worlds, strict=True), chunksize=2))


def scene_of(set_name: str, world: Path, truth: Mapping[str, Any] | None) -> Scene:
    """Diagnose a world, and keep what its last round was judged on."""
    done = diagnose(world, EngineName.OFFLINE)
    run, file = done.record.run, done.file
    last = max(n for n, artifact in file.artifacts.items() if artifact.get("structured") and "claims" in artifact["structured"])
    structured = file.artifacts[last]["structured"]
    return Scene(
        set_name,
        world.name,
        run.run_id,
        done.record.request.query,
        tuple(_calls(file.invocations, StoredOutputs(done.ports, file))),
        tuple(structured["claims"]),
        structured["findings"],
        done.record.report or {},
        truth,
    )


def _calls(invocations: Iterable[Invocation], outputs: Mapping[str, Any]) -> Iterator[Call]:
    for i in invocations:
        told = {"invocation_id": i.invocation_id, "run_id": i.run_id, "tool_name": i.tool_name, "category": i.category.value}
        output = outputs[i.invocation_id] if i.output else None
        cut = i.output is not None and not i.output.complete
        yield told | {"status": i.status.value, "input_params": dict(i.input_params), "output": output, "truncated": cut}
