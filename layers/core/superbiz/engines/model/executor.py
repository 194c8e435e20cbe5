"""The model's Executor: it starts from the offline findings, calls the same tools, and states claims bound to exact passages.

Steps are bounded. A finish whose citations do not hold is handed back once with the reasons. Whatever goes wrong with the model, the
offline engine's result stands and no claim of the model is used.
"""

import json
from collections.abc import Sequence
from typing import NamedTuple

from superbiz.domain import executor_output, gatekeeper
from superbiz.domain.claims import ExecutorOutput, ParseState, ParseStatus
from superbiz.domain.runs import EngineName
from superbiz.domain.values import JsonObject
from superbiz.domain.verification import ClaimStatus
from superbiz.engines import evidence
from superbiz.engines.model import schemas, showing
from superbiz.engines.model.actions import MAX_TURN_CALLS, Action, Ground, ToolCall, output_of, read_action
from superbiz.engines.model.blocks import Blocks, neutral
from superbiz.engines.model.opening import opening
from superbiz.engines.model.prompting import render
from superbiz.engines.model.talk import Means, Talk, Unusable
from superbiz.ports import Brief, Execution, Executor, ModelMessage, RecordedCall, Toolbox

MAX_TURNS = 8
MAX_CALLS = 12
WINDOW_PAIRS = 6
TURN_CHARS = 16_000
WINDOW_CHARS = 60_000
FINISH_NOW = "No more tool calls are possible. Finish now: `finish` must be given."
_PARSED = ParseStatus(status=ParseState.OK, valid=True)


class ModelExecutor:
    """Implements `Executor`."""

    def __init__(self, means: Means, offline: Executor) -> None:
        self._means, self._offline = means, offline

    def execute(self, brief: Brief, tools: Toolbox) -> Execution:
        first = self._offline.execute(brief, tools) if brief.retry is None else None
        basis = executor_output.parse(first.raw, brief.run.run_id, brief.round)[1] if first else brief.kept
        talk = Talk(self._means, brief, "executor", self._means.limits.executor_seconds)
        try:
            output = Investigation(self._means, talk, brief, tools, basis).conclude()
        except Unusable as e:
            instead = first or self._offline.execute(brief, tools)
            return instead._replace(cost=instead.cost + talk.cost, model_input=talk.transcript, degraded=e.reason)
        return Execution(
            raw=json.dumps(output.to_json(), ensure_ascii=False),
            model_input=talk.transcript,
            cost=talk.cost,
            engine=EngineName.MODEL,
        )


class Turn(NamedTuple):
    """What the model said, and what came of it: in full, and in short for when it is long past."""

    said: str
    full: str
    short: str


class Investigation:
    """The loop of one Executor step."""

    def __init__(self, means: Means, talk: Talk, brief: Brief, tools: Toolbox, basis: ExecutorOutput | None) -> None:
        self._talk, self._brief, self._tools, self._basis = talk, brief, tools, basis
        self._described = tools.describe()
        self._blocks = Blocks()
        self._shown = {call.invocation.invocation_id for call in tools.recorded()}
        self._calls_left = brief.retry.limits.max_new_tool_calls if brief.retry else MAX_CALLS
        described = "\n".join(map(schemas.described, self._described))
        system = render("executor", marker=self._blocks.marker, tools=described, turn_calls=str(MAX_TURN_CALLS))
        start = opening(brief, basis, tools.recorded(), self._blocks, means)
        self._start = (ModelMessage("system", system), ModelMessage("user", start))
        self._turns: list[Turn] = []

    def conclude(self) -> ExecutorOutput:
        """Raises Unusable where the model does not come to an end that can be read."""
        corrected = False
        for turn in range(1, MAX_TURNS + 1):
            last = turn == MAX_TURNS or self._calls_left <= 0 or self._talk.nearly_spent
            (action, output), said = self._ask(last=last)
            if output is None:
                self._turns.append(self._called(said, action.calls))
                continue
            problems = self._unreal(output)
            if not problems or corrected or turn == MAX_TURNS or self._talk.nearly_spent:
                return output
            corrected = True
            self._turns.append(self._to_correct(said, problems))
        raise Unusable(f"the model came to no conclusion in {MAX_TURNS} turns")

    def _ask(self, *, last: bool) -> tuple[tuple[Action, ExecutorOutput | None], str]:
        shape = schemas.FINISH_ONLY if last else schemas.action(self._described)
        return self._talk.ask(self._messages(last=last), shape, lambda document: self._read(document, last=last))

    def _read(self, document: JsonObject, *, last: bool) -> tuple[Action, ExecutorOutput | None]:
        action = read_action(document, (t["name"] for t in self._described), last=last)
        if action.calls or action.finish is None:
            return action, None
        return action, output_of(action.finish, self._brief, self._basis, _ground(self._tools.recorded(), self._brief))

    def _messages(self, *, last: bool) -> Sequence[ModelMessage]:
        told = list(self._start)
        for turn, text in zip(self._turns, self._windowed(), strict=True):
            told += [ModelMessage("assistant", neutral(turn.said)), ModelMessage("user", text)]
        if last:
            told[-1] = ModelMessage("user", f"{told[-1].content}\n\n{FINISH_NOW}")
        return told

    def _windowed(self) -> Sequence[str]:
        """What came of each turn: of the last six in full as far as they fit, of those before them in short."""
        texts: list[str] = []
        room = WINDOW_CHARS
        for age, turn in enumerate(reversed(self._turns)):
            room -= len(turn.full)
            texts.append(turn.full if age == 0 or (age < WINDOW_PAIRS and room >= 0) else turn.short)
        return texts[::-1]

    def _called(self, said: str, calls: Sequence[ToolCall]) -> Turn:
        wanted = calls[: min(MAX_TURN_CALLS, self._calls_left)]
        done = [self._tools.call(c.tool, c.arguments) for c in wanted]
        self._calls_left -= len(wanted)
        fresh = [d for d in done if d.invocation.invocation_id not in self._shown]
        seen = [d for d in done if d.invocation.invocation_id in self._shown]
        self._shown |= {d.invocation.invocation_id for d in done}
        notes = [showing.brief_call(d.invocation) for d in seen]
        if len(wanted) < len(calls):
            notes.append(f"{len(calls) - len(wanted)} more calls were not made: over the limit.")
        notes.append(f"{self._calls_left} calls are left.")
        full = "\n\n".join((showing.calls(fresh, self._blocks, TURN_CHARS), *notes)).strip()
        return Turn(said, full, "\n\n".join((*(showing.brief_call(d.invocation) for d in done), notes[-1])))

    def _unreal(self, output: ExecutorOutput) -> str:
        """Why citations do not hold, by the Gatekeeper's own rules; empty where all do."""
        gate = gatekeeper.admit(output, _PARSED, evidence.book_of(self._tools.recorded(), self._brief.run.run_id), self._brief.round)
        return "\n".join(
            f"{claim.claim_id}: {', '.join(claim.codes)}. {' '.join(b.reason for b in claim.bindings if not b.ok)}"
            for claim in gate.claims
            if claim.status is ClaimStatus.UNVERIFIED
        )

    def _to_correct(self, said: str, problems: str) -> Turn:
        text = render("correct", problems=self._blocks.seal("problems", problems))
        return Turn(said, text, "Some citations were found wrong and sent back.")


def _ground(recorded: Sequence[RecordedCall], brief: Brief) -> Ground:
    asked = [brief.query, *([brief.alarm.model_dump_json()] if brief.alarm else [])]
    return Ground(asked, (c.output for c in recorded if c.output is not None))
