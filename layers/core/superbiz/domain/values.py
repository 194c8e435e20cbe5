"""What every value shares: frozen, unknown keys dropped, times in UTC and written with a Z."""

from datetime import UTC, datetime
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, ConfigDict, PlainSerializer

JsonObject = dict[str, Any]


class Value(BaseModel):
    """A frozen value. Change it with `model_copy(update=…)`."""

    # Built on first use: an API function imports many values and meets few of them.
    model_config = ConfigDict(frozen=True, extra="ignore", defer_build=True)

    def to_json(self) -> JsonObject:
        """The stored document: snake_case keys, JSON types only."""
        return self.model_dump(mode="json")


def to_utc(moment: datetime) -> datetime:
    """A time without a zone is refused: a guessed zone is how reports lie about when."""
    if moment.tzinfo is None:
        raise ValueError("time without a zone; write it as ISO-8601 with Z or an offset")
    return moment.astimezone(UTC)


def iso(moment: datetime) -> str:
    """ISO-8601 in UTC with Z: whole seconds where there are no microseconds."""
    return moment.astimezone(UTC).isoformat().replace("+00:00", "Z")


UtcTime = Annotated[datetime, AfterValidator(to_utc), PlainSerializer(iso, return_type=str, when_used="json")]


class Window(Value):
    """A half-open span of time, `start <= t < end`."""

    start: UtcTime
    end: UtcTime

    def holds(self, moment: datetime) -> bool:
        return self.start <= moment < self.end
