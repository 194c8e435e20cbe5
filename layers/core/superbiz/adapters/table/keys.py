"""All keys of the one table. Nothing else in the product spells one.

Entities

| item                     | PK                     | SK                         | indexes                                     |
|--------------------------|------------------------|----------------------------|---------------------------------------------|
| RUN head, at most 4 KB   | RUN#<run>              | META                       | GSI1 SESSION#<session> / <created>#<run>    |
|                          |                        |                            | GSI2 WORK#<work> / <since>#<flow>#<run>     |
|                          |                        |                            | GSI3 RUNS#<yyyy-mm> / <created>#<run>       |
| RUN parts                | RUN#<run>              | META#REQUEST  META#ANSWER  |                                             |
|                          |                        | META#REPORT                |                                             |
|                          |                        | META#EVAL#<source>         |                                             |
| bad-case mark            | RUN#<run>              | META#BAD                   | GSI1 BADCASES / <created>#<run>             |
| STEP                     | RUN#<run>              | S#<0001>                   |                                             |
| its calls                | RUN#<run>              | S#<0001>#I#<0001>          |                                             |
| its structured output    | RUN#<run>              | S#<0001>#OUT               |                                             |
| its model's replies      | RUN#<run>              | S#<0001>#R#<0001>          |                                             |
| month that has runs      | RUNS                   | <yyyy-mm>                  |                                             |
| SESSION, HISTORY         | SESSION#<session>      | META  HISTORY              |                                             |
| CASE                     | CASE#<case>            | META                       | GSI1 CASES / <created>#<case>               |
| LEGACY                   | DIAGSESSION#<session>  | META                       |                                             |
| INCIDENT pointer         | INCIDENT#<incident>    | META                       |                                             |
| EPISODE                  | INCIDENT#<incident>    | EPISODE#<opened>           | GSI1 INCIDENTS / <opened>#<incident>        |
| alarm event              | INCIDENT#<incident>    | EVENT#<row>                | GSI1 INCIDENT#<incident> / <received>#<row> |
|                          |                        |                            | GSI2 WORK#DEFERRED / <received>#<row>       |
| DOMAIN                   | DOMAIN#<domain>        | META                       | GSI1 DOMAINS / <domain>                     |
| DOCUMENT                 | DOC#<document>         | META                       | GSI1 DOMAIN#<domain> / <created>#<document> |
|                          |                        |                            | GSI3 DOCS / <created>#<document>            |
| CHUNK                    | DOC#<document>         | CHUNK#<version>#<00001>    |                                             |
| L0 key                   | L0#<key>               | DOC#<document>             |                                             |
| CONTROL                  | CONTROL                | META                       |                                             |

Access patterns, and what each costs (requests; a transaction is one)

| pattern                                   | how                                                                   | requests       |
|-------------------------------------------|-----------------------------------------------------------------------|----------------|
| open a run (the month's first: 2)         | transaction: head, request, session                                   | 1              |
| a run's head                              | get                                                                   | 1              |
| a run with its parts                      | query RUN#<run>, SK begins with META                                  | 1              |
| a run's whole file; a page of its trace   | query RUN#<run>                                                       | 1 a MB         |
| lease a step; finish it with its output   | transaction: head is RUNNING, step; transaction: step, output         | 1; 1           |
| record a call; a model's reply            | put if absent                                                         | 1; 1           |
| finish a run (of an alarm: 1)             | get HISTORY; transaction: head, parts, node, session, history         | 2              |
| fail a run                                | get head; transaction: head, session                                  | 2              |
| evaluate a run                            | transaction: nodes, marker off                                        | 1              |
| feedback (case was there: 4)              | get head; transaction: head, case if absent, bad-case mark            | 2              |
| runs by time with filters                 | query RUNS; query GSI3 RUNS#<yyyy-mm>, month by month                 | 2 or more      |
| bad cases; a session's runs; cases;       |                                                                       |                |
|   incidents; a domain's documents         | query GSI1, then heads in a batch                                     | 2              |
| work that is owed                         | query GSI2 WORK#<work>, since before a time                           | 1              |
| admit an alarm                            | get pointer; count in the episode, or transaction: pointer, episode, run | 2           |
| an incident                               | query EPISODE#; query GSI1 INCIDENT#<incident>, then events in a batch | 3             |
| documents by key                          | query L0#<key>, then documents in a batch                             | 2              |
| replace a document                        | batches of chunks and keys; put META (the switch); batches of deletes | 1 + chunks/25  |
| budget, breaker, switches                 | one conditional update                                                | 1              |

Times in keys have a fixed width, so that text order is time order. An id is always the last part of its key, so no id can reach
into another's keys; one too long for a key stands there as its hash. No pattern scans.
"""

