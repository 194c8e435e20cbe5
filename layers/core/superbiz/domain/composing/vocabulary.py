"""Words of prose that carry weight, as tables: which a sentence must have from its claims, and which add nothing."""

import re

from superbiz.domain.reading.words import table

CAUSAL = re.compile(
    r"\b(?:because|caus(?:e|es|ed|ing|al)|due to|owing to|thanks to|led to|lead(?:s|ing)? to|as a (?:result|consequence)"
    r"|result(?:s|ed|ing)? (?:in|from)|trigger(?:s|ed|ing)?|responsible|blam(?:e|ed|es)|culprit|to fault|at fault|therefore|thus|hence"
    r"|consequently|so that|root|behind|(?:brought|bring(?:s|ing)?) (?:about|on|down)|made|making|forc(?:ed|es|ing)"
    r"|explain(?:s|ed|ing)?|why|stem(?:s|med|ming)? from|origin\w*|provok\w+|driv(?:en|es|ing) by|drove|induc\w+|from which|whereby"
    r"|took \S+ down|break(?:s|ing)|broke)\b"
    r"|[因致]|由于|所以|导致|引[起发]|造成|根源|使得",
    re.IGNORECASE,
)
HEDGES = table(
    "may might likely probable probably possible possibly perhaps suspect suspected suspects seems seem seemed appears apparent "
    "apparently suggests suggest unlikely presumably 可能 也许 疑似"
)
STATES = table("high low up down slowed worsened recovered")
# Words of grammar: all others must be a cited claim's own, or of one family with one of them.
SMALL = table(
    "a an the this that these those it its they them their which who whom whose where when as than "
    "is are was were be been being has have had do does did and or but while "
    "of in among on at to from by for with into onto over under per about around within during between against "
    "both one s utc"
)
# What a count of a claim is a count of, by the word that the claim has for it.
COUNTED = {"template": table("line lines times"), "count": table("times")}
REACHED = re.compile(r"\breached (?:an? (?:[a-z]+ )?of )?(?=\d)", re.IGNORECASE)  # to reach a number tells no direction
# How a claim labels a number: a sentence may tell the number by other rules, or leave it out.
LABELS = table("template count worst baseline deviation normal normally own rank share load operation its")
KEPT = table("deviation share rank load score")  # what a number is not told without
# Words that tell nothing of what happened, but how it is told.
NEUTRAL = table(
    "also too there here stood stands stand came come comes lay lies amounted amounts measured measures counted counts tells told tell "
    "saw logged reported reports occurred says said states shows carries noted notes noting read reads way well then namely respectively "
    "figure figures moment side case fact versus instead compared comparison"
)


def counted(claim: frozenset[str]) -> frozenset[str]:
    """What is counted where a claim with these words tells a count."""
    return frozenset(unit for word, units in COUNTED.items() if word in claim for unit in units)


def granted(text: str, claim: frozenset[str]) -> frozenset[str]:
    """Words that a sentence may add to a claim with these words."""
    return counted(claim) | (table("reached") if REACHED.search(text) else frozenset())
