"""True claims in an engineer's plain words, English and Chinese, written by hand over the kinds of records that tools leave.

A row names the list that its record stands in, what must hold of the record for the sentence to be true, and the sentence. What stands
in `[[…]]` is a condition: the sentence without it says more than the record does.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

from bench.grounding.scenes import Call, Claim, Scene
from superbiz.domain import canonical

Fields = Mapping[str, Any]
EXCERPT = 300
CONDITION = re.compile(r"\[\[(.*?)\]\]")


class Plain(NamedTuple):
    """`of` is the list (or the object) of an output. The sentence is filled with the record's fields and what `worked` adds."""

    of: str
    says: str
    where: Callable[[Fields], bool] = lambda _: True


def _rose(r: Fields) -> bool:
    return bool(r["direction"] == "rose" and r["worst"] > r["baseline"])


def _far(r: Fields) -> bool:
    return bool(abs(r["worst"] - r["baseline"]) > 0.5 * max(abs(r["worst"]), abs(r["baseline"])))


def _fell(r: Fields) -> bool:
    return bool(r["direction"] == "fell" and r["worst"] < r["baseline"])


def _times(least: float) -> Callable[[Fields], bool]:
    return lambda r: _rose(r) and r["baseline"] > 0 and r["worst"] / r["baseline"] >= least


def _unit(*names: str) -> Callable[[Fields], bool]:
    return lambda r: _rose(r) and r["unit"] in names


def _has(*fields: str) -> Callable[[Fields], bool]:
    return lambda r: all(r.get(f) not in (None, "") for f in fields)


def _new_errors(r: Fields) -> bool:
    return bool(r["bad_lines"] > 0 and r["normal_bad_lines"] == 0)


def _failing(r: Fields) -> bool:
    return bool(r["errors"] > 0)


def _slow(r: Fields) -> bool:
    return bool(r.get("normal_own_median_ms") and r["own_median_ms"] > 1.5 * r["normal_own_median_ms"] and r["own_median_ms"] >= 1)


def _new_step(r: Fields) -> bool:
    return r.get("step") == "new" and r["count"] > 0


def _before(r: Fields) -> bool:
    return r.get("minutes_before_onset") is not None


def _hours(r: Fields) -> bool:
    return r.get("hours_before_onset") is not None


def _after(r: Fields) -> bool:
    return r.get("minutes_after_onset") is not None


