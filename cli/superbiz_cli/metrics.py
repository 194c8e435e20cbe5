"""`superbiz metrics`: what the metrics of a recorded world say, by the tools that a run uses, without a run."""

import shlex
from pathlib import Path
from typing import Annotated, Any

import typer

from superbiz.adapters.snapshot import SnapshotSource
from superbiz.domain import alarms
from superbiz.domain.incidents import AlarmNotice
from superbiz.domain.values import JsonObject
from superbiz.errors import Invalid
from superbiz.ports import SourceUnavailable
from superbiz.settings import settings
from superbiz_cli.output import out, print_json, show_table

TOP = 12
MOST = 50
SUGGESTED = 3
# Heading to field. Every number is in the JSON; here are those that fit a terminal of eighty columns beside a name.
SERIES = {"series": "series", "ordinary": "baseline", "worst": "worst", "moved": "direction", "since": "onset", "widths": "deviation"}
CONDITIONS = {"condition": "series", "ordinary": "baseline", "worst": "worst", "since": "onset", "weight": "weight"}
SUSPECTS = {"suspect": "resource", "rank": "rank", "own": "own_excess", "ordinary": "ordinary_excess", "surplus": "surplus",
            "share": "share", "rarity": "rarity", "peak": "peak_at"}  # fmt: skip
QUIET = {"resource": "resource", "whole": "whole_excess", "own": "own_excess", "ordinary": "ordinary_excess"}
TIMES = ("worst_at", "onset", "peak_at")
DIGITS = 3
UNITS = {"Seconds": " s", "Milliseconds": " ms", "Percent": "%", "Bytes": " B", "None": "", "Count": ""}
SERIES_TOLD = "widths: how far the worst value is from the ordinary one, in ordinary widths of that side"
CONDITIONS_TOLD = "weight: at 1 a person would look there first"
SUSPECTS_TOLD = (
    "own: how much worse than ordinary it is, less what its callees explain; ordinary: the same on ordinary days, 95th percentile;\n"
    "surplus: own less ordinary; share: of the symptom's excess; rarity: the share of ordinary windows with as much"
)

QUIET_TOLD = "whole: how much worse than ordinary it is, its callees' part included"

app = typer.Typer(help="Metrics of a recorded world.", no_args_is_help=True)


@app.callback()
def _group() -> None:
    """Keeps `explain` a command of its own while it is the only one."""


@app.command()
def explain(
    world: Annotated[Path, typer.Argument(help="A world/1 folder: one recorded incident.", show_default=False)],
    metric: Annotated[
        str | None, typer.Option(help="Ask who is behind this metric. Default: the alarm's, where the world has one.", show_default=False)
    ] = None,
    stat: Annotated[str | None, typer.Option(help="Its statistic. Default: the alarm's, else Average.", show_default=False)] = None,
    target: Annotated[
        str | None, typer.Option(help="The resource that shows it. Default: the alarm's, else the whole map.", show_default=False)
    ] = None,
    top: Annotated[int, typer.Option(min=1, max=MOST, help="How many of each to show.")] = TOP,
    as_json: Annotated[bool, typer.Option("--json", help="Print all of it as JSON, and nothing else, on stdout.")] = False,
) -> None:
    """Show which series left what is ordinary for them, since when and how far, and who is behind the symptom, with the numbers."""
    source = SnapshotSource(world)
    asked = _asked(source, metric, stat, target)
    found = explained(source, asked, top)
    if asked and stat:
        _has_stat(source, asked)
    if as_json:
        print_json(found)
    else:
        _show(found)
        if not asked:
            _suggest(source, world)


def explained(source: SnapshotSource, asked: JsonObject | None, top: int) -> JsonObject:
    """The outputs of `query_metrics` and, where a symptom is asked about, of `rank_suspects`, in one document."""
    moved = _called(source, "query_metrics", {"top": top})
    behind = _called(source, "rank_suspects", {**asked, "top": top}) if asked else {}
    _known(source, asked, behind)
    told = {key: moved[key] for key in ("window", "series", "conditions", "matched")}
    ranked = {key: behind.get(key, default) for key, default in (("symptom", None), ("suspects", []), ("quiet", []), ("nodes", 0))}
    notes = list(dict.fromkeys([*moved.get("notes", ()), *behind.get("notes", ())]))
    left_out = {**moved.get("left_out", {}), **behind.get("left_out", {})}
    return {"world": source.world.id, "asked": asked, **told, **ranked, "left_out": left_out, "notes": notes}


def _asked(source: SnapshotSource, metric: str | None, stat: str | None, target: str | None) -> JsonObject | None:
    """The alarm's symptom, with what the caller names in its place; None where there is neither."""
    from superbiz.engines.offline.playbook import symptom_of

    alarm = symptom_of(_alarm(source.world.trigger)) or {}
    if metric is None and not alarm:
        if stat or target:
            raise Invalid("there is no alarm that says which metric is meant", mend="name it: --metric NAME")
        return None
    same = metric is None or metric.casefold() == str(alarm.get("metric", "")).casefold()
    named = {"metric": metric, "stat": stat, "target": target}
    return {"stat": "Average", **(alarm if same else {"target": alarm.get("target")}), **{k: v for k, v in named.items() if v}}


def _alarm(trigger: JsonObject | None) -> AlarmNotice | None:
    notice = alarms.parse(trigger, stack_name=settings().stack_name) if trigger else None
    return notice if isinstance(notice, AlarmNotice) else None


