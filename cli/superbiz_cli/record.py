"""`superbiz record`: a live account in, a world out."""

import json
import os
import re
import secrets
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

from superbiz.domain.values import JsonObject, Window, to_utc
from superbiz.errors import Invalid, Unavailable
from superbiz.ports import SourceUnavailable
from superbiz_cli.output import err, out

if TYPE_CHECKING:
    from superbiz.adapters.cloudwatch.session import Clients, Reach, Subject
    from superbiz.adapters.snapshot.recording import Reads, Recorded

LENGTH = re.compile(r"(\d{1,5})(m|h|d)")
UNITS = {"m": "minutes", "h": "hours", "d": "days"}
LONGEST = timedelta(days=14)
SETTLED = timedelta(minutes=10)  # after a window of the past: by then its data has arrived
REGION = re.compile(r"[a-z]{2,}(-[a-z]+)+-\d{1,2}")
ACCOUNT = re.compile(r"\d{12}")
DENIED = re.compile(r"AccessDenied: ([a-z0-9-]+:[A-Za-z]+)")
GUIDE = "docs/how-to/connect-an-account.md"


class Wanted(NamedTuple):
    """What is to be recorded, and as of when."""

    alarm: str | None
    question: str | None
    window: Window
    now: datetime


def add_to(app: typer.Typer) -> None:
    """Register the command."""
    app.command()(record)


def record(
    target: Annotated[Path, typer.Option("--out", help="The folder to make, a world.", show_default=False)],
    alarm: Annotated[str | None, typer.Option(help="The alarm that the incident began with.", show_default=False)] = None,
    question: Annotated[str | None, typer.Option(help="Or what a person asked.", show_default=False)] = None,
    window: Annotated[str, typer.Option(help="How far back (45m, 3h), or START/END in ISO-8601 with Z.")] = "45m",
    region: Annotated[str | None, typer.Option(help="Default: that of your credentials.", show_default=False)] = None,
    account: Annotated[
        str | None, typer.Option(help="The account to read, with --role-arn where it is not yours.", show_default=False)
    ] = None,
    role_arn: Annotated[str | None, typer.Option(help="A role to assume for it.", show_default=False)] = None,
    external_id: Annotated[str | None, typer.Option(help="What that role asks for.", show_default=False)] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace the world that stands in the folder.")] = False,
) -> None:
    """Record an incident from a live account, with your own credentials: read only, secrets replaced.

    What could not be read is told at the end, each missing permission with a policy that grants it. The world can be diagnosed at once.
    """
    from superbiz.adapters.snapshot.recording import make_room

    wanted = _wanted(alarm, question, window, _now())
    reach = _reach(region, account, role_arn, external_id)
    make_room(target, force=force)
    _try_out(target)
    clients = _connected(reach)
    recorded = _recorded(wanted, clients, target)
    _tell(recorded, target, clients.reach)


def _try_out(target: Path) -> None:
    """Raises Invalid where no folder can be made beside the target, before an account is read for it; leaves nothing behind."""
    missing = [folder for folder in target.resolve().parents if not folder.exists()]
    part = _part(target)
    try:
        part.mkdir(parents=True)
        part.rmdir()
        for folder in missing:
            folder.rmdir()
    except OSError as e:
        raise Invalid(f"can not make --out {target}: {e.strerror}", mend="name a folder in one that can be written") from e


def _part(target: Path) -> Path:
    """Where a world is written until it is whole."""
    return target.with_name(f".{target.name}.{os.getpid()}.part")


def _now() -> datetime:
    return datetime.now(UTC).replace(microsecond=0)


def _wanted(alarm: str | None, question: str | None, window: str, now: datetime) -> Wanted:
    if bool(alarm) == bool(question and question.strip()):
        raise Invalid("name one --alarm, or ask one --question", mend="superbiz record --help")
    span = _window(window, now)
    return Wanted(alarm, question, span, min(now, span.end + SETTLED))


