"""Progress as server-sent events."""

import json
from collections.abc import Sequence

from superbiz.edge.views.shapes import camel_keys
from superbiz.services.progress import Happening

MEDIA_TYPE = "text/event-stream; charset=utf-8"
RETRY_MS = 1_500


def event_stream(happenings: Sequence[Happening]) -> str:
    """The buffered stream; where nothing happened, a comment that keeps the reader patient."""
    events = [f"id: {h.event_id}\nevent: {h.kind}\ndata: {json.dumps(camel_keys(h.data), ensure_ascii=False)}\n\n" for h in happenings]
    return f"retry: {RETRY_MS}\n\n" + ("".join(events) or ": nothing new\n\n")
