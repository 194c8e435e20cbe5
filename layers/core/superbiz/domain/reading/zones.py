"""Time zones as claims and records name them: by offset, by letters, by a city. Some letters mean two zones: both are tried."""

import re
from datetime import timedelta

_HOURS: dict[str, tuple[float, ...]] = {
    **dict.fromkeys(("UTC", "GMT", "Z", "UCT", "WET"), (0,)),
    "EST": (-5,),
    "EDT": (-4,),
    "CST": (8, -6),
    "CDT": (-5,),
    "MST": (-7,),
    "MDT": (-6,),
    "PST": (-8,),
    "PDT": (-7,),
    "BRT": (-3,),
    "BST": (1,),
    "IST": (5.5, 1),
    "CET": (1,),
    "CEST": (2,),
    "EET": (2,),
    "EEST": (3,),
    "MSK": (3,),
    "JST": (9,),
    "KST": (9,),
    "HKT": (8,),
    "SGT": (8,),
    "AEST": (10,),
    "AEDT": (11,),
    "NZST": (12,),
    "NZDT": (13,),
}
_PLACES: dict[str, tuple[float, ...]] = {
    **dict.fromkeys(("beijing", "china", "shanghai", "singapore", "hong kong", "taipei"), (8,)),
    **dict.fromkeys(("tokyo", "japan", "seoul", "korea"), (9,)),
    **dict.fromkeys(("eastern", "new york"), (-5, -4)),
    **dict.fromkeys(("central", "chicago"), (-6, -5)),
    **dict.fromkeys(("mountain", "denver"), (-7, -6)),
    **dict.fromkeys(("pacific", "seattle", "san francisco"), (-8, -7)),
    **dict.fromkeys(("london", "dublin", "uk"), (0, 1)),
    **dict.fromkeys(("berlin", "paris", "madrid", "amsterdam", "central european"), (1, 2)),
    **dict.fromkeys(("india", "mumbai"), (5.5,)),
    **dict.fromkeys(("sydney",), (10, 11)),
}
_CHINESE: dict[str, tuple[float, ...]] = {
    **dict.fromkeys(("北京时间", "中国时间", "中国标准时间", "东八区"), (8,)),
    "东京时间": (9,),
    **dict.fromkeys(("协调世界时", "世界标准时间", "格林尼治时间"), (0,)),
}
_NAMES = "|".join(sorted(_HOURS, key=len, reverse=True))
_TOWNS = "|".join(sorted(_PLACES, key=len, reverse=True))
_OFFSET = r"[+-](?:0\d|1[0-4]):?(?:00|15|30|45)"
# What stands after a clock.
AFTER = (
    rf"\s?[(（]?(?P<zone>(?:UTC|GMT)?{_OFFSET}(?!\d)|(?:UTC|GMT)[+-]\d{{1,2}}(?![\d:])|(?:{_NAMES})(?![A-Za-z])|(?i:(?:{_TOWNS})(?:\sstandard)?\stime)\b"
    rf"|{'|'.join(_CHINESE)})?"
)
# And before it.
BEFORE = re.compile(rf"(?P<zone>{'|'.join(_CHINESE)}|(?i:{_TOWNS})\s(?i:time),?)\s?(?:的|是)?\s?\Z")


def offsets(zone: str | None) -> tuple[timedelta, ...]:
    """How far a zone is ahead of UTC: no zone is UTC."""
    if not zone:
        return (timedelta(),)
    name = zone.strip(" ()的是,")
    known = _HOURS.get(name) or _CHINESE.get(name) or _PLACES.get(re.sub(r"(?:\sstandard)?\stime\Z", "", name.lower()))
    return tuple(timedelta(hours=h) for h in known) if known else (_numeric(re.sub("UTC|GMT", "", name)),)


def _numeric(text: str) -> timedelta:
    hours, minutes = (int(text[1:]), 0) if len(text) < 4 else (int(text[1:3]), int(text[-2:]))
    size = timedelta(hours=hours, minutes=minutes)
    return size if text[0] == "+" else -size
