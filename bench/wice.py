"""Whether the offline Verifier tells supported claims from others, on WiCE (Wikipedia claims and the pages that they cite).

Each claim becomes a dossier: the page is a tool's output, and at most five passages of it are cited, chosen by words that the claim has.
The product's own Gatekeeper and Verifier judge it. Balanced accuracy is the mean of the share of supported claims that are let through
and the share of the others that are held back. The wording model is fitted on the same claims, so that the figure to believe is the one
with a fit that never saw the claim's article. `python -m bench.wice --fit` prints the weights.
Source: WiCE (Kamoi et al. 2023, arXiv 2303.01432), development set.
"""

import json
import re
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from math import log
from typing import Any, NamedTuple
from unittest.mock import patch

import numpy as np
from numpy.typing import NDArray

from bench import recorded
from bench.rows import Row, Table, table
from superbiz.domain.entailment import Cited, calibration
from superbiz.domain.reading import parts, words
from superbiz.services import verifying

META = re.compile(r"\(meta data\)\s*([A-Z ]+):\s*(.*)")
PASSAGE, CITED_AT_MOST = 400, 5
NUMBER_WEIGHT, NAME_WEIGHT = 3.0, 1.5  # who cites a page for a year cites the passage that has it
RIDGE = 3.0
FOLDS, SEEDS, RESAMPLED = 10, 5, 2_000
THRESHOLDS = np.linspace(0.05, 0.8, 31)


class Item(NamedTuple):
    """`carried` is the Verifier's word when the wording model has none; `likely` what that model says; `passes` both together."""

    article: str
    supported: bool
    carried: bool
    passes: bool
    measures: calibration.Measures


def measure() -> Iterator[Row | Table]:
    """At most five cited passages a claim, as it ships."""
    rows = read()
    if not rows:
        return
    lines = []
    for name, whole in (("five passages", False),):
        items = [item(row, whole=whole) for row in rows]
        passes = np.array([i.passes for i in items])
        low, high = interval(items, passes)
        crossed = [balanced(items, crossvalidated(items, seed)) for seed in range(SEEDS)]
        alone = [balanced(items, crossvalidated(items, seed, alone=True)) for seed in range(SEEDS)]
        let, held = shares(items, passes)
        lines.append((name, len(items), balanced(items, passes), f"{low:.3f}-{high:.3f}", mean(crossed), mean(alone), let, held))
    columns = ("cited", "claims", "as shipped", "95 %", "cross-validated", "wording alone, cross-validated", "let through", "held back")
    yield table("WiCE dev, balanced accuracy of the offline Verifier", columns, lines, f"{FOLDS} folds by article, {SEEDS} seeds")
    yield Row("WiCE dev, five passages, cross-validated", float(lines[0][4]), "")


def read() -> list[dict[str, Any]]:
    """The development set, where it is on this machine."""
    folder = recorded.folder("wice")
    if folder is None:
        return []
    with (folder / "dev.jsonl").open(encoding="utf-8") as lines:
        return [json.loads(line) for line in lines if line.strip()]


def item(row: Mapping[str, Any], *, whole: bool) -> Item:
    """One claim as the product judges it, with and without the wording model."""
    claim = dossier(row, whole=whole)
    text, output = claim["claims"][0]["claim_text"], claim["invocations"][0]["output"]
    passes = supported(claim)
    with patch.object(calibration, "SUPPORTED", 0.0):
        carried = passes or supported(claim)
    return Item(row["meta"]["claim_title"], row["label"] == "supported", carried, passes, measured(text, claim, output))


def supported(claim: Mapping[str, Any]) -> bool:
    """The product's answer."""
    return [c["result"] for c in verifying.verify_text(json.dumps(claim))["claim_checks"]] == ["SUPPORTED"]


def measured(text: str, claim: Mapping[str, Any], output: Mapping[str, Any]) -> calibration.Measures:
    """What the wording model sees."""
    around = {k: v for k, v in output.items() if k not in ("text", "passages")}
    found = [b["evidence_excerpt"] for b in claim["claims"][0]["evidence"]]
    cited = [Cited(e, output.get("text", e), around, claim["invocations"][0]["input_params"], "read_page") for e in found]
    return calibration.measures(parts.saying(text, frozenset()), [parts.record(c) for c in cited])


def dossier(row: Mapping[str, Any], *, whole: bool) -> dict[str, Any]:
    """A page reader's output with its title and date, and a claim that cites the best passages, or the page by them."""
    key, claim = row["meta"]["id"], row["claim"][:500]
    head = {m[1].strip().lower().replace(" ", "_"): m[2] for m in map(META.match, row["evidence"]) if m}
    said = [s for s in row["evidence"] if s.strip() and not META.match(s)]
    passages = in_passages(said)
    body = {"text": "\n".join(said)} if whole else {"passages": passages}
    chosen = [
        {
            "invocation_id": "inv-1",
            "raw_path": "$.text" if whole else f"$.passages[{n}]",
            "evidence_excerpt": passages[n],
        }
        for n in best(claim, passages, frozenset(stems(" ".join(head.values()))))
    ]
    call = {
        "invocation_id": "inv-1",
        "run_id": key,
        "tool_name": "read_page",
        "category": "LOG",
        "status": "SUCCESS",
        "input_params": {"about": row["meta"]["claim_title"]},
        "output": head | body,
    }
    stated = {"claim_id": "c1", "claim_text": claim, "claim_type": "observation", "critical": True, "evidence": chosen}
    return {"schema": "dossier/1", "run_id": key, "invocations": [call], "claims": [stated]}


