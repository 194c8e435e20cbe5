"""Knowledge and the CONTROL item: what every ledger does."""

from datetime import date, timedelta

import pytest

from superbiz.domain.control import Control
from superbiz.domain.knowledge import Chunk, Document, Domain
from superbiz.ports import Ledger
from support.builders import NOW

DAY = date(2026, 7, 8)


def a_document(name: str = "a", version: str = "v1", **fields: object) -> Document:
    given = {
        "document_id": f"doc-{name}",
        "domain_id": "shop",
        "title": f"Runbook {name}",
        "filename": f"{name}.md",
        "keys": (f"Alarm{name.upper()}", "/orders/{id}"),
        "version": version,
        "chunk_count": 3,
        "created_at": NOW,
        "updated_at": NOW,
    }
    return Document.model_validate(given | fields)


def chunks(document: Document, count: int = 3) -> list[Chunk]:
    return [
        Chunk(
            chunk_id=f"{document.document_id}-{document.version}-{n}",
            document_id=document.document_id,
            version=document.version,
            position=n,
            heading="Symptoms",
            text=f"text {n} of {document.version} 界",
        )
        for n in range(count)
    ]


# REQ-170
def test_a_domain_is_kept_and_changed(ledger: Ledger) -> None:
    assert list(ledger.domains()) == []
    for name in ("b", "a"):
        ledger.put_domain(Domain(domain_id=name, name=name.upper(), created_at=NOW))
    ledger.put_domain(Domain(domain_id="b", name="Bee", created_at=NOW))
    assert [(d.domain_id, d.name) for d in ledger.domains()] == [("a", "A"), ("b", "Bee")]


# REQ-170 REQ-171 REQ-172
def test_a_domain_groups_documents_and_a_document_chunks(ledger: Ledger) -> None:
    for name in ("a", "b"):
        ledger.put_document(a_document(name), chunks(a_document(name)))
    ledger.put_document(a_document("c", domain_id="other"), [])
    assert {d.document_id for d in ledger.documents("shop", 10, None).items} == {"doc-a", "doc-b"}
    assert {d.document_id for d in ledger.documents(None, 10, None).items} == {"doc-a", "doc-b", "doc-c"}
    assert ledger.documents("none", 10, None).items == []
    assert list(ledger.chunks("doc-a")) == chunks(a_document("a"))
    assert len(list(ledger.all_chunks())) == 6
    assert ledger.document("doc-a") == a_document("a")
    assert ledger.document("doc-x") is None
    assert list(ledger.chunks("doc-x")) == []


# REQ-171
def test_a_document_of_many_chunks_keeps_their_order(ledger: Ledger) -> None:
    ledger.put_document(a_document(), list(reversed(chunks(a_document(), 130))))
    assert [c.position for c in ledger.chunks("doc-a")] == list(range(130))


def test_a_new_version_replaces_chunks_and_keys(ledger: Ledger) -> None:
    ledger.put_document(a_document(), chunks(a_document(), 5))
    new = a_document(version="v2", keys=("AlarmB", "/orders/{id}"), domain_id="other")
    ledger.put_document(new, chunks(new, 2))
    assert list(ledger.chunks("doc-a")) == list(ledger.all_chunks()) == chunks(new, 2)
    assert list(ledger.by_key("AlarmA")) == []
    assert list(ledger.by_key("AlarmB")) == list(ledger.by_key("/orders/{id}")) == [new]
    assert ledger.documents("shop", 10, None).items == []
    assert ledger.documents("other", 10, None).items == [new]


def test_the_same_version_again_changes_nothing(ledger: Ledger) -> None:
    for _ in range(2):
        ledger.put_document(a_document(), chunks(a_document()))
    assert list(ledger.chunks("doc-a")) == chunks(a_document())
    assert list(ledger.by_key("AlarmA")) == [a_document()]


def test_a_key_finds_its_documents_however_it_is_written(ledger: Ledger) -> None:
    for name in ("a", "b"):
        ledger.put_document(a_document(name), [])
    assert [d.document_id for d in ledger.by_key("alarm-a")] == ["doc-a"]
    assert {d.document_id for d in ledger.by_key("/ORDERS/{order}/")} == {"doc-a", "doc-b"}
    assert list(ledger.by_key("")) == []
    assert list(ledger.by_key("alarm")) == []


