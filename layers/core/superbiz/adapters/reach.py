"""Does an address answer? One connection, no more: enough for a health page, and it needs no vendor's client."""

import socket
from urllib.parse import urlsplit

SECONDS = 1.0
PORTS = {"https": 443, "http": 80}


def reach(uri: str) -> str | None:
    """None where something accepts a connection there; otherwise why not."""
    try:
        parts = urlsplit(uri)
        if not parts.hostname:
            return f"{uri!r} names no host"
        with socket.create_connection((parts.hostname, parts.port or PORTS.get(parts.scheme, 443)), timeout=SECONDS):
            return None
    except (OSError, ValueError) as e:
        return f"{uri}: {e}"
