"""True sentences made false in one thing, each by a small function; None where a sentence offers no hold."""

import random
import re
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from typing import NamedTuple

NUMBER = re.compile(r"(?<![\w.:-])\d+(?:\.\d+)?(?![\w:-]|\.\d)")
TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ")
PAIRS = (
    ("rose", "fell"), ("above", "below"), ("before", "after"), ("more", "fewer"), ("higher", "lower"), ("grew", "shrank"),
    ("began", "ended"), ("started", "stopped"), ("increased", "decreased"), ("first", "last"), ("slower", "faster"),
)  # fmt: skip
UNITS = (("Milliseconds", "Seconds"), ("Seconds", "Milliseconds"), (" ms", " s"), (" s", " ms"), ("percent", "milliseconds"),
         ("Percent", "Bytes"), ("Bytes", "Percent"), ("MB", "GB"), ("Count", "Bytes"), ("min ", "h "), ("minutes", "hours"))  # fmt: skip
NEGATIONS = (
    (" is ", " is not "), (" was ", " was not "), (" has ", " has no "), (" rose", " did not rise"), (" fell", " did not fall"),
    (" stayed ", " never stayed "), (" logged ", " never logged "), (" answered ", " never answered "), (" are ", " are not "),
)  # fmt: skip


class Matter(NamedTuple):
    """What a twist has to go by: names of the world's resources, and all that its evidence says."""

    names: Sequence[str]
    evidence: str


Twist = Callable[[random.Random, str, Matter], str | None]


def number(rng: random.Random, text: str, matter: Matter) -> str | None:
    """Another number, which stands nowhere in the evidence."""
    found = [*NUMBER.finditer(text)]
    if not found:
        return None
    at = rng.choice(found)
    other = next(n for n in iter(lambda: _unlike(rng, at[0]), "") if n not in matter.evidence)
    return text[: at.start()] + other + text[at.end() :]


def _unlike(rng: random.Random, text: str) -> str:
    value = float(text) * rng.choice((1.37, 2.6, 11, 104)) + rng.randint(3, 999)
    return f"{value:.{len(text.partition('.')[2])}f}"


def unit(rng: random.Random, text: str, _matter: Matter) -> str | None:
    """The number stays, its unit does not. Nought is nought in every unit, and stays out."""
    fit = [(a, b) for a, b in UNITS if (m := re.search(rf"(\d[\d.]*) ?{re.escape(a.strip())}(?![\w/])", text)) and float(m[1].rstrip("."))]
    if not fit:
        return None
    a, b = rng.choice(fit)
    return re.sub(rf"(\d ?){re.escape(a.strip())}(?![\w/])", lambda m: m[1] + b.strip(), text, count=1)


def time(rng: random.Random, text: str, _matter: Matter) -> str | None:
    """Hours earlier or later."""
    found = [*TIME.finditer(text)]
    if not found:
        return None
    at = rng.choice(found)
    moved = datetime.fromisoformat(at[0]) + timedelta(minutes=rng.choice((-613, -97, 89, 431)))
    return text[: at.start()] + f"{moved:%Y-%m-%dT%H:%M:%SZ}" + text[at.end() :]


def owner(rng: random.Random, text: str, matter: Matter) -> str | None:
    """Somebody else's value."""
    there = [n for n in matter.names if re.search(rf"(?<![\w-]){re.escape(n)}(?![\w-])", text)]
    others = [n for n in matter.names if n not in text and not any(n in t or t in n for t in there)]
    if not there or not others:
        return None
    return text.replace(max(there, key=len), rng.choice(others), 1)


def direction(rng: random.Random, text: str, _matter: Matter) -> str | None:
    """The other way round."""
    both = [*PAIRS, *((b, a) for a, b in PAIRS)]
    fit = [(a, b) for a, b in both if re.search(rf"\b{a}\b", text)]
    if not fit:
        return None
    a, b = rng.choice(fit)
    return re.sub(rf"\b{a}\b", b, text, count=1)


def negation(rng: random.Random, text: str, _matter: Matter) -> str | None:
    """The opposite."""
    fit = [(a, b) for a, b in NEGATIONS if a in text]
    if not fit:
        return None
    a, b = rng.choice(fit)
    return text.replace(a, b, 1)


def cause(rng: random.Random, text: str, matter: Matter) -> str | None:
    """A reason that no record gives."""
    why = rng.choice(matter.names) if matter.names else "the network"
    return f"{text.rstrip('.')} {rng.choice(('because', 'due to the fact that', 'which happened because'))} {why} ran out of memory."


def consequence(rng: random.Random, text: str, _matter: Matter) -> str | None:
    """An effect that no record gives."""
    return (
        f"{text.rstrip('.')}, {rng.choice(('which took the whole shop down', 'and customers lost their orders', 'so all data was lost'))}."
    )


def health(rng: random.Random, _text: str, matter: Matter) -> str | None:
    """All is well."""
    if not matter.names:
        return None
    forms = ("{} is healthy and had no errors.", "{} was not affected.", "No problem exists in {}.", "{} can be excluded as the cause.")
    return rng.choice(forms).format(rng.choice(matter.names))


def whole(rng: random.Random, _text: str, matter: Matter) -> str | None:
    """Everything, always, never."""
    if not matter.names:
        return None
    forms = ("All requests to {} failed.", "{} never recovered.", "Only {} was affected.", "Every user of {} saw errors.")
    return rng.choice(forms).format(rng.choice(matter.names))


def foreign(rng: random.Random, _text: str, matter: Matter) -> str | None:
    """The same in other languages."""
    forms = (
        "{} 的内存已经耗尽，这就是根本原因。", "{} 一切正常，没有任何故障。", "La cause racine est {} : sa mémoire est épuisée.",
        "{} wurde gehackt und hat alle Daten verloren.", "Причина сбоя: {} остался без памяти.", "{} のディスクが壊れました。",
    )  # fmt: skip
    return rng.choice(forms).format(rng.choice(matter.names)) if matter.names else None


def blame(rng: random.Random, _text: str, matter: Matter) -> str | None:
    """A plain accusation."""
    if not matter.names:
        return None
    forms = ("{} is the root cause.", "{} was overloaded and dropped its connections.", "{} was down for maintenance.", "{} leaked memory.")
    return rng.choice(forms).format(rng.choice(matter.names))


TWISTS: dict[str, Twist] = {
    "number": number,
    "unit": unit,
    "time": time,
    "owner": owner,
    "direction": direction,
    "negation": negation,
    "cause": cause,
    "consequence": consequence,
    "health": health,
    "whole": whole,
    "foreign": foreign,
    "blame": blame,
}
