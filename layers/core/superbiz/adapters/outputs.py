"""Stored bytes under their hash: how they are named, packed and checked. Shared by the ledgers and the object store."""

import gzip
import zlib

from superbiz.domain import canonical
from superbiz.domain.evidence import Invocation
from superbiz.errors import Broken

# A stored file or attribute may unpack to at most this much: a hostile or damaged one can not fill the memory.
MAX_UNPACKED = 256 * 1024 * 1024


def object_key(sha256: str) -> str:
    """The name of the bytes with this `sha256:<hex>`."""
    digest = sha256.removeprefix("sha256:")
    return f"sha256/{digest[:2]}/{digest}"


def packed(data: bytes) -> bytes:
    """Gzip without a time stamp: the same bytes give the same file."""
    return gzip.compress(data, compresslevel=6, mtime=0)


def unpacked(data: bytes, what: str) -> bytes:
    """The bytes again. Raises Broken where the packing is damaged."""
    unpacker = zlib.decompressobj(wbits=31)
    try:
        out = unpacker.decompress(data, MAX_UNPACKED)
    except zlib.error as e:
        raise Broken(f"{what}: stored bytes are damaged: {e}", code="DAMAGED") from e
    if not unpacker.eof:
        raise Broken(f"{what}: stored bytes are cut short or unpack to more than {MAX_UNPACKED} bytes", code="DAMAGED")
    return out


def checked(data: bytes, sha256: str, what: str) -> bytes:
    """The bytes, if they still are what was recorded. Raises Broken where they are not."""
    if canonical.sha256(data) != sha256:
        raise Broken(f"{what}: stored bytes no longer match their hash {sha256}", code="HASH_MISMATCH")
    return data


def matching(invocation: Invocation, output: bytes) -> str:
    """The hash under which a call's output is stored. Raises Broken where the record does not name these bytes."""
    if invocation.output is None:
        raise Broken(f"{invocation.invocation_id}: an output came without its record", code="HASH_MISMATCH")
    checked(output, invocation.output.sha256, invocation.invocation_id)
    return invocation.output.sha256
