"""Cursors: opaque to the caller, bound to the list they came from, and refused when they are anything else."""

import base64
import hashlib
import json

from superbiz.errors import Invalid

MARK_CHARS = 12
MAX_CHARS = 4_000


def encode(scope: str, *position: str) -> str:
    """A cursor for this place in the list that `scope` names (with its filters)."""
    body = json.dumps(position, separators=(",", ":")).encode("ascii")
    return _mark(scope, body) + base64.urlsafe_b64encode(body).decode("ascii").rstrip("=")


def decode(scope: str, cursor: str, parts: int) -> tuple[str, ...]:
    """The position. Raises Invalid for rubbish, for a changed cursor, and for one of another list."""
    position = _position(cursor)
    if position is None or len(position) != parts or encode(scope, *position) != cursor:
        raise Invalid("cursor: not one of this list's cursors", code="BAD_CURSOR", mend="start again without a cursor")
    return position


def _position(cursor: str) -> tuple[str, ...] | None:
    """What the text holds, if it is a list of texts at all."""
    text = cursor[MARK_CHARS:]
    if len(cursor) > MAX_CHARS or not cursor.isascii():
        return None
    try:
        position = json.loads(base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True).decode("utf-8"))
    except (ValueError, RecursionError):
        return None
    if not isinstance(position, list) or not all(isinstance(part, str) and part for part in position):
        return None
    return tuple(position)


def _mark(scope: str, body: bytes) -> str:
    digest = hashlib.sha256(scope.encode("utf-8", "replace") + b"\x00" + body).digest()
    return base64.urlsafe_b64encode(digest).decode("ascii")[:MARK_CHARS]
