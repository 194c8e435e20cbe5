"""Claims about another thing than the record's, and values of one thing told of another.

Guard of a name: it stands neither in the cited nodes, nor beside them, nor in what the calls were asked, and is no part of the old name nor
has it in it. Guard of an owner: some number of the sentence is not in the other thing's record.
"""

import random
import re
from collections.abc import Iterator, Sequence
from typing import Any

from bench.grounding.mutant import Maker, citing
from bench.grounding.scenes import Claim
from bench.grounding.truth import NAME_FIELDS, NUMBER, Truth, dumped, picked, put
from superbiz.domain import canonical, refs

UNKNOWN = ("checkout-v9", "billing-gateway", "inventory-db-2", "svc-returns", "loyalty-api", "geo-proxy", "mailer-eu", "search-idx")
METRICS = ("DiskQueueDepth", "HeapUsed", "ThreadCount", "GCPauseTime", "FreeableMemory", "SwapUsage", "CPUCreditBalance", "TxBytes")
OPERATIONS = ("POST /refunds", "GET /loyalty", "DELETE /sessions", "PUT /quotas", "SELECT ledgers", "Consume invoices")
OTHERS = {
    "exception": ("java.io.EOFException", "redis.exceptions.ReadOnlyError"), "location": ("Handler.go:77", "views.py:12"),
    "name": ("DeleteDBCluster", "RDS-EVENT-0999", "PutScalingPolicy"), "actor": ("root", "terraform-ci"), "wait": ("LWLock:BufferMapping",),
}  # fmt: skip
EXCERPT = 300


def _another(truth: Truth, chance: random.Random) -> Claim | None:
    """Another thing of the same world."""
    return _exchanged(truth, chance, truth.subject, sorted(_things(truth)))


def _unknown(truth: Truth, chance: random.Random) -> Claim | None:
    return _exchanged(truth, chance, truth.subject, UNKNOWN)


def _metric(truth: Truth, chance: random.Random) -> Claim | None:
    """Another metric of the same world, or one that nobody measured."""
    told = truth.fields.get("metric")
    return _exchanged(truth, chance, told, [*sorted(_values(truth, ("metric",))), *METRICS])


def _operation(truth: Truth, chance: random.Random) -> Claim | None:
    told = truth.fields.get("operation") or (truth.fields.get("name") if "spans" in truth.fields else None)
    return _exchanged(truth, chance, told, [*sorted(_values(truth, ("operation",))), *OPERATIONS])


def _code(truth: Truth, chance: random.Random) -> Claim | None:
    """Another exception, event, wait or place in the code, or another actor."""
    able = [f for f in OTHERS if _stands(truth.fields.get(f), truth) and truth.fields[f] != truth.subject]
    field = picked(chance, [f for f in able if f != "name" or "actor" in truth.fields])
    if field is None:
        return None
    return _exchanged(truth, chance, truth.fields[field], [*sorted(_values(truth, (field,)) if field != "name" else ()), *OTHERS[field]])


def _near_miss(truth: Truth, chance: random.Random) -> Claim | None:
    """A name that differs by one sign: another stage, number or ending."""
    told = truth.subject
    if told is None:
        return None
    digit = re.sub(r"\d(?!.*\d)", lambda m: str((int(m[0]) + 1) % 10), told)
    made = [digit, f"{told}-2", f"{told}-staging", f"{told}s", told[:-1] if len(told) > 5 else told, f"{told}-canary"]
    new = picked(chance, [m for m in made if m != told and not _whole(m, truth.record)])
    return None if new is None else truth.saying(truth.text.replace(told, new))


def _stands(value: Any, truth: Truth) -> bool:
    return isinstance(value, str) and len(value) > 2 and value in truth.text


def _exchanged(truth: Truth, chance: random.Random, told: Any, among: Sequence[str]) -> Claim | None:
    if not isinstance(told, str) or not _stands(told, truth):
        return None
    fitting = [n for n in among if len(n) > 3 and n not in truth.record and not _akin(n, told)]
    new = picked(chance, fitting)
    return None if new is None else truth.saying(truth.text.replace(told, new))


def _whole(name: str, text: str) -> bool:
    return re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", text) is not None


def _akin(a: str, b: str) -> bool:
    one, other = a.casefold(), b.casefold()
    return one in other or other in one or re.split(r"[_/:.]", one)[0] == re.split(r"[_/:.]", other)[0]