def in_passages(sentences: Sequence[str]) -> list[str]:
    """Neighbouring sentences together, as long as an excerpt may be."""
    found = [""]
    for piece in (s.strip()[n : n + PASSAGE] for s in sentences for n in range(0, len(s.strip()), PASSAGE)):
        if found[-1] and len(found[-1]) + 1 + len(piece) > PASSAGE:
            found.append("")
        found[-1] = f"{found[-1]} {piece}".strip()
    return found


def best(claim: str, passages: Sequence[str], have: frozenset[str]) -> list[int]:
    """One passage after the other: what of the claim it adds to those before it, and a little for what it holds again."""
    wanted, held = frozenset(stems(claim)), [frozenset(stems(p)) for p in passages]
    holding = Counter(w for h in held for w in h)
    named = {w for token in re.findall(r"(?<=\s)[A-Z]\w+", claim) for w in stems(token)}
    told = {w: NUMBER_WEIGHT if w[0].isdigit() else NAME_WEIGHT if w in named else 1.0 for w in wanted}
    weigh = {w: log((len(passages) + 1) / (holding[w] + 0.5)) * told[w] for w in wanted}
    covered, chosen = set(have), list[int]()
    while len(chosen) < min(CITED_AT_MOST, len(passages)):
        gains = {
            n: sum(weigh[w] * (1.0 if w not in covered else 0.0) + 0.3 * weigh[w] for w in wanted & held[n])
            for n in range(len(passages))
            if n not in chosen
        }
        chosen.append(max(gains, key=lambda n: gains[n]))
        covered |= held[chosen[-1]]
    return chosen


def stems(text: str) -> Iterator[str]:
    """The words of a text that tell something, by their stems."""
    return (words.stem(w) for w in words.words(text) if w not in words.STOP)


def fitted(items: Sequence[Item]) -> tuple[NDArray[np.float64], float]:
    """(weights of the measures and the bias, threshold): logistic, both kinds weighing the same, held small by a ridge."""
    x, y = np.array([i.measures for i in items]), np.array([i.supported for i in items])
    centre, spread = x.mean(0), x.std(0) + 1e-9
    z = np.hstack([(x - centre) / spread, np.ones((len(x), 1))])
    weigh = np.where(y, 0.5 / y.mean(), 0.5 / (1 - y.mean()))
    ridge, b = np.diag([RIDGE] * x.shape[1] + [1e-6]), np.zeros(z.shape[1])
    for _ in range(40):
        p = 1 / (1 + np.exp(-z @ b))
        b -= np.linalg.solve((z.T * (weigh * p * (1 - p))) @ z + ridge, z.T @ (weigh * (p - y)) + ridge @ b)
    plain = np.append(b[:-1] / spread, b[-1] - (b[:-1] / spread) @ centre)
    likely = probabilities(items, plain)
    carried = np.array([i.carried for i in items])
    return plain, float(max(THRESHOLDS, key=lambda t: balanced(items, carried & (likely >= t))))


def probabilities(items: Sequence[Item], weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """What the model with these weights says of each."""
    x = np.array([(*i.measures, 1.0) for i in items])
    found: NDArray[np.float64] = 1 / (1 + np.exp(-x @ weights))
    return found


def crossvalidated(items: Sequence[Item], seed: int, *, alone: bool = False) -> NDArray[np.bool_]:
    """Each claim by a fit on other articles. `alone`: by the wording model without the other rules, at one half."""
    articles = sorted({i.article for i in items})
    order = np.random.default_rng(seed).permutation(len(articles))
    fold = {articles[a]: n % FOLDS for n, a in enumerate(order)}
    passes = np.zeros(len(items), bool)
    for held in range(FOLDS):
        inside = np.array([fold[i.article] == held for i in items])
        weights, threshold = fitted([i for i, out in zip(items, inside, strict=True) if not out])
        likely = probabilities(items, weights)
        carried = np.array([alone or i.carried for i in items])
        passes[inside] = (carried & (likely >= (0.5 if alone else threshold)))[inside]
    return passes


def shares(items: Sequence[Item], passes: NDArray[np.bool_]) -> tuple[float, float]:
    """(supported claims let through, others held back)."""
    y = np.array([i.supported for i in items])
    return float(passes[y].mean()), float(1 - passes[~y].mean())


def balanced(items: Sequence[Item], passes: NDArray[np.bool_]) -> float:
    """Balanced accuracy."""
    return sum(shares(items, passes)) / 2


def interval(items: Sequence[Item], passes: NDArray[np.bool_]) -> tuple[float, float]:
    """95 % of what claims drawn again would give."""
    draw, y = np.random.default_rng(0), np.array([i.supported for i in items])
    picks = [draw.integers(0, len(items), len(items)) for _ in range(RESAMPLED)]
    found = [(passes[p][y[p]].mean() + 1 - passes[p][~y[p]].mean()) / 2 for p in picks]
    low, high = np.percentile(found, [2.5, 97.5])
    return float(low), float(high)


def mean(found: Sequence[float]) -> float:
    """The mean."""
    return sum(found) / len(found)


def fit() -> None:
    """Print the weights as they stand in `calibration`."""
    weights, threshold = fitted([item(row, whole=False) for row in read()])
    named = ", ".join(f"{name}={value:.2f}" for name, value in zip(calibration.Measures._fields, weights, strict=False))
    print(f"WEIGHTS = Measures({named})\nBIAS = {weights[-1]:.2f}\nSUPPORTED = {threshold:.2f}")


if __name__ == "__main__":
    if "--fit" in sys.argv:
        fit()
    else:
        for found in measure():
            print(found)