def test_a_deleted_document_leaves_nothing(ledger: Ledger) -> None:
    ledger.put_document(a_document(), chunks(a_document()))
    assert ledger.delete_document("doc-a")
    assert not ledger.delete_document("doc-a")
    assert ledger.document("doc-a") is None
    assert (list(ledger.chunks("doc-a")), list(ledger.all_chunks()), list(ledger.by_key("AlarmA"))) == ([], [], [])
    assert ledger.documents(None, 10, None).items == []


def test_documents_come_in_pages_newest_first(ledger: Ledger) -> None:
    for n in range(5):
        ledger.put_document(a_document(str(n), created_at=NOW + timedelta(seconds=n)), [])
    for domain in ("shop", None):
        first = ledger.documents(domain, 3, None)
        second = ledger.documents(domain, 3, first.cursor)
        assert [d.document_id for d in [*first.items, *second.items]] == [f"doc-{n}" for n in (4, 3, 2, 1, 0)]
        assert second.cursor is None


def test_the_switches_start_off_and_move_alone(ledger: Ledger) -> None:
    assert ledger.control() == Control()
    assert ledger.switch(intake_paused=True).intake_paused
    assert ledger.switch() == ledger.control() == Control(intake_paused=True)
    assert ledger.switch(model_paused=True, intake_paused=False) == Control(model_paused=True)


def test_the_days_budget_is_taken_up_to_its_cap(ledger: Ledger) -> None:
    assert ledger.reserve_tokens(DAY, 60, 100)
    assert not ledger.reserve_tokens(DAY, 41, 100)
    assert ledger.reserve_tokens(DAY, 40, 100)
    assert not ledger.reserve_tokens(DAY, 1, 100)
    assert ledger.control().spent_tokens == 100


@pytest.mark.parametrize(("reserved", "used", "left"), [(60, 10, 10), (60, 60, 60), (60, 75, 75), (60, 0, 0)])
def test_what_a_call_did_not_use_is_given_back(ledger: Ledger, reserved: int, used: int, left: int) -> None:
    ledger.reserve_tokens(DAY, reserved, 100)
    ledger.settle_tokens(DAY, reserved, used)
    assert ledger.control().spent_tokens == left


def test_settling_twice_or_on_another_day_never_makes_the_sum_negative(ledger: Ledger) -> None:
    ledger.settle_tokens(DAY, 60, 10)
    ledger.reserve_tokens(DAY, 60, 100)
    ledger.settle_tokens(DAY + timedelta(days=1), 60, 10)
    assert ledger.control().spent_tokens == 60
    for _ in range(2):
        ledger.settle_tokens(DAY, 60, 10)
    assert ledger.control().spent_tokens == 0


def test_a_new_day_does_not_carry_on_the_sum_of_the_last(ledger: Ledger) -> None:
    next_day = DAY + timedelta(days=1)
    ledger.reserve_tokens(DAY, 10, 100)
    assert ledger.reserve_tokens(next_day, 20, 100)
    assert (ledger.control().budget_day, ledger.control().spent_tokens) == (next_day, 20)


def test_a_new_day_starts_at_nothing_and_an_old_one_does_not_come_back(ledger: Ledger) -> None:
    next_day = DAY + timedelta(days=1)
    ledger.reserve_tokens(DAY, 100, 100)
    assert not ledger.reserve_tokens(next_day, 101, 100)
    assert ledger.reserve_tokens(next_day, 70, 100)
    assert not ledger.reserve_tokens(DAY, 31, 100)
    assert ledger.reserve_tokens(DAY, 30, 100)
    assert (ledger.control().budget_day, ledger.control().spent_tokens) == (next_day, 100)


def test_the_breaker_opens_at_the_threshold_and_a_failed_probe_opens_it_again(ledger: Ledger) -> None:
    assert ledger.model_failed(NOW, 3, 60).open_until is None
    assert ledger.model_failed(NOW, 3, 60).open_until is None
    assert ledger.model_failed(NOW, 3, 60).open_until == NOW + timedelta(seconds=60)
    probe = NOW + timedelta(minutes=5)
    assert ledger.model_failed(probe, 3, 60).open_until == probe + timedelta(seconds=60)
    ledger.model_worked()
    assert (ledger.control().failures, ledger.control().open_until) == (0, None)
    assert ledger.model_failed(NOW, 3, 60).open_until is None


def test_success_between_failures_starts_the_count_again(ledger: Ledger) -> None:
    for _ in range(3):
        ledger.reserve_tokens(DAY, 1, 100)
        assert ledger.model_failed(NOW, 2, 60).open_until is None
        ledger.model_worked()
    assert ledger.control().failures == 0