def _things(truth: Truth) -> set[str]:
    return _values(truth, NAME_FIELDS)


def _values(truth: Truth, fields: Sequence[str]) -> set[str]:
    """Values of name fields over the outputs of the scene."""
    return {v for call in truth.scene.calls for v in _in(call["output"], fields)}


def _in(document: Any, fields: Sequence[str]) -> Iterator[str]:
    if isinstance(document, dict):
        for key, value in document.items():
            if key in fields and isinstance(value, str) and len(value) > 2:
                yield value
            yield from _in(value, fields)
    elif isinstance(document, list):
        for value in document:
            yield from _in(value, fields)


def _name_of_neighbour(truth: Truth, chance: random.Random) -> Claim | None:
    """The neighbour's name with this one's values, both records cited."""
    found = _neighbour(truth, chance)
    if found is None:
        return None
    name, bound, _ = found
    return citing({**truth.claim, "claim_text": truth.text.replace(str(truth.subject), name)}, truth.claim["evidence"][0], bound)


def _neighbour_alone(truth: Truth, chance: random.Random) -> Claim | None:
    """The neighbour's name with this one's values, the neighbour cited."""
    found = _neighbour(truth, chance)
    if found is None:
        return None
    name, bound, _ = found
    return citing({**truth.claim, "claim_text": truth.text.replace(str(truth.subject), name)}, bound)


def _values_of_neighbour(truth: Truth, chance: random.Random) -> Claim | None:
    """This one's name with a value of the neighbour's, both records cited."""
    found = _neighbour(truth, chance)
    if found is None:
        return None
    _, bound, record = found
    swaps = [(m, record[f]) for m in truth.spoken(NUMBER) for f, v in truth.fields.items() if _shows(v, m[0]) and f in record]
    fresh = [
        (m, v) for m, v in swaps if isinstance(v, int | float) and not truth.has_number(abs(float(v)), 3) and v >= 0 and "e" not in str(v)
    ]
    swap = picked(chance, fresh)
    if swap is None:
        return None
    return citing({**truth.claim, "claim_text": put(truth.text, swap[0], f"{swap[1]}")}, truth.claim["evidence"][0], bound)


def _shows(value: Any, digits: str) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(float(value) - float(digits)) < 1e-9


def _neighbour(truth: Truth, chance: random.Random) -> tuple[str, dict[str, str], dict[str, Any]] | None:
    """Another row of the same list that is about another thing: (its name, its citation, itself)."""
    own = truth.claim["evidence"][0]
    parts = refs.parse_path(own["raw_path"]) or ()
    if truth.subject is None or not parts or not isinstance(parts[-1], int) or truth.kind == "cause" or "more than" in truth.text:
        return None
    rows = truth.scene.node({**own, "raw_path": refs.format_path(parts[:-1])})
    fitting = []
    for n, row in enumerate(rows if isinstance(rows, list) else ()):
        name = next((row[f] for f in NAME_FIELDS if isinstance(row.get(f), str) and truth.fields.get(f) == truth.subject), None)
        if name and not _akin(name, truth.subject) and name not in truth.texts[0] and _lacks(truth, row):
            bound = {
                **own,
                "raw_path": refs.format_path((*parts[:-1], n)),
                "evidence_excerpt": canonical.dumps(row)[:EXCERPT].rsplit(",", 1)[0],
            }
            fitting.append((name, bound, row))
    return chance.choice(fitting) if fitting else None


def _lacks(truth: Truth, row: dict[str, Any]) -> bool:
    """Some number of the sentence is not the neighbour's."""
    have = {float(n) for n in re.findall(r"\d+(?:\.\d+)?", dumped(row))}
    return any(all(abs(h - float(m[0])) > 0.02 * max(h, float(m[0])) for h in have) for m in truth.spoken(NUMBER))


ENTITY: dict[str, Maker] = {
    "another of the world": _another, "unknown": _unknown, "metric": _metric, "operation": _operation, "code or actor": _code,
    "near miss": _near_miss,
}  # fmt: skip
OWNER: dict[str, Maker] = {
    "name of a neighbour": _name_of_neighbour, "neighbour cited": _neighbour_alone, "value of a neighbour": _values_of_neighbour,
}  # fmt: skip
