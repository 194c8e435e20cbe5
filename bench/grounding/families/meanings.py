"""Sentences whose meaning is turned: directions, denials, wholes, and clauses that nobody recorded.

Guards: a turned word is the sentence's own, outside quotations and names. An invented clause has a key word that no cited record has.
Words of wholes are put only where the record tells of a part, or where one row can not speak of all.
"""

import random
import re
from collections.abc import Callable, Sequence

from bench.grounding.mutant import Maker
from bench.grounding.scenes import Claim
from bench.grounding.truth import Truth, picked, put

Turns = Sequence[tuple[str, str]]
MOVES: Turns = (
    (r"\brose\b", "fell"), (r"\bclimbed\b", "dropped"), (r"\bwent up\b", "went down"), (r"\bdropped\b", "climbed"), (r"\bfell\b", "rose"),
    (r"\b[Tt]he rise\b", "the fall"), (r"\bstarted to rise\b", "started to fall"), (r"\bgot slower\b", "got faster"), ("上升到", "下降到"),
    ("升到", "降到"), ("降到", "升到"), ("变慢", "变快"), (r"\bpeaked at\b", "bottomed out at"), (r"\bhighest\b", "lowest"),
)  # fmt: skip
SIDES: Turns = (
    (r"\bbeyond\b", "within"), (r"\bwithin\b", "beyond"), (r"\bbelow\b", "above"), (r"\babove\b", "below"), (r"\bmore than\b", "less than"),
    ("超出", "低于"), ("之内", "之外"),
)  # fmt: skip
ORDER: Turns = (
    (r"\bbefore the onset\b", "after the onset"), (r"\bafter the onset\b", "before the onset"), ("开始前", "开始后"),
    (r"from (\S+) to (\S+)(?= at )", r"from \2 to \1"), (r"从 (\S+) 变为 (\w+)", r"从 \2 变为 \1"),
)  # fmt: skip
DENIED: Turns = (
    (r"\brose\b", "did not rise"), (r"\bclimbed\b", "did not climb"), (r"\bwent up\b", "did not go up"), (r"\bdropped\b", "did not drop"),
    (r"\bfell\b", "did not fall"), (r"\bgot slower\b", "did not get slower"), (r"\bdeviates\b", "does not deviate"),
    (r"\bstayed\b", "did not stay"), (r"\bstays\b", "does not stay"), (r"\bwrote\b", "did not write"), (r"\bthrows\b", "does not throw"),
    (r"\blogs\b", "does not log"), (r"\blogged\b", "did not log"), (r"\bran\b", "did not run"), (r"\bcame\b", "did not come"),
    (r"\bwent from\b", "did not go from"), (r"\bfails\b", "does not fail"), (r"\bpeaked\b", "did not peak"),
    (r"\breached\b", "did not reach"),
    (r"\btook\b", "did not take"), (r"\branks\b", "does not rank"), (r"\bspends\b", "does not spend"),
    (r"\bmakes up\b", "does not make up"),
    (r"\bis\b", "is not"), (r"\bare\b", "are not"), (r"\bhas errors\b", "has no errors"), (r"\bhave errors\b", "have no errors"),
    (r"\bhas\b", "does not have"), (r"\bshows up\b", "does not show up"), (r"\bcalls\b", "does not call"),
)  # fmt: skip
DENIED_CHINESE: Turns = (
    ("上升到", "没有上升到"), ("升到", "没有升到"), ("降到", "没有降到"), ("出现了", "没有出现"), ("抛出了", "没有抛出"),
    ("变慢了", "没有变慢"),
    ("发生了", "没有发生"), ("发生在", "不是发生在"), ("处于", "并不处于"), ("是错误", "不是错误"), ("在正常范围之内", "不在正常范围之内"),
    ("其中", "其中没有"), ("变为", "没有变为"), ("列第", "没有列第"), ("出现在", "并未出现在"),
)  # fmt: skip
AFFIRMED: Turns = (
    (r"\bNone of\b", "Several of"), (r"\bnone of\b", "all of"), (r"\bdid not\b", "did"), (r"\bis not\b", "is"),
    (r"\bno\b", "many"), ("没有", "有"),
)  # fmt: skip
CLAUSES = (
    # the clause, and the words that no cited record may have
    ("and its disk was full", ("disk", "storage", "full")), ("and customers lost their orders", ("customer", "orders")),
    ("after an operator restarted it", ("operator", "restart")), ("and its certificate had expired", ("certificate", "expire", "tls")),
    ("while its memory ran out", ("memory", "oom")), ("and a retry storm followed", ("retry", "storm")),
    ("right after the marketing campaign began", ("campaign",)), ("and the cache was cold", ("cache",)),
    ("and backups were running", ("backup",)), ("and the queue behind it overflowed", ("queue", "backlog")),
    ("and one availability zone was lost", ("zone",)), ("and its threads were deadlocked", ("thread", "deadlock")),
    ("which the on-call engineer confirmed", ("engineer", "confirm")), ("and DNS lookups timed out", ("dns", "lookup")),
    ("and a firewall rule was blocking it", ("firewall", "security group")), ("as in last week's outage", ("outage", "last week")),
    ("and the garbage collector was thrashing", ("garbage", "gc")), ("and payments were charged twice", ("payment", "charged")),
    ("and users were logged out", ("users", "logged out")), ("with all of its replicas down", ("replica",)),
    ("and the rollback mended it", ("rollback", "mended")), ("and the load balancer dropped it from its targets", ("balancer", "target")),
)  # fmt: skip
CLAUSES_CHINESE = (
    ("并且磁盘已满", ("disk", "storage", "磁盘")), ("并且证书已经过期", ("certificate", "证书")),
    ("运维人员随后重启了它", ("restart", "重启")),
    ("导致客户丢失了订单", ("customer", "客户")), ("同时内存耗尽", ("memory", "内存")), ("并且缓存失效", ("cache", "缓存")),
    ("而且 DNS 解析超时", ("dns",)), ("并引发了重试风暴", ("retry", "重试")),
)  # fmt: skip


