"""`superbiz knowledge`: runbooks of an API's knowledge base: add, list, remove; and of a folder: search."""

import base64
from collections.abc import Iterator, Sequence
from pathlib import Path
from textwrap import indent
from typing import TYPE_CHECKING, Annotated, Any
from urllib.parse import quote

import typer

from superbiz.domain.knowledge import KnowledgeHit
from superbiz.errors import Invalid
from superbiz.services.knowledge import ENDINGS, MAX_BYTES
from superbiz_cli import searching
from superbiz_cli.api import Api, Json, client
from superbiz_cli.client import ApiClient
from superbiz_cli.output import err, out, print_json, show_table

if TYPE_CHECKING:
    from superbiz.adapters.world_knowledge import WorldKnowledge

DOCUMENTS = "/api/knowledge/documents"
PAGE = 100
ONE_OR_MANY = "--query TEXT, or --queries FILE --text FIELD[,FIELD] --out FILE"
MOST_SHOWN = 50
COLUMNS = {
    "document": "documentId",
    "domain": "domainId",
    "file": "filename",
    "title": "title",
    "chunks": "chunkCount",
    "keys": "keys",
    "updated": "updatedAt",
}

app = typer.Typer(help="Runbooks that runs may look up.", no_args_is_help=True)


@app.command()
def add(
    files: Annotated[list[Path], typer.Argument(help="Markdown or text files, or folders of them.")],
    domain: Annotated[str | None, typer.Option("--domain", help="The domain to put them into. Default: general.")] = None,
    key: Annotated[list[str] | None, typer.Option("--key", help="A name that finds the document exactly; may be given again.")] = None,
    api: Api = None,
    as_json: Json = False,
) -> None:
    """Add runbooks. A file of the same name in the domain is replaced; the same content again changes nothing."""
    found = list(_documents(files))
    if key and len(found) > 1:
        raise Invalid(
            "--key names one document, and there are several files", mend="add them one by one, or write `keys:` into their front matter"
        )
    bodies = [_body(name, file, domain, key) for name, file in found]  # all are read before the first is sent
    at = client(api)
    added = [_sent(at, body, as_json) for body in bodies]
    if as_json:
        print_json(added)


@app.command("list")
def list_documents(
    domain: Annotated[str | None, typer.Option("--domain", help="Of this domain only.")] = None, api: Api = None, as_json: Json = False
) -> None:
    """List all documents with their keys."""
    documents = list(_listed(client(api), domain))
    if as_json:
        print_json(documents)
        return
    show_table(COLUMNS, documents)


@app.command()
def search(
    folder: Annotated[Path, typer.Option("--dir", help="A folder of runbooks: its .md files are the pages.")],
    query: Annotated[str | None, typer.Option("--query", help="What to look for: a name, a question, an alert's text.")] = None,
    queries: Annotated[
        Path | None, typer.Option("--queries", help="A JSON list of objects with an id: all are looked for. - reads it from stdin.")
    ] = None,
    text: Annotated[str | None, typer.Option("--text", help="Of --queries: the fields to search by, like description,summary.")] = None,
    to: Annotated[Path | None, typer.Option("--out", help='Of --queries: where {"ID": ["PAGE", … best first]} is written.')] = None,
    top: Annotated[int, typer.Option("--top", min=1, max=MOST_SHOWN, help="Of --query: how many passages are shown.")] = 5,
    as_json: Json = False,
) -> None:
    """Search runbooks of a folder, without a server, as a run does: by key first (L0), then by what they are about (L1)."""
    _searchable(query, queries, text, to)
    if query is not None:
        _show_hits(searching.found(_opened(folder), query, top), as_json)
    elif queries is not None and text is not None and to is not None:
        asked = searching.read_queries(queries, text)
        rankings = searching.ranking(_opened(folder), asked)
        searching.write(to, rankings)
        if as_json:
            print_json({"queries": len(asked), "out": str(to)})
        else:
            err.print(f"{len(asked)} queries ranked in {to}", markup=False)


@app.command()
def rebuild() -> None:
    """Make the search index anew from the table, which is its source of truth, while nobody uploads.

    TABLE_NAME, BUCKET_NAME and MILVUS_URI are the stack's; region and credentials are those of the AWS command line.
    """
    from superbiz import wiring
    from superbiz.services import knowledge

    ports = wiring.ports()
    if not (ports.settings.table_name and ports.settings.bucket_name):
        raise Invalid("TABLE_NAME or BUCKET_NAME is not set: whose index?", mend="set them to the stack's outputs TableName and BucketName")
    out.print(f"{knowledge.rebuild(ports)} documents indexed anew", markup=False)


