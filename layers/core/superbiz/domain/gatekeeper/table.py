"""The rules `gk-2` as one table, in the order in which they are asked. Changing a row makes a new version."""

from superbiz.domain.gatekeeper import citations, statements
from superbiz.domain.gatekeeper.rule import Rule, Severity

RULES_VERSION = "gk-2"
REJECT, LOW = Severity.REJECT, Severity.LOW
RULES = (
    Rule(1, "INVOCATION_NOT_FOUND", REJECT, "The cited call is one of this run's.", citation=citations.not_of_this_run),
    Rule(1, "INVOCATION_FAILED", REJECT, "The cited call succeeded.", citation=citations.failed),
    Rule(1, "NOT_EVIDENCE_TOOL", REJECT, "The cited call counts as evidence.", citation=citations.no_evidence_tool),
    Rule(2, "RAW_PATH_NOT_FOUND", REJECT, "The path is singular and leads to one node.", citation=citations.no_ref),
    Rule(4, "EXCERPT_TOO_SHORT", REJECT, "The excerpt is long enough, or the whole leaf.", citation=citations.too_short),
    Rule(3, "EXCERPT_MISMATCH", REJECT, "The excerpt is a passage of that node, unaltered.", citation=citations.mismatch),
    Rule(5, "NUMBER_MISMATCH", REJECT, "Every number stands in the cited record or follows from it.", claim=statements.numbers),
    Rule(6, "TIME_MISMATCH", REJECT, "Every time stands in the cited record.", claim=statements.times),
    Rule(7, "ENTITY_MISMATCH", REJECT, "Every name stands in the cited record, with its value.", claim=statements.entities),
    Rule(8, "DIRECTION_MISMATCH", REJECT, "Directions and opposites agree with the record.", claim=statements.directions),
    Rule(9, "NEGATION_MISMATCH", LOW, "What is denied is denied in the record.", claim=statements.negations),
    Rule(11, "NO_EVIDENCE_MISUSE", REJECT, "Silence is cited only where a query matched nothing.", citation=citations.misused_silence),
    Rule(11, "ABSENCE_MIXED", REJECT, "An absence rests on silence alone.", citation=citations.mixed_absence),
)
