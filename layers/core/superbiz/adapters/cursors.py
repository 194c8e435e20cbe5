"""Cursors: opaque to the caller, bound to the list they came from, and refused when they are anything else."""

import base64
import binascii
import hashlib
import json

from superbiz.errors import Invalid

MARK_CHARS = 12
MAX_CHARS = 4_000


def encode(scope: str, *position: str) -> str:
    """A cursor for this place in the list that `scope` names (with its filters)."""
    body = json.dumps(position, ensure_ascii=False, separators=(",", ":")).encode("utf-8")
    return _mark(scope, body) + base64.urlsafe_b64encode(body).decode("ascii").rstrip("=")


def decode(scope: str, cursor: str, parts: int) -> tuple[str, ...]:
    """The position. Raises Invalid for rubbish, for a changed cursor, and for one of another list."""
    body = _body(cursor)
    if body is None or _mark(scope, body) != cursor[:MARK_CHARS]:
        raise _refused()
    try:
        position = json.loads(body)
    except ValueError as e:
        raise _refused() from e
    if not (isinstance(position, list) and len(position) == parts and all(isinstance(p, str) and p for p in position)):
        raise _refused()
    return tuple(position)


def _body(cursor: str) -> bytes | None:
    text = cursor[MARK_CHARS:]
    if not text or len(cursor) > MAX_CHARS or not cursor.isascii():
        return None
    try:
        return base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)
    except binascii.Error:
        return None


def _mark(scope: str, body: bytes) -> str:
    digest = hashlib.sha256(scope.encode("utf-8", "replace") + b"\x00" + body).digest()
    return base64.urlsafe_b64encode(digest).decode("ascii")[:MARK_CHARS]


def _refused() -> Invalid:
    return Invalid("cursor: not one of this list's cursors", code="BAD_CURSOR", mend="start again without a cursor")
