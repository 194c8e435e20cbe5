"""True claims: how many are rejected, and how many lowered to a hedge. The Executor's own, and plain sentences over the same records."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from typing import NamedTuple

from bench.grounding.judging import HEDGED, NONE, Judged, judge
from bench.grounding.plain import ROWS, plain_claims
from bench.grounding.scenes import PROCESSES, Scene
from bench.rows import Row, Table, table
from bench.splits import wilson

REJECTED, LOWERED = 0.02, 0.10
A_DOSSIER = 20
APART = ("absence", "action")  # at most told with a hedge, true or not
EXECUTORS, PLAIN = "the Executor's", "plain"
REASONS_SHOWN = 12


class Held(NamedTuple):
    """What became of the true claims of a scene: `sentences` by claim id for those that are not said in full, `rows` the
    sentence's pattern of each plain claim."""

    set_name: str
    source: str
    world: str
    checks: tuple[Judged, ...]
    sentences: dict[str, str]
    rows: dict[str, str]


def measured(found: Sequence[Held]) -> Iterator[Row | Table]:
    """Rates by source of the claims against their bounds, by set, and why claims fall."""
    for source in (EXECUTORS, PLAIN):
        checks = _stated(h for h in found if h.source == source)
        n, none, hedged = len(checks), *(sum(c.expressible == e for c in checks) for e in (NONE, HEDGED))
        yield Row(f"true claims, {source}: rejected, of {n}", none / n, "", REJECTED)
        yield Row(f"true claims, {source}: lowered, of {n}", hedged / n, "", LOWERED)
    groups: dict[tuple[str, str], list[Held]] = defaultdict(list)
    for h in found:
        groups[h.source, h.set_name].append(h)
    note = f"plain: {len(ROWS)} sentences written by hand, over the first records of each list that they are true of; Wilson's interval"
    yield table("true claims by set", COLUMNS, [_row(*key, group) for key, group in sorted(groups.items())], note)
    yield _reasons(found)
    yield _by_row(found)


COLUMNS = ("claims", "set", "n", "rejected", "95 % to", "lowered", "95 % to", "absences told", "dossiers", "PASS")


def spoiled(found: Iterable[Held]) -> frozenset[tuple[str, str]]:
    """(world, sentence) of the true claims that are not said in full."""
    return frozenset((f"{h.set_name} {h.world}", said) for h in found for said in h.sentences.values())


def held(scenes: Sequence[Scene]) -> list[Held]:
    """Every true claim, judged among the others of its world."""
    if len(scenes) == 1:
        return _held(scenes[0])
    with ProcessPoolExecutor(PROCESSES, get_context("spawn")) as pool:
        return [h for part in pool.map(_held, scenes, chunksize=2) for h in part]


def _held(scene: Scene) -> list[Held]:
    made = list(plain_claims(scene))
    plain, rows = [claim for claim, _ in made], {claim["claim_id"]: claim["pattern"] for claim, _ in made}
    batches = [(EXECUTORS, list(scene.claims)), *((PLAIN, plain[n : n + A_DOSSIER]) for n in range(0, len(plain), A_DOSSIER))]
    out = []
    for source, claims in batches:
        checks = judge(scene.dossier(claims)).values()
        said = {c["claim_id"]: c["claim_text"] for c in claims}
        short = {c.claim_id: said[c.claim_id] for c in checks if not c.held and c.claim_type not in APART}
        out.append(Held(scene.set_name, source, scene.world, tuple(checks), short, rows if source == PLAIN else {}))
    return out


def _stated(group: Iterable[Held]) -> list[Judged]:
    return [c for h in group for c in h.checks if c.claim_type not in APART]


def _row(source: str, set_name: str, group: Sequence[Held]) -> tuple[str | float | int | None, ...]:
    checks = _stated(group)
    n, none, hedged = len(checks), *(sum(c.expressible == e for c in checks) for e in (NONE, HEDGED))
    absences = [c for h in group for c in h.checks if c.claim_type == "absence"]
    told = sum(c.expressible == HEDGED for c in absences) / len(absences) if absences else None
    passed = sum(h.checks[0].verdict == "PASS" for h in group if h.checks) / len(group) if source == EXECUTORS else None
    return source, set_name, n, none / n, wilson(none, n)[1], hedged / n, wilson(hedged, n)[1], told, len(group), passed


def _reasons(found: Sequence[Held]) -> Table:
    """The layers that spoil true claims, most frequent first, with a sentence for each."""
    spoiled = [
        (h.source, c.expressible, c.layer, h.sentences[c.claim_id], c.reason) for h in found for c in h.checks if c.claim_id in h.sentences
    ]
    counts = Counter(s[:3] for s in spoiled)
    first = {s[:3]: s for s in reversed(spoiled)}
    rows = [(*key, n, first[key][3][:90], first[key][4][:110]) for key, n in counts.most_common(REASONS_SHOWN)]
    return table("true claims that are not said in full", ("claims", "said", "layer", "n", "for example", "reason"), rows)


def _by_row(found: Sequence[Held]) -> Table:
    """The plain sentences that fall most."""
    told: dict[str, list[Judged]] = defaultdict(list)
    for h in found:
        for c in h.checks:
            if c.claim_id in h.rows:
                told[h.rows[c.claim_id]].append(c)
    rates = {row: sum(not c.held for c in checks) / len(checks) for row, checks in told.items()}
    worst = sorted((row for row in told if rates[row] > LOWERED), key=lambda row: -rates[row] * len(told[row]))
    rows = [(row, len(told[row]), sum(c.expressible == NONE for c in told[row]) / len(told[row]), rates[row]) for row in worst]
    return table("plain sentences that are not said in full", ("sentence", "n", "rejected", "not in full"), rows)
