"""Data inside Markdown stays plain text: nothing in a log line or a name can become a link, an image, a heading or HTML."""

import re

_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u200b\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff]")
_ACTIVE = re.compile(r"[\\`*<\[\]~@]|(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])|&(?=#?\w+;)|:(?=//)|(?<=www)\.", re.IGNORECASE)
_LEADING = re.compile(r"(?:[#>+=|-]|\d{1,9}(?=[.)]))")
_ESCAPED = re.compile(r"\\([!-/:-@\[-`{-~])")


def plain(text: str) -> str:
    """One line of text that Markdown shows as it is."""
    line = _ACTIVE.sub(lambda found: "\\" + found[0], one_line(text))
    lead = _LEADING.match(line)
    if lead is None:
        return line
    number = lead[0].isdigit()
    return f"{lead[0]}\\{line[lead.end() :]}" if number else f"\\{line}"


def code(text: str) -> str:
    """A code span, which shows its text character by character; its fence is longer than any run of backticks inside."""
    line = one_line(text)
    longest = max((len(run) for run in re.findall(r"`+", line)), default=0)
    fence, pad = "`" * (longest + 1), " " if line[:1] == "`" or line[-1:] == "`" or not line else ""
    return f"{fence}{pad}{line}{pad}{fence}"


def one_line(text: str) -> str:
    """White space in runs becomes one space; control and direction marks, which can hide or turn text round, go."""
    return _CONTROL.sub("", " ".join(text.split()))


def unescaped(markdown: str) -> str:
    return _ESCAPED.sub(r"\1", markdown)
