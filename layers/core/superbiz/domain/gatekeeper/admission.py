"""Admitting claims: a claim is verified only where it has a citation, every one of them is real, and no rule rejects what it says."""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from superbiz.domain.claims import Binding, Claim, ClaimType, ExecutorOutput, ParseStatus
from superbiz.domain.gatekeeper import passages
from superbiz.domain.gatekeeper.book import EvidenceBook, is_no_evidence
from superbiz.domain.gatekeeper.rule import Citation, Rule, Severity, Statement
from superbiz.domain.gatekeeper.table import RULE_SET, RULES, RULES_VERSION
from superbiz.domain.verification import BindingCheck, Breach, ClaimGate, ClaimStatus, GateCounts, GatekeeperResult, GateStatus

OK = "OK"
MISSING_EVIDENCE = "MISSING_EVIDENCE"
DUPLICATE_CLAIM_ID = "DUPLICATE_CLAIM_ID"
MAX_REASONS = 3  # of one rule about one claim


def admit(output: ExecutorOutput | None, parse: ParseStatus, book: EvidenceBook, round_: int) -> GatekeeperResult:
    """The `gatekeeper_result` of an Executor's output. SKIPPED where there is no valid structured output, or nothing in it to check."""
    if output is None or not parse.valid or not output.claims:
        errors = () if parse.valid else (f"SCHEMA_INVALID: no usable structured output ({parse.status})", *parse.errors)
        return GatekeeperResult(rules_version=RULES_VERSION, rule_set=RULE_SET, round=round_, status=GateStatus.SKIPPED, errors=errors)
    times = Counter(claim.claim_id for claim in output.claims)
    statements = [Statement(claim, book) for claim in output.claims]
    gates = _together([_gate(s, twin=times[s.claim.claim_id] > 1) for s in statements], statements)
    return GatekeeperResult(
        rules_version=RULES_VERSION,
        rule_set=RULE_SET,
        round=round_,
        status=_overall(gate.status for gate in gates),
        claims=gates,
        verified_claim_ids=_ids(gates, ClaimStatus.VERIFIED),
        rejected_claim_ids=_ids(gates, ClaimStatus.UNVERIFIED),
        counts=_counts(output.claims, gates),
        errors=tuple(f"{DUPLICATE_CLAIM_ID}: {claim_id} stands {n} times" for claim_id, n in times.items() if n > 1),
    )


def gate_of(claim: Claim, book: EvidenceBook) -> ClaimGate:
    """The gate of a claim that stands by itself: what `admit` would say of it without others beside it."""
    return _gate(Statement(claim, book), twin=False)


def is_critical(claim: Claim, gate: ClaimGate) -> bool:
    """A critical fact is a critical claim that is neither an action nor scoped absence.

    Silence cited for anything but an absence claim is misuse, and gives no way out of the count.
    """
    return claim.must_hold and not (gate.absence_only and claim.claim_type is ClaimType.ABSENCE)


def _gate(statement: Statement, *, twin: bool) -> ClaimGate:
    claim = statement.claim
    checks = tuple(_check(index, citation) for index, citation in enumerate(statement.citations))
    codes = [DUPLICATE_CLAIM_ID] if twin else []
    if not checks and claim.claim_type is not ClaimType.ACTION:
        codes.append(MISSING_EVIDENCE)
    codes += [check.code for check in checks if not check.ok]
    gate = ClaimGate(
        claim_id=claim.claim_id,
        critical=claim.must_hold,
        status=ClaimStatus.UNVERIFIED if codes else ClaimStatus.VERIFIED if checks else ClaimStatus.EXEMPT,
        absence_only=bool(checks) and all(map(_is_silent, claim.evidence)),
        bindings=checks,
        codes=tuple(dict.fromkeys(codes)),
    )
    return _with(gate, _breaches(statement)) if gate.status is ClaimStatus.VERIFIED else gate


def _check(index: int, citation: Citation) -> BindingCheck:
    """The first rule that the citation breaks, or OK."""
    code, reason = OK, ""
    for rule in RULES:
        why = rule.citation(citation) if rule.citation else None
        if why is not None:
            code, reason = rule.code, why
            break
    bound = citation.binding
    check = BindingCheck(index=index, invocation_id=bound.invocation_id, raw_path=bound.raw_path, ok=code == OK, code=code, reason=reason)
    return check.model_copy(update=_place(citation)) if check.ok and not citation.silent else check


def _place(citation: Citation) -> dict[str, Any]:
    """Where in the node's text the excerpt stands, and of which bytes that is."""
    bound, output = citation.binding, citation.call.output
    place = passages.place_of(bound.evidence_excerpt, citation.book.ref_text(bound.invocation_id, bound.raw_path) or "", citation.text)
    hashed = {"sha256": output.sha256} if output else {}
    return hashed | ({"start": place.start, "end": place.end} if place else {})


def _breaches(statement: Statement) -> list[Breach]:
    """What every rule on claims finds: all of them are asked, so that a person sees all that is wrong."""
    kind = statement.claim.claim_type
    found = ((rule, list(dict.fromkeys(rule.claim(statement)))) for rule in RULES if rule.claim and kind in rule.of)
    return [_breach(rule, reason) for rule, reasons in found for reason in reasons[:MAX_REASONS]]


def _breach(rule: Rule, reason: str) -> Breach:
    return Breach(rule=rule.number, code=rule.code, severity=rule.severity.value, reason=reason)


def _together(gates: Sequence[ClaimGate], statements: Sequence[Statement]) -> tuple[ClaimGate, ...]:
    """The gates after the rules on all claims at once, which see only those that were verified one by one."""
    standing = [s for s, gate in zip(statements, gates, strict=True) if gate.status is ClaimStatus.VERIFIED]
    found: dict[str, list[Breach]] = {}
    for rule in RULES:
        for claim_id, reason in rule.claims(standing) if rule.claims else ():
            found.setdefault(claim_id, []).append(_breach(rule, reason))
    return tuple(_with(gate, found.get(gate.claim_id, ())[:MAX_REASONS]) for gate in gates)


def _with(gate: ClaimGate, breaches: Sequence[Breach]) -> ClaimGate:
    """The gate with what was found: one REJECT leaves the claim unverified, LOW lets it be hedged at most."""
    if not breaches:
        return gate
    rejecting = [b.code for b in breaches if b.severity == Severity.REJECT]
    return gate.model_copy(
        update={
            "status": ClaimStatus.UNVERIFIED if rejecting else gate.status,
            "codes": tuple(dict.fromkeys((*gate.codes, *rejecting))),
            "lowered_by": tuple(dict.fromkeys((*gate.lowered_by, *(b.code for b in breaches if b.severity == Severity.LOW)))),
            "breaches": (*gate.breaches, *breaches),
        }
    )


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
