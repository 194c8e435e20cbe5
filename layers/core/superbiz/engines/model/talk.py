"""A stage's talk with the model: every reply is stored before it is acted on, and a second attempt acts on the stored ones.

A failure is stored as well: a stage that had to give the model up stays so, and a resumed attempt pays for nothing again.
"""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeVar

from superbiz.domain.runs import Cost, Feedback
from superbiz.domain.values import JsonObject, iso
from superbiz.engines.model.blocks import Blocks, neutral
from superbiz.engines.model.budget import Budget, Limits, ModelLedger
from superbiz.engines.model.prompting import name_of, render
from superbiz.engines.model.reading import json_object
from superbiz.errors import Broken, BudgetSpent, Invalid, SuperBizError
from superbiz.ports import Brief, Clock, ModelAsk, ModelClient, ModelMessage, ModelReply, Redactor

T = TypeVar("T")
SHOWN_CHARS = 2_000
SPENT_ENOUGH = 0.6


@dataclass(frozen=True)
class Means:
    """What the three stages share. `redactor` gives the run's redactor, for text that no recorder has cleaned."""

    client: ModelClient
    ledger: ModelLedger
    clock: Clock
    limits: Limits
    redactor: Callable[[str], Redactor]

    def not_useful(self, run_id: str) -> bool:
        """Whether the run's reader marked it so."""
        run = self.ledger.run(run_id)
        return run is not None and run.feedback is Feedback.NOT_USEFUL


class Shape(NamedTuple):
    """What is asked for: a JSON object of this schema, under this name."""

    name: str
    schema: JsonObject


class Unusable(Exception):
    """The model can not do this stage; `reason` says why. Control flow inside the engine, never seen outside."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class Said(NamedTuple):
    """A reply as it was stored."""

    text: str
    finish: str


class Talk:
    """One stage of one run. `cost` sums its replies, those of a killed attempt too."""

    def __init__(self, means: Means, brief: Brief, prompt: str, seconds: float) -> None:
        if brief.step_index < 1:
            raise Broken("the brief does not say which step is under way", code="NO_STEP")
        self._means, self._brief, self._prompt = means, brief, name_of(prompt)
        self._until = time.monotonic() + seconds
        self._stored = means.ledger.replies(brief.run.run_id, brief.step_index)
        spent = sum(_tokens(reply) for reply in (*brief.model_replies, *self._stored.values()))
        self._budget = Budget(means.ledger, means.clock, means.limits, spent)
        self._known = _known(brief.model_replies)
        self._seq = 0
        self.cost = Cost()
        self.repairs = 0
        self._messages: Sequence[ModelMessage] = ()

    @property
    def nearly_spent(self) -> bool:
        """The rest of the run's budget is for the stages that follow."""
        return self._budget.spent > SPENT_ENOUGH * self._means.limits.run_tokens

    @property
    def transcript(self) -> str:
        """What the model was last asked; its rules stand in the prompt's file."""
        told = (f"[{m.role}]\n{m.content}" for m in self._messages if m.role != "system")
        return "\n\n".join((f"[prompt {self._prompt}]", *told))

    def ask(self, messages: Sequence[ModelMessage], shape: Shape, read: Callable[[JsonObject], T]) -> tuple[T, str]:
        """What `read` makes of the reply, and its text. A reply that it refuses (Invalid) may be repaired once; then Unusable."""
        said = self._said(messages, shape)
        try:
            return _read(said, read), said.text
        except Invalid as broken:
            problem = broken.message
        self.repairs += 1
        said = self._said((*messages, ModelMessage("assistant", neutral(said.text[:SHOWN_CHARS]) or "(nothing)"), _repair(problem)), shape)
        try:
            return _read(said, read), said.text
        except Invalid as still:
            raise Unusable(f"the model gave two unusable replies ({still.code})") from still

    def _said(self, messages: Sequence[ModelMessage], shape: Shape) -> Said:
        self._seq += 1
        self._messages = messages
        stored = self._stored.get(self._seq)
        if stored is None:
            run_id, index = self._brief.run.run_id, self._brief.step_index
            stored = self._means.ledger.save_reply(run_id, index, self._seq, self._fresh(messages, shape))
        self._known = stored.get("abilities") or self._known
        self.cost += Cost(
            model=stored.get("cost", 0.0), input_tokens=stored.get("input_tokens", 0), output_tokens=stored.get("output_tokens", 0)
        )
        if "failure" in stored:
            raise Unusable(stored["failure"])
        return Said(stored["text"], stored["finish"])

    def _fresh(self, messages: Sequence[ModelMessage], shape: Shape) -> JsonObject:
        limits = self._means.limits
        ask = ModelAsk(messages, shape.schema, shape.name, limits.answer_tokens, self._until - time.monotonic(), self._known)
        before = self._budget.spent
        try:
            reply = self._means.client.complete(ask, self._budget.permit)
        except SuperBizError as e:
            if not (e.code.startswith("MODEL_") or isinstance(e, BudgetSpent)):
                raise  # the table's failure, not the model's: the step is tried again
            self._budget.failed(e)
            return self._document() | {"failure": f"{e.message} ({e.code})", "lost_tokens": self._budget.spent - before}
        self._budget.worked()
        return self._document() | _stored_form(reply, self._budget.spent - before)

    def _document(self) -> JsonObject:
        return {"prompt": self._prompt, "at": iso(self._means.clock.now())}


def _repair(problem: str) -> ModelMessage:
    """What is wrong may repeat the model's words, and so the data's: it stands in a block of its own."""
    blocks = Blocks()
    return ModelMessage("user", render("repair", marker=blocks.marker, problem=blocks.seal("what is wrong", problem)))


def _stored_form(reply: ModelReply, spent: int) -> JsonObject:
    """`lost_tokens` are those of tries whose answer never came whole."""
    text = reply.text.encode("utf-8", "replace").decode("utf-8")
    return reply._asdict() | {"text": text, "lost_tokens": spent - reply.input_tokens - reply.output_tokens}


def _read(said: Said, read: Callable[[JsonObject], T]) -> T:
    if said.finish == "refusal":
        raise Unusable("the model refused to answer")
    try:
        return read(json_object(said.text))
    except Invalid as e:
        if said.finish == "length":
            raise Invalid("the reply was cut off at the length limit; answer more briefly", code=e.code) from e
        raise


def _tokens(reply: JsonObject) -> int:
    return sum(int(reply.get(name, 0)) for name in ("input_tokens", "output_tokens", "lost_tokens"))


def _known(replies: Sequence[Mapping[str, JsonObject]]) -> JsonObject | None:
    return next((reply["abilities"] for reply in reversed(replies) if reply.get("abilities")), None)
