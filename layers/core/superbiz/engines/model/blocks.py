"""The one way in which recorded text reaches a model: inside marked blocks, as data that gives no orders.

The marker is drawn at random for each stage of each run, so that no recorded text can close its block. What looks like a closer or like
a chat template's control token is broken up, and characters that a reader can not see are left out. A passage that was changed here can
not be cited word for word any more: the Gatekeeper then refuses it, which is the safe side.
"""

import re
import secrets
import unicodedata

from superbiz.domain import unseen

_OPEN = "[<＜﹤]"  # with what compatibility forms make of it
_TOKENS = "s|bos|eos|start_of_turn|end_of_turn|think|tool_call|tool_response|sys|system|assistant|user"
_CONTROL = re.compile(rf"{_OPEN}(?=[|｜])|{_OPEN}(?={_OPEN})|{_OPEN}(?=/?(?:{_TOKENS})[>＞﹥])|[\[［](?=/?INST[\]］])", re.IGNORECASE)


class Blocks:
    """`seal` puts text into a block. `marker` is what the prompt tells the model to look for."""

    def __init__(self, marker: str | None = None) -> None:
        self.marker = marker or secrets.token_hex(8)

    def seal(self, title: str, text: str) -> str:
        """`title` is ours; `text` is anybody's."""
        inside = neutral(_without(self.marker, visible(text)))
        return f"<<data {self.marker} {title}>>\n{inside}\n<<end {self.marker}>>"


def neutral(text: str) -> str:
    """Without unseen characters, and with nothing that a model could take for the end of a block or of a turn."""
    return _CONTROL.sub(lambda found: found[0] + " ", visible(text))


def _without(marker: str, text: str) -> str:
    """The text without the marker in any of its forms, also where taking one out makes another."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    while marker.casefold() in folded:
        text = folded = folded.replace(marker.casefold(), "")
    return text


def visible(text: str) -> str:
    """Line ends as `\\n`, tabs kept, everything else that shows nothing left out."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    if text.isascii() and text.replace("\n", "").replace("\t", "").isprintable():
        return text
    return unseen.left_out(text, keep="\n\t")


def one_line(text: str) -> str:
    """White space as single spaces, which the Gatekeeper reads as the same text: no record can pose as two."""
    return " ".join(text.split())
