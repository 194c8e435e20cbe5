"""Markdown as knowledge reads it."""

import itertools
import time

from hypothesis import given
from hypothesis import strategies as st

from superbiz.domain import markdown

PAGE = """---
title: Kube API Down
weight: 20
alarms: [KubeAPIDown, 'Kube, quoted']
error-codes:
  - E1001
  - "E 1002"  # the old one
empty:
---

lead

# KubeAPIDown

## Meaning
text of meaning

```shell
# not a heading
```

## Empty

## Steps
### First
do
"""


def paths(body: str) -> list[tuple[str, ...]]:
    return [s.path for s in markdown.sections(body)]


def test_front_matter_gives_scalars_and_both_kinds_of_lists() -> None:
    meta, body = markdown.front_matter(PAGE)
    assert meta["title"] == ("Kube API Down",)
    assert meta["alarms"] == ("KubeAPIDown", "Kube, quoted")
    assert meta["error_codes"][0] == "E1001"
    assert meta["empty"] == ()
    assert body.lstrip().startswith("lead")


def test_a_rule_at_the_top_without_its_end_is_text() -> None:
    assert markdown.front_matter("---\nnot: closed\ntext") == ({}, "---\nnot: closed\ntext")


def test_sections_carry_the_headings_above_them() -> None:
    _, body = markdown.front_matter(PAGE)
    assert paths(body) == [
        (),
        ("KubeAPIDown", "Meaning"),
        ("KubeAPIDown",),
        ("KubeAPIDown", "Steps", "First"),
    ]


def test_a_heading_over_nothing_is_text_of_its_parent() -> None:
    body = "# A\n\n## B\n\n## C\ntext"
    found = {s.path: body[s.start : s.end].strip() for s in markdown.sections(body)}
    assert found == {("A",): "## B", ("A", "C"): "text"}


def test_a_hash_inside_a_fence_is_no_heading() -> None:
    assert paths("# A\n```\n# no\n```\ntext") == [("A",)]
    assert paths("# A\n1. do\n   ~~~~\n# no\n~~~\n# no\n   ~~~~\n# B\nx") == [("A",), ("B",)]


def test_an_open_fence_reaches_to_the_end() -> None:
    assert paths("# A\n```\n# no\n") == [("A",)]


def test_underlined_headings_count_only_under_one_line_of_text() -> None:
    assert paths("Top\n===\nx\n\nSub\n---\ny") == [("Top",), ("Top", "Sub")]
    assert paths("one\ntwo\n---\nx") == [()]
    assert paths("- item\n---\nx") == [()]


def test_a_heading_too_long_to_be_one_is_text() -> None:
    assert paths("# " + "a" * 300) == [()]


def test_hostile_lines_are_read_in_linear_time() -> None:
    started = time.process_time()
    for line in ("# " + " " * 300_000 + "x", "`" * 300_000, "-" * 300_000 + "x", "---\n" + "k: [" + "'" * 300_000):
        markdown.sections(line)
        markdown.front_matter(line)
    assert time.process_time() - started < 2


@given(st.text(alphabet="# `~=-\n\tab中。:[]'", max_size=300))
def test_every_character_lies_in_a_heading_or_a_section(body: str) -> None:
    sections = markdown.sections(body)
    kept = "".join(body[s.start : s.end] for s in sections) + "".join(h for s in sections for h in s.path)
    for mark in "ab中。:":
        assert (mark in body) == (mark in kept)
    assert all(a.end <= b.start for a, b in itertools.pairwise(sections))


@given(st.text(max_size=500))
def test_lines_cover_any_text(body: str) -> None:
    lines = list(markdown.lines_of(body))
    assert lines[0].start == 0
    assert lines[-1].end == len(body)
    assert all(a.end == b.start for a, b in itertools.pairwise(lines))
