"""The check that an answer has to pass: each sentence is the template's own, or says no more than the claims that it cites."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple, Protocol

from superbiz.domain import entailment, refs
from superbiz.domain.claims import ClaimType
from superbiz.domain.composing import headings, prose
from superbiz.domain.composing.markup import inert
from superbiz.domain.composing.prose import Basis
from superbiz.domain.composing.sentences import CITED, CODE, Sentence, lines_of, split
from superbiz.domain.composing.template import FIXED, UNCONFIRMED, sentence
from superbiz.domain.composing.tokens import Ground
from superbiz.domain.entailment import Cited
from superbiz.domain.naming import names
from superbiz.domain.report import Report, ReportClaim
from superbiz.domain.values import JsonObject

MAX_VIOLATIONS = 50
MAX_LINE = 20_000
MAX_SENTENCES = 200  # of prose: an answer has at most twenty claims to tell
SHOWN = 80
_ACTIVE = (
    ("link or image", re.compile(r"(?<!\\)\]\(|(?<!\\)!\[|^\[[^\]]+\]:")),
    ("HTML", re.compile(r"(?<!\\)<[A-Za-z/!?]")),
    ("web address", re.compile(r"(?<!\\):(?=//)|\bwww\.|(?<![:\w/\\])//\w", re.IGNORECASE)),
)
PROSE = (headings.CONCLUSION, headings.ROOT_CAUSE, headings.EVIDENCE)
EXCLUSION = re.compile(
    r"\brul(?:e|es|ed|ing) out\b|\bexclud(?:e|es|ed|ing)\b|\bno (?:sign|problem|issue|fault|error|failure|trouble|anomal\w+)s?\b"
    r"|\bnot (?:the|a|its) (?:root )?cause\b|\b(?:does|do|did) not (?:exist|occur|happen)\b|\bconfirmed? (?:none|absent|no)\b"
    r"|\bhealthy\b|\b(?:is|are|was|were) (?:fine|normal|absent)\b|\bthere (?:is|are|was|were) no\b|\bnever (?:happened|occurred)\b"
    r"|\bharmless\b|\binnocent\b|\bunaffected\b|\bnot found\b|\bnothing\b"
    r"|排除|不存在|没有(?:问题|异常|故障|错误)|无(?:异常|故障|问题)|一切正常",
    re.IGNORECASE,
)


class Quoted(Protocol):
    """A citation that the Gatekeeper found real, with the record that it stands in."""

    @property
    def claim_id(self) -> str: ...

    @property
    def tool_name(self) -> str: ...

    @property
    def excerpt(self) -> str: ...

    @property
    def text(self) -> str: ...

    @property
    def params(self) -> JsonObject: ...

    @property
    def around(self) -> JsonObject: ...


class _Sources(NamedTuple):
    """What prose may draw on: claims by the number of a citation. `known` are the names of things in this run."""

    by_number: Mapping[int, Sequence[Basis]]
    known: frozenset[str]

    def of(self, numbers: Iterable[int]) -> list[Basis]:
        found = (basis for n in numbers for basis in self.by_number.get(n, ()))
        return list({basis.claim.claim_id: basis for basis in found}.values())


def violations(answer: str, report: Report, excerpts: Sequence[Quoted], template: str) -> tuple[str, ...]:
    """What the answer says beyond its permitted claims and their excerpts; empty where it says nothing beyond.

    `template` is the same report as the template tells it: its lines may stand where they stand there.
    """
    found = [f"heading missing: {heading}" for heading in headings.missing_headings(answer)]
    own, sources = _own(report, template), _sources(report, excerpts)
    spoken = 0
    for line in lines_of(answer):
        found += _of_form(line)
        if (line.under, line.text) not in own and len(line.text) <= MAX_LINE:
            spoken += 1
            found += _of_prose(line, sources) if spoken <= MAX_SENTENCES else [f"holds more than {MAX_SENTENCES} lines of prose"]
        if len(found) > MAX_VIOLATIONS:
            break
    found += _hypotheses(answer, report)
    return tuple(dict.fromkeys(found))[:MAX_VIOLATIONS]


def unfounded(text: str, allowed: Iterable[str]) -> tuple[str, ...]:
    """Numbers, times and identifiers of a text that the allowed texts do not hold."""
    return Ground(map(inert, allowed)).unfounded(inert(text))


def excludes(line: str, report: Report) -> bool:
    """Whether a line excludes something in words that are no claim's: what is ruled out has a section of its own."""
    for claim in report.claims:
        line = line.replace(claim.claim_text, "")
    return EXCLUSION.search(line) is not None


