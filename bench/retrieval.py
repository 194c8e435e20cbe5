"""How often the right runbook comes first: 108 public runbooks of kube-prometheus alerts, asked for by name and by an alert's words.

Whole pages are asked for by the alert's name. The hard ones have neither title nor meaning, and are asked for by description and summary.
Several of them are the same text word for word, or say nothing: nobody can always be right about these.
"""

import json
import random
import re
import statistics
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

from bench import recorded
from bench.questions import ABOUT, BESIDE
from bench.rows import Row, Table, table
from superbiz.adapters import encoder
from superbiz.adapters.corpus import Corpus, gist
from superbiz.domain import chunking, relevance
from superbiz.domain.relevance import WEIGHTS, Measures
from superbiz.engines.offline.runbooks import LEAST_SCORE
from superbiz_cli import searching

HALVES = 50  # ways to part the alerts
GRID = [Measures(1.0, m, s, n) for m, s, n in product((0.3, 0.5, 0.8, 1.0), (0.4, 0.7, 1.0, 1.4), (0.2, 0.35, 0.5, 0.8))]
PARTS: Mapping[str, Measures] = {
    "words alone (BM25, stems, weighed)": Measures(words=1.0),
    "other words of the matter alone": Measures(matter=1.0),
    "spelling alone": Measures(spelling=1.0),
    "meaning alone": Measures(meaning=1.0),
    "all": WEIGHTS,
    "all without words": WEIGHTS._replace(words=0.0),
    "all without matter": WEIGHTS._replace(matter=0.0),
    "all without spelling": WEIGHTS._replace(spelling=0.0),
    "all without meaning": WEIGHTS._replace(meaning=0.0),
}


class Case(NamedTuple):
    """A text, the page that is right for it, and what each page shares with it."""

    text: str
    page: str
    measures: Mapping[str, Measures]

    def place(self, weights: Measures) -> int:
        """Of the right page; pages of equal score stand in the order of their names."""
        scores = {name: round(m.score(weights), 6) for name, m in self.measures.items()}
        return 1 + sum((-score, name) < (-scores[self.page], self.page) for name, score in scores.items())


class Remembering:
    """The encoder, asked for each text once."""

    def __init__(self, real: encoder.Encoder) -> None:
        self.name, self.dimensions = real.name, real.dimensions
        self._encode = real.encode
        self._known: dict[str, Any] = {}

    def encode(self, texts: Sequence[str]) -> Any:
        """One row a text."""
        import numpy as np

        if new := [text for text in texts if text not in self._known]:
            self._known.update(zip(new, self._encode(new), strict=True))
        return np.array([self._known[text] for text in texts], dtype=np.float32).reshape(len(texts), self.dimensions)


def measure() -> Iterator[Row | Table]:
    """What is asked of the command; then methods beside each other, halves, and who leads."""
    place, real = recorded.folder("runbooks"), encoder.installed()
    if place is None or real is None:
        return
    queries = json.loads((place / "queries_dev.json").read_text(encoding="utf-8"))
    whole, hard = _pages(place / "pages"), _pages(place / "pages_hard")
    using = Remembering(real)
    yield from _command(place, queries)
    asked = [(f"{q['description']}\n{q['summary']}", q) for q in queries]
    corpora = {"whole pages": _corpus(whole, using), "hard pages": _corpus(hard, using)}
    cases = {
        "whole pages": _cases(corpora["whole pages"], using, [(text, q["runbook"]) for text, q in asked]),
        "hard pages": _cases(corpora["hard pages"], using, [(text, q["runbook_hard"]) for text, q in asked]),
    }
    yield from (_methods(f"{name}, by description and summary", found) for name, found in cases.items())
    yield from _baseline(hard, cases["hard pages"])
    yield from _held_out(cases["hard pages"], hard)
    unasked = _unasked(whole, hard, {q["runbook"] for q in queries})
    yield _methods(
        f"hard pages of {len(unasked)} other alerts, by what whole pages say of their meaning",
        _cases(corpora["hard pages"], using, unasked),
    )
    yield from _leading(corpora["whole pages"], using)
    yield _speed(corpora["hard pages"], using, [text for text, _ in asked])


def _command(place: Path, queries: Sequence[Mapping[str, str]]) -> Iterator[Row]:
    """As `superbiz knowledge search --queries` ranks."""
    for folder, fields, right, bound in (("pages", "alert", "runbook", 1.0), ("pages_hard", "description,summary", "runbook_hard", 0.6)):
        asked = searching.read_queries(place / "queries_dev.json", fields)
        ranked = searching.ranking(searching.opened(place / folder), asked)
        places = [ranked[q["id"]].index(q[right]) + 1 for q in queries]
        yield Row(f"{folder} by {fields}: recall@1 of {len(places)}", _recall(places, 1), "", bound, at_least=True)
        yield Row(f"{folder} by {fields}: recall@3", _recall(places, 3), "")


