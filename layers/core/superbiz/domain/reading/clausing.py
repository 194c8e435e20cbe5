"""Where one clause of a sentence ends and the next begins."""

import re

CLAUSE = re.compile(
    r"[,;:()—–]\s|\.\s|\n|[，；。：、（）！？]"
    r"|\s(?:and|or|but|while|whereas|because|which|although|though|then|due to|owing to|caused by|as a result of|thanks to)\s"
    r"|并且|而且|但是|因为|由于|导致|从而|以及|同时|[和与及但]"
)
