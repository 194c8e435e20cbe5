"""The Gatekeeper: plain code that checks that every citation is real and that the claim says what it cites, before any judge reads it."""

from superbiz.domain.gatekeeper.admission import admit, gate_of, is_critical
from superbiz.domain.gatekeeper.book import EvidenceBook, normalised
from superbiz.domain.gatekeeper.excerpts import Excerpt, excerpts
from superbiz.domain.gatekeeper.rule import Rule, Severity
from superbiz.domain.gatekeeper.table import RULE_SET, RULES, RULES_VERSION

__all__ = [
    "RULES",
    "RULES_VERSION",
    "RULE_SET",
    "EvidenceBook",
    "Excerpt",
    "Rule",
    "Severity",
    "admit",
    "excerpts",
    "gate_of",
    "is_critical",
    "normalised",
]