def _called(source: SnapshotSource, name: str, params: JsonObject) -> JsonObject:
    from superbiz.tools import TOOLS
    from superbiz.tools.tool import ToolContext

    tool = TOOLS[name]
    try:
        return tool.run(tool.input_model.model_validate(params), ToolContext(source, None, source.now(), source.window()))
    except SourceUnavailable as e:
        raise Invalid(str(e), code="NO_METRICS", mend="name a world that has metrics.json") from e


def _known(source: SnapshotSource, asked: JsonObject | None, behind: JsonObject) -> None:
    """A metric or resource that nobody measures is a slip of the caller's."""
    if asked is None or behind["symptom"]:
        return
    from superbiz.analysis import kinds

    alike = [s for s in source.metrics(None) if s.metric_name.casefold() == str(asked["metric"]).casefold()]
    if not alike:
        raise Invalid(
            f"world {source.world.id} has no series of {asked['metric']}", mend="superbiz metrics explain WORLD shows those that are there"
        )
    names = sorted({kinds.subject_of(s) for s in alike})
    if asked.get("target") and str(asked["target"]).casefold() not in {n.casefold() for n in names}:
        raise Invalid(f"{asked['target']} has no {asked['metric']}", mend=f"--target one of: {', '.join(names[:10])}")


def _has_stat(source: SnapshotSource, asked: JsonObject) -> None:
    """The tool takes another statistic where nobody has the one it is given; a person who named one would not see that."""
    from superbiz.analysis import kinds

    target = str(asked.get("target") or "").casefold()
    same = [s for s in source.metrics(None) if s.metric_name.casefold() == str(asked["metric"]).casefold()]
    stats = sorted({s.stat for s in same if not target or kinds.subject_of(s).casefold() == target})
    if str(asked["stat"]).casefold() not in {s.casefold() for s in stats}:
        of = f" of {asked['target']}" if target else ""
        raise Invalid(f"{asked['metric']}{of} has no statistic {asked['stat']}", mend=f"--stat one of: {', '.join(stats)}")


def _candidates(source: SnapshotSource) -> list[JsonObject]:
    """What callers feel that got worse most, of different metrics or resources: one of them may be the symptom that is meant."""
    from superbiz.analysis import kinds

    rows = [row for row in _called(source, "query_metrics", {"top": MOST})["series"] if row["kind"] in kinds.SYMPTOMS and _got_worse(row)]
    best: dict[tuple[str, str], JsonObject] = {}
    for row in sorted(rows, key=lambda row: -abs(float(row["deviation"]))):
        best.setdefault((row["metric"], row["subject"]), row)
    return list(best.values())[:SUGGESTED]


def _got_worse(row: JsonObject) -> bool:
    from superbiz.analysis import kinds

    falling = kinds.rule_of(row["metric"]).falling
    worse = ("rose", "fell") if falling is None else ("fell",) if falling else ("rose",)
    return row["direction"] in worse


def _show(found: JsonObject) -> None:
    window = found["window"]
    out.print(f"{found['world']}: {window['start']} to {window['end']}", markup=False)
    if found["symptom"]:
        out.print(_sentence(found["symptom"]), markup=False)
    _table("Series by how far they left what is ordinary", SERIES, found["series"], SERIES_TOLD)
    _table("Conditions: at a limit, throttled, restarting, or with a backlog", CONDITIONS, found["conditions"], CONDITIONS_TOLD)
    if found["asked"]:
        words = f"{found['asked']['metric']} {found['asked']['stat']} of {found['asked'].get('target') or 'the whole map'}"
        _table(f"Suspects behind {words}", SUSPECTS, found["suspects"], SUSPECTS_TOLD)
        _table("Within what is ordinary for them", QUIET, found["quiet"], QUIET_TOLD)
    for note in [f"{count} more {what}" for what, count in found["left_out"].items()] + found["notes"]:
        out.print(f"- {note}", markup=False)


def _suggest(source: SnapshotSource, world: Path) -> None:
    rows = _candidates(source)
    out.print(f"\nNo alarm says what the symptom is: name one with --metric to see who is behind it{', such as' if rows else '.'}")
    for row in rows:
        words = ["superbiz", "metrics", "explain", str(world), "--metric", row["metric"], "--stat", row["stat"], "--target", row["subject"]]
        out.print(f"  {shlex.join(words)}", markup=False)


def _sentence(symptom: JsonObject) -> str:
    s = _told(symptom)
    moved = "stayed within its ordinary widths" if s["direction"] == "steady" else f"{s['direction']} since {s['onset']}"
    ordinary = f"ordinary {s['baseline']}, {_number(s['normal_p1'])} to {_number(s['normal_p99'])} from its 1st to its 99th percentile"
    return f"{s['series']} {moved}: worst {s['worst']} at {s['worst_at']} ({ordinary}; rarity {s['rarity']})"


def _table(title: str, columns: dict[str, str], rows: list[JsonObject], told: str) -> None:
    out.print(f"\n{title}{'' if rows else ': none'}", markup=False)
    if rows:
        show_table(columns, map(_told, rows), fit=True)
        out.print(told, markup=False)


def _told(row: JsonObject) -> JsonObject:
    """A row for people: numbers short and with their unit, times without the date that stands above, the series by its name."""
    shown = {key: _number(value) for key, value in row.items()} | {key: str(row[key])[11:19] for key in TIMES if key in row}
    unit = UNITS.get(str(row.get("unit", "None")), f" {row.get('unit')}")
    shown |= {key: f"{shown[key]}{unit}" for key in ("baseline", "worst") if key in row}
    return shown | ({"series": f"{row['metric']} {row['stat']} of {row['subject']}"} if "subject" in row else {})


def _number(value: Any) -> str:
    if not isinstance(value, float):
        return str(value)
    return f"{value:.0f}" if abs(value) >= 10**DIGITS else f"{value:.{DIGITS}g}"
