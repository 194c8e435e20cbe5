"""Admitting claims: a claim is verified only where it has a citation and every one of them is real."""

from collections import Counter
from collections.abc import Iterable

from superbiz.domain.claims import Binding, Claim, ClaimType, ExecutorOutput, ParseStatus
from superbiz.domain.gatekeeper.book import EvidenceBook, is_no_evidence
from superbiz.domain.gatekeeper.rules import DUPLICATE_CLAIM_ID, MISSING_EVIDENCE, RULES, RULES_VERSION, Citation
from superbiz.domain.verification import BindingCheck, ClaimGate, ClaimStatus, GateCounts, GatekeeperResult, GateStatus

OK = "OK"


def admit(output: ExecutorOutput | None, parse: ParseStatus, book: EvidenceBook, round_: int) -> GatekeeperResult:
    """The `gatekeeper_result` of an Executor's output. SKIPPED where there is no valid structured output, or nothing in it to check."""
    if output is None or not parse.valid or not output.claims:
        errors = () if parse.valid else (f"SCHEMA_INVALID: no usable structured output ({parse.status})", *parse.errors)
        return GatekeeperResult(rules_version=RULES_VERSION, round=round_, status=GateStatus.SKIPPED, errors=errors)
    times = Counter(claim.claim_id for claim in output.claims)
    gates = tuple(_gate(claim, book, twin=times[claim.claim_id] > 1) for claim in output.claims)
    return GatekeeperResult(
        rules_version=RULES_VERSION,
        round=round_,
        status=_overall(gate.status for gate in gates),
        claims=gates,
        verified_claim_ids=_ids(gates, ClaimStatus.VERIFIED),
        rejected_claim_ids=_ids(gates, ClaimStatus.UNVERIFIED),
        counts=_counts(output.claims, gates),
        errors=tuple(f"{DUPLICATE_CLAIM_ID}: {claim_id} stands {n} times" for claim_id, n in times.items() if n > 1),
    )


def is_critical(claim: Claim, gate: ClaimGate) -> bool:
    """A critical fact is a critical claim that is neither an action nor scoped absence.

    Silence cited for anything but an absence claim is misuse, and gives no way out of the count.
    """
    return claim.must_hold and not (gate.absence_only and claim.claim_type is ClaimType.ABSENCE)


def _gate(claim: Claim, book: EvidenceBook, *, twin: bool) -> ClaimGate:
    checks = tuple(_check(index, Citation(claim, bound, book)) for index, bound in enumerate(claim.evidence))
    codes = [DUPLICATE_CLAIM_ID] if twin else []
    if not checks and claim.claim_type is not ClaimType.ACTION:
        codes.append(MISSING_EVIDENCE)
    codes += [check.code for check in checks if not check.ok]
    return ClaimGate(
        claim_id=claim.claim_id,
        critical=claim.must_hold,
        status=ClaimStatus.UNVERIFIED if codes else ClaimStatus.VERIFIED if checks else ClaimStatus.EXEMPT,
        absence_only=bool(checks) and all(map(_is_silent, claim.evidence)),
        bindings=checks,
        codes=tuple(dict.fromkeys(codes)),
    )


def _check(index: int, citation: Citation) -> BindingCheck:
    """The first rule that the citation breaks, or OK."""
    code, reason = OK, ""
    for rule in RULES:
        why = rule.broken(citation)
        if why is not None:
            code, reason = rule.code, why
            break
    bound = citation.binding
    return BindingCheck(index=index, invocation_id=bound.invocation_id, raw_path=bound.raw_path, ok=code == OK, code=code, reason=reason)


def _is_silent(binding: Binding) -> bool:
    return is_no_evidence(binding.raw_path)


def _overall(statuses: Iterable[ClaimStatus]) -> GateStatus:
    kinds = set(statuses)
    if ClaimStatus.VERIFIED not in kinds:
        return GateStatus.FAIL
    return GateStatus.PARTIAL if ClaimStatus.UNVERIFIED in kinds else GateStatus.PASS


def _ids(gates: tuple[ClaimGate, ...], status: ClaimStatus) -> tuple[str, ...]:
    return tuple(dict.fromkeys(gate.claim_id for gate in gates if gate.status is status))


def _counts(claims: tuple[Claim, ...], gates: tuple[ClaimGate, ...]) -> GateCounts:
    critical = [gate for claim, gate in zip(claims, gates, strict=True) if is_critical(claim, gate)]
    bindings = [check for gate in gates for check in gate.bindings]
    return GateCounts(
        claims=len(claims),
        critical=len(critical),
        critical_verified=sum(gate.status is ClaimStatus.VERIFIED for gate in critical),
        bindings=len(bindings),
        bindings_ok=sum(check.ok for check in bindings),
    )
