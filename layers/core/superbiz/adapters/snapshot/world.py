"""The head of a world: `world.json`, and the event or question that starts its run."""

from pathlib import Path
from typing import Literal

from pydantic import Field, ValidationError, model_validator

from superbiz.adapters.snapshot import files
from superbiz.domain.evidence import ToolCategory
from superbiz.domain.values import JsonObject, UtcTime, Value, Window
from superbiz.errors import Invalid

HEAD = "world.json"


class World(Value):
    """`trigger` is the event as it arrives, `question` what a person asked; a world has one of them, or neither.

    `metrics_normal` names a file and `normal` a folder, both from the world's folder on. `missing` names parts that are not there (`logs`),
    with the reason after a colon where it is known; `in_part` what was recorded in part, in sentences by the category of the tools that
    read it.
    """

    schema_: Literal["world/1"] = Field(alias="schema")
    id: str = Field(min_length=1, pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$")
    region: str = ""
    account: str = ""
    now: UtcTime
    window: Window | None = None
    missing: tuple[str, ...] = ()
    in_part: dict[ToolCategory, tuple[str, ...]] = Field(default_factory=dict)
    metrics_normal: str | None = None
    normal: str | None = None
    trigger: JsonObject | None = None
    question: str | None = None

    @model_validator(mode="after")
    def _window_has_length(self) -> "World":
        if self.window and self.window.start >= self.window.end:
            raise ValueError("window: its start is not before its end")
        return self


def is_world(folder: Path) -> bool:
    """A folder without `world.json` is no world."""
    return (folder / HEAD).is_file()


def find_worlds(folder: Path) -> list[Path]:
    """The worlds directly inside a folder, by name. Folders without `world.json` (shared normal periods) are none."""
    if not folder.is_dir():
        raise Invalid(f"{folder}: no such folder", code="NO_WORLD", mend="name a folder that holds worlds")
    return sorted(f for f in folder.iterdir() if f.is_dir() and is_world(f))


def read_world(folder: Path) -> World:
    """Raises Invalid (NO_WORLD) where there is none, and Invalid (BROKEN_WORLD) where its files are broken."""
    if not is_world(folder):
        raise Invalid(f"{folder}: no world, it has no {HEAD}", code="NO_WORLD", mend="name a folder that holds a world/1")
    head = _object(folder / HEAD)
    try:
        return World.model_validate({**head, "trigger": _trigger(folder), "question": _question(folder)})
    except ValidationError as e:
        raise files.broken(folder / HEAD, "", files.first_complaint(e), "follow the shape of world/1") from e


def beside(folder: Path, named: str) -> Path:
    """A path that `world.json` names: relative to the world's folder, `..` allowed, absolute refused."""
    if Path(named).is_absolute():
        raise files.broken(folder / HEAD, "", f"{named!r} is an absolute path", "name it from the world's folder on")
    return folder / named


def _trigger(folder: Path) -> JsonObject | None:
    file = folder / "trigger.json"
    return _object(file) if file.is_file() else None


def _question(folder: Path) -> str | None:
    file = folder / "question.json"
    if not file.is_file():
        return None
    question = _object(file).get("question")
    if not isinstance(question, str) or not question.strip():
        raise files.broken(file, "question", "not a text", 'write {"question": "…"}')
    return question


def _object(file: Path) -> JsonObject:
    found = files.document(file)
    if not isinstance(found, dict):
        raise files.broken(file, "", "not a JSON object", "write one {…}")
    return found
