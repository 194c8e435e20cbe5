"""A question opens a run."""

from datetime import timedelta
from typing import Annotated

from pydantic import AfterValidator, AliasChoices, Field

from superbiz.domain import ids
from superbiz.domain.runs import Flow, Run, RunRequest, Session, Status
from superbiz.domain.values import Value
from superbiz.errors import NotFound
from superbiz.ports import Ports
from superbiz.services.starting import start

QUESTION_CHARS = 2_000
TITLE_CHARS = 100
SESSION_LIFE = timedelta(days=7)
POLL_SECONDS = 0.5

SessionId = Annotated[str, Field(pattern=ids.SESSION_ID)]


def _not_blank(text: str) -> str:
    if not text.strip():
        raise ValueError("write a question")
    return text


class Question(Value):
    """The body of `POST /api/chat`. Old clients write `Question`, `Id` or `id`. Without a session the question begins one."""

    question: Annotated[str, Field(max_length=QUESTION_CHARS), AfterValidator(_not_blank)] = Field(
        validation_alias=AliasChoices("question", "Question")
    )
    session_id: SessionId | None = Field(default=None, validation_alias=AliasChoices("sessionId", "Id", "id"))


def ask(asked: Question, ports: Ports) -> Run:
    """Write the run with its question, redacted as all that is stored, then start it.

    The run comes back RUNNING even where its start has to wait for the sweeper.
    """
    now = ports.clock.now()
    run_id = ids.new_run_id()
    question = ports.redactor(run_id).text(asked.question)
    run = Run(
        run_id=run_id,
        session_id=asked.session_id or ids.new_session_id(),
        agent_flow=Flow.CHAT,
        title=question[:TITLE_CHARS],
        engine=ports.settings.engine,
        created_at=now,
    )
    session = Session(session_id=run.session_id, last_active_at=now, expires_at=now + SESSION_LIFE)
    opened = ports.ledger.open_run(run, RunRequest(query=question), session)
    start(opened.run_id, ports)
    return opened


def wait_for_end(run_id: str, seconds: int, ports: Ports) -> Run:
    """The run when it has ended, or as it stands after so many seconds."""
    give_up = ports.clock.now() + timedelta(seconds=seconds)
    while True:
        run = ports.ledger.run(run_id)
        if run is None:
            raise NotFound(f"no run {run_id}")
        if run.status is not Status.RUNNING or ports.clock.now() >= give_up:
            return run
        ports.clock.sleep(POLL_SECONDS)
