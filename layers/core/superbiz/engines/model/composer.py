"""The model's Composer: it writes conclusion, causes and evidence from the permitted claims. Headings, notices, what was ruled out or not
checked, next steps and sources are the template's. The flow checks the whole answer and falls back to the template."""

import re
from collections.abc import Iterable, Sequence

from superbiz.domain import canonical, composing
from superbiz.domain.claims import ClaimType, Conclusion
from superbiz.domain.composing import headings
from superbiz.domain.composing.checking import excludes
from superbiz.domain.composing.template import NO_EVIDENCE, SOURCES, UNCONFIRMED, sentence
from superbiz.domain.report import Report, ReportClaim
from superbiz.domain.runs import EngineName
from superbiz.domain.values import JsonObject, Value
from superbiz.domain.verification import ComposerMode, Expressible
from superbiz.engines.model import schemas
from superbiz.engines.model.blocks import Blocks, one_line
from superbiz.engines.model.prompting import render
from superbiz.engines.model.reading import value
from superbiz.engines.model.talk import Means, Talk, Unusable
from superbiz.errors import Invalid
from superbiz.ports import Brief, Composer, Composition, Material, ModelMessage

WRITTEN = (ComposerMode.FULL, ComposerMode.LOW_CONFIDENCE)
_CITED = re.compile(r"(?<!\\)\[(\d{1,6})\]")


class Prose(Value):
    """What the model writes."""

    conclusion: str = ""
    root_cause: tuple[str, ...] = ()
    evidence: tuple[str, ...] = ()


class ModelComposer:
    """Implements `Composer`."""

    def __init__(self, means: Means, offline: Composer) -> None:
        self._means, self._offline = means, offline

    def compose(self, material: Material, brief: Brief) -> Composition:
        """Where nothing may be told but what is confirmed, or there is nothing to tell, the template writes and no call is paid for."""
        if material.mode not in WRITTEN or not material.report.claims:
            return self._offline.compose(material, brief)
        talk = Talk(self._means, brief, "composer", self._means.limits.stage_seconds)
        template = composing.render(material.report, mode=ComposerMode(material.mode), notices=material.notices, alarm=material.alarm)
        try:
            body, _ = talk.ask(
                messages(material, self._means, brief),
                schemas.COMPOSITION,
                lambda d: _body(d, template, material, strict=talk.repairs == 0),
            )
        except Unusable as e:
            return Composition(None, model_input=talk.transcript, cost=talk.cost, engine=EngineName.MODEL, degraded=e.reason)
        return Composition(body, talk.transcript, talk.cost, EngineName.MODEL, repaired=talk.repairs > 0)


def messages(material: Material, means: Means, brief: Brief) -> Sequence[ModelMessage]:
    """The claims with their numbers and what they cite; nothing of what did not pass."""
    blocks, report = Blocks(), material.report
    parts = [
        f"Mode: {material.mode}. Conclusion: {report.conclusion.value}.",
        blocks.seal("question", means.redactor(brief.run.run_id).text(material.query)),
        blocks.seal("causes, best first", "\n".join(canonical.dumps(c.to_json()) for c in report.root_causes) or "none"),
        blocks.seal("claims", "\n".join(_claim(c) for c in report.claims)),
        blocks.seal("cited passages", "\n".join(_passages(report))),
    ]
    return (ModelMessage("system", render("composer", marker=blocks.marker)), ModelMessage("user", "\n\n".join(parts)))


def _claim(claim: ReportClaim) -> str:
    told = claim.model_dump(mode="json", include={"claim_id", "claim_type", "critical", "claim_text", "expressible"})
    return canonical.dumps(told | {"citations": _marks(claim)})


def _passages(report: Report) -> Iterable[str]:
    cited = {c.n: c for claim in report.claims for c in claim.evidence}
    return (f"[{n}] {cited[n].tool_name} {cited[n].raw_path}: {one_line(cited[n].excerpt)}" for n in sorted(cited))