def turned(turns: Turns) -> Callable[[Truth, random.Random], Claim | None]:
    """A maker that turns one of the words that the sentence has."""

    def make(truth: Truth, chance: random.Random) -> Claim | None:
        found = [(m, new) for pattern, new in turns for m in truth.spoken(re.compile(pattern)) if not _shared(m, truth)]
        place = picked(chance, found)
        if place is None or _says_little(truth, place[0]):
            return None
        return truth.saying(put(truth.text, place[0], place[0].expand(place[1])))

    return make


def _shared(match: re.Match[str], truth: Truth) -> bool:
    """Words of fixed phrases that are no statement of their own: "what is ordinary", "how it is"."""
    before, after = truth.text[: match.start()], truth.text[match.end() :]
    return bool(re.search(r"\b(?:what|where \S+) \Z", before) or re.match(r" (?:ordinary\b|back to)", after))


def _says_little(truth: Truth, match: re.Match[str]) -> bool:
    """A move that the record does not bear out, such as a rise from a value to the same one."""
    worst, base = truth.fields.get("worst"), truth.fields.get("baseline")
    return match[0] != "is" and isinstance(worst, int | float) and worst == base


def _denied(truth: Truth, chance: random.Random) -> Claim | None:
    return None if re.search(r"\b[Nn]one of\b", truth.text) else turned(DENIED)(truth, chance)


def _affirmed(truth: Truth, chance: random.Random) -> Claim | None:
    """What the sentence denies, affirmed."""
    return turned(AFFIRMED)(truth, chance) if re.search(r"\b[Nn]one of\b|\bnot\b|\bno\b|没有", truth.text) else None


def _clause(truth: Truth, chance: random.Random) -> Claim | None:
    """A clause of which the record has no word."""
    chinese = is_chinese(truth.text)
    have = truth.record.casefold()
    said = picked(chance, [c for c, keys in (CLAUSES_CHINESE if chinese else CLAUSES) if not any(k in have for k in keys)])
    if said is None:
        return None
    return truth.saying(truth.text.rstrip(".。") + (f"，{said}。" if chinese else f", {said}."))


def _sentence(truth: Truth, chance: random.Random) -> Claim | None:
    """A sentence of its own behind the true one."""
    have = truth.record.casefold()
    said = picked(chance, [c for c, keys in CLAUSES if c.startswith("and ") and not any(k in have for k in keys)])
    return None if said is None or is_chinese(truth.text) else truth.saying(f"{truth.text.rstrip('.')}. {said[4:].capitalize()}.")


def is_chinese(text: str) -> bool:
    """Whether the sentence around the names is Chinese."""
    return len(re.findall(r"[\u4e00-\u9fff]", text)) >= 2


def _all(truth: Truth, chance: random.Random) -> Claim | None:
    """A part told as the whole."""
    f = truth.fields
    if f.get("lines") and 0 < f.get("bad_lines", 0) < f["lines"]:
        thing = f["service"]
        return truth.saying(
            chance.choice((f"Every log line of {thing} is bad.", f"All lines of {thing} are errors.", f"{thing} 的日志全部是错误。"))
        )
    if f.get("spans") and 0 < f.get("errors", 0) < f["spans"]:
        thing, name = f["service"], f["name"]
        return truth.saying(
            chance.choice((f"All requests of {name} on {thing} fail.", f"{thing} fails every {name}.", f"{thing} 的 {name} 全部失败。"))
        )
    return None


def _only(truth: Truth, chance: random.Random) -> Claim | None:
    """One row says nothing of the others."""
    if truth.subject is None or truth.kind == "cause":
        return None
    word = "只有 " if is_chinese(truth.text) else chance.choice(("only ", "nothing but "))
    said = truth.text.replace(truth.subject, word + truth.subject, 1)
    return truth.saying(said[:1].upper() + said[1:] if said.startswith(("only", "nothing")) else said)


def _never(truth: Truth, chance: random.Random) -> Claim | None:
    """Said of all time where the record has a window and the opposite."""
    f = truth.fields
    thing, metric = f.get("subject"), f.get("metric")
    if not thing or not metric or f["worst"] == f["baseline"]:
        return None
    up = f["worst"] > f["baseline"]
    said = [f"{metric} of {thing} was {f['worst']} all the time.", f"{metric} of {thing} always stood at {f['worst']}."]
    said += [
        f"{metric} of {thing} never {'rose above' if up else 'fell below'} {f['baseline']}.",
        f"{thing} 的 {metric} 一直是 {f['worst']}。",
    ]
    said += [f"{metric} of {thing} never recovered."] if f.get("recovered_at") else []
    return truth.saying(chance.choice(said))


def _first_ever(truth: Truth, chance: random.Random) -> Claim | None:
    said = chance.choice(("This has never happened before.", "It happens every night.", "Nothing like it was ever recorded."))
    return None if is_chinese(truth.text) or truth.kind == "cause" else truth.saying(f"{truth.text} {said}")


DIRECTION: dict[str, Maker] = {"move": turned(MOVES), "side": turned(SIDES), "order": turned(ORDER)}
NEGATION: dict[str, Maker] = {"denied": _denied, "denied in Chinese": turned(DENIED_CHINESE), "affirmed": _affirmed}
INVENTED: dict[str, Maker] = {"clause": _clause, "sentence": _sentence}
WHOLE: dict[str, Maker] = {"all": _all, "only": _only, "always or never": _never, "ever before": _first_ever}