def _methods(title: str, cases: Sequence[Case]) -> Table:
    rows = []
    for name, weights in PARTS.items():
        places = [case.place(weights) for case in cases]
        rows.append((name, _recall(places, 1), _recall(places, 3), _recall(places, 5), statistics.fmean(1 / p for p in places)))
    return table(f"Runbooks: {title}", ("method", "recall@1", "recall@3", "recall@5", "MRR"), rows)


def _baseline(pages: Mapping[str, str], cases: Sequence[Case]) -> Iterator[Row]:
    """BM25 over lower-case words as they stand, numbers and templates and all."""
    index = relevance.Bm25([re.findall(r"\w+", text.lower()) for text in pages.values()])
    places = []
    for case in cases:
        scores = dict(zip(pages, index.coverage(re.findall(r"\w+", case.text.lower())), strict=True))
        places.append(1 + sum((-score, name) < (-scores[case.page], case.page) for name, score in scores.items()))
    yield Row("hard pages, plain BM25 for comparison: recall@1", _recall(places, 1), "")


def _held_out(cases: Sequence[Case], pages: Mapping[str, str]) -> Iterator[Row]:
    """Weights chosen on one half, measured on the other. Alerts of one text of a page stay together."""
    places = {weights: [case.place(weights) for case in cases] for weights in GRID}
    texts = sorted({pages[case.page] for case in cases})
    draw, found = random.Random(1), []
    for _ in range(HALVES):
        first = set(draw.sample(texts, len(texts) // 2))
        for half in (first, set(texts) - first):
            inside = [n for n, case in enumerate(cases) if pages[case.page] in half]
            outside = [n for n in range(len(cases)) if n not in inside]
            best = max(GRID, key=partial(_merit, places, inside))
            found.append(_recall([places[best][n] for n in outside], 1))
    yield Row(f"hard pages, weights of one half on the other: recall@1, mean of {len(found)}", statistics.fmean(found), "")
    yield Row("hard pages, mean of all weights tried: recall@1", statistics.fmean(_recall(p, 1) for p in places.values()), "")


def _merit(places: Mapping[Measures, Sequence[int]], chosen: Sequence[int], weights: Measures) -> float:
    own = [places[weights][n] for n in chosen]
    return _recall(own, 1) + statistics.fmean(1 / p for p in own)


def _unasked(whole: Mapping[str, str], hard: Mapping[str, str], known: set[str]) -> list[tuple[str, str]]:
    """(text, hard page) of pages that no alert at hand is about: what they say of their alert's meaning."""
    asked = []
    for name, text in whole.items():
        meaning = re.search(r"^##+ *Meaning\s*\n(.*?)(?=^## |\Z)", text, re.MULTILINE | re.DOTALL)
        if name not in known and meaning is not None and meaning[1].strip():
            said = re.sub(r"<details>.*?</details>", "", meaning[1], flags=re.DOTALL).replace(name, "").strip()
            asked.append((said[:300], _without_head(text, hard)))
    return asked


def _without_head(text: str, hard: Mapping[str, str]) -> str:
    """The hard page that was made of this one, of several with the same text the first: it shares most of its lines."""
    lines = {line.strip() for line in re.split(r"^##+ *Impact", text, flags=re.MULTILINE)[-1].splitlines()} - {""}

    def likeness(name: str) -> float:
        own = {line.strip() for line in hard[name].splitlines()} - {"", "## Impact"}
        return len(own & lines) / max(len(own | lines), 1)

    return max(hard, key=likeness)


def _leading(corpus: Corpus, using: Remembering) -> Iterator[Row]:
    """Whose steps a diagnosis would show: a page leads from a score on."""
    for what, questions, bound, at_least in (("about something else", BESIDE, 0.05, False), ("that a page is about", ABOUT, 0.7, True)):
        led = [corpus.ranked(question, using)[0][1] >= LEAST_SCORE for question in questions]
        yield Row(f"a page leads, of {len(led)} questions {what}", statistics.fmean(led), "", bound, at_least)


def _speed(corpus: Corpus, using: Remembering, texts: Sequence[str]) -> Row:
    for text in texts:
        corpus.search(text, 5, using)
    taken = [min(_timed(partial(corpus.search, text, 5, using)) for _ in range(3)) for text in texts]
    return Row("a search of 108 pages, the query being encoded: median", statistics.median(taken) * 1_000, "ms", 20.0)


def _timed(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def _pages(folder: Path) -> dict[str, str]:
    return {file.stem: file.read_text(encoding="utf-8") for file in sorted(folder.glob("*.md"))}


def _corpus(pages: Mapping[str, str], using: Remembering) -> Corpus:
    chunks = [c for name, text in pages.items() for c in chunking.chunks(name, "v1", chunking.parse(f"{name}.md", text).pieces)]
    return Corpus(chunks, using.encode([gist(c) for c in chunks]))


def _cases(corpus: Corpus, using: Remembering, asked: Sequence[tuple[str, str]]) -> list[Case]:
    return [Case(text, page, dict(corpus.measured(text, using))) for text, page in asked]


def _recall(places: Sequence[int], k: int) -> float:
    return statistics.fmean(place <= k for place in places)
