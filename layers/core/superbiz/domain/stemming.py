"""English words to their stems, by the rules of M. F. Porter, "An algorithm for suffix stripping", Program 14 (1980), as he amended them.

`throttled`, `throttling` and `throttle` are one word to a search, and so are British and American spellings, and irregular verbs. A stem is
a key to compare by, not a word to show.
"""

import re
from collections.abc import Callable, Sequence
from functools import lru_cache

_CONSONANT = r"(?:[^aeiouy]|(?<![^aeiou])y|^y)"
_VOWEL = r"(?:[aeiou]|(?<=[^aeiou])y)"
_MEASURED = re.compile(f"{_VOWEL}+(?={_CONSONANT})")
_HAS_VOWEL = re.compile(_VOWEL)
_DOUBLE = re.compile(r"([^aeiouylsz])\1\Z")
_SHORT_END = re.compile(f"{_CONSONANT}{_VOWEL}(?:(?![wx]){_CONSONANT})(?<!y)\\Z")
_SHORTEST = 3

_BRITISH = re.compile(r"(?<=[a-z]{4})is(?=(?:e|es|ed|er|ing|ations?)\Z)")
# Forms that no rule finds, of verbs that alarms and runbooks use.
_IRREGULAR = {
    form: verb
    for verb, forms in {
        "break": "broke broken",
        "build": "built",
        "fall": "fell fallen",
        "find": "found",
        "freeze": "froze frozen",
        "go": "went gone",
        "grow": "grew grown",
        "hang": "hung",
        "keep": "kept",
        "lose": "lost loss losses losing",
        "run": "ran running",
        "rise": "rose risen",
        "send": "sent",
        "shut": "shutting",
        "spend": "spent",
        "take": "took taken",
        "write": "wrote written",
    }.items()
    for form in forms.split()
}

Rules = Sequence[tuple[str, str]]
_PLURALS: Rules = (("sses", "ss"), ("ies", "i"), ("ss", "ss"), ("s", ""))
_DERIVED: Rules = (
    ("ational", "ate"),
    ("tional", "tion"),
    ("enci", "ence"),
    ("anci", "ance"),
    ("izer", "ize"),
    ("bli", "ble"),
    ("alli", "al"),
    ("entli", "ent"),
    ("eli", "e"),
    ("ousli", "ous"),
    ("ization", "ize"),
    ("ation", "ate"),
    ("ator", "ate"),
    ("alism", "al"),
    ("iveness", "ive"),
    ("fulness", "ful"),
    ("ousness", "ous"),
    ("aliti", "al"),
    ("iviti", "ive"),
    ("biliti", "ble"),
    ("logi", "log"),
)
_ADJECTIVES: Rules = (("icate", "ic"), ("ative", ""), ("alize", "al"), ("iciti", "ic"), ("ical", "ic"), ("ful", ""), ("ness", ""))
_ENDINGS: Rules = tuple(
    (ending, "")
    for ending in (
        *("ement", "ance", "ence", "able", "ible", "ment", "ant", "ent", "ism", "ate", "iti", "ous", "ive", "ize"),
        *("al", "er", "ic", "ou"),
    )
)


@lru_cache(maxsize=50_000)
def stem(word: str) -> str:
    """The stem of a word in lower case. Words of other scripts, and of one or two letters, are their own."""
    if len(word) < _SHORTEST or not (word.isascii() and word.isalpha()):
        return word
    word = _BRITISH.sub("iz", _IRREGULAR.get(word, word))
    word = _without_verb_ending(_replaced(word, _PLURALS, lambda _: True))
    if word.endswith("y") and _HAS_VOWEL.search(word[:-1]):
        word = word[:-1] + "i"
    word = _replaced(word, _DERIVED, lambda rest: _measure(rest) > 0)
    word = _replaced(word, _ADJECTIVES, lambda rest: _measure(rest) > 0)
    word = _without_ending(word)
    return _without_last_letter(word)


def _measure(rest: str) -> int:
    """How often a consonant follows a vowel: about the number of syllables."""
    return len(_MEASURED.findall(rest))


def _replaced(word: str, rules: Rules, allowed: Callable[[str], bool]) -> str:
    """By the longest ending that the word has, where what is left is long enough for it."""
    fitting = [rule for rule in rules if word.endswith(rule[0])]
    if not fitting:
        return word
    ending, instead = max(fitting, key=lambda rule: len(rule[0]))
    rest = word[: -len(ending)]
    return rest + instead if allowed(rest) else word


def _without_verb_ending(word: str) -> str:
    if word.endswith("eed"):
        return word[:-1] if _measure(word[:-3]) > 0 else word
    ending = next((e for e in ("ed", "ing") if word.endswith(e)), "")
    rest = word[: -len(ending)] if ending else ""
    if not _HAS_VOWEL.search(rest):
        return word
    if rest.endswith(("at", "bl", "iz")) or (_measure(rest) == 1 and _SHORT_END.search(rest)):
        return rest + "e"
    return rest[:-1] if _DOUBLE.search(rest) else rest


def _without_ending(word: str) -> str:
    if word.endswith("ion"):
        return word[:-3] if word[:-3].endswith(("s", "t")) and _measure(word[:-3]) > 1 else word
    return _replaced(word, _ENDINGS, lambda rest: _measure(rest) > 1)


def _without_last_letter(word: str) -> str:
    if word.endswith("e"):
        size = _measure(word[:-1])
        if size > 1 or (size == 1 and not _SHORT_END.search(word[:-1])):
            word = word[:-1]
    return word[:-1] if word.endswith("ll") and _measure(word) > 1 else word
