"""The answer by template: every claim sentence carries its citations, and every word of data is plain text."""

from collections.abc import Iterable, Iterator, Sequence

from superbiz.domain.claims import Cause, ClaimType, Conclusion, FaultCategory
from superbiz.domain.composing import facts, headings
from superbiz.domain.composing.markup import code, plain
from superbiz.domain.composing.notices import NOTICES
from superbiz.domain.incidents import AlarmNotice
from superbiz.domain.report import Citation, Report, ReportClaim
from superbiz.domain.verification import ComposerMode, Expressible

MAX_CAUSES = 5
SHOWN = 200
BESIDE_FACTS = 120  # characters of an excerpt whose numbers its facts tell
NO_CAUSE = "No root cause is established."
NO_EVIDENCE = "Nothing could be confirmed."
NONE_RULED_OUT = "No candidate was ruled out by evidence."
ALL_CHECKED = "Every source that was asked gave an answer."
NO_STEPS = "No further step is proposed."
SOURCES = "Sources:"
UNCONFIRMED = "Not fully confirmed: "
FIXED = frozenset({NO_CAUSE, NO_EVIDENCE, NONE_RULED_OUT, ALL_CHECKED, NO_STEPS, SOURCES, *NOTICES.values()})


def render(report: Report, *, mode: ComposerMode, notices: Sequence[str] = (), alarm: AlarmNotice | None = None) -> str:
    """The whole answer in Markdown, under exactly the headings of the table. A conversational report already has its answer."""
    if mode is ComposerMode.CONVERSATIONAL:
        return report.answer
    parts = {
        headings.TITLE: _opening(report, notices, alarm),
        headings.CONCLUSION: [_conclusion(report, mode, alarm)],
        headings.ROOT_CAUSE: list(_causes(report)) or [NO_CAUSE],
        headings.EVIDENCE: _evidence(report) or [NO_EVIDENCE],
        headings.RULED_OUT: _bullets(f"**{plain(r.what)}**: {plain(r.why)} {_marks_of(report, r.claim_ids)}" for r in report.ruled_out)
        or [NONE_RULED_OUT],
        headings.NOT_CHECKED: _bullets(f"**{plain(r.what)}**: {plain(r.why)}" for r in report.not_checked) or [ALL_CHECKED],
        headings.NEXT_STEPS: _bullets(f"{plain(step)} {_marks_of_step(report, step)}" for step in report.next_steps) or [NO_STEPS],
    }
    return "\n\n".join(f"{_heading(name)}\n\n" + "\n".join(lines) for name, lines in parts.items()) + "\n"


def _heading(name: str) -> str:
    return f"{'#' if name == headings.TITLE else '##'} {name}"


def _opening(report: Report, notices: Sequence[str], alarm: AlarmNotice | None) -> list[str]:
    about = f"Alarm **{plain(alarm.alarm_name)}**, run {code(report.run_id)}." if alarm else f"Run {code(report.run_id)}."
    return [about, *(f"\n> {NOTICES[notice]}" for notice in notices if notice in NOTICES)]


def _conclusion(report: Report, mode: ComposerMode, alarm: AlarmNotice | None) -> str:
    about = f"the alarm **{plain(alarm.alarm_name)}**" if alarm else "what was asked about"
    if report.conclusion is Conclusion.NO_FAULT:
        return f"The evidence shows no fault behind {about}. {_marks(_positive(report))}"
    if report.conclusion is Conclusion.INCONCLUSIVE or not report.root_causes:
        return f"The evidence at hand does not settle the cause of {about}."
    first = report.root_causes[0]
    surely = "is" if mode is ComposerMode.FULL else "may be"
    return f"The most likely cause of {about} {surely} {_named(first)}. {_marks_of(report, first.claim_ids)}"


def _named(cause: Cause) -> str:
    operation = f", operation {code(cause.operation)}" if cause.operation else ""
    category = "" if cause.fault_category is FaultCategory.GENERAL else f" ({plain(cause.fault_category)})"
    return f"**{plain(cause.resource)}**{operation}{category}"


def _causes(report: Report) -> Iterator[str]:
    told: set[str] = set()
    for cause in report.root_causes[:MAX_CAUSES]:
        yield f"- {_surely(cause, report)}{_named(cause)} {_marks_of(report, cause.claim_ids)}"
        for claim in report.claims:
            if claim.claim_id in cause.claim_ids and claim.claim_id not in told:
                told.add(claim.claim_id)
                yield f"  - {sentence(claim)}"


def _surely(cause: Cause, report: Report) -> str:
    """A cause all of whose claims may only be hedged is told so."""
    carrying = [c for c in report.claims if c.claim_id in cause.claim_ids]
    return UNCONFIRMED if carrying and all(c.expressible is not Expressible.FULL for c in carrying) else ""


def _evidence(report: Report) -> list[str]:
    """Claims that no other section tells, then the source of every number."""
    told = {claim_id for cause in report.root_causes[:MAX_CAUSES] for claim_id in cause.claim_ids}
    told |= {c.claim_id for row in report.ruled_out for c in report.claims if c.claim_id in row.claim_ids and c.claim_text in row.why}
    lines = [f"- {sentence(c)}" for c in report.claims if c.claim_id not in told and c.claim_type is not ClaimType.ACTION]
    cited = {cited.n: cited for claim in report.claims for cited in claim.evidence}
    sources = [SOURCES, "", *(f"- [{n}] {_source(cited[n], report.claims)}" for n in sorted(cited))] if cited else []
    return [*lines, *([""] if lines and sources else []), *sources]


def sentence(claim: ReportClaim) -> str:
    """Scoped absence is told as it is; anything else that is not fully confirmed says so."""
    hedged = claim.expressible is not Expressible.FULL and claim.claim_type is not ClaimType.ABSENCE
    return f"{UNCONFIRMED if hedged else ''}{plain(facts.prose(claim))} {_marks([claim])}"


def _source(cited: Citation, claims: Sequence[ReportClaim]) -> str:
    """The place, what was recomputed there, and how the excerpt begins."""
    place = f"{code(cited.tool_name or cited.invocation_id)} {code(cited.raw_path)}"
    told = facts.of_source(cited, claims)
    most = BESIDE_FACTS if told else SHOWN
    more = " …" if len(cited.excerpt) > most else ""
    passage = f"{code(cited.excerpt[:most])}{more}" if cited.excerpt else ""
    return ": ".join(part for part in (place, plain(told), passage) if part)


def _positive(report: Report) -> list[ReportClaim]:
    return [c for c in report.claims if c.claim_type not in (ClaimType.ABSENCE, ClaimType.ACTION)]


def _marks_of(report: Report, claim_ids: Sequence[str]) -> str:
    return _marks(c for c in report.claims if c.claim_id in claim_ids)


def _marks_of_step(report: Report, step: str) -> str:
    """A step that a runbook gives is cited like any claim."""
    return _marks(c for c in report.claims if c.claim_type is ClaimType.ACTION and c.claim_text == step)


def _marks(claims: Iterable[ReportClaim]) -> str:
    numbers = sorted({cited.n for claim in claims for cited in claim.evidence})
    return "".join(f"[{n}]" for n in numbers)


def _bullets(texts: Iterable[str]) -> list[str]:
    return [f"- {text.strip()}" for text in texts]
