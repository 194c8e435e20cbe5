"""A fact as a claim carries it, and how it is read: a malformed one is told with its field, never guessed at."""

import math
from collections.abc import Mapping
from enum import StrEnum
from typing import Any, TypeVar

from pydantic import Field, ValidationError, field_validator, model_validator

from superbiz.domain import refs
from superbiz.domain.canonical import Spelled
from superbiz.domain.claims import NO_FACT
from superbiz.domain.values import Value
from superbiz.errors import Invalid


class Op(StrEnum):
    EQ = "="
    NE = "!="
    LT = "<"
    LE = "<="
    GT = ">"
    GE = ">="
    ROSE = "rose"
    FELL = "fell"
    BEFORE = "before"
    AFTER = "after"


class Aggregate(StrEnum):
    VALUE = "value"
    COUNT = "count"
    MIN = "min"
    MAX = "max"
    SUM = "sum"
    MEAN = "mean"
    MEDIAN = "median"
    FIRST = "first"
    LAST = "last"
    RATE = "rate"


TURNS = frozenset({Op.ROSE, Op.FELL})
ORDERS = frozenset({Op.BEFORE, Op.AFTER})
SPELLINGS: Mapping[str, Op] = {
    **{op.value: op for op in Op},
    **dict.fromkeys(("==", "eq", "equals", "is"), Op.EQ),
    **dict.fromkeys(("<>", "≠", "ne", "neq"), Op.NE),
    **dict.fromkeys(("lt", "below", "less"), Op.LT),
    **dict.fromkeys(("≤", "=<", "le", "lte"), Op.LE),
    **dict.fromkeys(("gt", "above", "more"), Op.GT),
    **dict.fromkeys(("≥", "=>", "ge", "gte"), Op.GE),
    **dict.fromkeys(("rise", "rises", "increased", "up"), Op.ROSE),
    **dict.fromkeys(("fall", "falls", "decreased", "down"), Op.FELL),
}
AGGREGATES: Mapping[str, Aggregate] = {
    **{a.value: a for a in Aggregate},
    **dict.fromkeys(("none", ""), Aggregate.VALUE),
    **dict.fromkeys(("minimum", "lowest"), Aggregate.MIN),
    **dict.fromkeys(("maximum", "highest", "peak"), Aggregate.MAX),
    **dict.fromkeys(("avg", "average"), Aggregate.MEAN),
    **dict.fromkeys(("total",), Aggregate.SUM),
}
SHOWN = 80
_Word = TypeVar("_Word", Op, Aggregate)


class Fact(Value):
    """`subject` is what it is about, `metric` the field. `time` is when it holds. Without `invocation_id` any cited call may bear it.

    `value` is a number, a text ("about 2 s", "98 %", a time), or the path of another node to compare with.
    """

    subject: str = Field(default="", max_length=300)
    metric: str = Field(min_length=1, max_length=200)
    op: Op = Op.EQ
    value: bool | int | float | str | None = None
    unit: str = Field(default="", max_length=40)
    time: str = Field(default="", max_length=60)
    aggregate: Aggregate = Aggregate.VALUE
    path: str = Field(min_length=1, max_length=1_000)
    invocation_id: str = Field(default="", max_length=200)

    @field_validator("subject", "unit", "time", "invocation_id", mode="before")
    @classmethod
    def _not_given(cls, given: Any) -> Any:
        return "" if given is None else given

    @field_validator("op", mode="before")
    @classmethod
    def _spelled_op(cls, given: Any) -> Op:
        return _of(SPELLINGS, Op.EQ, given)

    @field_validator("aggregate", mode="before")
    @classmethod
    def _spelled_aggregate(cls, given: Any) -> Aggregate:
        return _of(AGGREGATES, Aggregate.VALUE, given)

    @field_validator("value", mode="plain")
    @classmethod
    def _kept(cls, given: Any) -> Any:
        """As it is spelled: `1.50` shows two digits."""
        if (isinstance(given, str) and len(given) <= 500) or given is None or isinstance(given, bool | int):
            return given
        if isinstance(given, float) and (math.isfinite(given)):
            return given
        raise ValueError("neither a number, nor a text of at most 500 characters")

    @field_validator("path")
    @classmethod
    def _singular(cls, given: str) -> str:
        if refs.parse_path(given) is None:
            raise ValueError("no singular path (names and indices only)")
        return given

    @model_validator(mode="after")
    def _complete(self) -> "Fact":
        if self.op in TURNS and self.aggregate is not Aggregate.VALUE:
            raise ValueError(f"{self.op} takes no aggregate: it compares the first with the last, or with what is normal")
        if self.value is None and self.op not in TURNS:
            raise ValueError(f"{self.op} needs a value")
        return self

    @property
    def other(self) -> refs.Path | None:
        """The place of the node that it is compared with, where `value` is a path."""
        return refs.parse_path(self.value) if isinstance(self.value, str) and self.value.startswith("$") else None

    def shown(self) -> str:
        """In a reason."""
        of = f" of {self.subject}" if self.subject else ""
        how = "" if self.aggregate is Aggregate.VALUE else f"{self.aggregate} of "
        value = self.value.text if isinstance(self.value, Spelled) else self.value
        said = "" if value is None else f" {value}{' ' + self.unit if self.unit else ''}"
        return f"{how}{self.metric}{of} {self.op}{said}{' at ' + self.time if self.time else ''}"[:300]


def parse(given: Any) -> Fact:
    """Raises Invalid (FACT_INVALID) that names the field and what is wrong with it."""
    if not isinstance(given, Mapping) or NO_FACT in given:
        raise Invalid("a fact is a JSON object, found another value", code="FACT_INVALID")
    try:
        return Fact.model_validate(given)
    except ValidationError as e:
        first = e.errors(include_url=False, include_input=False)[0]
        field = ".".join(map(str, first["loc"])) or "fact"
        found = f", found {str(given.get(field))[:SHOWN]!r}" if field in given else ""
        raise Invalid(f"{field}: {first['msg'].removeprefix('Value error, ')}{found}", code="FACT_INVALID") from e


def readable(given: object) -> Fact | None:
    """None where it is malformed."""
    try:
        return parse(given)
    except Invalid:
        return None


def _of(table: Mapping[str, _Word], default: _Word, given: Any) -> _Word:
    if given is None:
        return default
    found = table.get(given.strip().lower()) if isinstance(given, str) else None
    if found is None:
        raise ValueError(f"expected one of {', '.join(dict.fromkeys(map(str, table.values())))}")
    return found
