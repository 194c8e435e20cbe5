"""Pages in memory that can be searched by words, matter, spelling and meaning: the exact search behind every index.

Pages are compared with the query as wholes, since a page's title and its steps are about one thing; then each tells its best passage.
"""

from collections.abc import Sequence
from functools import cached_property
from itertools import groupby
from typing import TYPE_CHECKING

from superbiz.adapters.encoder import Encoder
from superbiz.domain import operations, relevance, runbooks, terms
from superbiz.domain.chunking import HEADING_JOIN
from superbiz.domain.knowledge import Chunk
from superbiz.domain.relevance import Measures
from superbiz.domain.runbooks import Kind
from superbiz.ports import ScoredChunk

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


ENCODED_CHARS = 300
RERANKED = 30  # pages that are also compared by spelling
PASSAGES = 3  # of one page
LEAST_CHARS = 12  # of a passage that says anything


def readable(chunk: Chunk) -> str:
    """Whose words are searched: a chunk says more under its headings."""
    return f"{chunk.heading}\n{chunk.text}"


def gist(chunk: Chunk) -> str:
    """What is encoded. The encoder is made for sentences: more than the beginning of a chunk blurs what it is about, and costs more."""
    return f"{chunk.heading}\n{chunk.text[:ENCODED_CHARS]}"


class Page:
    """The chunks of one document, with their places among all."""

    def __init__(self, chunks: Sequence[tuple[int, Chunk]], read: Sequence[Sequence[str]]) -> None:
        self.places = [n for n, _ in chunks]
        self.chunks = [chunk for _, chunk in chunks]
        headings = dict.fromkeys(part for c in self.chunks for part in c.heading.split(HEADING_JOIN))
        self.terms = [*terms.of("\n".join(headings)), *(term for n in self.places for term in read[n])]
        self._read = [[*terms.of(c.heading), *read[n]] for n, c in chunks]

    @property
    def document_id(self) -> str:
        return self.chunks[0].document_id

    @cached_property
    def spelling(self) -> dict[str, float]:
        """Of its text, and of its title once."""
        return relevance.of_length_one(terms.spelling("\n".join([self.chunks[0].heading, *(c.text for c in self.chunks)])))

    @cached_property
    def passages(self) -> relevance.Bm25:
        """Its chunks against each other."""
        return relevance.Bm25(self._read)


class Asked:
    """A query as it is compared. Its words are read in its own language and in English: a page is written in one of them."""

    def __init__(self, query: str, encoder: Encoder | None) -> None:
        self.plain = terms.plain(query)
        self.english = operations.in_english(self.plain)
        self.readings = [terms.asked(text) for text in dict.fromkeys((query, operations.in_english(query)))]
        self.matter = operations.related(query)
        self.vector = None if encoder is None else encoder.encode([self.plain])[0]

    def words(self, index: relevance.Bm25) -> list[float]:
        """What each text shares with the reading that it shares most with."""
        return [max(shares) for shares in zip(*map(index.shares, self.readings), strict=True)]


