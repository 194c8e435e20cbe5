"""Units: of time, of bytes and bits, of shares; and what scales a number."""

import re
from itertools import pairwise

# unit: (dimension, how much of the dimension's base one of it is)
UNITS: dict[str, tuple[str, float]] = {
    **dict.fromkeys(("ns", "nanos", "nanosecond", "nanoseconds", "纳秒"), ("time", 1e-9)),
    **dict.fromkeys(("us", "µs", "μs", "microsecond", "microseconds", "微秒"), ("time", 1e-6)),
    **dict.fromkeys(("ms", "millis", "msec", "millisecond", "milliseconds", "毫秒"), ("time", 1e-3)),
    **dict.fromkeys(("s", "sec", "secs", "second", "seconds", "秒", "秒钟"), ("time", 1.0)),
    **dict.fromkeys(("min", "mins", "minute", "minutes", "分钟"), ("time", 60.0)),
    **dict.fromkeys(("h", "hr", "hrs", "hour", "hours", "小时", "个小时"), ("time", 3600.0)),
    **dict.fromkeys(("d", "day", "days", "天"), ("time", 86400.0)),
    **dict.fromkeys(("week", "weeks"), ("time", 604800.0)),
    **dict.fromkeys(("b", "byte", "bytes", "字节"), ("bytes", 1.0)),
    **dict.fromkeys(("kb", "kilobyte", "kilobytes"), ("bytes", 1e3)),
    **dict.fromkeys(("mb", "megabyte", "megabytes"), ("bytes", 1e6)),
    **dict.fromkeys(("gb", "gigabyte", "gigabytes"), ("bytes", 1e9)),
    **dict.fromkeys(("tb", "terabyte", "terabytes"), ("bytes", 1e12)),
    "g": ("bytes", 1e9),
    **dict.fromkeys(("kib", "ki"), ("bytes", 1024.0)),
    **dict.fromkeys(("mib", "mi"), ("bytes", 1024.0**2)),
    **dict.fromkeys(("gib", "gi"), ("bytes", 1024.0**3)),
    **dict.fromkeys(("tib", "ti"), ("bytes", 1024.0**4)),
    **dict.fromkeys(("bps", "bit", "bits"), ("bits", 1.0)),
    **dict.fromkeys(("kbps", "kbit", "kbits"), ("bits", 1e3)),
    **dict.fromkeys(("mbps", "mbit", "mbits"), ("bits", 1e6)),
    **dict.fromkeys(("gbps", "gbit", "gbits"), ("bits", 1e9)),
    **dict.fromkeys(("%", "percent", "pct", "percentage"), ("share", 0.01)),
    **dict.fromkeys(("ratio", "rate", "share", "fraction"), ("share", 1.0)),
    "count": ("count", 1.0),
    **dict.fromkeys(("millicore", "millicores"), ("cpu", 1e-3)),
    **dict.fromkeys(("core", "cores"), ("cpu", 1.0)),
}
# What many write for powers of 1024 too.
BINARY = {"mb": 1024.0**2, "gb": 1024.0**3, "g": 1024.0**3, "tb": 1024.0**4}
RECORDED = BINARY | {"kb": 1024.0}  # kernels and JVMs
SCALES = {"k": 1e3, "K": 1e3, "M": 1e6, "bn": 1e9, "thousand": 1e3, "million": 1e6, "billion": 1e9}
SCALES |= {"百": 1e2, "千": 1e3, "万": 1e4, "十万": 1e5, "百万": 1e6, "千万": 1e7, "亿": 1e8}
# How many seconds a rate is counted by.
PER = re.compile(
    r"\s?(?:(?P<letters>rps|qps|tps|rpm|qpm)\b|(?:/\s?|(?:\w{1,20}\s)?(?:per|a|each|every)\s)(?P<span>s|sec|second|m|min|minute|h|hr|hour|d|day)\b)",
    re.IGNORECASE,
)
PER_BEFORE = re.compile(r"每(?P<span>秒钟?|分钟|小时|天)[^\d，。；,.;]{0,8}\Z")
_SPANS = {
    "s": 1.0,
    "sec": 1.0,
    "second": 1.0,
    "m": 60.0,
    "min": 60.0,
    "minute": 60.0,
    "h": 3600.0,
    "hr": 3600.0,
    "hour": 3600.0,
    "d": 86400.0,
    "day": 86400.0,
}
_SPANS |= {"秒": 1.0, "秒钟": 1.0, "分钟": 60.0, "小时": 3600.0, "天": 86400.0}
_LETTERS = {"rps": 1.0, "qps": 1.0, "tps": 1.0, "rpm": 60.0, "qpm": 60.0, "bps": 1.0}


def span_of(found: re.Match[str] | None) -> float | None:
    """The seconds of a rate's denominator."""
    if not found:
        return None
    letters = found.groupdict().get("letters")
    return _LETTERS[letters.lower()] if letters else _SPANS[found["span"].lower()]


def of_words(parts: list[str]) -> tuple[str | None, float | None]:
    """The unit, and the denominator of a rate, that a field's name gives: `normal_p90_ms`, `rate_per_second`, `rx_mbps`."""
    per = next((_SPANS[b] for a, b in pairwise(parts) if a == "per" and b in _SPANS), None)
    per = per or next((_LETTERS[p] for p in parts if p in _LETTERS), None)
    if "per" in parts:
        return None, per
    last = parts[-1] if len(parts) > 1 and parts[-1] in ("s", "h") else None
    return last or next((p for p in reversed(parts) if p in UNITS and len(p) > 1), None), per
