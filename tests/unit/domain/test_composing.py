"""The answer by template, and the check of one that a model wrote."""

import re
from hashlib import sha256
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from superbiz.domain import composing
from superbiz.domain.claims import Conclusion, NotChecked, RuledOut
from superbiz.domain.composing import HEADINGS, NOTICES
from superbiz.domain.composing.markup import code, inert, plain, unescaped
from superbiz.domain.composing.template import FIXED
from superbiz.domain.gatekeeper import Excerpt
from superbiz.domain.report import Citation, Report, ReportClaim
from superbiz.domain.runs import EngineName, Status
from superbiz.domain.verification import CheckResult, ComposerMode, Expressible, Verdict
from support.builders import build_alarm, build_cause

QUERY = "Why does order-service answer with errors since 23:05?"
ABSENCE = "No matching evidence was found by query_logs (service=payments) over 2026-07-08T22:30:00Z to 2026-07-08T23:10:00Z."


def cite(n: int, excerpt: str = "Connection is not available", path: str = "$.logs[0]") -> Citation:
    return Citation(n=n, invocation_id=f"inv-{n}", tool_name="query_logs", raw_path=path, excerpt=excerpt)


def said(claim_id: str, text: str, *cited: Citation, **fields: Any) -> ReportClaim:
    defaults = {
        "claim_id": claim_id,
        "claim_text": text,
        "claim_type": "observation",
        "critical": True,
        "result": CheckResult.SUPPORTED,
        "expressible": Expressible.FULL,
        "evidence": cited,
    }
    return ReportClaim(**(defaults | fields))


pool = said("c1", "order-service could not obtain a connection at 23:05:28", cite(1), claim_type="cause")
orders = said("c2", "POST /orders answered 503 in 27 of 40 calls", cite(2, "POST /orders answered 503", "$.logs[1]"), critical=False)
partly = said("c3", "the pool holds 10 connections", cite(3, "maximumPoolSize=10"), result="PARTIAL", expressible="HEDGED")
silent = said("c4", ABSENCE, cite(4, "", "$.no_evidence"), claim_type="absence", result="PARTIAL", expressible="HEDGED")
raise_pool = said("c5", "Raise the pool size of order-service", claim_type="action", result="NOT_VERIFIED", expressible="HEDGED")


def build_report(*claims: ReportClaim, **fields: Any) -> Report:
    defaults = {
        "run_id": "run-00000000-0000-4000-8000-000000000001",
        "status": Status.SUCCESS,
        "engine": EngineName.OFFLINE,
        "verdict": Verdict.PASS,
        "conclusion": Conclusion.ROOT_CAUSE,
        "root_causes": (build_cause(operation="POST /orders"),),
        "claims": claims or (pool, orders, silent, raise_pool),
        "ruled_out": (RuledOut(what="payments", why="payments kept 12 ms", claim_ids=("c2",)),),
        "not_checked": (NotChecked(what="traces", why="AccessDenied: xray:GetTraceSummaries"),),
        "next_steps": ("Raise the pool size of order-service",),
        "subjects": ("order-service-errors",),
    }
    return Report(**(defaults | fields))


def rendered(report: Report, mode: ComposerMode = ComposerMode.FULL, **fields: Any) -> str:
    return composing.render(report, mode=mode, **({"alarm": build_alarm()} | fields))


def violations(answer: str, report: Report | None = None, mode: ComposerMode = ComposerMode.FULL) -> tuple[str, ...]:
    report = report or build_report()
    return composing.violations(answer, report, (), rendered(report, mode, notices=tuple(NOTICES)))


CONCLUSIONS: dict[str, dict[str, Any]] = {
    "root_cause": {},
    "no_fault": {"conclusion": Conclusion.NO_FAULT, "root_causes": ()},
    "inconclusive": {"conclusion": Conclusion.INCONCLUSIVE, "root_causes": ()},
    "nothing at all": {
        "conclusion": Conclusion.INCONCLUSIVE,
        "root_causes": (),
        "claims": (),
        "ruled_out": (),
        "not_checked": (),
        "next_steps": (),
    },
}
MODES = (ComposerMode.FULL, ComposerMode.LOW_CONFIDENCE, ComposerMode.DEGRADED)


