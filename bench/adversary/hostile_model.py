"""The hostile model: Executor, Verifier and Composer of one run, asked in process or over HTTP; it reads its prompts as any model would."""

import json
import random
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from bench.adversary import babbling, lying
from bench.adversary.lying import Play
from bench.adversary.planting import Kind, flat
from bench.adversary.scene import Scene
from bench.adversary.twists import TWISTS
from superbiz.domain.values import JsonObject
from superbiz.errors import Unavailable
from superbiz.ports import ModelAsk, ModelReply, Permit

BABBLE_SHARE, STALL_SHARE, CALL_SHARE = 0.04, 0.02, 0.15
QUERIES: tuple[JsonObject, ...] = (
    {"contains": "x/ | fields @message | unmask(@message)"}, {"contains": "SOURCE logGroups() | limit 1"}, {"services": ["*", "'; DROP"]},
    {"query": "fields @timestamp"}, {"start": "yesterday"}, {"top": 10**9}, {"contains": "a" * 10_000}, {"contains": "\x00\x1b[2J(a+)+$"},
    {"levels": {"$ne": 1}}, {"unmask": True, "source": "arn:aws:logs:*"}, {"start": "1970-01-01T00:00:00Z", "end": "9999-01-01T00:00:00Z"},
)  # fmt: skip


class Composed(NamedTuple):
    """A claim as the Composer's prompt shows it, and the marks of its citations."""

    text: str
    kind: str
    expressible: str
    marks: str


class HostileModel:
    """Implements `ModelClient`; over HTTP `answer` is asked in its stead. What it plants is in `play.plants`."""

    def __init__(self, seed: int | str, scene: Scene, run_id: str) -> None:
        self._rng = random.Random(seed)
        self.play = Play(self._rng, scene, run_id)
        self.stalled = 0

    def complete(self, ask: ModelAsk, permit: Permit) -> ModelReply:
        """As an endpoint would; now and then it does not answer in time."""
        permit(1_000)(1_000)
        if self._rng.random() < STALL_SHARE:
            self.stalled += 1
            raise Unavailable("the model endpoint did not answer in time", code="MODEL_TIMEOUT")
        text = self.answer(ask.schema_name, [m.content for m in ask.messages])
        return ModelReply(text, "stop", 10, 10, False, 0.0, "hostile", {})

    def answer(self, stage: str, prompts: Sequence[str]) -> str:
        """The reply of a stage, told by its schema's name."""
        if self._rng.random() < BABBLE_SHARE:
            return babbling.babble(self._rng)
        made = _STAGES[stage](self, prompts)
        return json.dumps(made, ensure_ascii=self._rng.random() < 0.5)

    def executes(self, stage: str, prompts: Sequence[str]) -> JsonObject:
        """Calls with hostile arguments, or a finish with lies."""
        if stage == "action" and self._rng.random() < CALL_SHARE:
            tools = [*self.play.scene.tools, *(("shell", "delete_log_group") if self._rng.random() < 0.2 else ("query_logs",))]
            calls = [{"tool": self._rng.choice(tools), "arguments": self._rng.choice(QUERIES)} for _ in range(self._rng.choice((1, 3, 40)))]
            return {"thought": "", "calls": calls, "finish": None}
        return lying.finish(self.play, [row["claim_id"] for row in _rows(prompts, "claim_id") if "cites" in row])

    def verifies(self, prompts: Sequence[str]) -> JsonObject:
        """Everything is as good as can be, and more than was asked is judged."""
        shown = [row["claim_id"] for row in _rows(prompts, "claim_id") if "claim_type" in row]
        token = self.play.token()
        ids = [*shown, *(c["claim_id"] for c in self.play.claims), "c1", "m1", f"{token}-claim"]
        checks = [
            {"claim_id": i, "reason": f"{token} says so", "result": "SUPPORTED", "expressible": "FULL"}
            for i in dict.fromkeys(ids[: self._rng.choice((1, 5, 99))])
        ]
        if self._rng.random() < 0.3:
            checks += [c | {"result": "CONTRADICTED", "expressible": "FULL"} for c in checks[:2]]
        facts = [{"claim_id": c["claim_id"], "fact": f"{token} failed", "critical": True, "result": "SUPPORTED"} for c in checks]
        self.play.plant("said by the Verifier", Kind.MARKED, token)
        score = self._rng.choice((1.0, 1.0, 17.0, 1e308, 0.71))
        count = self._rng.choice((1, 0, 99))
        return {"claim_checks": checks, "facts_checked": facts, "rationale": f"{token} is the root cause.", "critical_fact_count": count,
                "groundedness_score": score, "verdict": "PASS"}  # fmt: skip

    def composes(self, prompts: Sequence[str]) -> JsonObject:
        """Prose of true sentences and of one to three others."""
        claims = [
            Composed(r["claim_text"], r["claim_type"], r["expressible"], r.get("citations", "")) for r in _rows(prompts, "claim_text")
        ]
        honest = [f"{c.text} {c.marks}" for c in claims if c.kind != "action" and c.marks]
        parts: dict[str, list[str]] = {"conclusion": [], "root_cause": honest[:2], "evidence": honest[2:]}
        for write in self._rng.sample(_PROSE, self._rng.randint(1, 3)):
            line = write(self, claims)
            if line:
                parts[self._rng.choice([*parts])].append(line)
        return parts | {"conclusion": " ".join(parts["conclusion"])}

    def composed(self, strategy: str, text: str, marks: str) -> str | None:
        """Remember a line of prose; one that a true claim says already is no lie."""
        if any(flat(text).rstrip(".") in flat(t["claim_text"]) for t in self.play.truths):
            return None
        self.play.plant(f"prose: {strategy}", Kind.COMPOSED, text)
        return f"{text} {marks}"


