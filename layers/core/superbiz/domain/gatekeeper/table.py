"""The rules `gk-2` as one table, in the order in which they are asked. Changing a row makes a new version."""

from superbiz.domain import canonical
from superbiz.domain.claims import ClaimType
from superbiz.domain.gatekeeper import citations, contradictions, passages, statements, typed, wording
from superbiz.domain.gatekeeper.rule import TOLD, Rule, Severity
from superbiz.domain.verification import RuleRow, RuleSet

RULES_VERSION = "gk-2"
REJECT, LOW = Severity.REJECT, Severity.LOW
CAUSE, ABSENCE = frozenset({ClaimType.CAUSE}), frozenset({ClaimType.ABSENCE})
RULES = (
    Rule(1, "INVOCATION_NOT_FOUND", REJECT, "The cited call is one of this run's.", citation=citations.not_of_this_run),
    Rule(1, "INVOCATION_FAILED", REJECT, "The cited call succeeded.", citation=citations.failed),
    Rule(1, "NOT_EVIDENCE_TOOL", REJECT, "The cited call counts as evidence.", citation=citations.no_evidence_tool),
    Rule(16, "OUTPUT_ALTERED", REJECT, "The stored output is the one that was recorded.", citation=citations.altered),
    Rule(2, "RAW_PATH_NOT_FOUND", REJECT, "The path is singular and leads to one node.", citation=citations.no_ref),
    Rule(4, "EXCERPT_TOO_SHORT", REJECT, "The excerpt is long enough, or the whole leaf.", citation=passages.too_short),
    Rule(3, "EXCERPT_MISMATCH", REJECT, "The excerpt is a passage of that node, unaltered.", citation=passages.mismatch),
    Rule(4, "EXCERPT_CUT", REJECT, "The excerpt begins and ends with whole words and numbers.", citation=passages.cut),
    Rule(4, "EXCERPT_BOILERPLATE", REJECT, "The excerpt has more than every line has.", citation=passages.boilerplate),
    Rule(5, "NUMBER_MISMATCH", REJECT, "Every number stands in the cited record or follows from it.", claim=statements.numbers),
    Rule(5, "FACT_INVALID", REJECT, "Every typed fact can be read.", claim=typed.malformed),
    Rule(5, "FACT_MISMATCH", REJECT, "Every typed fact is what code recomputes from the record.", claim=typed.mismatched),
    Rule(5, "FACT_SWAPPED", REJECT, "Every number is told under the name of its own fact.", claim=typed.swapped),
    Rule(6, "TIME_MISMATCH", REJECT, "Every time stands in the cited record.", claim=statements.times),
    Rule(6, "TIME_OUTSIDE_WINDOW", REJECT, "Every time lies in the window that was asked for.", claim=statements.outside_window, of=TOLD),
    Rule(7, "ENTITY_MISMATCH", REJECT, "Every name stands in the cited record, with its value.", claim=statements.entities),
    Rule(8, "DIRECTION_MISMATCH", REJECT, "Directions and opposites agree with the record.", claim=statements.directions),
    Rule(9, "NEGATION_MISMATCH", LOW, "What is denied is denied in the record.", claim=statements.negations),
    Rule(10, "CAUSAL_WORDING", LOW, "Only a claim of type cause says why.", claim=wording.causal, of=TOLD),
    Rule(10, "CAUSE_ONE_SOURCE", LOW, "A cause has two sources.", claim=statements.one_source, of=CAUSE),
    Rule(11, "NO_EVIDENCE_MISUSE", REJECT, "Silence is cited only where a query matched nothing.", citation=citations.misused_silence),
    Rule(11, "ABSENCE_MIXED", REJECT, "An absence rests on silence alone.", citation=citations.mixed_absence),
    Rule(11, "ABSENCE_OVERREACH", REJECT, "An absence says that its query matched nothing, no more.", claim=wording.overreach, of=ABSENCE),
    Rule(11, "ABSENCE_UNFOUNDED", REJECT, "What was not there is denied or counted as zero.", claim=wording.unfounded_absence, of=TOLD),
    Rule(12, "WHOLE_OF_A_PART", REJECT, "All, never and only are not said of a part.", claim=wording.whole_of_a_part, of=TOLD),
    Rule(12, "WHOLE_WITHOUT_AGGREGATE", LOW, "All, never and only are shown by an aggregate.", claim=wording.whole, of=TOLD),
    Rule(13, "OUTSIDE_INCIDENT", LOW, "The evidence is of the time of the incident.", claim=statements.outside_incident, of=TOLD),
    Rule(14, "CONTRADICTION", LOW, "Claims on one matter and time agree with each other.", claims=contradictions.opposed),
    Rule(15, "REPEATED_EVIDENCE", LOW, "Repeated or nested citations count once.", claim=statements.repeated, of=CAUSE),
    Rule(17, "OUTSIDER_TEXT", LOW, "A cause rests on more than what an outsider can write.", claim=statements.outsiders_alone, of=CAUSE),
)


def rule_set() -> RuleSet:
    """The table as data, as it is stored with every result."""
    rows = tuple(RuleRow(rule=r.number, code=r.code, severity=r.severity.value, demands=r.demands) for r in RULES)
    return RuleSet(version=RULES_VERSION, sha256=canonical.digest([row.to_json() for row in rows]), rules=rows)


RULE_SET = rule_set()
