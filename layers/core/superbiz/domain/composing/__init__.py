"""The answer: its headings, the template that writes it without a model, and the check that one written by a model has to pass."""

from superbiz.domain.composing.checking import unfounded, violations
from superbiz.domain.composing.headings import HEADINGS, missing_headings, section
from superbiz.domain.composing.notices import NOTICES, mode_for, notices_for
from superbiz.domain.composing.template import render
from superbiz.domain.composing.trail import trail

__all__ = ["HEADINGS", "NOTICES", "missing_headings", "mode_for", "notices_for", "render", "section", "trail", "unfounded", "violations"]
