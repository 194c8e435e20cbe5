"""From signs to a conclusion: the policy table, row by row."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from superbiz.analysis import deciding
from superbiz.analysis.deciding import Channel, Picture, Sign, Symptom
from superbiz.domain.claims import Conclusion, FaultCategory

SURE = Sign("orders", Channel.CONDITION, 3.0, FaultCategory.RESOURCE_EXHAUSTION)
FAINT = Sign("orders", Channel.SUSPECT, 0.4)
MOST = Sign("orders", Channel.SUSPECT, 1.6)
FELT = Sign("orders", Channel.SYMPTOM, 1.2)
CHANGED = Sign("orders", Channel.CHANGE, 1.4, FaultCategory.DEPLOYMENT)


def conclusion(symptom: Symptom | None, *signs: Sign, measured: bool = True) -> Conclusion:
    return deciding.decide(Picture(symptom, deciding.rank(signs), measured)).conclusion


@pytest.mark.parametrize(
    ("symptom", "signs", "measured", "expected"),
    [
        (None, (), False, Conclusion.INCONCLUSIVE),
        (Symptom(0.9, 1.0), (SURE,), True, Conclusion.ROOT_CAUSE),
        (Symptom(0.001, 0.001, 30), (MOST,), True, Conclusion.ROOT_CAUSE),
        (Symptom(0.001, 0.001, 30), (FAINT,), True, Conclusion.INCONCLUSIVE),
        (Symptom(0.001, 0.001, 30, recovered=True), (FAINT,), True, Conclusion.NO_FAULT),
        (Symptom(0.001, 1.0, mild=True), (FAINT,), True, Conclusion.NO_FAULT),
        (Symptom(0.2, 0.3, pressed=True), (FAINT,), True, Conclusion.INCONCLUSIVE),
        (Symptom(0.001, 0.001, proportional=True), (MOST,), True, Conclusion.NO_FAULT),
        (Symptom(0.15, 0.0001, 30), (MOST,), True, Conclusion.ROOT_CAUSE),
        (Symptom(0.15, 0.002, 30), (FAINT,), True, Conclusion.NO_FAULT),
        (Symptom(0.6, 0.000001, 30), (FAINT,), True, Conclusion.NO_FAULT),
        (Symptom(0.2, 0.3), (FAINT,), True, Conclusion.NO_FAULT),
        (Symptom(0.001, 1.0), (), True, Conclusion.INCONCLUSIVE),
        (Symptom(0.000001, 0.000001), (FELT,), True, Conclusion.INCONCLUSIVE),
        (Symptom(0.000001, 0.000001), (FELT, CHANGED), True, Conclusion.INCONCLUSIVE),
        (None, (FAINT,), True, Conclusion.INCONCLUSIVE),
        (None, (Sign("orders", Channel.STEP, 0.8),), True, Conclusion.ROOT_CAUSE),
        (None, (CHANGED,), True, Conclusion.INCONCLUSIVE),
        (None, (), True, Conclusion.INCONCLUSIVE),
    ],
    ids=[
        "nothing measured", "a telling sign", "symptom and suspect rare", "a suspect that explains little",
        "a symptom that is over", "a symptom within its widths",
        "at its limit, as ever", "as many errors a request as ever", "a suspect rare among thirty", "one of thirty is always odd",
        "an everyday symptom", "both ordinary", "a symptom without a suspect", "only the symptom itself",
        "a change proves nothing",
        "a faint suspect without a symptom", "a first suspect that stands out", "a change alone", "all quiet",
    ],
)  # fmt: skip
def test_the_policy(symptom: Symptom | None, signs: tuple[Sign, ...], measured: bool, expected: Conclusion) -> None:
    assert conclusion(symptom, *signs, measured=measured) is expected


def test_signs_of_several_channels_add_and_of_one_do_not() -> None:
    one, two = Sign("a", Channel.STEP, 1.0), Sign("a", Channel.BURST, 1.0)
    assert deciding.rank([one, two])[0].strength == pytest.approx(2**0.5)
    assert deciding.rank([one, one])[0].strength == 1


def test_equal_evidence_has_equal_score() -> None:
    found = deciding.rank([Sign("b", Channel.STEP, 1.0), Sign("a", Channel.STEP, 1.0)])
    assert [c.resource for c in found] == ["a", "b"]
    assert found[0].score == found[1].score


def test_the_category_is_the_strongest_signs_that_names_one() -> None:
    found = deciding.rank([Sign("a", Channel.SUSPECT, 9.0), Sign("a", Channel.BURST, 1.0, FaultCategory.DATA)])[0]
    assert found.category is FaultCategory.DATA


SIGNS = st.builds(Sign, st.sampled_from(["a", "b", "c"]), st.sampled_from(Channel), st.floats(-1, 50), st.sampled_from(FaultCategory))


@given(st.lists(SIGNS, max_size=12))
def test_scores_lie_between_0_and_1_and_follow_the_rank(signs: list[Sign]) -> None:
    found = deciding.rank(signs)
    scores = [c.score for c in found]
    assert all(0 <= s <= 1 for s in scores)
    assert scores == sorted(scores, reverse=True)
    assert [c.strength for c in found] == sorted((c.strength for c in found), reverse=True)


@given(
    st.lists(SIGNS, max_size=5),
    st.one_of(st.none(), st.builds(Symptom, st.floats(0, 1), st.floats(0, 1), st.integers(1, 99))),
    st.booleans(),
)
def test_every_picture_has_a_conclusion(signs: list[Sign], symptom: Symptom | None, measured: bool) -> None:
    rule = deciding.decide(Picture(symptom, deciding.rank(signs), measured))
    assert rule in deciding.RULES
    if not signs:
        assert rule.conclusion is not Conclusion.ROOT_CAUSE
    if symptom is None:
        assert rule.conclusion is not Conclusion.NO_FAULT, "health needs a positive observation"
