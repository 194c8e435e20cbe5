"""Which mode an answer is written in, and what it has to say about itself."""

from superbiz.domain.report import Report
from superbiz.domain.verification import ComposerMode, Verdict, VerifierEvaluation

LOW_CONFIDENCE, CONFIRMED_ONLY, ENGINE_DEGRADED, SOURCES_MISSING = "LOW_CONFIDENCE", "CONFIRMED_ONLY", "ENGINE_DEGRADED", "SOURCES_MISSING"
NOTICES = {
    LOW_CONFIDENCE: "Low confidence: not every critical statement below is firmly supported by the evidence.",
    CONFIRMED_ONLY: "Only what the evidence confirms is listed; the rest of the diagnosis did not hold.",
    ENGINE_DEGRADED: "Degraded: a part of this run was done without the model.",
    SOURCES_MISSING: "Some sources could not be checked; see Not checked.",
}
_MODES = {
    Verdict.PASS: ComposerMode.FULL,
    Verdict.LOW_CONFID: ComposerMode.LOW_CONFIDENCE,
    Verdict.REJECT: ComposerMode.DEGRADED,
}
_BY_VERDICT = {Verdict.LOW_CONFID: LOW_CONFIDENCE, Verdict.REJECT: CONFIRMED_ONLY}


def mode_for(verdict: Verdict) -> ComposerMode:
    return _MODES[verdict]


def notices_for(evaluation: VerifierEvaluation, report: Report) -> tuple[str, ...]:
    """Codes of NOTICES, in the order in which a reader should meet them."""
    said = [_BY_VERDICT[evaluation.verdict]] if evaluation.verdict in _BY_VERDICT else []
    if report.degraded:
        said.append(ENGINE_DEGRADED)
    if report.not_checked:
        said.append(SOURCES_MISSING)
    return tuple(said)
