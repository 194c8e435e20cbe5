"""The headings of every answer, in their order: the Composer writes them, and the checks look for them."""

import re
from collections.abc import Iterator

TITLE, CONCLUSION, ROOT_CAUSE, EVIDENCE = "Alert report", "Conclusion", "Root cause", "Evidence"
RULED_OUT, NOT_CHECKED, NEXT_STEPS = "Ruled out", "Not checked", "Next steps"
HEADINGS = (TITLE, CONCLUSION, ROOT_CAUSE, EVIDENCE, RULED_OUT, NOT_CHECKED, NEXT_STEPS)
_HEADING = re.compile(r" {0,3}#{1,6}[ \t]+(.+?)[ \t]*#*[ \t]*\Z")


def missing_headings(answer: str) -> tuple[str, ...]:
    """Headings of the table that the answer lacks."""
    there = {heading for line in answer.splitlines() if (heading := _heading(line))}
    return tuple(heading for heading in HEADINGS if heading not in there)


def sections(answer: str) -> Iterator[tuple[str, str]]:
    """(heading, line) for each line under a heading of the table; "" before the first. Other headings are lines like any other."""
    current = ""
    for line in answer.splitlines():
        heading = _heading(line)
        if heading in HEADINGS:
            current = str(heading)
        elif line.strip():
            yield current, line


def section(answer: str, heading: str) -> str:
    """The text under one heading."""
    return "\n".join(line for under, line in sections(answer) if under == heading)


def _heading(line: str) -> str | None:
    found = _HEADING.match(line)
    return found[1] if found else None