def _own(report: Report, template: str) -> frozenset[tuple[str, str]]:
    """The template's lines by heading. A claim's sentence may stand under any heading of prose."""
    lines = {(line.under, line.text) for line in lines_of(template)}
    told = {*(sentence(claim) for claim in report.claims if claim.claim_type is not ClaimType.ACTION), *FIXED}
    return frozenset(lines | {(under, text) for under in PROSE for text in told})


def _sources(report: Report, excerpts: Sequence[Quoted]) -> _Sources:
    by_number: dict[int, list[Basis]] = {}
    for claim in report.claims:
        basis = Basis(claim, _cited(claim, excerpts))
        for n in {cited.n for cited in claim.evidence}:
            by_number.setdefault(n, []).append(basis)
    cited = [c for bases in by_number.values() for basis in bases for c in basis.cited]
    named = (cause.resource.casefold() for cause in (*report.root_causes, *report.hypotheses))
    return _Sources(by_number, entailment.known_in(cited) | frozenset(named))


def _cited(claim: ReportClaim, excerpts: Sequence[Quoted]) -> list[Cited]:
    """The claim's records; where only the report is at hand, the excerpts alone."""
    found = [Cited(e.excerpt, e.text, e.around, e.params, e.tool_name) for e in excerpts if e.claim_id == claim.claim_id]
    silent = (c for c in claim.evidence if not refs.same_path(c.raw_path, refs.NO_EVIDENCE))
    return found or [Cited(c.excerpt, c.excerpt, {}, {}, c.tool_name) for c in silent]


def _of_form(line: Sentence) -> Iterator[str]:
    """Nothing in any line, the template's included, that a renderer, a chat or a terminal would act on."""
    if len(line.text) > MAX_LINE:
        yield f"holds a line of {len(line.text)} characters"
        return
    bare = CITED.sub(" ", CODE.sub(" ", line.text))
    active = [what for what, pattern in _ACTIVE if pattern.search(bare)]
    yield from (f"holds a {what}" for what in active)
    if not active and inert(line.text) != " ".join(line.text.split()):
        yield f"holds what is no plain text: {inert(line.text)[:SHOWN]}"


def _of_prose(line: Sentence, sources: _Sources) -> Iterator[str]:
    if line.under not in PROSE:
        yield f"adds to {line.under or 'the head'}, which is the template's: {line.text[:SHOWN]}"
        return
    hedged = line.text.startswith(UNCONFIRMED)
    skipped = len(UNCONFIRMED) if hedged else 0
    for part in split(Sentence(line.under, line.text[skipped:], line.start + skipped, line.end)):
        yield from _of_sentence(part, sources, hedged=hedged)


def _of_sentence(part: Sentence, sources: _Sources, *, hedged: bool) -> Iterator[str]:
    said, bases = part.said, sources.of(part.citations)
    yield from (f"cites [{n}], which is no citation" for n in part.citations if n not in sources.by_number)
    if not bases:
        yield f"states without a citation: {said[:SHOWN]}"
        return
    if EXCLUSION.search(_without(said, bases)):
        yield f"excludes without positive evidence: {said[:SHOWN]}"
    firm = [basis for basis in bases if not prose.doubtful([basis])]
    if firm and not prose.complaints(said, firm, sources.known):
        return
    found = prose.complaints(said, bases, sources.known)
    yield from found
    if not found and len(firm) < len(bases) and not hedged:
        yield f"tells as certain what is not fully confirmed: {said[:SHOWN]}"


def _without(said: str, bases: Iterable[Basis]) -> str:
    for basis in bases:
        said = said.replace(basis.text, "")
    return said


def _hypotheses(answer: str, report: Report) -> Iterator[str]:
    """A candidate that no claim carries must not come back in by its name."""
    told = Ground(inert(text) for text in _texts(report))
    for cause in report.hypotheses:
        if not cause.claim_ids and not told.has(inert(cause.resource)) and names(answer, inert(cause.resource)):
            yield f"says {cause.resource}, which no permitted claim holds"


def _texts(report: Report) -> Iterator[str]:
    """Every text of the report that an answer may repeat: all but the hypotheses."""
    yield from (report.run_id, report.degraded or "", *report.subjects, *report.next_steps)
    for claim in report.claims:
        yield claim.claim_text
        yield from (text for cited in claim.evidence for text in (cited.tool_name, cited.invocation_id, cited.raw_path, cited.excerpt))
    for cause in report.root_causes:
        yield from (cause.resource, cause.operation or "", cause.fault_category)
    yield from (text for row in report.ruled_out for text in (row.what, row.why))
    yield from (text for gap in report.not_checked for text in (gap.what, gap.why))
