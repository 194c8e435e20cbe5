"""Replaces secrets and personal data by placeholders.

What only looks random (request and trace ids, hashes, UUIDs) is kept: a secret is known by its form or by the name before it.
"""

import hashlib
import hmac
import re
from collections.abc import Sequence
from functools import lru_cache

from superbiz.adapters.redaction.detector import NUMBERED, Detector, compiled
from superbiz.adapters.redaction.keys import kind_of
from superbiz.adapters.redaction.labelled import LABELLED, NO_SECRETS
from superbiz.adapters.redaction.personal import NUMBER, PERSONAL, addresses
from superbiz.adapters.redaction.tokens import TOKENS
from superbiz.settings import RedactIps

PLACEHOLDER = re.compile(r"<[A-Z_]+:[0-9a-f]{8}>")
CACHED_TEXTS = 4_096
CACHED_CHARS = 512
BEFORE_CHARS, AFTER_CHARS = 48, 12
PASSES = 4  # over one text


class SecretRedactor:
    """Replaces each secret and personal datum by `<KIND:hmac8>`, the same for the same value wherever it stands in a run.

    `run_key` ties placeholders to their run: the same for a resumed run, another for every other run, so that values can not be followed
    from run to run. Whoever knows the run's id can tell whether a *guessed* value is behind a placeholder; eight hex digits hold no more.
    """

    def __init__(self, run_key: bytes, ips: str = RedactIps.PUBLIC) -> None:
        self._key = hmac.digest(run_key, b"superbiz/redaction/1", hashlib.sha256)
        self._detectors = (*TOKENS, *LABELLED, *PERSONAL, *addresses(RedactIps(ips)))
        self._cased, self._uncased = _places(self._detectors, cased=True), _places(self._detectors, cased=False)
        self._numbered = {n for n, row in enumerate(self._detectors) if NUMBERED in row.hints}
        self._cached = lru_cache(maxsize=CACHED_TEXTS)(self._redacted)

    def text(self, value: str, key: str = "") -> str:
        """The text without secrets; `key` is the name it stands under. Text that is redacted already stays as it is."""
        if key and (kind := kind_of(key, value)) and not PLACEHOLDER.search(value):
            return self._placeholder(kind, value)
        return self._cached(value) if len(value) < CACHED_CHARS else self._redacted(value)

    def _redacted(self, value: str) -> str:
        """What is replaced may bring a further secret within a pattern's reach, so that a text is read until nothing changes."""
        for _ in range(PASSES):
            before = value
            for detector in self._sought(value):
                for pattern in detector.patterns:
                    value = compiled(pattern).sub(lambda found, row=detector: self._replaced(found, row), value)  # type: ignore[misc]
            if value == before:
                break
        return value

    def _sought(self, value: str) -> list[Detector]:
        """The detectors that could find something, in the order of their tables."""
        lower = value.lower()
        wanted: set[int] = set()
        for hint, places in self._cased:
            if hint in value:
                wanted |= places
        for hint, places in self._uncased:
            if hint in lower:
                wanted |= places
        if NUMBER.search(value):
            wanted |= self._numbered
        return [self._detectors[n] for n in sorted(wanted)]

    def _replaced(self, found: re.Match[str], detector: Detector) -> str:
        whole = found[0]
        group = next((name for name in found.re.groupindex if found[name] is not None), 0)
        secret, (start, end) = found[group], found.span(group)
        if NO_SECRETS.match(secret) or _in_placeholder(found):
            return whole
        before, after = found.string[max(0, start - BEFORE_CHARS) : start], found.string[end : end + AFTER_CHARS]
        if detector.check and not detector.check(secret, before, after):
            return whole
        at = start - found.start()
        return whole[:at] + self._placeholder(detector.kind, secret) + whole[at + len(secret) :]

    def _placeholder(self, kind: str, secret: str) -> str:
        return f"<{kind}:{hmac.digest(self._key, secret.encode('utf-8', 'surrogatepass'), hashlib.sha256).hex()[:8]}>"


def _places(detectors: Sequence[Detector], *, cased: bool) -> list[tuple[str, set[int]]]:
    """Hint to the places of the detectors that go by it."""
    found: dict[str, set[int]] = {}
    for n, detector in enumerate(detectors):
        for hint in detector.hints if detector.cased is cased else ():
            found.setdefault(hint, set()).add(n)
    return [item for item in found.items() if item[0] != NUMBERED]


def _in_placeholder(found: re.Match[str]) -> bool:
    """A placeholder's own name (`PASSWORD:…`) reads like an assignment."""
    opened = found.string.rfind("<", max(0, found.start() - 32), found.start() + 1)
    placeholder = PLACEHOLDER.match(found.string, opened) if opened >= 0 else None
    return placeholder is not None and placeholder.end() > found.start()