# ruff: noqa: D103  the charts say what each key is

import hashlib
from collections.abc import Callable
from datetime import datetime
from typing import NamedTuple

from superbiz.adapters.listing import key_time
from superbiz.domain.incidents import AlarmEvent, Episode
from superbiz.domain.knowledge import Chunk, Document, Domain
from superbiz.domain.runs import Run, Work

PART_BYTES = 512
META = "META"
STEPS = "S#"
EPISODES = "EPISODE#"
DEFERRED = "DEFERRED"


class Key(NamedTuple):
    """Where an item is."""

    pk: str
    sk: str


class Listing(NamedTuple):
    """A partition of an index, and the item behind one of its sort keys."""

    gsi: str
    pk: str
    item: Callable[[str], Key]


IndexKeys = dict[str, str]


def part(text: str) -> str:
    """An id as part of a key."""
    data = text.encode("utf-8", "surrogatepass")
    return text if len(data) <= PART_BYTES and text.isprintable() else "sha256:" + hashlib.sha256(data).hexdigest()


def run(run_id: str) -> Key:
    return Key(f"RUN#{part(run_id)}", META)


def run_part(run_id: str, name: str) -> Key:
    """`name` is REQUEST, ANSWER, REPORT, BAD or EVAL#<source>."""
    return Key(run(run_id).pk, f"{META}#{name}")


def step(run_id: str, step_index: int) -> Key:
    return Key(run(run_id).pk, f"{STEPS}{step_index:04}")


def call(run_id: str, step_index: int, seq: int) -> Key:
    return Key(run(run_id).pk, f"{step(run_id, step_index).sk}#I#{seq:04}")


def artifact(run_id: str, step_index: int) -> Key:
    return Key(run(run_id).pk, f"{step(run_id, step_index).sk}#OUT")


def reply(run_id: str, step_index: int, seq: int) -> Key:
    return Key(run(run_id).pk, f"{replies(run_id, step_index).sk}{seq:04}")


def replies(run_id: str, step_index: int) -> Key:
    """Where the replies of a step begin."""
    return Key(run(run_id).pk, f"{step(run_id, step_index).sk}#R#")


def month(created: datetime) -> Key:
    return Key("RUNS", key_time(created)[:7])


def session(session_id: str) -> Key:
    return Key(f"SESSION#{part(session_id)}", META)


def history(session_id: str) -> Key:
    return Key(session(session_id).pk, "HISTORY")


def case(case_id: str) -> Key:
    return Key(f"CASE#{part(case_id)}", META)


def legacy(session_id: str) -> Key:
    return Key(f"DIAGSESSION#{part(session_id)}", META)


def incident(incident_id: str) -> Key:
    """The pointer to the newest episode."""
    return Key(f"INCIDENT#{part(incident_id)}", META)


def episode(incident_id: str, opened_at: datetime) -> Key:
    return Key(incident(incident_id).pk, f"{EPISODES}{key_time(opened_at)}")


def event(event: AlarmEvent) -> Key:
    return Key(incident(event.incident_id).pk, f"EVENT#{part(event.row_id)}")


def domain(domain_id: str) -> Key:
    return Key(f"DOMAIN#{part(domain_id)}", META)


def document(document_id: str) -> Key:
    return Key(f"DOC#{part(document_id)}", META)


def chunks(document_id: str, version: str) -> Key:
    """Where the chunks of a version begin."""
    return Key(document(document_id).pk, f"CHUNK#{part(version)}#")


