"""The file form of chunks with their vectors: a numpy archive, without pickles. What can not be read is an empty file."""

import io
import json
import zipfile
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import TYPE_CHECKING

from pydantic import TypeAdapter, ValidationError

from superbiz.domain.knowledge import Chunk

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_CHUNKS = TypeAdapter(list[Chunk])


def packed(documents: Sequence[tuple[Sequence[Chunk], "NDArray[np.float16]"]]) -> bytes:
    """All documents, one after the other."""
    import numpy as np

    rows = json.dumps([chunk.to_json() for chunks, _ in documents for chunk in chunks], ensure_ascii=False).encode()
    file = io.BytesIO()
    np.savez(file, chunks=np.frombuffer(rows, dtype=np.uint8), vectors=np.concatenate([vectors for _, vectors in documents]))
    return file.getvalue()


def documents(data: bytes | None, dimensions: int) -> Iterator[tuple[tuple[Chunk, ...], "NDArray[np.float16]"]]:
    """Each document's chunks and vectors. Nothing where there is no file, it is damaged, or its vectors have other dimensions."""
    chunks, vectors = _read(data, dimensions)
    at = 0
    for _, group in groupby(chunks, key=lambda chunk: chunk.document_id):
        own = tuple(group)
        yield own, vectors[at : at + len(own)]
        at += len(own)


def _read(data: bytes | None, dimensions: int) -> "tuple[list[Chunk], NDArray[np.float16]]":
    import numpy as np

    nothing: tuple[list[Chunk], NDArray[np.float16]] = ([], np.zeros((0, dimensions), dtype=np.float16))
    if data is None:
        return nothing
    try:
        with np.load(io.BytesIO(data), allow_pickle=False) as archive:
            chunks, vectors = _CHUNKS.validate_json(archive["chunks"].tobytes()), archive["vectors"]
    except (ValueError, KeyError, OSError, EOFError, zipfile.BadZipFile, ValidationError):
        return nothing
    return (chunks, vectors.astype(np.float16)) if vectors.shape == (len(chunks), dimensions) else nothing
