"""The Gatekeeper: plain code that checks that every citation is real, before any judge reads one."""

from superbiz.domain.gatekeeper.admission import admit, is_critical
from superbiz.domain.gatekeeper.book import EvidenceBook, normalised
from superbiz.domain.gatekeeper.excerpts import Excerpt, excerpts
from superbiz.domain.gatekeeper.rules import RULES, RULES_VERSION, Rule

__all__ = ["RULES", "RULES_VERSION", "EvidenceBook", "Excerpt", "Rule", "admit", "excerpts", "is_critical", "normalised"]