# REQ-092
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("fields", CONCLUSIONS.values(), ids=CONCLUSIONS.keys())
def test_every_answer_has_exactly_the_headings_of_the_table(mode: ComposerMode, fields: dict[str, Any]) -> None:
    answer = rendered(build_report(**fields), mode)
    assert re.findall(r"^#+ (.+)$", answer, re.MULTILINE) == list(HEADINGS)
    assert composing.missing_headings(answer) == ()


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("fields", CONCLUSIONS.values(), ids=CONCLUSIONS.keys())
def test_the_template_passes_its_own_check(mode: ComposerMode, fields: dict[str, Any]) -> None:
    report = build_report(**fields)
    answer = rendered(report, mode, notices=tuple(NOTICES))
    assert violations(answer, report, mode) == ()


# REQ-081
def test_every_permitted_claim_is_told_with_its_citation() -> None:
    answer = rendered(build_report(pool, orders, partly, silent))
    for claim in (pool, orders, partly, silent):
        assert re.search(re.escape(claim.claim_text) + rf" \[{claim.evidence[0].n}\]$", answer, re.MULTILINE)


def test_a_claim_that_rules_something_out_is_told_once() -> None:
    row = RuledOut(what="payments", why=orders.claim_text, claim_ids=("c2",))
    assert rendered(build_report(ruled_out=(row,))).count(f"{orders.claim_text} [2]") == 1


def test_a_step_of_a_runbook_carries_its_citation() -> None:
    step = said("c6", 'From pool.md: "Double the pool".', cite(5, "Double the pool", "$.hits[0].text"), claim_type="action")
    answer = rendered(build_report(pool, orders, step, next_steps=(step.claim_text, "Look again")))
    assert composing.section(answer, "Next steps") == '- From pool.md: "Double the pool". [5]\n- Look again'


def test_a_long_excerpt_is_shown_by_its_beginning() -> None:
    report = build_report(said("c1", "it failed", cite(1, "the pool is dry " * 25)), ruled_out=())
    assert f"`{('the pool is dry ' * 25)[:200]}` …\n" in rendered(report)
    assert violations(rendered(report), report) == ()


def test_every_citation_is_listed_with_tool_path_and_excerpt() -> None:
    answer = rendered(build_report())
    assert "- [1] `query_logs` `$.logs[0]`: `Connection is not available`" in answer
    assert "- [4] `query_logs` `$.no_evidence`\n" in answer


def test_a_cause_stands_with_its_operation_category_and_claims() -> None:
    under = composing.section(rendered(build_report()), "Root cause")
    assert under.splitlines() == [
        "- **order-service**, operation `POST /orders` (RESOURCE_EXHAUSTION) [1]",
        "  - order-service could not obtain a connection at 23:05:28 [1]",
    ]


def test_what_is_not_fully_confirmed_says_so_and_scoped_absence_stays_as_it_is() -> None:
    evidence = composing.section(rendered(build_report(pool, partly, silent)), "Evidence")
    assert f"- Not fully confirmed: {partly.claim_text} [3]" in evidence
    assert f"- {ABSENCE} [4]" in evidence


@pytest.mark.parametrize("name", ["no_fault", "inconclusive", "nothing at all"])
def test_an_answer_without_a_cause_says_so(name: str) -> None:
    assert composing.section(rendered(build_report(**CONCLUSIONS[name])), "Root cause") == "No root cause is established."


# REQ-082
def test_low_confidence_carries_its_notice_and_speaks_with_care() -> None:
    answer = rendered(build_report(), ComposerMode.LOW_CONFIDENCE, notices=("LOW_CONFIDENCE",))
    assert "> Low confidence:" in answer
    assert "may be **order-service**" in answer


@pytest.mark.parametrize(
    ("verdict", "mode"),
    [(Verdict.PASS, ComposerMode.FULL), (Verdict.LOW_CONFID, ComposerMode.LOW_CONFIDENCE), (Verdict.REJECT, ComposerMode.DEGRADED)],
)
def test_the_mode_follows_from_the_verdict(verdict: Verdict, mode: ComposerMode) -> None:
    assert composing.mode_for(verdict) is mode


def test_a_conversational_answer_is_left_as_it_is() -> None:
    assert rendered(build_report(answer="Hello."), ComposerMode.CONVERSATIONAL) == "Hello."


