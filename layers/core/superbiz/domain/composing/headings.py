"""The headings of every answer, in their order: the Composer writes them, and the checks look for them."""

import re
from collections.abc import Iterator

TITLE, CONCLUSION, ROOT_CAUSE, EVIDENCE = "Alert report", "Conclusion", "Root cause", "Evidence"
RULED_OUT, NOT_CHECKED, NEXT_STEPS = "Ruled out", "Not checked", "Next steps"
HEADINGS = (TITLE, CONCLUSION, ROOT_CAUSE, EVIDENCE, RULED_OUT, NOT_CHECKED, NEXT_STEPS)
TOLD = (CONCLUSION, ROOT_CAUSE, EVIDENCE, RULED_OUT)  # what states something, sentence by sentence
_HEADING = re.compile(r" {0,3}#{1,6}[ \t]+(.+?)[ \t]*#*[ \t]*\Z")


def missing_headings(answer: str) -> tuple[str, ...]:
    """Headings of the table that the answer lacks."""
    there = {heading for line in answer.splitlines() if (heading := _heading(line))}
    return tuple(heading for heading in HEADINGS if heading not in there)


def sections(answer: str) -> Iterator[tuple[str, str]]:
    """(heading, line) for each line under a heading of the table; "" before the first. Other headings are lines like any other."""
    return ((under, line) for under, line, _ in placed(answer))


def placed(answer: str) -> Iterator[tuple[str, str, int]]:
    """The same with where the line begins, in code points."""
    current, at = "", 0
    for whole in answer.splitlines(keepends=True):
        line = whole.splitlines()[0]
        heading = _heading(line)
        if heading in HEADINGS:
            current = str(heading)
        elif line.strip():
            yield current, line, at
        at += len(whole)


def section(answer: str, heading: str) -> str:
    """The text under one heading."""
    return "\n".join(line for under, line in sections(answer) if under == heading)


def _heading(line: str) -> str | None:
    found = _HEADING.match(line)
    return found[1] if found else None