def _window(given: str, now: datetime) -> Window:
    """Raises Invalid where it is none, or longer than data is worth reading for."""
    mend = "write how far back (45m, 3h, 1d), or START/END in ISO-8601 with Z"
    length = LENGTH.fullmatch(given)
    try:
        if length:
            start, end = now - timedelta(**{UNITS[length[2]]: int(length[1])}), now
        else:
            start, end = (datetime.fromisoformat(part) for part in given.split("/"))
    except (ValueError, OverflowError) as e:
        raise Invalid(f"--window {given} is neither a length nor two times", mend=mend) from e
    if start.tzinfo is None or end.tzinfo is None:
        raise Invalid(f"--window {given}: a time without a zone", mend=mend)
    found = Window(start=to_utc(start), end=min(to_utc(end), now))
    if not timedelta(0) < found.end - found.start <= LONGEST:
        raise Invalid(f"--window {given}: it must begin before it ends and before now, and last {LONGEST.days} days at most", mend=mend)
    return found


def _reach(region: str | None, account: str | None, role_arn: str | None, external_id: str | None) -> "Reach":
    from superbiz.adapters.cloudwatch.session import Reach

    if region is not None and not REGION.fullmatch(region):
        raise Invalid(f"--region {region} is no region's name", mend="it reads like eu-west-1")
    if account is not None and not ACCOUNT.fullmatch(account):
        raise Invalid(f"--account {account} is no account's number", mend="it has 12 digits, without dashes")
    if external_id and not role_arn:
        raise Invalid("--external-id is for assuming a role, and none is named", mend="name the role with --role-arn")
    if role_arn and not re.fullmatch(r"arn:aws[a-z-]*:iam::\d{12}:role/.+", role_arn):
        raise Invalid(f"--role-arn {role_arn} is no role's ARN", mend="it reads arn:aws:iam::<account>:role/<name>")
    of_role = role_arn.split(":")[4] if role_arn else None
    if account and of_role and account != of_role:
        raise Invalid(f"the role is of account {of_role}, not of {account}", mend="name a role of the account to be read")
    return Reach(region or _own_region(), account or of_role, role_arn, external_id, "superbiz-record")


def _own_region() -> str:
    """That of the caller's profile or environment."""
    import boto3

    from superbiz.adapters.cloudwatch.session import setting_up

    try:
        with setting_up():
            place = boto3.Session().region_name
    except SourceUnavailable as e:
        raise _out_of_reach(e) from e
    if not place:
        raise Invalid("no region is known", mend="name one with --region, or set AWS_REGION")
    return str(place)


def _out_of_reach(error: SourceUnavailable) -> Unavailable:
    """With the mend of its kind: logging in helps no network."""
    from superbiz.adapters.cloudwatch.session import MISCONFIGURED, UNREACHABLE

    if error.code == UNREACHABLE:
        return Unavailable(f"can not reach AWS: {error.why}", mend="check the network, the proxy, and VPC endpoints where there are any")
    if error.code == MISCONFIGURED:
        mend = "see ~/.aws/config and ~/.aws/credentials, and which variables AWS_… are set (`aws configure list`)"
        return Unavailable(f"AWS is not set up: {error.why}", mend=mend)
    return Unavailable(str(error), mend="log in to AWS, and with --role-arn see that the role may be assumed")


def _connected(reach: "Reach") -> "Clients":
    """Clients of the account that the credentials really are of. Raises Unavailable without any, Invalid where they are another's."""
    from superbiz.adapters.cloudwatch.asking import ask

    clients = _clients(reach)
    try:
        account = str(ask(clients, "credentials", "sts", "GetCallerIdentity").get("Account", ""))
    except SourceUnavailable as e:
        raise _out_of_reach(e) from e
    if reach.account and account != reach.account:
        raise Invalid(f"your credentials are of account {account}, not of {reach.account}", mend="assume a role there with --role-arn")
    return _clients(replace(reach, account=account))


def _clients(reach: "Reach") -> "Clients":
    from superbiz.adapters.cloudwatch.session import Clients

    return Clients(reach)