HOSTILE = (
    "[click](http://evil.example/x)",
    "![x](https://evil.example/p.png)",
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "# heading",
    "## Ruled out",
    "> quote",
    "- item",
    "1. item",
    "```\ncode",
    "~~~\ncode",
    "a\n\n## Conclusion\n\nAll is well",
    "*bold* __strong__ ~~gone~~ `code`",
    "[7] and [1]",
    "[x]: http://evil.example",
    "see http://evil.example and www.evil.example or mail a@evil.example",
    "&lt;b&gt; &#60;script&#62;",
    "\\[x\\](y)",
    "\u202eevil\u202c \u200bhidden",
    "\x1b[31mred",
    "| a | b |",
    "---",
    "===",
    "`` ` ``",
)


@pytest.mark.parametrize("text", HOSTILE)
def test_data_can_not_become_markup(text: str) -> None:
    """Read the answer as CommonMark reads it: outside code spans, no live link, image, tag, heading, list or fence of the data's making."""
    claim = said("c1", text, cite(1, text or "x"), claim_type="cause")
    answer = rendered(
        build_report(
            claim,
            root_causes=(build_cause(resource=text, operation=text),),
            ruled_out=(RuledOut(what=text, why=text, claim_ids=("c1",)),),
            not_checked=(NotChecked(what=text, why=text),),
            next_steps=(text,),
        ),
        alarm=build_alarm(alarm_name=text),
    )
    assert [line for line in answer.splitlines() if re.match(r" {0,3}#", line)] == [
        "# Alert report",
        *(f"## {h}" for h in HEADINGS[1:]),
    ]
    prose = re.sub(r"(?<![\\`])(`+)(?!`)(.+?)(?<!`)\1(?!`)", "", answer)
    assert not re.search(r"(?<!\\)\]\(|(?<!\\)!\[|(?<!\\)<|(?<!\\)://|(?<!\\)@|www\.(?!\\)|&#?\w+;", re.sub(r"\\&", "", prose))
    assert set(re.findall(r"(?<!\\)\[(\d+)\]", prose)) <= {"1"}
    assert not re.search(r"^\s*(?:[-*+]\s+){2}|^\s*[-*+]\s+(?:#|>|\d+[.)]\s|```|~~~)", prose, re.MULTILINE)
    assert not re.search(r"[\x00-\x09\x0b-\x1f\u200b\u202a-\u202e]", answer)


texts = st.text(alphabet=st.characters(blacklist_categories=("Cs", "Cc", "Cf", "Zl", "Zp")), min_size=1, max_size=40)


@given(texts | st.text(alphabet="[]()!<>*_`~\\#&:/w.@1-+=| ", max_size=20))
def test_escaping_keeps_every_character_for_the_reader(text: str) -> None:
    assert unescaped(plain(text)) == inert(text)
    assert "\n" not in plain(text)


@given(st.text(alphabet="` ab\\", min_size=1, max_size=12).filter(str.strip))
def test_a_code_span_holds_its_text(text: str) -> None:
    span = code(text)
    fence = re.match(r"`+", span)
    assert fence
    inner = span[len(fence[0]) : -len(fence[0])]
    assert inner.strip() == " ".join(text.split())
    assert fence[0] not in re.findall(r"`+", inner)


phrases = (
    st.lists(
        st.sampled_from(
            [
                "order-service",
                "27",
                "23:05:28",
                "2026-07-08",
                "/api/v2",
                "10.0.0.1",
                "is fine",
                "ruled out",
                "1,234.5ms",
                "故障",
                "a_b",
                "`x`",
                "**",
            ]
        )
        | st.text(alphabet="ab-_/.:`*[]()<>\\\\#1 ", max_size=6),
        min_size=1,
        max_size=6,
    )
    .map(" ".join)
    .filter(lambda t: bool(t.strip()))
)


@given(texts=st.lists(phrases, min_size=3, max_size=3), resource=phrases, row=phrases, mode=st.sampled_from(MODES))
def test_whatever_the_claims_say_the_template_passes_its_own_check(texts: list[str], resource: str, row: str, mode: ComposerMode) -> None:
    claims = [said(f"c{n}", text, cite(n, text, f"$.logs[{n}]")) for n, text in enumerate(texts, 1)]
    report = build_report(
        *claims,
        root_causes=(build_cause(resource=resource),),
        ruled_out=(RuledOut(what=resource, why=texts[2], claim_ids=("c3",)),),
        not_checked=(NotChecked(what=row, why=row),),
        next_steps=(row,),
    )
    assert violations(rendered(report, mode, notices=tuple(NOTICES)), report, mode) == ()