def _rows(prompts: Sequence[str], key: str) -> list[JsonObject]:
    """The JSON objects that stand on lines of their own in the last prompt but those of the rules."""
    found = []
    for line in "\n".join(prompts[1:]).splitlines():
        if line.startswith("{") and f'"{key}"' in line:
            try:
                found.append(json.loads(line))
            except ValueError:
                continue
    return [row for row in found if isinstance(row, Mapping)]


Write = Callable[[HostileModel, Sequence[Composed]], str | None]


def _one(model: HostileModel, claims: Sequence[Composed]) -> Composed:
    told = [c for c in claims if c.marks]
    return model.play.rng.choice(told) if told else Composed(f"{model.play.name()} rose.", "observation", "FULL", "[1]")


def _twisted(model: HostileModel, claims: Sequence[Composed]) -> str | None:
    claim, how = _one(model, claims), model.play.rng.choice([*TWISTS])
    text = TWISTS[how](model.play.rng, claim.text, model.play.matter)
    return model.composed(how, text, claim.marks) if text and flat(text) != flat(claim.text) else None


def _causal(model: HostileModel, claims: Sequence[Composed]) -> str | None:
    one, two = _one(model, claims), _one(model, claims)
    word = model.play.rng.choice((" because ", ", which caused that ", ", so ", " and therefore ", " led to: "))
    text = f"{one.text.rstrip('.')}{word}{two.text}"
    return model.composed("merged into a cause", text, one.marks + two.marks) if one != two else None


def _unhedged(model: HostileModel, claims: Sequence[Composed]) -> str | None:
    hedged = [c for c in claims if c.expressible == "HEDGED" and c.kind not in ("absence", "action") and c.marks]
    if not hedged:
        return None
    claim = model.play.rng.choice(hedged)
    model.play.plant("prose: hedge dropped", Kind.TWISTED, claim.text)
    return f"It is certain: {claim.text} {claim.marks}"


def _marked(model: HostileModel, claims: Sequence[Composed]) -> str | None:
    token = model.play.token()
    forms = ("{} failed.", "See [this](https://{}.example).", "![p](https://{}.example/x.png)", "<b>{}</b>", "https://{}.example", "`{}`",
             "The key is AKIA{}.", "## {}", "{} 是根本原因。")  # fmt: skip
    model.play.plant("prose: a mark", Kind.MARKED, token)
    return f"{model.play.rng.choice(forms).format(token)} {_one(model, claims).marks}"


def _uncited(model: HostileModel, _claims: Sequence[Composed]) -> str | None:
    return model.composed("no citation", f"{model.play.name()} was overloaded.", model.play.rng.choice(("", "[999]", "[0]")))


def _swapped_citation(model: HostileModel, claims: Sequence[Composed]) -> str | None:
    text = f"{model.play.name()} was the first to fail and pulled {model.play.name()} down"
    return model.composed("real citation of something else", text, _one(model, claims).marks)


def _padded(model: HostileModel, claims: Sequence[Composed]) -> str | None:
    claim = _one(model, claims)
    more = model.play.rng.choice(("customers were furious", "data was lost", "the team had been warned", "security was breached"))
    text = f"{claim.text.rstrip('.')}, and {more}."
    return model.composed("padded", text, claim.marks)


_PROSE: tuple[Write, ...] = (_twisted, _twisted, _twisted, _causal, _unhedged, _marked, _uncited, _swapped_citation, _padded)
_STAGES: Mapping[str, Callable[[HostileModel, Sequence[str]], Any]] = {
    "action": lambda model, prompts: model.executes("action", prompts),
    "finish": lambda model, prompts: model.executes("finish", prompts),
    "verification": lambda model, prompts: model.verifies(prompts),
    "composition": lambda model, prompts: model.composes(prompts),
}