ROWS = (
    # metrics
    Plain("series", "{metric} on {subject} climbed to {worst} at {worst_at}.", _rose),
    Plain("series", "{subject}: {metric} went up from a baseline of {baseline} to {worst}.", _rose),
    Plain("series", "The highest {metric} we have for {subject} is {worst}, at {worst_clock} UTC.", _rose),
    Plain("series", "Normally {subject} shows {baseline} for {metric}; at its worst it was {worst}.", _rose),
    Plain("series", "{metric} ({stat}) of {subject} dropped to {worst} at {worst_at}.", _fell),
    Plain("series", "{metric} of {subject} fell below its baseline of {baseline}, to {worst}.", _fell),
    Plain("series", "{metric} of {subject} peaked at about {worst_short}.", _rose),
    Plain("series", "{metric} of {subject} peaked at {worst}%.", _unit("Percent")),
    Plain("series", "{subject} took up to {worst_ms} ms ({metric} {stat}), against {baseline_ms} ms before.", _unit("Seconds")),
    Plain("series", "{metric} of {subject} reached {worst_seconds} s at {worst_at}.", _unit("Milliseconds")),
    Plain("series", "{metric} of {subject} rose to {worst_kb} KB.", lambda r: _unit("Bytes")(r) and r["worst"] >= 2000),
    Plain("series", "{metric} of {subject} is more than {factor} times its baseline at the peak.", _times(2.2)),
    Plain("series", "The rise of {metric} on {subject} begins at {onset}.", _rose),
    Plain("series", "{metric} of {subject} was back to ordinary at {recovered_at}.", _has("recovered_at")),
    Plain("series", "{subject} 的 {metric} 在 {worst_at} 升到 {worst}。", _rose),
    Plain("series", "{subject} 的 {metric} 从基线 {baseline} 上升到 {worst}。", _rose),
    Plain("series", "{subject} 的 {metric} 在 {worst_at} 降到 {worst}。", _fell),
    Plain("series", "[[In the normal period]] {metric} of {subject} stood at {baseline}.", _far),
    Plain("series", "{subject} 的 {metric} [[在正常时段]]为 {baseline}。", _far),
    Plain("symptom", "The symptom is {metric} of {subject}, worst {worst} at {worst_at}.", _has("worst")),
    Plain("symptom", "{metric} of {subject} started to rise at {onset}.", _rose),
    Plain("symptom", "{subject} 的 {metric} 最差值为 {worst}，时间是 {worst_at}。", _has("worst")),
    # suspects
    Plain("suspects", "{resource} ranks {rank} among the suspects, with an own excess of {own_excess} in {metric}."),
    Plain("suspects", "{resource} alone has {own_excess} of {metric} beyond its callees; ordinary would be {ordinary_excess}."),
    Plain("suspects", "The excess of {metric} on {resource} peaks at {peak_at}."),
    Plain("suspects", "{resource} 在嫌疑排名中列第 {rank} 位，{metric} 的自身超出量为 {own_excess}。"),
    Plain("quiet", "{resource} stays within what is ordinary for it: {own_excess} of {metric}.", _has("resource")),
    Plain("quiet", "{resource} 的 {metric} 在正常范围之内，自身超出量为 {own_excess}。", _has("resource")),
    # logs
    Plain("errors", "{service} wrote {bad_lines} bad lines out of {lines}."),
    Plain("errors", "{bad_lines} of the {lines} log lines of {service} are bad, none of {normal_lines} in the normal period.", _new_errors),
    Plain("errors", "The first bad line of {service} is from {first}.", _has("first")),
    Plain("errors", "{service} throws {exception} at {location}.", _has("exception", "location")),
    Plain("errors", "{service} logs {exception}; {bad_lines} lines are bad.", _has("exception")),
    Plain(
        "errors", "Bad lines of {service} went up from {normal_bad_lines} to {bad_lines}.", lambda r: r["bad_lines"] > r["normal_bad_lines"]
    ),
    Plain("errors", "{service} 共 {lines} 行日志，其中 {bad_lines} 行是错误。"),
    Plain("errors", "{service} 的第一条错误日志出现在 {first}。", _has("first")),
    Plain("errors", "{service} 抛出了 {exception}，位置在 {location}。", _has("exception", "location")),
    Plain("errors", "[[In the normal period]] {service} had {normal_bad_lines} bad lines of {normal_lines}.", _new_errors),
    Plain("errors", "{service} [[在正常时段]]有 {normal_lines} 行日志，其中 {normal_bad_lines} 行是错误。", _new_errors),
    Plain("templates", "A new kind of line shows up in {service}: {count} of {of} lines.", lambda r: r.get("change") == "new"),
    Plain("templates", "{service} 出现了一种新的日志，{of} 行中有 {count} 行。", lambda r: r.get("change") == "new"),
    Plain("steps", "{service} logged an unusual step in {operation}: {count} of {of} requests.", _new_step),
    Plain("quiet", "{service} has {bad_lines} bad lines in {lines}.", lambda r: "service" in r),
    Plain("quiet", "None of the {lines} log lines of {service} is bad.", lambda r: "service" in r and r["bad_lines"] == 0),
    # traces
    Plain("operations", "{errors} of {spans} spans [[of {name}]] on {service} have errors.", _failing),
    Plain("operations", "{name} of {service} fails in {rate} % of its spans.", _failing),
    Plain("operations", "{service} {name}: error rate {error_rate}, normally {normal_error_rate}.", _has("normal_error_rate")),
    Plain(
        "operations", "[[{name} of]] {service} got slower: its own median is {own_median_ms} ms, it was {normal_own_median_ms} ms.", _slow
    ),
    Plain("operations", "[[Normally]] {name} on {service} takes {normal_own_median_ms} ms itself, as a median.", _slow),
    Plain("operations", "{name} on {service} now spends about {own_median_short} ms itself, normally {normal_own_median_ms} ms.", _slow),
    Plain("operations", "None of the {spans} spans of {name} on {service} has an error.", lambda r: r["errors"] == 0),
    Plain("operations", "{service} 的 {name} 有 {spans} 个 span，其中 {errors} 个出错。", _failing),
    Plain("operations", "{service} 的 {name} 变慢了：自身中位数 {own_median_ms} ms，平时为 {normal_own_median_ms} ms。", _slow),
    Plain("calls", "{service} {name} calls {callee} {callee_name}: the call is {call}.", _has("call", "callee")),
    Plain("gaps", "Waiting gaps of {service} have a median of {gap_median_ms} ms over {calls} calls.", _has("gap_median_ms")),
    # databases
    Plain("waits", "{database} spends a load of {load} on {wait}."),
    Plain("waits", "{wait} makes up {percent} % of the load of {database}."),
    Plain("waits", "{database} 上 {wait} 的负载是 {load}。"),
    Plain("databases", "{database} has {max_vcpus} vCPUs and a load of {load}."),
    Plain("databases", "The load of {database} peaked at {peak_load}."),
    # changes and alarms
    Plain("changes", "{actor} ran {name} on {resource} at {time}.", _has("actor")),
    Plain("changes", "{name} on {resource} came {minutes_before_onset} minutes before the onset.", _before),
    Plain("changes", "{name} on {resource} was {hours_before_onset} hours before the onset.", _hours),
    Plain("changes", "{name} on {resource} came only {minutes_after_onset} minutes after the onset.", _after),
    Plain("changes", "{resource} 在 {time} 发生了变更 {name}。"),
    Plain("changes", "{resource} 的变更 {name} 发生在异常开始前 {minutes_before_onset} 分钟。", _before),
    Plain("alarms", "{name} is in ALARM since {since}.", lambda r: r["state"] == "ALARM"),
    Plain("alarms", "The alarm {name} is OK since {since}.", lambda r: r["state"] == "OK"),
    Plain("alarms", "告警 {name} 自 {since} 起处于 {state} 状态。"),
    Plain("history", "{alarm} went from {from} to {to} at {timestamp}."),
    Plain("history", "告警 {alarm} 在 {timestamp} 从 {from} 变为 {to}。"),
)