TEMPLATE = {
    "Alert report": "Alarm **order-service-errors**, run `run-00000000-0000-4000-8000-000000000001`.",
    "Conclusion": "",
    "Root cause": "",
    "Evidence": "",
    "Ruled out": "- **payments**: payments kept 12 ms [2]",
    "Not checked": "- **traces**: AccessDenied: xray:GetTraceSummaries",
    "Next steps": "- Raise the pool size of order-service",
}


def draft(conclusion: str = "", root_cause: str = "", evidence: str = "", **sections: str) -> str:
    """An answer as a model might write it, the template's own sections as they are."""
    parts = TEMPLATE | {
        "Conclusion": conclusion or "order-service could not obtain a connection [1].",
        "Root cause": root_cause or "- order-service could not obtain a connection at 23:05:28 [1]",
        "Evidence": evidence or "- POST /orders answered 503 in 27 of 40 calls [2]",
    }
    parts |= {name.replace("_", " ").capitalize(): text for name, text in sections.items()}
    return "\n\n".join(f"## {name}\n\n{text}" for name, text in parts.items())


# REQ-080
def test_a_faithful_draft_passes() -> None:
    assert violations(draft()) == ()


FAITHFUL = {
    "a shorter time": draft("At 23:05 order-service could not obtain a connection [1]."),
    "other small words": draft(evidence="- There POST /orders answered 503, in 27 of its 40 calls [2]"),
    "a quoted excerpt": draft(evidence="- order-service logged `Connection is not available` [1]"),
    "another case": draft("ORDER-SERVICE could not obtain a connection [1]."),
    "the absence word for word": draft(evidence=f"- {ABSENCE} [4]"),
    "two claims, each with a subject of its own": draft(
        "order-service could not obtain a connection, and POST /orders answered 503 [1][2]."
    ),
    "two sentences": draft("order-service could not obtain a connection [1]. POST /orders answered 503 [2]."),
}
UNFAITHFUL = {
    "a number": (draft(evidence="- 28 of 40 calls answered 503 [2]"), "says 28"),
    "a part of a number": (draft(evidence="- 7 of 40 calls answered 503 [2]"), "says 7"),
    "numbers turned round": (draft(evidence="- POST /orders answered 503 in 40 of 27 calls [2]"), "turns numbers"),
    "a time": (draft("order-service could not obtain a connection at 23:05:29 [1]."), "says 23:05:29"),
    "a date": (draft("order-service could not obtain a connection on 2026-07-09 [1]."), "says 2026-07-09"),
    "an identifier": (draft("billing-db could not obtain a connection [1]."), "says billing-db"),
    "a longer identifier": (draft("order-service-2 could not obtain a connection [1]."), "says order-service-2"),
    "a path": (draft(evidence="- POST /refunds answered 503 [2]"), "says /refunds"),
    "another claim's number": (draft("order-service could not obtain a connection in 27 of 40 calls [1]."), "says 27"),
    "another claim's name": (draft("POST /orders could not obtain a connection [1]."), "says /orders"),
    "a word of weight": (draft("order-service could not obtain a connection and restarted [1]."), "says restarted"),
    "a whole clause": (draft("order-service could not obtain a connection, the disk was full [1]."), "says disk"),
    "an unknown word in code": (draft(evidence="- order-service logged `payroll is gone` [1]"), "is not carried"),
    "a denial": (draft(evidence="- POST /orders never answered 503 [2]"), "is not carried by what it cites"),
    "a denial left out": (draft("order-service could obtain a connection [1]."), "is not carried by what it cites"),
    "a cause": (draft(evidence="- POST /orders answered 503 because calls ran dry [2]"), "tells a cause"),
    "all": (draft(evidence="- POST /orders answered 503 in all calls [2]"), "says all"),
    "an order in time": (draft("order-service could not obtain a connection before 23:05:28 [1]."), "says before"),
    "a citation of nothing": (draft(evidence="- POST /orders answered 503 [9]"), "cites [9]"),
    "no citation": (draft(evidence="- The database is slow"), "states without a citation"),
    "no citation in the cause": (draft(root_cause="- The database is slow"), "states without a citation"),
    "no citation in the conclusion": (draft("The database is slow."), "states without a citation"),
    "a second sentence without one": (draft("order-service could not obtain a connection [1]. All is well."), "states without a citation"),
    "a link": (draft("[order-service](x) could not obtain a connection [1]."), "holds a link"),
    "an image": (draft("![order-service](x) could not obtain a connection [1]."), "holds a link"),
    "HTML": (draft("<b>order-service</b> could not obtain a connection [1]."), "holds a HTML"),
    "a web address": (draft("See https://evil.example [1]."), "holds a web address"),
    "an address in code": (draft("See `https://evil.example` [1]."), "holds what is no plain text"),
    "an address without a scheme": (draft("See //evil.example/x [1]."), "holds a web address"),
    "an unseen character": (draft("order-service could not obtain a connec\u200btion [1]."), "holds what is no plain text"),
    "a call to everybody": (draft("<!channel> order-service could not obtain a connection [1]."), "holds"),
    "a heading missing": (draft().replace("## Ruled out\n", ""), "heading missing: Ruled out"),
    "absence as exclusion": (draft(evidence="- payments is ruled out [4]"), "excludes without positive evidence"),
    "absence as health": (draft(evidence="- payments is healthy [4]"), "excludes without positive evidence"),
    "absence as none": (draft(evidence="- There were no errors in payments [4]"), "excludes without positive evidence"),
    "absence in other words": (draft(evidence="- query_logs saw payments silent [4]"), "retells an absence"),
    "absence as exclusion in Chinese": (draft(evidence="- payments 的问题已排除 [4]"), "excludes without positive evidence"),
    "exclusion after the template's words": (draft(evidence=f"- {ABSENCE} So payments is fine [4]"), "excludes without positive evidence"),
    "a row ruled out": (draft(ruled_out="- **payments**: it kept 12 ms [2]"), "adds to Ruled out"),
    "a row not checked": (draft(not_checked="- **traces**: none are needed"), "adds to Not checked"),
    "a step": (draft(next_steps="- Delete order-service"), "adds to Next steps"),
    "a line before the first heading": ("All is well.\n\n" + draft(), "adds to the head"),
}


