"""Redaction: recall on planted secrets and personal data, and how much of what must stay is changed.

The planted corpora are drawn from seeds by `redaction_corpus` and `redaction_held_out`: the first was at hand while the detectors were
written; the second was written when they were done, in other contexts, and is blind no more since what it missed first was mended.
Recorded logs (where they are on this machine) are asked how many of their lines
change, by kind; what changes there may be right (a client's address, an e-mail address).
"""

import gzip
import json
import re
import statistics
import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence

from bench import recorded
from bench.redaction_corpus import Corpus, Planted, corpus
from bench.rows import Row, Table, table
from superbiz.adapters.redaction import PLACEHOLDER, SecretRedactor

SEEDS = (11, 12, 13)
REPEATS = 5
LINES_OF_A_SET, LINES_OF_A_WORLD = 20_000, 1_000
KIND = re.compile(r"<([A-Z_]+):")


def measure() -> Iterator[Row | Table]:
    """Recall and false positives of both corpora, lines of recorded logs that change, and speed."""
    from bench.redaction_held_out import held_out

    yield from _measured("planted", [corpus(seed) for seed in SEEDS])
    yield from _measured("held out", [held_out(seed) for seed in SEEDS])
    yield from _recorded()
    yield _speed([text for _, text in corpus(SEEDS[0]).decoys])


def missed(planted: Iterable[Planted]) -> list[Planted]:
    """What is still to be read after redaction."""
    redactor = SecretRedactor(b"bench")
    return [p for p in planted if p.secret in redactor.text(p.text, p.key)]


def changed(decoys: Iterable[tuple[str, str]]) -> list[tuple[str, str, str]]:
    """Kind, text and what became of it, of decoys that were not kept."""
    redactor = SecretRedactor(b"bench")
    return [(kind, text, said) for kind, text in decoys if (said := redactor.text(text)) != text]


def _measured(name: str, drawn: Sequence[Corpus]) -> Iterator[Row | Table]:
    secrets, personal = [p for c in drawn for p in c.secrets], [p for c in drawn for p in c.personal]
    decoys = [d for c in drawn for d in c.decoys]
    yield Row(f"{name}: recall of {len(secrets)} secrets", 1 - len(missed(secrets)) / len(secrets), "", 0.99, at_least=True)
    yield Row(f"{name}: recall of {len(personal)} personal data", 1 - len(missed(personal)) / len(personal), "", 0.95, at_least=True)
    yield Row(f"{name}: changed of {len(decoys)} decoys", len(changed(decoys)) / len(decoys), "", 0.01)
    yield table(f"{name}: by kind", ("kind", "planted", "recall"), _by_kind(secrets + personal))


def _by_kind(planted: Sequence[Planted]) -> Iterator[tuple[str, int, float]]:
    lost = Counter(p.kind for p in missed(planted))
    for kind, n in Counter(p.kind for p in planted).items():
        yield kind, n, 1 - lost[kind] / n


def _recorded() -> Iterator[Table]:
    rows = []
    for name, lines in _logs():
        redactor, kinds, n = SecretRedactor(b"bench"), Counter[str](), 0
        for line in lines:
            if (said := redactor.text(line)) != line:
                n += 1
                kinds.update(set(KIND.findall(" ".join(PLACEHOLDER.findall(said)))))
        rows.append((name, len(lines), n / max(1, len(lines)), ", ".join(f"{k} {c}" for k, c in kinds.most_common()) or "none"))
    if rows:
        yield table("recorded logs", ("set", "lines", "share changed", "lines by kind"), rows)


def _logs() -> Iterator[tuple[str, Sequence[str]]]:
    hub, tickets = recorded.folder("loghub"), recorded.folder("trainticket")
    for file in sorted(hub.glob("*.csv")) if hub else ():
        yield file.stem, file.read_text(errors="replace").splitlines()[1:]
    found: dict[str, list[str]] = defaultdict(list)
    for file in sorted(tickets.rglob("logs.jsonl.gz")) if tickets else ():
        if len(found["trainticket"]) < LINES_OF_A_SET:
            rows = gzip.decompress(file.read_bytes()).splitlines()[:LINES_OF_A_WORLD]
            found["trainticket"] += [str(json.loads(row)["message"]) for row in rows]
    yield from ((name, lines) for name, lines in found.items() if lines)


def _speed(lines: Sequence[str]) -> Row:
    """Megabytes a second over lines that hold nothing, none of them met before."""
    size = sum(len(line.encode()) for line in lines)

    def once() -> float:
        redactor, started = SecretRedactor(b"bench"), time.process_time()
        for line in lines:
            redactor.text(line)
        return time.process_time() - started

    return Row("typical lines", size / statistics.median(once() for _ in range(REPEATS)) / 1e6, "MB/s", 1.0, at_least=True)
