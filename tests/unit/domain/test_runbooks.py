"""Steps of runbooks, read from their sections."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from superbiz.domain import runbooks
from superbiz.domain.runbooks import Kind, Step

CONSOLE = """Look at the pods:

```console
$ kubectl get pods -n shop
NAME     READY   STATUS
cart-0   0/1     CrashLoopBackOff
$ kubectl logs cart-0 -n shop
```
"""


def texts(heading: str, text: str) -> list[str]:
    return [step.text for step in runbooks.steps(heading, text)]


@pytest.mark.parametrize(
    ("heading", "kind"),
    [
        ("Pool dry > Mitigation", Kind.ACT),
        ("Pool dry > How to fix it", Kind.ACT),
        ("Pool dry > Steps > Second", Kind.ACT),
        ("连接池耗尽 > 处理步骤", Kind.ACT),
        ("连接池耗尽 > 故障排查", Kind.LOOK),
        ("Pool dry > Diagnosis", Kind.LOOK),
        ("Pool dry > Mitigation > Background", Kind.TELL),
        ("Pool dry > Impact", Kind.TELL),
        ("连接池耗尽 > 影响", Kind.TELL),
        ("Pool dry > Transactions", Kind.OTHER),
        ("How to fix a dry pool", Kind.OTHER),
    ],
)
def test_the_innermost_heading_that_says_it_tells_what_a_section_is_for(heading: str, kind: Kind) -> None:
    assert runbooks.kind_of(heading) is kind


@pytest.mark.parametrize("mark", ["- ", "* ", "1. ", "2) ", "- [ ] ", "3、", "（4）", "二、", "步骤5：", "• "])
def test_items_of_any_list_are_steps(mark: str) -> None:
    assert texts("Page > Notes of the team", f"Some words.\n{mark}Raise the size of the pool") == []
    assert texts("Page > Old tricks", f"Some words.\n{mark}Raise the size of the pool") == ["Raise the size of the pool"]


def test_an_item_goes_on_in_the_next_line_and_ends_before_its_own_items() -> None:
    text = "- Raise the size of the pool\n  in the parameter group.\n  - small steps only, please\n- Restart the oldest pods."
    first, second = runbooks.steps("Page > Mitigation", text)
    assert (first.passage, first.text) == (
        "Raise the size of the pool\n  in the parameter group.",
        "Raise the size of the pool in the parameter group.",
    )
    assert second.text == "Restart the oldest pods."


def test_a_section_without_a_list_has_its_sentences() -> None:
    text = "Drain the node, e.g. with kubectl. Then replace it!\n\nTODO"
    assert texts("Page > Mitigation", text) == ["Drain the node, e.g. with kubectl.", "Then replace it!"]
    assert texts("Page > 处理步骤", "先重启网关。再扩容！") == ["先重启网关。", "再扩容！"]
    assert texts("Page > Meaning", text) == []
    assert texts("Page", text) == []


def test_commands_stand_as_they_are_and_what_they_print_does_not() -> None:
    commands = [s for s in runbooks.steps("Page > Diagnosis", CONSOLE) if s.command]
    assert [s.text for s in commands] == ["kubectl get pods -n shop", "kubectl logs cart-0 -n shop"]
    assert all(s.passage in CONSOLE for s in commands)


@pytest.mark.parametrize(
    ("fence", "expected"),
    [
        ("```sh\naws rds reboot-db-instance --db-instance-identifier orders\n```", 1),
        ("```\nkubectl rollout undo deployment/cart\n```", 1),
        ("```\nNAME READY\ncart 0/1\n```", 0),
        ("```\nkubectl get pods\n\nNAME READY\ncart 0/1\n```", 1),
        ("```promql\nrate(errors_total[5m])\n```", 0),
        ("```\nsum by (pod) (errors)\n```", 0),
        ("```yaml\nreplicas: 3\n```", 0),
        ("```sql\nSELECT pg_terminate_backend(17);\n```", 1),
        ("```bash\n# a comment\nls \\\n```", 0),
        ("```bash\nkubectl drain node-1", 1),
    ],
)
def test_only_what_can_be_run_is_a_command(fence: str, expected: int) -> None:
    assert len(runbooks.steps("Page > Mitigation", fence)) == expected
    assert runbooks.steps("Page > Meaning", fence) == runbooks.steps("Page", fence) == []


@pytest.mark.parametrize(
    "nothing", ["TODO", "n/a", "See [docs](https://example.com/a)", "https://example.com", "Do the following:", "short", "| a | b |", ""]
)
def test_what_asks_for_nothing_is_no_step(nothing: str) -> None:
    assert runbooks.steps("Page > Mitigation", nothing) == []


def test_a_passage_that_begins_amid_a_sentence_has_no_step_there() -> None:
    assert texts("Page > Mitigation", "because the pool was dry. Raise the pool size.") == ["Raise the pool size."]


def test_what_acts_comes_before_what_looks_and_what_is_asked_for_before_what_is_told() -> None:
    look = Step("Check the logs of the pods", Kind.LOOK, item=True)
    told = Step("The pool was too small in most cases", Kind.ACT)
    asked = Step("Raise the pool size of the service", Kind.ACT)
    command = Step("kubectl get pods", Kind.ACT, command=True)
    assert runbooks.first([look, told, asked, command, asked], 3) == [asked, command, told]


@given(st.text(max_size=300), st.sampled_from(["Page", "Page > Mitigation", "Page > Diagnosis > x", "Page > Impact"]))
def test_every_step_stands_word_for_word_in_its_passage(text: str, heading: str) -> None:
    for step in runbooks.steps(heading, text):
        assert step.passage in text
        assert 0 < len(step.text) <= runbooks.LONGEST
