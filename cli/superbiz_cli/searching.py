"""Runbooks of a folder, searched as a run searches them: by keys, then by what they are about."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from superbiz.domain import keys
from superbiz.domain.knowledge import KnowledgeHit
from superbiz.errors import Invalid
from superbiz.services.knowledge import MAX_BYTES
from superbiz_cli.output import standard_input

if TYPE_CHECKING:
    from superbiz.adapters.world_knowledge import WorldKnowledge

PAGES = "*.md"
EXAMPLE = '[{"id": "q1", "alert": "…", "description": "…"}]'


class Folder(NamedTuple):
    """The Markdown files of a folder, each a page."""

    place: Path

    def runbooks(self) -> Sequence[tuple[str, str]]:
        """(file name, text) of each. Raises Invalid where there is none, or one that no knowledge base would take."""
        if not self.place.is_dir():
            raise Invalid(f"no folder at {self.place}", mend="--dir FOLDER is a folder with runbooks, files that end in .md")
        try:
            pages = [(file.name, _bounded(file)) for file in sorted(self.place.glob(PAGES)) if file.is_file()]
        except OSError as e:
            raise Invalid(f"can not read {e.filename}: {e.strerror}", mend="see who may read it, or take it out of the folder") from e
        if not pages:
            raise Invalid(f"no runbooks in {self.place}", mend="files that end in .md are read, not those of folders in it")
        return pages


class Query(NamedTuple):
    """A text to search by, under the id that its ranking gets."""

    id: str
    text: str


def opened(place: Path) -> "WorldKnowledge":
    """The folder's pages, ready to be searched."""
    from superbiz.adapters.world_knowledge import WorldKnowledge

    folder = Folder(place)
    folder.runbooks()
    return WorldKnowledge(folder)


def spoilt(place: Path) -> list[str]:
    """The names of the pages that are no UTF-8 text."""
    return [name for name, _ in Folder(place).runbooks() if not _is_text((place / name).read_bytes())]


def found(knowledge: "WorldKnowledge", text: str, most: int) -> Sequence[KnowledgeHit]:
    """What a run with this question would be shown."""
    return knowledge.find(keys.from_text(text), text, most)


def ranking(knowledge: "WorldKnowledge", queries: Iterable[Query]) -> dict[str, list[str]]:
    """For each query all pages, best first, by their file names without the ending."""
    return {one.id: [Path(name).stem for name, _ in knowledge.ranked(keys.from_text(one.text), one.text)] for one in queries}


def read_queries(file: Path, fields: str) -> list[Query]:
    """The file is a JSON list of objects with an `id` and the fields to search by."""
    names = [name.strip() for name in fields.split(",") if name.strip()]
    if not names:
        raise Invalid("--text names no field", mend="--text alert, or --text description,summary")
    queries = [_query(n, one, names) for n, one in enumerate(_listed(file))]
    twice = next((one.id for n, one in enumerate(queries) if one.id in {other.id for other in queries[:n]}), None)
    if twice is not None:
        raise Invalid(f"{file}: the id {twice} stands there twice", mend="give each query an id of its own: its ranking is kept under it")
    return queries


def write(file: Path, rankings: Mapping[str, Sequence[str]]) -> None:
    """As one JSON object."""
    try:
        file.write_text(json.dumps(rankings, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    except OSError as e:
        raise Invalid(f"can not write {file}: {e.strerror}", mend="--out names a file, in a folder that can be written") from e


def _bounded(file: Path) -> str:
    data = file.read_bytes()
    if len(data) > MAX_BYTES:
        raise Invalid(f"{file}: {len(data)} bytes, the most is {MAX_BYTES}", mend="split it into several pages")
    return data.decode("utf-8", "replace")


def _is_text(data: bytes) -> bool:
    try:
        return "\0" not in data.decode("utf-8")
    except UnicodeDecodeError:
        return False


def _listed(file: Path) -> list[Any]:
    try:
        queries = json.loads(standard_input().read() if str(file) == "-" else file.read_bytes())
    except OSError as e:
        raise Invalid(f"can not read {file}: {e.strerror}", mend="--queries names a file of JSON, or - for standard input") from e
    except (ValueError, RecursionError) as e:
        raise Invalid(f"{file} is no JSON: {e}", mend=f"a list of queries reads {EXAMPLE}") from e
    if not isinstance(queries, list) or not queries:
        raise Invalid(f"{file} is no list of queries", mend=EXAMPLE)
    return queries


def _query(place: int, one: Any, names: Sequence[str]) -> Query:
    given = one if isinstance(one, dict) else {}
    name = given.get("id")
    if not isinstance(name, str | int) or isinstance(name, bool) or str(name) == "":
        raise Invalid(f"query {place + 1} has no id", mend='each query is an object like {"id": "q1", "alert": "…"}')
    text = "\n".join(_texts(str(name), given, names))
    if not text.strip():
        raise Invalid(f"query {name} is empty in {', '.join(names)}", mend="write what it asks, name another field, or leave it out")
    return Query(str(name), text)


def _texts(name: str, given: Mapping[str, Any], names: Sequence[str]) -> Iterator[str]:
    for field in names:
        if not isinstance(given.get(field), str):
            raise Invalid(f"query {name} has no text in the field {field}", mend=f"its fields: {', '.join(map(str, given))}")
        yield given[field]
