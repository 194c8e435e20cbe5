"""The check that an answer has to pass: it may say no number, time or name that its permitted claims do not hold, and exclude nothing."""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Protocol

from superbiz.domain import refs
from superbiz.domain.claims import Conclusion
from superbiz.domain.composing import headings
from superbiz.domain.composing.markup import one_line, unescaped
from superbiz.domain.composing.notices import NOTICES
from superbiz.domain.composing.template import FIXED
from superbiz.domain.composing.tokens import Ground
from superbiz.domain.naming import names
from superbiz.domain.report import Report

MAX_VIOLATIONS = 50
MAX_LINE = 20_000
SHOWN = 80
_CODE = re.compile(r"(?<![\\`])(`+)(?!`)(.+?)(?<!`)\1(?!`)")
_CITED = re.compile(r"(?<!\\)\[(\d{1,6})\]")
_ACTIVE = (
    ("link or image", re.compile(r"(?<!\\)\]\(|(?<!\\)!\[|^ {0,3}\[[^\]]+\]:")),
    ("HTML", re.compile(r"(?<!\\)<[A-Za-z/!?]")),
    ("web address", re.compile(r"(?<!\\):(?=//)|\bwww\.", re.IGNORECASE)),
)
_BOUND = (headings.ROOT_CAUSE, headings.EVIDENCE, headings.RULED_OUT)
_WORDED = (headings.CONCLUSION, *_BOUND)
EXCLUSION = re.compile(
    r"\brul(?:e|es|ed|ing) out\b|\bexclud(?:e|es|ed|ing)\b|\bno (?:sign|problem|issue|fault|error|failure|trouble|anomal\w+)s?\b"
    r"|\bnot (?:the|a|its) (?:root )?cause\b|\b(?:does|do|did) not (?:exist|occur|happen)\b|\bconfirmed? (?:none|absent|no)\b"
    r"|\bhealthy\b|\b(?:is|are|was|were) (?:fine|normal|absent)\b|\bthere (?:is|are|was|were) no\b|\bnever (?:happened|occurred)\b"
    r"|排除|不存在|没有(?:问题|异常|故障|错误)|无(?:异常|故障|问题)|一切正常",
    re.IGNORECASE,
)


class Quoted(Protocol):
    """A citation that the Gatekeeper found real."""

    @property
    def claim_id(self) -> str: ...

    @property
    def excerpt(self) -> str: ...


def violations(answer: str, report: Report, excerpts: Sequence[Quoted], query: str) -> tuple[str, ...]:
    """What the answer says beyond its permitted claims, their excerpts and the question; empty where it says nothing beyond."""
    permitted = {claim.claim_id for claim in report.claims}
    ground = Ground([*_told(report), *(e.excerpt for e in excerpts if e.claim_id in permitted), query])
    found = [f"heading missing: {heading}" for heading in headings.missing_headings(answer)]
    numbers = {cited.n: refs.same_path(cited.raw_path, refs.NO_EVIDENCE) for claim in report.claims for cited in claim.evidence}
    for under, line in headings.sections(answer):
        found += _of_line(under, line, report, numbers, ground)
    found += _hypotheses(answer, report, ground)
    return tuple(dict.fromkeys(found))[:MAX_VIOLATIONS]


def unfounded(text: str, allowed: Iterable[str]) -> tuple[str, ...]:
    """Numbers, times and identifiers of a text that the allowed texts do not hold."""
    return Ground(allowed).unfounded(text)


def _told(report: Report) -> Iterator[str]:
    """Every text of the report that an answer may repeat: all but the hypotheses."""
    yield from (report.run_id, report.verdict, report.conclusion, report.engine, report.degraded or "", *report.subjects)
    yield from report.next_steps
    for claim in report.claims:
        yield claim.claim_text
        for cited in claim.evidence:
            yield from (cited.tool_name, cited.invocation_id, cited.raw_path, cited.excerpt)
    for cause in report.root_causes:
        yield from (cause.resource, cause.operation or "", cause.fault_category)
    for ruled_out in report.ruled_out:
        yield from (ruled_out.what, ruled_out.why)
    for unseen in report.not_checked:
        yield from (unseen.what, unseen.why)
    yield from NOTICES.values()


def _of_line(under: str, line: str, report: Report, numbers: dict[int, bool], ground: Ground) -> Iterator[str]:
    if len(line) > MAX_LINE:
        yield f"holds a line of {len(line)} characters"
        return
    spans = [span for found in _CODE.finditer(line) if (span := one_line(found[2]))]
    prose = _CODE.sub(" ", line)
    cited = {int(n) for n in _CITED.findall(prose)}
    prose = _CITED.sub(" ", prose)
    yield from (f"cites [{n}], which is no citation" for n in sorted(cited - numbers.keys()))
    yield from (f"holds a {what}" for what, pattern in _ACTIVE if pattern.search(prose))
    said = unescaped(prose)
    loose = (*ground.unfounded(said), *(span for span in spans if not ground.quotes(span)))
    yield from (f"says {token[:SHOWN]}, which no permitted claim holds" for token in loose)
    if _is_fixed(said):
        return
    if under in _BOUND and not cited & numbers.keys():
        yield f"states without a citation: {said.strip()[:SHOWN]}"
    positive = any(not numbers[n] for n in cited & numbers.keys())
    if under in _WORDED and not positive and _excludes(said, under, report):
        yield f"excludes without positive evidence: {said.strip()[:SHOWN]}"


def _is_fixed(said: str) -> bool:
    return re.sub(r"^[\s>*+-]+", "", said).strip() in FIXED


def _excludes(said: str, under: str, report: Report) -> bool:
    """The wording of scoped absence is its template's and says only what was asked; a `no_fault` conclusion may say so."""
    if under == headings.CONCLUSION and report.conclusion is Conclusion.NO_FAULT:
        return False
    for claim in report.claims:
        said = said.replace(claim.claim_text, "")
    return EXCLUSION.search(said) is not None


def _hypotheses(answer: str, report: Report, ground: Ground) -> Iterator[str]:
    """A candidate that no claim carries must not come back in by its name."""
    for cause in report.hypotheses:
        if not cause.claim_ids and not ground.has(cause.resource) and names(answer, cause.resource):
            yield f"says {cause.resource}, which no permitted claim holds"
