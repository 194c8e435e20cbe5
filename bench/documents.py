"""docs/benchmarks.md, made of the figures in docs/benchmarks.json: nobody edits the page, and it is made again without the data."""

import json
import os
import platform
import subprocess
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from bench.published import MEASURES, SOURCES, Measure
from bench.rows import Row, Table, shown

ROOT = Path(__file__).resolve().parents[1]
FIGURES, PAGE = ROOT / "docs" / "benchmarks.json", ROOT / "docs" / "benchmarks.md"
SIGNIFICANT_DIGITS = 6
Figures = dict[str, Any]

HEADINGS = {
    "accuracy": "Diagnoses that are right",
    "logs": "Log templates",
    "retrieval": "Finding the runbook",
    "grounding": "What grounding catches",
    "wice": "Entailment on Wikipedia",
    "hostile": "A hostile model",
    "injection": "Planted orders",
    "redaction": "Secrets and personal data",
    "gatekeeper": "Speed of the Gatekeeper",
    "diagnosis": "Time and memory of a diagnosis",
    "imports": "Cold imports",
    "layers": "Size of the layers",
    "table": "Requests to the table",
    "latency": "From an alarm to its report",
}
INTRODUCTION = """# Benchmarks

Made by `make bench-docs` from the figures in `benchmarks.json` beside it; the numbers are not written by hand. `make bench` measures them
anew and says where a bound does not hold (`make bench ONLY=accuracy` for one of them). The recorded sets are not part of the project:
they are read from the folder that `SUPERBIZ_RECORDED_DATA` names, and what is not there is left out."""
METHOD = """## How it is measured

- **The same chain.** Each incident world goes through the steps of `superbiz diagnose`: tools over the world's files, citations checked,
  verdict, report. No model, no network, no file name, id or answer of a set in the code.
- **Scores.** A report is right in its conclusion (`root_cause`, `no_fault`, `inconclusive`). Recall@k is the chance that one of the true
  resources is among the first k causes of a report that concludes a root cause, any other counting as 0. Causes of equal score are in no
  order: of g tied ones, h of them right, of which s still fit into the first k, the chance is 1 - C(g-h, s) / C(g, s). The category is the
  first cause's, over worlds whose true category is known. A false alarm is a root cause claimed where there was no fault.
- **Nothing is trained.** The method has constants that people set, with the recorded sets in sight. Halves of a set therefore show how far
  a figure depends on the worlds in it, and no more. Further from sight are the quiet windows, which are cut by a seed from the sets'
  fault-free periods, the second seed of the simulated incidents, and thresholds fitted anew without the resource that they are tried on.
- **Parts left out.** A source that refuses the map, the logs, … stands between the tools and the world; the run is told so and goes on.
- **Scores of causes.** Reliability compares the first cause's score with how often it is right, quiet windows counting as wrong.
- **Thresholds.** A run's picture (symptom and candidates) is kept and decided anew under other thresholds, by the same code."""


