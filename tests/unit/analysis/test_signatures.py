"""Faults that name themselves."""

import pytest

from superbiz.analysis import signatures
from superbiz.domain.claims import FaultCategory as F


@pytest.mark.parametrize(
    ("text", "category"),
    [
        ("HikariPool-1 - Connection is not available, request timed out after 30000ms", F.RESOURCE_EXHAUSTION),
        ("java.lang.OutOfMemoryError: Java heap space", F.RESOURCE_EXHAUSTION),
        ("write failed: No space left on device", F.RESOURCE_EXHAUSTION),
        ("ThrottlingException: Rate exceeded", F.RESOURCE_EXHAUSTION),
        ("AccessDenied: s3:GetObject", F.SECURITY),
        ("x509: certificate has expired", F.SECURITY),
        ("java.net.UnknownHostException: db.internal", F.NETWORK),
        ("dial tcp 10.0.0.1:5432: connection refused", F.NETWORK),
        ("ERROR: deadlock detected", F.DATA),
        ("Back-off restarting failed container", F.DEPLOYMENT),
        ("Could not resolve placeholder 'db.url'", F.CONFIGURATION),
        ("java.lang.NullPointerException", F.CODE_DEFECT),
        ("upstream request timeout", F.DEPENDENCY),
    ],
)
def test_a_fault_that_names_itself_has_its_category(text: str, category: F) -> None:
    found = signatures.signature_of(text)
    assert found is not None
    assert found.category is category


def test_a_pool_that_times_out_is_no_dependency_fault() -> None:
    """Words that name a cause stand above those that name an effect."""
    found = signatures.signature_of("timed out waiting for a database connection")
    assert found is not None
    assert found.name == "connection pool"


def test_an_ordinary_line_names_no_fault() -> None:
    assert signatures.signature_of("order 17 accepted") is None


def test_every_step_names_the_resource() -> None:
    assert all("{resource}" in s.step for s in signatures.SIGNATURES)
