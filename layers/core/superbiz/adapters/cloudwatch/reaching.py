"""Which account and region a run reads, and with which credentials: ours at home, an assumed role elsewhere."""

import re
from collections.abc import Callable
from functools import lru_cache
from typing import Any, NamedTuple, NoReturn

from superbiz.adapters.cloudwatch.session import Clients, Reach, Subject
from superbiz.ports import SourceUnavailable

REGION = re.compile(r"[a-z]{2}(-[a-z]+)+-\d{1,2}")
ACCOUNT = re.compile(r"\d{12}")
PARTITIONS = {"cn-": "aws-cn", "us-gov-": "aws-us-gov", "us-iso-": "aws-iso", "us-isob-": "aws-iso-b"}
NO_ROLE = "there is no role to read account {} with: deploy with EvidenceRoleName, a role there that this stack's executor may assume"
MOST_CLIENTS = 8


class Home(NamedTuple):
    """Where the product itself runs. `role_name` is the role that each other account keeps for it; `session` names its sessions there."""

    region: str
    account: str
    role_name: str = ""
    external_id: str = ""
    session: str = "superbiz"


def reach_of(subject: Subject, home: Home) -> Reach:
    """Raises SourceUnavailable, with what to set, for an account that there is no role for. An alarm from elsewhere than AWS is at home."""
    region = subject.region if REGION.fullmatch(subject.region) else home.region
    account = subject.account if ACCOUNT.fullmatch(subject.account) else home.account
    if not home.account or account == home.account:
        return Reach(region, account, session_name=home.session)
    if not home.role_name:
        raise SourceUnavailable(f"account {account}", NO_ROLE.format(account))
    return Reach(region, account, role_arn(region, account, home.role_name), home.external_id or None, home.session)


def role_arn(region: str, account: str, name: str) -> str:
    """In the region's partition."""
    return f"arn:{partition_of(region)}:iam::{account}:role/{name.lstrip('/')}"


def partition_of(region: str) -> str:
    """`aws` everywhere but in China, GovCloud and the isolated regions."""
    return next((partition for prefix, partition in PARTITIONS.items() if region.startswith(prefix)), "aws")


@lru_cache(maxsize=MOST_CLIENTS)
def clients_of(reach: Reach) -> Clients:
    """One set of clients for each account, region and role, however many runs read it."""
    return Clients(reach)


def clients_for(subject: Subject, home: Home) -> Clients:
    """Clients for what the run is about; where it can not be reached, clients that say so whatever they are asked."""
    try:
        return clients_of(reach_of(subject, home))
    except SourceUnavailable as e:
        return Clients(Reach(home.region, subject.account), _refusing(e))


def _refusing(why: SourceUnavailable) -> Callable[..., Any]:
    def refuse(_service: str, **_given: Any) -> NoReturn:
        raise SourceUnavailable(why.what, why.why, why.code)

    return refuse