# REQ-080
@pytest.mark.parametrize("answer", FAITHFUL.values(), ids=FAITHFUL.keys())
def test_what_the_claims_hold_may_be_said(answer: str) -> None:
    assert violations(answer) == ()


# REQ-080
# REQ-046
# REQ-224
@pytest.mark.parametrize(("answer", "expected"), UNFAITHFUL.values(), ids=UNFAITHFUL.keys())
def test_what_the_claims_do_not_hold_is_a_violation(answer: str, expected: str) -> None:
    assert any(v.startswith(expected) for v in violations(answer)), violations(answer)


# REQ-082
def test_a_hedge_is_kept() -> None:
    report = build_report(pool, partly, ruled_out=())
    firm = TEMPLATE | {"Ruled out": "No candidate was ruled out by evidence."}
    plain_told = draft(evidence="- the pool holds 10 connections and no more [3]", ruled_out=firm["Ruled out"])
    told = draft(evidence="- there the pool holds 10 connections [3]", ruled_out=firm["Ruled out"])
    hedged = draft(evidence="- Not fully confirmed: there the pool holds 10 connections [3]", ruled_out=firm["Ruled out"])
    assert any(v.startswith("tells as certain") for v in violations(told, report))
    assert violations(plain_told, report)
    assert violations(hedged, report) == ()


def test_a_hypothesis_may_not_come_back_in_by_its_name() -> None:
    report = build_report(hypotheses=(build_cause(resource="warehouse", claim_ids=()),))
    assert "says warehouse, which no permitted claim holds" in violations(draft("warehouse is slow [1]."), report)
    assert violations(draft(), report) == ()


def test_an_excerpt_of_a_claim_that_fell_founds_nothing() -> None:
    passage = "order-service logged billing-db ran dry"
    fallen = Excerpt("c9", "inv-9", "query_logs", "$.logs[3]", passage, passage, {})
    standing = fallen._replace(claim_id="c1")
    answer, report = draft('order-service could not obtain a connection: "billing-db ran dry" [1].'), build_report()
    assert composing.violations(answer, report, [fallen], rendered(report))
    assert not composing.violations(answer, report, [standing], rendered(report))


