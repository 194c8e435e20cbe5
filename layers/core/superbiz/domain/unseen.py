"""Characters that show nothing, and can hide or turn text round: for a reader, and for a model."""

import re
import unicodedata

# Control, format (zero-width, direction, tags), surrogates, private and unassigned ones.
CATEGORIES = frozenset({"Cc", "Cf", "Cs", "Co", "Cn"})
SEPARATORS = frozenset({"Zl", "Zp"})
# What shows nothing outside those categories: variation selectors, the grapheme joiner, Hangul and Khmer fillers, blank Braille.
_FILLERS = re.compile("[\ufe00-\ufe0f\U000e0100-\U000e01ef\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0]")


def left_out(text: str, keep: str = "", categories: frozenset[str] = CATEGORIES) -> str:
    """The text without them; `keep` are control characters that may stay."""
    return _FILLERS.sub("", "".join(c for c in text if c in keep or unicodedata.category(c) not in categories))
