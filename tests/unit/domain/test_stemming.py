"""English stems."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from superbiz.domain.stemming import stem


# The examples of M. F. Porter, "An algorithm for suffix stripping", Program 14 (1980), after all of its steps.
@pytest.mark.parametrize(
    ("word", "expected"),
    [
        *(("caresses", "caress"), ("ponies", "poni"), ("ties", "ti"), ("caress", "caress"), ("cats", "cat")),
        *(("feed", "feed"), ("agreed", "agre"), ("plastered", "plaster"), ("bled", "bled"), ("motoring", "motor"), ("sing", "sing")),
        *(("conflated", "conflat"), ("troubled", "troubl"), ("sized", "size"), ("hopping", "hop"), ("tanned", "tan"), ("falling", "fall")),
        *(("hissing", "hiss"), ("fizzed", "fizz"), ("failing", "fail"), ("filing", "file"), ("happy", "happi"), ("sky", "sky")),
        *(("relational", "relat"), ("conditional", "condit"), ("rational", "ration"), ("valenci", "valenc"), ("digitizer", "digit")),
        *(("conformabli", "conform"), ("radicalli", "radic"), ("differentli", "differ"), ("vileli", "vile"), ("analogousli", "analog")),
        *(("vietnamization", "vietnam"), ("predication", "predic"), ("operator", "oper"), ("feudalism", "feudal")),
        *(("decisiveness", "decis"), ("hopefulness", "hope"), ("callousness", "callous"), ("formaliti", "formal")),
        *(("sensitiviti", "sensit"), ("sensibiliti", "sensibl"), ("triplicate", "triplic"), ("formative", "form"), ("formalize", "formal")),
        *(("electriciti", "electr"), ("electrical", "electr"), ("hopeful", "hope"), ("goodness", "good"), ("revival", "reviv")),
        *(("allowance", "allow"), ("inference", "infer"), ("airliner", "airlin"), ("gyroscopic", "gyroscop"), ("adjustable", "adjust")),
        *(("replacement", "replac"), ("adjustment", "adjust"), ("dependent", "depend"), ("adoption", "adopt"), ("communism", "commun")),
        *(("activate", "activ"), ("angulariti", "angular"), ("effective", "effect"), ("bowdlerize", "bowdler")),
        *(("probate", "probat"), ("rate", "rate"), ("cease", "ceas"), ("controll", "control"), ("roll", "roll")),
    ],
)
def test_the_published_examples(word: str, expected: str) -> None:
    assert stem(word) == expected


@pytest.mark.parametrize(
    "forms",
    ["throttle throttled throttling throttles", "send sent sending", "lose lost losing loss", "synchronise synchronizing synchronised"],
)
def test_the_forms_of_a_word_have_one_stem(forms: str) -> None:
    assert len({stem(form) for form in forms.split()}) == 1


@pytest.mark.parametrize("word", ["", "a", "s", "the", "连接", "größe", "v2", "4711"])
def test_short_words_and_other_scripts_are_their_own_stems(word: str) -> None:
    assert stem(word) == word


@given(st.text(alphabet="abcdefghijklmnopqrstuvwxyz", max_size=20))
def test_any_word_has_a_stem_that_is_not_longer(word: str) -> None:
    assert len(stem(word)) <= len(word) + 1
    assert bool(stem(word)) == bool(word)