class Corpus:
    """Every page is compared with every query. `vectors` has a row a chunk; None: search goes without meaning. `read`: the terms of each
    chunk's text, where they are known already."""

    def __init__(
        self, chunks: Sequence[Chunk], vectors: "NDArray[np.floating] | None", read: Sequence[Sequence[str]] | None = None
    ) -> None:
        texts = read if read is not None else [terms.of(c.text) for c in chunks]
        self._vectors = None if vectors is None else vectors.astype("float32")
        ordered = sorted(enumerate(chunks), key=lambda placed: (placed[1].document_id, placed[1].position))
        self._pages = [Page(list(own), texts) for _, own in groupby(ordered, key=lambda placed: placed[1].document_id)]
        self._words = relevance.Bm25([page.terms for page in self._pages], length_weight=1.0)

    def search(self, query: str, limit: int, encoder: Encoder | None) -> list[ScoredChunk]:
        """The best passages of the related pages, best first: none where no page is related to the query at all."""
        asked = Asked(query, encoder)
        measured = self._measured(asked)
        if not any(m.is_related for m in measured):
            return []
        scores = [m.score(self._weights) for m in measured]
        leading = relevance.worth_showing(scores)[:limit]
        told = [hit for n in leading[:1] for hit in self._passages(self._pages[n], asked, scores[n], PASSAGES)]
        told += [hit for n in leading[1:] for hit in self._passages(self._pages[n], asked, scores[n], 1)]
        return sorted(told, key=lambda hit: -hit.score)[:limit]

    def ranked(self, query: str, encoder: Encoder | None) -> list[tuple[str, float]]:
        """(document id, score) of every page, best first, whether it is related or not."""
        measured = self.measured(query, encoder)
        return sorted(((name, round(m.score(self._weights), 4)) for name, m in measured), key=lambda found: -found[1])

    def measured(self, query: str, encoder: Encoder | None) -> list[tuple[str, Measures]]:
        """What each page shares with the query."""
        return list(zip((page.document_id for page in self._pages), self._measured(Asked(query, encoder)), strict=True))

    @property
    def _weights(self) -> Measures:
        return relevance.WEIGHTS if self._vectors is not None else relevance.WEIGHTS._replace(meaning=0.0)

    def _measured(self, asked: Asked) -> list[Measures]:
        meanings = self._meanings(asked)
        of_pages = [max(meanings[n] for n in page.places) for page in self._pages]
        matter = {term: weight for term, weight in asked.matter.items() if term.isascii() or term in self._words}
        firsts = [
            Measures(*three[:2], meaning=three[2])
            for three in zip(asked.words(self._words), self._words.shares(matter), of_pages, strict=True)
        ]
        return self._spelled(asked, firsts)

    def _spelled(self, asked: Asked, firsts: Sequence[Measures]) -> list[Measures]:
        """Those that may come first, compared by spelling too; among the others it would change nothing worth its time."""
        best = sorted(range(len(firsts)), key=lambda n: -firsts[n].score(self._weights))[:RERANKED]
        alike = relevance.likeness(terms.spelling(asked.english), [self._pages[n].spelling for n in best])
        spelled = dict(zip(best, alike, strict=True))
        return [first._replace(spelling=spelled.get(n, 0.0)) for n, first in enumerate(firsts)]

    def _meanings(self, asked: Asked) -> list[float]:
        """Of each chunk."""
        if asked.vector is None or self._vectors is None:
            return [0.0] * sum(len(page.chunks) for page in self._pages)
        meanings: list[float] = (self._vectors @ asked.vector).tolist()
        return meanings

    def _passages(self, page: Page, asked: Asked, score: float, count: int) -> list[ScoredChunk]:
        """The passages of a page that tell most of the query, and where there is room what to do. The best has the page's score, the
        others come after it by half of what they share less."""
        meanings = self._meanings(asked)
        told = zip(asked.words(page.passages), page.passages.shares(asked.matter), (meanings[n] for n in page.places), strict=True)
        own = [Measures(words, matter, meaning=meaning).score(self._weights) for words, matter, meaning in told]
        own = [0.0 if _is_bare(chunk) else share for chunk, share in zip(page.chunks, own, strict=True)]
        best = max(own) or 1.0
        return [ScoredChunk(page.chunks[n], round(score * (1 + own[n] / best) / 2, 4)) for n in chosen(page.chunks, own, count)]


def chosen(chunks: Sequence[Chunk], scores: Sequence[float], count: int) -> list[int]:
    """Places of the passages of one page to show: the best by score that say anything, and among several the first that says what to do."""
    best = sorted(range(len(chunks)), key=lambda n: (_is_bare(chunks[n]), -scores[n]))[:count]
    doing = next((n for n, c in enumerate(chunks) if runbooks.kind_of(c.heading) is Kind.ACT and runbooks.steps(c.heading, c.text)), None)
    return best if doing is None or doing in best or count == 1 else [*best[:-1], doing]


def _is_bare(chunk: Chunk) -> bool:
    """A heading over nothing, or over a word like TODO."""
    return sum(len(line.strip()) for line in chunk.text.splitlines() if not line.startswith("#")) < LEAST_CHARS