def chunk(chunk: Chunk) -> Key:
    begin = chunks(chunk.document_id, chunk.version)
    return Key(begin.pk, f"{begin.sk}{chunk.position:05}")


def l0(key: str, document_id: str) -> Key:
    """`key` in its normalised form."""
    return Key(f"L0#{part(key)}", f"DOC#{part(document_id)}")


CONTROL = Key("CONTROL", META)
MONTHS = "RUNS"


def run_indexes(run: Run) -> IndexKeys:
    """The head's index keys: its session's runs, what is owed, the run list."""
    placed = f"{key_time(run.created_at)}#{part(run.run_id)}"
    listed = {"GSI1PK": session(run.session_id).pk, "GSI1SK": placed, "GSI3PK": f"RUNS#{placed[:7]}", "GSI3SK": placed}
    return listed | (work_index(run, run.work, run.created_at) if run.work else {})


def work_index(run: Run, work: Work, since: datetime) -> IndexKeys:
    return {"GSI2PK": work_pk(work), "GSI2SK": f"{key_time(since)}#{run.agent_flow}#{part(run.run_id)}"}


def work_pk(work: Work | str) -> str:
    return f"WORK#{work}"


def bad_case_index(run: Run) -> IndexKeys:
    return {"GSI1PK": "BADCASES", "GSI1SK": f"{key_time(run.created_at)}#{part(run.run_id)}"}


def case_index(case_id: str, created_at: datetime) -> IndexKeys:
    return {"GSI1PK": "CASES", "GSI1SK": f"{key_time(created_at)}#{part(case_id)}"}


def episode_index(episode: Episode) -> IndexKeys:
    return {"GSI1PK": "INCIDENTS", "GSI1SK": f"{key_time(episode.opened_at)}#{part(episode.incident_id)}"}


def event_index(event: AlarmEvent) -> IndexKeys:
    return {"GSI1PK": incident(event.incident_id).pk, "GSI1SK": f"{key_time(event.received_at)}#{part(event.row_id)}"}


def deferred_index(event: AlarmEvent) -> IndexKeys:
    return {"GSI2PK": work_pk(DEFERRED), "GSI2SK": f"{key_time(event.received_at)}#{part(event.row_id)}"}


def domain_index(domain: Domain) -> IndexKeys:
    return {"GSI1PK": "DOMAINS", "GSI1SK": part(domain.domain_id)}


def document_indexes(document: Document) -> IndexKeys:
    placed = f"{key_time(document.created_at)}#{part(document.document_id)}"
    return {"GSI1PK": domain(document.domain_id).pk, "GSI1SK": placed, "GSI3PK": "DOCS", "GSI3SK": placed}


def runs_of_month(name: str) -> Listing:
    return Listing("GSI3", f"RUNS#{name}", lambda sk: run(_id(sk)))


def bad_cases() -> Listing:
    return Listing("GSI1", "BADCASES", lambda sk: run_part(_id(sk), "BAD"))


def runs_of_session(session_id: str) -> Listing:
    return Listing("GSI1", session(session_id).pk, lambda sk: run(_id(sk)))


def all_cases() -> Listing:
    return Listing("GSI1", "CASES", lambda sk: case(_id(sk)))


def all_episodes() -> Listing:
    return Listing("GSI1", "INCIDENTS", lambda sk: Key(incident(_id(sk)).pk, EPISODES + sk.partition("#")[0]))


def events_of(incident_id: str) -> Listing:
    return Listing("GSI1", incident(incident_id).pk, lambda sk: Key(incident(incident_id).pk, f"EVENT#{_id(sk)}"))


def all_domains() -> Listing:
    return Listing("GSI1", "DOMAINS", domain)


def all_documents() -> Listing:
    return Listing("GSI3", "DOCS", lambda sk: document(_id(sk)))


def documents_of(domain_id: str) -> Listing:
    return Listing("GSI1", domain(domain_id).pk, lambda sk: document(_id(sk)))


def run_id_of(pk: str) -> str:
    return pk.removeprefix("RUN#")


def _id(sk: str) -> str:
    return sk.partition("#")[2]
