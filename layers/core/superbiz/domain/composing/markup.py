"""Data inside Markdown stays plain text: nothing in a log line or a name can become a link, an image, a heading, HTML or an escape code.

An address keeps its words and loses its force: `https[:]//host` is read by people, and by no renderer, chat or terminal as a link.
"""

import re

from superbiz.domain import unseen

_TAGS = "a|area|base|body|button|embed|form|frame|html|iframe|img|input|link|meta|object|script|style|svg|video|audio"
# (what would become active, what it is shown as)
_FORCE = (
    (re.compile(r"(?<=[A-Za-z0-9+.-])(:)(?=//|\\/\\/)"), "[:]"),  # a scheme, JSON's escaped slashes too
    (re.compile(r"\b(javascript|vbscript|mailto|tel)(:)(?=\S)", re.IGNORECASE), r"\1[:]"),
    (re.compile(r"\b(data)(:)(?=\w+/[\w.+-]+[;,])", re.IGNORECASE), r"\1[:]"),
    (re.compile(r"\b(www)(\.)(?=[\w-])", re.IGNORECASE), r"\1[.]"),
    (re.compile(r"\](?=\()"), "] "),  # of a link or image in Markdown
    (re.compile(rf"<(?=[!@#]|/?(?:{_TAGS})\b(?!\\_))", re.IGNORECASE), "< "),  # HTML, and what Slack calls people by
)
_ACTIVE = re.compile(r"[\\`*<\[\]~@]|(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])|&(?=#?\w+;)|:(?=//)|(?<![:\w/])/(?=/\w)|(?<=www)\.", re.IGNORECASE)
_LEADING = re.compile(r"(?:[#>+=|-]|\d{1,9}(?=[.)]))")
_ESCAPED = re.compile(r"\\([!-/:-@\[-`{-~])")


def plain(text: str) -> str:
    """One line of text that Markdown shows as it is."""
    line = _ACTIVE.sub(lambda found: "\\" + found[0], inert(text))
    lead = _LEADING.match(line)
    if lead is None:
        return line
    number = lead[0].isdigit()
    return f"{lead[0]}\\{line[lead.end() :]}" if number else f"\\{line}"


def code(text: str) -> str:
    """A code span, which shows its text character by character; its fence is longer than any run of backticks inside."""
    line = inert(text)
    longest = max((len(run) for run in re.findall(r"`+", line)), default=0)
    fence, pad = "`" * (longest + 1), " " if line[:1] == "`" or line[-1:] == "`" or not line else ""
    return f"{fence}{pad}{line}{pad}{fence}"


def inert(text: str) -> str:
    """One line in which nothing is a link, an image, a tag or a call to people, whoever renders it. Inert text stays as it is."""
    line = one_line(text)
    for force, shown in _FORCE:
        line = force.sub(shown, line)
    return line


def one_line(text: str) -> str:
    """White space in runs becomes one space; what shows nothing, and can hide or turn text round, goes."""
    return " ".join(visible(" ".join(text.split())).split())


def visible(text: str) -> str:
    """Without characters that a reader can not see."""
    if text.isascii() and text.isprintable():
        return text
    return unseen.left_out(text, categories=unseen.CATEGORIES | unseen.SEPARATORS)


def unescaped(markdown: str) -> str:
    return _ESCAPED.sub(r"\1", markdown)
