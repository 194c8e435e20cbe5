"""A handler whose process dies at one of its outward writes, once a run: `wrapped` is put around the product's own.

The folder named in `place.txt` holds `plans/<n>-<before|after>` (the first run that meets a plan takes it) and what was seen of each run:
`writes/<run>`, a byte a write; `tools/<run>`, a line a tool that was run; `died/<run>`.
"""

import os
import threading
from pathlib import Path

from botocore.httpsession import URLLib3Session

PLACE = Path((Path(__file__).parent / "place.txt").read_text())
WRITES = ("PutItem", "UpdateItem", "TransactWriteItems", "BatchWriteItem", "SendMessage", "Publish", "PutEvents")
CURRENT = {"run": ""}
SEND = URLLib3Session.send


def wrapped(handler):
    """The handler, its run's plan taken up first."""

    def handle(event, context):
        CURRENT["run"] = event["run_id"]
        take_a_plan(event["run_id"])
        return handler(event, context)

    return handle


def take_a_plan(run_id):
    """The first plan that is left, where this run was not seen before."""
    try:
        (PLACE / "seen" / run_id).open("x").close()
    except FileExistsError:
        return
    for plan in sorted((PLACE / "plans").iterdir()):
        try:
            plan.rename(PLACE / "claimed" / run_id)
        except FileNotFoundError:
            continue
        return


def send(session, request):
    """A write is counted; where the plan says so, the process dies before it is sent, or when it was done."""
    if not is_write(request):
        return SEND(session, request)
    n = appended("writes", ".")
    perish(f"{n}-before")
    response = SEND(session, request)
    perish(f"{n}-after")
    return response


def is_write(request):
    """A write to the outside. A step's sign of life, which comes by the clock, is none."""
    if threading.current_thread().name.startswith("lease "):
        return False
    target, body = (
        text if isinstance(text, bytes) else str(text or "").encode() for text in (request.headers.get("X-Amz-Target"), request.body)
    )
    operation = target.decode().rpartition(".")[2]
    return operation in WRITES or (not operation and (request.method == "PUT" or b"Action=Publish" in body))


def appended(kind, text):
    """The size of the run's file, with this at its end."""
    with (PLACE / kind / CURRENT["run"]).open("a") as out:
        out.write(text)
        return out.tell()


def perish(here):
    plan, died = PLACE / "claimed" / CURRENT["run"], PLACE / "died" / CURRENT["run"]
    if plan.exists() and plan.read_text() == here and not died.exists():
        died.touch()
        os._exit(137)


def told(tool):
    """Each run of the tool is written down."""
    run = type(tool).run

    def running(self, params, context):
        appended("tools", f"{self.name} {params.model_dump_json()}\n")
        return run(self, params, context)

    type(tool).run = running


URLLib3Session.send = send
