"""What commands print: nothing that a terminal would act on."""

import json

import pytest

from superbiz_cli.output import print_json, show_table

PLANTED = "a\x1b]8;;http://evil.example\x07b\u202ec\x9bd\U000e0041e"


def test_json_reads_back_as_it_was_and_holds_no_control(capsys: pytest.CaptureFixture[str]) -> None:
    print_json({"text": PLANTED})
    printed = capsys.readouterr().out
    assert json.loads(printed) == {"text": PLANTED}
    assert not set(printed) & set("\x1b\x07\u202e\x9b\U000e0041")


def test_a_cell_is_inert(capsys: pytest.CaptureFixture[str]) -> None:
    show_table({"text": "text"}, [{"text": PLANTED}])
    printed = capsys.readouterr().out
    assert not set(printed) & set("\x1b\x07\u202e\x9b\U000e0041")
    assert "http://" not in printed
