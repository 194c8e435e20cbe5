"""Which log groups a run reads: those that definitions name, those that AWS names after a resource, and those that carry its name.

A name is a guess until DescribeLogGroups has confirmed it; what is confirmed by nothing is not queried.
"""

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from superbiz.adapters.cloudwatch import catalog
from superbiz.adapters.cloudwatch.asking import listed
from superbiz.adapters.cloudwatch.catalog import UNREADABLE, Resource
from superbiz.adapters.cloudwatch.logs import LogGroup
from superbiz.adapters.cloudwatch.queries import Only
from superbiz.adapters.cloudwatch.session import Clients, Found, Limits, each
from superbiz.domain.values import JsonObject

WHAT = "log groups"
PAGES = 1  # of 50 groups for one name
WORDS = 12  # names that log groups are looked for by
LEAST_WORD, LONGEST_WORD = 4, 100
_UNFIT = re.compile(r"[^A-Za-z0-9_/.#-]")  # for a name pattern


class _Guess(NamedTuple):
    """A whole name, beginning and end of names (around `*`), or a part of them."""

    text: str
    part: bool = False
    only: tuple[Only, ...] = ()

    def fits(self, name: str) -> bool:
        begin, open_, end = self.text.partition("*")
        return self.text in name if self.part else name.startswith(begin) and name.endswith(end) and (bool(open_) or name == begin)


def found(clients: Clients, resources: Sequence[Resource], told: Sequence[str], words: Sequence[str], limits: Limits) -> Found[LogGroup]:
    """The groups that are there, nearest first. Notes say what has none, and what was left out. Raises SourceUnavailable where log groups
    can not be listed at all."""
    named = [_Guess(name) for name in told]
    named += [_Guess(name, only=_narrowed(r, name)) for r in resources for name in catalog.log_groups_of(r)]
    rows = _confirmed(clients, named, limits)
    silent = _silent(resources, [row["logGroupName"] for _, row in rows])
    rows += _confirmed(clients, _parts((*words, *silent)), limits)
    return _chosen(rows, _silent(resources, [row["logGroupName"] for _, row in rows]), limits)


def named_by(clients: Clients, words: Sequence[str], limits: Limits) -> list[Resource]:
    """The resources whose own log groups carry one of these words."""
    names = dict.fromkeys(row["logGroupName"] for _, row in _confirmed(clients, _parts(words), limits))
    return [r for name in names if (r := catalog.from_log_group(name))]


def _parts(words: Iterable[str]) -> list[_Guess]:
    fit = dict.fromkeys(_UNFIT.sub("", w) for w in words if len(w) <= LONGEST_WORD)
    return [_Guess(w, part=True) for w in fit if len(w) >= LEAST_WORD][:WORDS]


def _confirmed(clients: Clients, guesses: Sequence[_Guess], limits: Limits) -> list[tuple[_Guess, JsonObject]]:
    def one(guess: _Guess) -> list[tuple[_Guess, JsonObject]]:
        begin = guess.text.partition("*")[0]
        asked = {"logGroupNamePattern": begin} if guess.part else {"logGroupNamePrefix": begin}
        rows = listed(clients, WHAT, "logs", "DescribeLogGroups", "logGroups", "nextToken", PAGES, limit=50, **asked).rows
        return [(guess, row) for row in rows if guess.fits(row["logGroupName"])]

    return [row for rows in each(one, list(dict.fromkeys(guesses)), limits.workers) for row in rows]


def _chosen(rows: Iterable[tuple[_Guess, JsonObject]], silent: Sequence[str], limits: Limits) -> Found[LogGroup]:
    groups: dict[str, LogGroup] = {}
    notes = [f"no log group of {', '.join(silent)} was found"] if silent else []
    for guess, row in rows:
        name = row["logGroupName"]
        if UNREADABLE.search(name) or row.get("logGroupClass") == "DELIVERY":
            notes.append(f"log group {name} was not read: it holds records that are no log lines")
        elif name not in groups:
            groups[name] = LogGroup(name, int(row.get("creationTime", 0)), guess.only)
    kept = tuple(groups.values())
    if len(kept) > limits.log_groups:
        left_out = len(kept) - limits.log_groups
        notes.append(f"{left_out} log groups farther from the alarm were not read, {kept[limits.log_groups].name} among them")
    return Found(kept[: limits.log_groups], (), tuple(dict.fromkeys(notes)))


def _silent(resources: Sequence[Resource], names: Sequence[str]) -> list[str]:
    """The telling names of resources that no group is named after, of the kinds that write logs and of those that are not known."""
    told = [n.casefold() for n in names]
    logging = [r for r in resources if (kind := catalog.kind_of(r)) is None or kind.logs or r.namespace in catalog.APPLICATIONS]
    tails = dict.fromkeys(r.name.rsplit("/", 1)[-1] for r in logging)
    return [t for t in tails if not any(t.casefold() in name for name in told)]


def _narrowed(resource: Resource, group: str) -> tuple[Only, ...]:
    """A cluster's applications write to one group; the namespace is the alarm's neighbourhood in it."""
    namespace = resource.named().get("Namespace")
    return (Only("namespace", namespace),) if namespace and group.endswith("/application") else ()