def _recorded(wanted: Wanted, clients: "Clients", target: Path) -> "Recorded":
    """Written beside the target and moved there whole."""
    import shutil

    from superbiz.adapters.cloudwatch.session import Limits
    from superbiz.adapters.cloudwatch.source import CloudWatchSource
    from superbiz.adapters.redaction import SecretRedactor
    from superbiz.adapters.snapshot import recording
    from superbiz.settings import settings

    subject, trigger = _subject(wanted, clients)
    source = CloudWatchSource(clients, subject, wanted.now, Limits(), clock=_now)
    place = clients.reach
    head = recording.Head(_id(target), place.region, place.account or "", "superbiz record", trigger, wanted.question)
    part = _part(target)
    try:
        with err.status(f"reading account {place.account} in {place.region}"):
            redactor = SecretRedactor(secrets.token_bytes(32), settings().redact_ips)
            found = recording.write_world(part, source, head, _reads(wanted), redactor, lambda line: err.print(line, markup=False))
        if found.counts:
            recording.replace(target, part)
    finally:
        shutil.rmtree(part, ignore_errors=True)
    return found


def _subject(wanted: Wanted, clients: "Clients") -> "tuple[Subject, JsonObject | None]":
    """What the run will be about, and the event that starts it; a question has none."""
    from superbiz.adapters.cloudwatch.event import NOT_FOUND, event_of
    from superbiz.adapters.cloudwatch.session import Subject
    from superbiz.domain import alarms
    from superbiz.domain.incidents import AlarmNotice

    place = clients.reach
    if wanted.alarm is None:
        return Subject(region=place.region, account=place.account or "", question=wanted.question or "", window=wanted.window), None
    try:
        event = event_of(clients, wanted.alarm, wanted.window)
    except SourceUnavailable as e:
        if e.code == NOT_FOUND:
            raise Invalid(str(e), mend="see its name in the console, and give --region where it is in another") from e
        raise Unavailable(str(e), mend=f"see {GUIDE}") from e
    notice = alarms.parse(event, stack_name="")
    if not isinstance(notice, AlarmNotice):
        raise Invalid(f"alarm {wanted.alarm} can not be diagnosed: {notice.reason}")
    return replace(Subject.of_notice(notice), window=wanted.window), event


def _reads(wanted: Wanted) -> "Reads":
    """What the tools ask a source for when a run is about this window."""
    from superbiz.adapters.snapshot.recording import Reads
    from superbiz.tools import list_changes, reading

    window = wanted.window
    both = (reading.hour_before(window), window)
    end = max(min(window.end + reading.AFTERMATH, wanted.now + reading.AFTERMATH), window.end)
    metrics = Window(start=window.start - reading.LOOKBACK, end=end)
    return Reads(window, metrics, both, both, Window(start=window.start - list_changes.LOOKBACK, end=window.end))


def _id(target: Path) -> str:
    """The folder's name, as far as a world's id may look like it."""
    return re.sub(r"[^A-Za-z0-9._-]+", "-", target.resolve().name).strip("-._")[:128] or "world"


def _tell(found: "Recorded", target: Path, place: "Reach") -> None:
    """What is in the world, what is not and why, and what would mend it."""
    if found.counts:
        out.print(f"{target}: " + ", ".join(f"{count} {part}" for part, count in found.counts.items()), markup=False)
    for part, e in found.missing.items():
        out.print(f"not read: {e}" if e.what.replace(" ", "_") == part else f"not read: {part}: {e}", markup=False)
    for note in found.notes:
        out.print(f"note: {note}", markup=False)
    denied = _denied(found)
    if denied:
        _mend(denied, place)
    if not found.counts:
        raise Unavailable("nothing could be read, and no world was written", mend=f"see {GUIDE}")


def _denied(found: "Recorded") -> list[str]:
    """The actions that AWS refused, each once."""
    said = [*(e.why for e in found.missing.values()), *found.notes]
    return list(dict.fromkeys(action for sentence in said for action in DENIED.findall(sentence)))


def _mend(denied: list[str], place: "Reach") -> None:
    from superbiz.adapters.cloudwatch.actions import policy
    from superbiz.adapters.cloudwatch.reaching import partition_of

    out.print(f"\nMissing permissions: {', '.join(denied)}")
    out.print(f"Attach this policy to the role or user that you recorded with (the whole of it: {GUIDE}):", markup=False)
    out.print(json.dumps(policy(place.account or "*", partition_of(place.region), denied), indent=2), markup=False)