def _body(document: JsonObject, template: str, material: Material, *, strict: bool) -> str:
    """The whole answer. Where it says more than its claims do the model may mend it once; after that the flow's check decides."""
    prose = value(Prose, document)
    body = _filled(prose, template, material.report)
    found = composing.violations(body, material.report, material.excerpts, template)
    if found and strict:
        raise Invalid("the text says more than the claims do:\n" + "\n".join(f"- {v}" for v in found), code="SAYS_MORE")
    return body


def _filled(prose: Prose, template: str, report: Report) -> str:
    """The template with the model's prose in it. What is the cause, and how surely, the template says; a claim that the prose leaves out
    is told all the same (REQ-081)."""
    caused = report.conclusion is Conclusion.ROOT_CAUSE
    conclusion, story = (_lines(part, report) if caused else [] for part in ((prose.conclusion,), prose.root_cause))
    evidence = _lines(prose.evidence, report)
    cited = {n for line in (*conclusion, *story, *evidence) for n in _numbers(line)}
    told = (claim for claim in report.claims if claim.claim_type is not ClaimType.ACTION)
    evidence += [sentence(claim) for claim in told if not cited & {c.n for c in claim.evidence}]
    written = {
        headings.CONCLUSION: [_section_of(template, headings.CONCLUSION), *(_confirmed(line, report) for line in conclusion)],
        headings.ROOT_CAUSE: [_causes(template), _bullets(story, report)],
        headings.EVIDENCE: [_bullets(evidence, report) or NO_EVIDENCE, _sources(template)],
    }
    for heading, parts in written.items():
        template = _with(template, heading, "\n\n".join(filter(None, parts)))
    return template


def _causes(template: str) -> str:
    """The named causes, without the claims that the template tells below each."""
    return "\n".join(line for line in _section_of(template, headings.ROOT_CAUSE).splitlines() if not line.startswith("  "))


def _lines(lines: Iterable[str], report: Report) -> list[str]:
    """The lines as they may stand. One that excludes something is dropped: what is ruled out has a section of its own."""
    made = (one_line(line).removeprefix("- ") for line in lines)
    return [line for line in made if line and not excludes(line, report)]


def _confirmed(line: str, report: Report) -> str:
    """The line, marked where what it cites is not fully confirmed. Scoped absence is told as it is."""
    doubtful = any(_doubtful(n, report) for n in _numbers(line))
    return f"{UNCONFIRMED}{line}" if doubtful and not line.startswith(UNCONFIRMED) else line


def _doubtful(n: int, report: Report) -> bool:
    """Whether nothing but claims that may only be hedged rests on this citation."""
    resting = [claim for claim in report.claims if n in {c.n for c in claim.evidence}]
    hedged = [c for c in resting if c.expressible is not Expressible.FULL and c.claim_type is not ClaimType.ABSENCE]
    return bool(resting) and len(hedged) == len(resting)


def _marks(claim: ReportClaim) -> str:
    return "".join(f"[{n}]" for n in sorted({c.n for c in claim.evidence}))


def _numbers(line: str) -> set[int]:
    return {int(n) for n in _CITED.findall(line)}


def _bullets(lines: Iterable[str], report: Report) -> str:
    return "\n".join(f"- {_confirmed(line, report)}" for line in lines)


def _section(heading: str) -> re.Pattern[str]:
    """A section of the template: no data of ours can form a heading in it."""
    return re.compile(rf"(?ms)^(#+ {re.escape(heading)}\n\n)(.*?)(?=\n\n^## |\n\Z)")


def _section_of(answer: str, heading: str) -> str:
    found = _section(heading).search(answer)
    return found[2].strip("\n") if found else ""


def _with(answer: str, heading: str, text: str) -> str:
    return _section(heading).sub(lambda found: found[1] + text, answer, count=1)


def _sources(template: str) -> str:
    _, mark, rest = _section_of(template, headings.EVIDENCE).partition(f"{SOURCES}\n")
    return f"{mark}{rest}"