def plain_claims(scene: Scene, a_list: int = 2) -> Iterator[tuple[Claim, str]]:
    """(claim, its sentence with conditions marked): every row over the first records of each list that it fits."""
    n = 0
    for call in scene.calls:
        for row in ROWS if call["status"] == "SUCCESS" and isinstance(call["output"], dict) else ():
            fitting = [(path, r) for path, r in _records(call, row.of) if _fits(row, r)]
            for path, found in fitting[:a_list]:
                n += 1
                marked = row.says.format_map(_filled(found))
                yield _claim(f"p{n}", CONDITION.sub(r"\1", marked), call, path, found) | {"pattern": row.says}, marked


def _records(call: Call, of: str) -> Iterator[tuple[str, Fields]]:
    node = call["output"].get(of)
    if isinstance(node, dict):
        yield f"$.{of}", node
    elif isinstance(node, list):
        yield from ((f"$.{of}[{n}]", r) for n, r in enumerate(node) if isinstance(r, dict))


def _fits(row: Plain, found: Fields) -> bool:
    """The record has every field that the sentence names, and the sentence is true of it."""
    try:
        return bool(row.where(found)) and bool(row.says.format_map(_filled(found)))
    except KeyError:
        return False


def _filled(found: Fields) -> dict[str, Any]:
    """The fields, with some said as people say them."""
    out = dict(found)
    worst = found.get("worst")
    if isinstance(worst, int | float):
        out |= {"worst_short": f"{worst:.3g}" if abs(worst) < 1000 else f"{worst:.0f}", "worst_clock": str(found["worst_at"])[11:16]}
        out |= {"worst_ms": f"{worst * 1000:.0f}", "baseline_ms": f"{found['baseline'] * 1000:.0f}", "worst_seconds": f"{worst / 1000:.2f}"}
        out |= {"worst_kb": f"{worst / 1000:.0f}", "factor": int(worst / found["baseline"]) if found["baseline"] else None}
    for source, name in (("error_rate", "rate"), ("share", "percent")):
        if isinstance(found.get(source), int | float):
            out[name] = f"{found[source] * 100:.1f}"
    if isinstance(found.get("own_median_ms"), int | float):
        out["own_median_short"] = f"{found['own_median_ms']:.3g}" if found["own_median_ms"] < 1000 else f"{found['own_median_ms']:.0f}"
    return out


def _claim(claim_id: str, text: str, call: Call, path: str, found: Fields) -> Claim:
    bound = {"invocation_id": call["invocation_id"], "raw_path": path, "evidence_excerpt": excerpt_of(canonical.dumps(dict(found)))}
    return {"claim_id": claim_id, "claim_text": text, "claim_type": "observation", "critical": True, "evidence": [bound]}


def excerpt_of(text: str, limit: int = EXCERPT) -> str:
    """The beginning of a record's text, ended between two fields."""
    if len(text) <= limit:
        return text
    cut = text[:limit]
    at = max(cut.rfind(',"'), cut.rfind(", "))
    return cut[:at] if at > limit // 2 else cut.rsplit(" ", 1)[0]