@app.command()
def remove(
    documents: Annotated[list[str], typer.Argument(help="Ids of documents, as `list` shows them.")], api: Api = None, as_json: Json = False
) -> None:
    """Remove documents. One that is not there ends the command; those before it are removed."""
    at = client(api)
    for document in documents:
        at.call("DELETE", f"{DOCUMENTS}/{quote(document, safe='')}")
        err.print(f"removed {document}", markup=False)
    if as_json:
        print_json({"removed": documents})


def _searchable(query: str | None, queries: Path | None, text: str | None, to: Path | None) -> None:
    """Raises Invalid unless one query is given, or many with all that belongs to them."""
    many = {"--queries": queries, "--text": text, "--out": to}
    given = [name for name, value in many.items() if value is not None]
    if query is None and not given:
        why = "neither --query nor --queries is given"
    elif query is not None and given:
        why = f"--query does not go with {' and '.join(given)}"
    elif query is not None:
        why = "" if query.strip() else "--query is empty"
    else:
        missing = [name for name in many if name not in given]
        why = f"{' and '.join(missing)} {'is' if len(missing) == 1 else 'are'} missing beside {' and '.join(given)}" if missing else ""
    if why:
        raise Invalid(f"what to search for is not clear: {why}", mend=f"superbiz knowledge search --dir FOLDER {ONE_OR_MANY}")


def _opened(folder: Path) -> "WorldKnowledge":
    """The pages. Those that are no UTF-8 are told, and are searched by what of them can be read."""
    for page in searching.spoilt(folder):
        err.print(f"{page} is no UTF-8 text: what can not be read of it stands as \N{REPLACEMENT CHARACTER}", markup=False)
    return searching.opened(folder)


def _show_hits(hits: Sequence[KnowledgeHit], as_json: bool) -> None:
    if as_json:
        print_json([{"page": _page(hit), **hit.to_json()} for hit in hits])
        return
    for hit in hits:
        out.print(f"{_page(hit)}  {hit.level}  {hit.score:.2f}  {hit.heading}\n{indent(hit.text, '    ')}\n", markup=False)
    if not hits:
        err.print("no page has to do with it", markup=False)


def _page(hit: KnowledgeHit) -> str:
    return Path(hit.document_id).stem


def _documents(files: Sequence[Path]) -> Iterator[tuple[str, Path]]:
    """(name, file): a file by its name, those of a folder by their path in it."""
    for file in files:
        if not file.is_dir():
            yield file.name, file
            continue
        inside = sorted(f for f in file.rglob("*") if f.suffix.lower() in ENDINGS and f.is_file())
        if not inside:
            raise Invalid(f"no documents in {file}", mend=f"files that end in {', '.join(ENDINGS)} are taken")
        yield from ((f.relative_to(file).as_posix(), f) for f in inside)


def _body(name: str, file: Path, domain: str | None, keys: Sequence[str] | None) -> dict[str, Any]:
    try:
        data = file.read_bytes()
    except OSError as e:
        raise Invalid(f"can not read {file}: {e.strerror}") from e
    if len(data) > MAX_BYTES:
        raise Invalid(f"{file}: {len(data)} bytes, the most is {MAX_BYTES}", mend="split it into several documents")
    body = {"filename": name, "contentBase64": base64.b64encode(data).decode()}
    return body | ({"domainId": domain} if domain else {}) | ({"keys": list(keys)} if keys else {})


def _sent(at: ApiClient, body: dict[str, Any], as_json: bool) -> Any:
    document = at.call("POST", DOCUMENTS, body)
    if not as_json:
        out.print(f"{document['documentId']} {document['filename']}: {document['title']}, {document['chunkCount']} chunks", markup=False)
    return document


def _listed(at: ApiClient, domain: str | None) -> Iterator[Any]:
    cursor: str | None = None
    while True:
        page = at.call("GET", DOCUMENTS, query={"domainId": domain, "limit": PAGE, "cursor": cursor})
        yield from page["items"]
        cursor = page.get("cursor")
        if cursor is None:
            return
