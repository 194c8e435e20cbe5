"""Two judgements of the same claims, and the lower of both."""

from superbiz.domain.verification import CheckResult, ClaimCheck, Expressible, FactCheck, Verdict, VerifierReply

_RESULTS = (CheckResult.CONTRADICTED, CheckResult.NOT_VERIFIED, CheckResult.UNSUPPORTED, CheckResult.PARTIAL, CheckResult.SUPPORTED)
_EXPRESSIBLE = (Expressible.NONE, Expressible.HEDGED, Expressible.FULL)
_VERDICTS = (Verdict.REJECT, Verdict.LOW_CONFID, Verdict.PASS)


def lower_of(model: VerifierReply, code: VerifierReply | None) -> VerifierReply:
    """The model's reply, nowhere better than code's. A claim that code did not judge stays as the model has it."""
    if code is None:
        return model
    limits = {check.claim_id: check for check in code.claim_checks}
    return model.model_copy(
        update={
            "verdict": min(model.verdict, code.verdict, key=_VERDICTS.index),
            "groundedness_score": min(model.groundedness_score, code.groundedness_score),
            "claim_checks": tuple(_check(check, limits.get(check.claim_id)) for check in model.claim_checks),
            "facts_checked": tuple(_fact(fact, limits.get(fact.claim_id)) for fact in model.facts_checked),
        }
    )


def _check(check: ClaimCheck, limit: ClaimCheck | None) -> ClaimCheck:
    if limit is None:
        return check
    result = min(check.result, limit.result, key=_RESULTS.index)
    return check.model_copy(
        update={
            "result": result,
            "expressible": min(check.expressible, limit.expressible, key=_EXPRESSIBLE.index),
            "reason": check.reason if result is check.result else limit.reason,
        }
    )


def _fact(fact: FactCheck, limit: ClaimCheck | None) -> FactCheck:
    return fact if limit is None else fact.model_copy(update={"result": min(fact.result, limit.result, key=_RESULTS.index)})