@pytest.mark.parametrize(
    ("text", "allowed"),
    [
        ("1,234 rows", "1234 rows"),
        ("12.50 s", "12.5 s"),
        ("took 300ms", "took:300 ms"),
        ("9:05", "09:05:10"),
        ("2-3 times", "3 of 2"),
        ("2e-06", "0.000002"),
    ],
)
def test_spellings_of_one_number_are_one(text: str, allowed: str) -> None:
    assert composing.unfounded(text, [allowed]) == ()


@pytest.mark.parametrize(
    ("text", "allowed"),
    [
        ("28 times", "at 23:05:28"),
        ("8 times", "on 2026-07-08"),
        ("1 pool", "HikariPool-1"),
        ("90", "p90"),
        ("8000", "run-00000000-0000-4000-8000-000000000001"),
    ],
)
def test_digits_of_a_time_or_a_name_are_no_numbers(text: str, allowed: str) -> None:
    assert composing.unfounded(text, [allowed])


@given(st.text(max_size=200))
def test_rubbish_is_checked_without_an_error(answer: str) -> None:
    assert isinstance(violations(answer), tuple)


def test_a_long_hostile_answer_is_checked_in_time() -> None:
    for text in ("`" * 100_000, "[" * 100_000, "1" * 100_000, "a-" * 50_000, "a1 " * 30_000, "https://" * 10_000, "``a`" * 4_000):
        assert len(violations(text)) <= 50


# REQ-085
def test_every_sentence_leads_to_its_claims_and_citations() -> None:
    report = build_report(pool, orders, partly, silent)
    answer = rendered(report, notices=tuple(NOTICES))
    found = {answer[row.start : row.end]: row for row in composing.trail(answer, report)}
    assert all(row.sha256 == sha256(text.encode()).hexdigest() for text, row in found.items())
    assert {claim_id for row in found.values() for claim_id in row.claim_ids} == {"c1", "c2", "c3", "c4"}
    told = found["Not fully confirmed: the pool holds 10 connections [3]"]
    assert (told.basis, told.claim_ids, told.citations) == ("claims", ("c3",), (3,))
    assert found["**traces**: AccessDenied: xray:GetTraceSummaries"].basis == "record"


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("fields", CONCLUSIONS.values(), ids=CONCLUSIONS.keys())
def test_what_rests_on_no_claim_is_the_templates_own_words(mode: ComposerMode, fields: dict[str, Any]) -> None:
    report = build_report(**fields)
    answer = rendered(report, mode)
    loose = [answer[row.start : row.end] for row in composing.trail(answer, report) if row.basis == "fixed"]
    assert all(text in FIXED or text.startswith(("Alarm **", "The evidence at hand does not settle")) for text in loose), loose


def test_a_sentence_of_a_model_leads_to_the_claim_that_it_cites() -> None:
    answer, report = draft("order-service could not obtain a connection [1]. POST /orders answered 503 [2]."), build_report()
    rows = [row for row in composing.trail(answer, report) if answer[row.start : row.end].endswith("].")]
    assert [(row.claim_ids, row.citations) for row in rows] == [(("c1",), (1,)), (("c2",), (2,))]


ACTIVE = (
    "https://evil.example/x",
    "jdbc:mysql://db/x",
    "www.evil.example",
    "javascript:alert(1)",
    "mailto:a@b.example",
    "data:text/html;base64,x",
    "<http://evil.example|here>",
    "<!channel>",
    "[x](y)",
    "![x](y)",
    "<img src=x>",
    "\x1b]8;;http://evil.example\x07x",
    "a\U000e0041b",
    "ht\u200btp://evil.example",
    r'{"u":"http:\/\/evil.example"}',
)


@pytest.mark.parametrize("text", ACTIVE)
def test_what_anybody_would_act_on_is_made_inert(text: str) -> None:
    shown = inert(text)
    assert not re.search(r"[A-Za-z]://|www\.|(?:javascript|mailto):|data:text|\]\(|<[!@#]|<img|[\x00-\x1f\u200b\U000e0041]", shown)
    assert inert(shown) == shown


@given(texts | st.text(alphabet="[]()!<>:/w.@hjtdps#\\ ", max_size=20))
def test_inert_text_stays_as_it_is(text: str) -> None:
    assert inert(inert(text)) == inert(text)
