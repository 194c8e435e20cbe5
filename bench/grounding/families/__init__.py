"""The families of mutants, as one table with the rates that they are held to."""

from bench.grounding.families import absences, causes, citations, entities, figures, meanings, pairs
from bench.grounding.mutant import Family

FAMILIES = (
    Family("citation fabricated", 1.0, citations.FABRICATED),
    Family("citation edited", 1.0, citations.EDITED),
    Family("absence overreach", 1.0, absences.KINDS, firm=True),
    Family("number", 0.99, figures.NUMBERS),
    Family("unit", 0.99, figures.UNIT),
    Family("time", 0.99, figures.TIMES),
    Family("entity", 0.99, entities.ENTITY),
    Family("wrong owner", 0.95, entities.OWNER),
    Family("direction", 0.98, meanings.DIRECTION),
    Family("negation", 0.98, meanings.NEGATION),
    Family("causal", 0.98, causes.CAUSAL),
    Family("invented clause", 0.95, meanings.INVENTED),
    Family("dropped premise", 0.95, causes.DROPPED),
    Family("whole", 0.95, meanings.WHOLE),
    Family("outsider-only cause", 0.98, causes.OUTSIDER),
    Family("repeated citation", 0.98, causes.REPEATED),
    Family("copied excerpt", 0.98, pairs.COPIED),
    Family("contradiction", 0.95, pairs.CONTRADICTING),
    Family("typed fact", 0.99, pairs.FACTS),
)