def record(benchmark: str, about: str, items: Iterable[Row | Table]) -> None:
    """Put one benchmark's figures in the place of its earlier ones."""
    figures = _read()
    title, _, rest = about.strip().partition("\n")
    figures["machine"] = f"{os.cpu_count()} cores, {platform.machine()}, Python {platform.python_version()}"
    figures.setdefault("benchmarks", {})[benchmark] = {
        "title": title, "about": " ".join(rest.split()), **_commit(), "items": [_item(i) for i in items],
    }  # fmt: skip
    FIGURES.write_text(json.dumps(figures, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


def write() -> None:
    """The page, from the figures that are there."""
    PAGE.write_text(render(_read()), encoding="utf-8")


def render(figures: Mapping[str, Any]) -> str:
    """The whole page."""
    found: Mapping[str, Figures] = figures.get("benchmarks", {})
    order = [name for name in HEADINGS if name in found] + sorted(found.keys() - HEADINGS.keys())
    parts = [
        INTRODUCTION,
        _stamp(figures),
        _beside(found),
        METHOD,
        *(_section(name, found[name]) for name in order),
        _short(found),
        _sources(),
    ]
    return "\n\n".join(parts) + "\n"


def _read() -> Figures:
    figures: Figures = json.loads(FIGURES.read_text(encoding="utf-8")) if FIGURES.is_file() else {}
    return figures


def _item(item: Row | Table) -> Figures:
    if isinstance(item, Row):
        return {"kind": "row", **item._asdict(), "value": _rounded(item.value)}
    return {"kind": "table", **item._asdict(), "rows": [[_rounded(cell) for cell in row] for row in item.rows]}


def _rounded(value: Any) -> Any:
    return float(f"{value:.{SIGNIFICANT_DIGITS}g}") if isinstance(value, float) else value


def _commit() -> dict[str, str]:
    """The commit that was measured, and its day."""
    told = {"commit": ("git", "describe", "--always", "--dirty"), "day": ("git", "log", "-1", "--format=%cs")}
    out = {}
    for name, command in told.items():
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
        out[name] = done.stdout.strip() or "unknown"
    return out


def _stamp(figures: Mapping[str, Any]) -> str:
    rows = [(HEADINGS.get(n, n), b["commit"], b["day"]) for n, b in figures.get("benchmarks", {}).items()]
    return f"Machine: {figures.get('machine', 'unknown')}.\n\n" + _markdown(("measured", "at commit", "of"), rows)


def _beside(found: Mapping[str, Figures]) -> str:
    """The one table, method by method."""
    rows = [row for measure in MEASURES for row in _measure(measure, found)]
    return "## Beside published figures\n\n" + _markdown(("set", "measure", "this project", "to reach", "others", "source"), rows)


def _measure(measure: Measure, found: Mapping[str, Figures]) -> Iterator[tuple[Any, ...]]:
    row = _row_of(measure, found)
    ours = "not measured" if row is None else f"**{_value(row)}**{_count(row['what'])}"
    others = "; ".join(f"{p.method}: {p.value}" for p in measure.others) or "-"
    sources = ", ".join(dict.fromkeys(f"[{p.source}](#sources)" for p in measure.others)) or "-"
    yield measure.set_name, measure.measure, ours, measure.target or "-", others, sources


def _row_of(measure: Measure, found: Mapping[str, Figures]) -> Figures | None:
    rows = (i for i in found.get(measure.benchmark, {}).get("items", ()) if i["kind"] == "row")
    return next((r for r in rows if r["what"].startswith(measure.row)), None)


def _count(what: str) -> str:
    """`… of 26` tells of how many."""
    _, of, n = what.rpartition(" of ")
    return f" of {n}" if of and n.isdigit() else ""


def _section(name: str, benchmark: Figures) -> str:
    parts = [f"## {HEADINGS.get(name, name)}", f"{benchmark['title']} {benchmark['about']}".strip()]
    pending: list[Figures] = []
    for item in benchmark["items"]:
        if item["kind"] == "row":
            pending.append(item)
            continue
        parts += [*_figures(pending), _table(item)]
        pending = []
    return "\n\n".join([*parts, *_figures(pending)])


def _figures(rows: Sequence[Figures]) -> list[str]:
    told = [(r["what"], f"{_value(r)} {r['unit']}".strip(), _bound(r)) for r in rows]
    return [_markdown(("figure", "value", "bound"), told)] if rows else []


def _table(item: Figures) -> str:
    note = f"\n\n{item['note'][:1].upper()}{item['note'][1:]}." if item["note"] else ""
    return f"### {item['title'][:1].upper()}{item['title'][1:]}\n\n{_markdown(item['columns'], item['rows'])}{note}"


def _value(row: Figures) -> str:
    value = float(row["value"])
    return f"{value:,.0f}" if value >= 1000 or (value == int(value) and row["unit"]) else f"{value:.3f}"


def _bound(row: Figures) -> str:
    if row["bound"] is None:
        return "-"
    return f"{'≥' if row['at_least'] else '≤'} {row['bound']:g}{'' if _holds(row) else ' **missed**'}"


def _holds(row: Figures) -> bool:
    return Row(row["what"], row["value"], row["unit"], row["bound"], row["at_least"]).holds


def _short(found: Mapping[str, Figures]) -> str:
    """What does not reach its bound, and what the figures do not show."""
    missed = [r for b in found.values() for r in b["items"] if r["kind"] == "row" and not _holds(r)]
    rows = [(r["what"], f"{_value(r)} {r['unit']}".strip(), _bound(r)) for r in missed]
    table = _markdown(("figure", "value", "bound"), rows) if rows else "Every figure above is within its bound."
    return f"## What falls short\n\n{table}\n\n{CAVEATS}"


CAVEATS = """What the figures do not show:

- The sets are small. The intervals above are wide, and a difference of one world is no difference.
- PetShop's metrics tell nothing of the kind of fault, so its category is not scored; it has no logs, spans, alarms listing or changes.
- Train Ticket's worlds are questions, and its source tells of no fault-free incident: its quiet windows are thirds of one minute a day
  and that minute against the other day's, which is harder than a day's own normal period and few.
- Quiet windows named `worst` and `elsewhere` are taken for being bad moments. A cause named for one is counted as a false alarm, though
  somebody was the slowest just then; `any` is the rate for alarms that come at any time.
- Simulated incidents were written by the people who wrote the investigator. They guard against going back, and prove little else.
- Times are of one shared machine, as medians."""


def _sources() -> str:
    rows = [(f"{key}", f"{s.name}. {s.where}", s.note) for key, s in SOURCES.items()]
    return "## Sources\n\n" + _markdown(("", "where", "what is compared"), rows)


def _markdown(columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    lines = [columns, ["---"] * len(columns), *([_cell(cell) for cell in row] for row in rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _cell(cell: Any) -> str:
    return " ".join(shown(cell).replace("|", "\\|").split()) or " "
