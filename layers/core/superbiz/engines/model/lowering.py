"""Two judgements of the same claims, and the lower of both: rules of entailment bound what a model says of a claim."""

from superbiz.domain.rulings import at_most
from superbiz.domain.verification import CheckResult, ClaimCheck, VerifierReply


def bounded(model: VerifierReply, rules: VerifierReply | None) -> VerifierReply:
    """The model's reply, no claim in it better than the rules have it; silence hides no contradiction. Its verdict and score stay its own:
    the flow derives the rest."""
    limits = {check.claim_id: check for check in rules.claim_checks} if rules else {}
    checks = tuple(_bounded(check, limits.get(check.claim_id)) for check in model.claim_checks)
    passed_over = (limit for key, limit in limits.items() if limit.result is CheckResult.CONTRADICTED and not _judged(key, model))
    lowered = {after.claim_id for before, after in zip(model.claim_checks, checks, strict=True) if after.result is not before.result}
    facts = [fact for fact in model.facts_checked if fact.claim_id not in lowered]
    facts += [fact for fact in (rules.facts_checked if rules else ()) if fact.claim_id in lowered]
    return model.model_copy(update={"claim_checks": (*checks, *passed_over), "facts_checked": tuple(facts)})


def _judged(claim_id: str, model: VerifierReply) -> bool:
    return any(check.claim_id == claim_id for check in model.claim_checks)


def _bounded(check: ClaimCheck, limit: ClaimCheck | None) -> ClaimCheck:
    if limit is None:
        return check
    lower = at_most(check, limit.result, limit.expressible)
    if lower.result is check.result:
        return lower
    return lower.model_copy(update={"reason": f"{limit.reason} (the model judged {check.result}: {check.reason})"})
