"""Objects in memory."""

import threading


class MemoryObjects:
    """`ports.Objects`."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._data: dict[str, bytes] = {}

    def put(self, key: str, data: bytes) -> None:
        with self._lock:
            self._data[key] = bytes(data)

    def get(self, key: str) -> bytes | None:
        with self._lock:
            return self._data.get(key)
