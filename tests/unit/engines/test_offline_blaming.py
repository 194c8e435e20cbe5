"""What bad lines tell, and of whom."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from superbiz.analysis.faults import Seen
from superbiz.engines.offline import blaming


@pytest.mark.parametrize(
    ("text", "hosts"),
    [
        ("POST https://api.pay.example.com/v1/charges: 503", ["api.pay.example.com"]),
        ("HTTPSConnectionPool(host='api.maps.example.net', port=443)", ["api.maps.example.net"]),
        ("connect to auth-proxy.partners.internal:443 failed", ["auth-proxy.partners.internal"]),
        ("redis://user@cache.x1.use1.cache.amazonaws.com:6379 timed out", ["cache.x1.use1.cache.amazonaws.com"]),
        ("lookup Orders.shop.svc.cluster.local on 172.20.0.10:53", ["orders.shop.svc.cluster.local"]),
    ],
)
def test_a_host_is_found_where_a_url_or_its_ending_shows_it(text: str, hosts: list[str]) -> None:
    assert blaming.hosts(text) == hosts


@pytest.mark.parametrize(
    "text",
    ["at TLSSocket.emit (node:events:518:28)", "cursor.execute(sql)", "java.lang.NullPointerException at com.shop.app", "file main.go:12",
     "10.0.0.1:5432", "self.client.get(x)", "version 1.2.3", "mail to ops@shop.example.com"],
)  # fmt: skip
def test_code_files_packages_and_addresses_are_no_hosts(text: str) -> None:
    assert blaming.hosts(text) == []


def test_a_short_name_is_not_searched_for() -> None:
    assert blaming.named("the db and orders-db failed", ["db", "orders-db", "billing"]) == ["orders-db"]


def test_the_first_words_weigh_most() -> None:
    assert [(t.seen, t.share) for t in blaming.told("java.lang.NullPointerException: certificate has expired", [])] == [
        (Seen.CERTIFICATE, 1.0),
        (Seen.CODE_ERROR, 0.5),
    ]


def test_words_of_a_servers_limit_are_of_the_server_that_the_line_names() -> None:
    told = list(blaming.told("too many clients already", ["orders-db"]))
    assert [(t.seen, t.of) for t in told] == [(Seen.CONNECTIONS_REFUSED_BY_LIMIT, "orders-db"), (Seen.DEPENDENCY_FAILED, None)]
    alone = list(blaming.told("too many clients already", []))
    assert [(t.seen, t.of, t.heard) for t in alone] == [(Seen.CONNECTIONS_REFUSED_BY_LIMIT, None, True)]


def test_a_full_disk_is_the_speakers_own_unless_a_database_client_speaks() -> None:
    assert not next(blaming.told("OSError: [Errno 28] No space left on device", [])).heard
    assert next(blaming.told("PSQLException: could not extend file: No space left on device", [])).heard


def test_without_known_words_the_one_that_is_named_is_blamed() -> None:
    assert [(t.seen, t.of) for t in blaming.told("POST /entries failed: An I/O problem", ["orders-db"])] == [(Seen.BLAMED, "orders-db")]


def test_a_fault_of_the_speakers_own_blames_nobody() -> None:
    assert [t.of for t in blaming.told("java.lang.NullPointerException while calling orders-db", ["orders-db"])] == [None]


def test_warnings_count_as_bad_and_information_does_not() -> None:
    assert blaming.is_bad({"level": "warn"})
    assert blaming.is_bad({"bad_lines": 3})
    assert not blaming.is_bad({"level": "INFO", "template": "all is well"})


@given(st.text(max_size=200), st.lists(st.text(min_size=1, max_size=8), max_size=3))
def test_any_text_is_read(text: str, blamed: list[str]) -> None:
    assert all(0 < t.share <= 1 for t in blaming.told(text, blamed))
    assert all("." in host for host in blaming.hosts(text))
