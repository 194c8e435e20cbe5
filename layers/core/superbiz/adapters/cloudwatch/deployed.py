"""The live source of a run: about its alarm or its question, in the account and region that the alarm came from."""

from superbiz.adapters.cloudwatch.reaching import Home, clients_for
from superbiz.adapters.cloudwatch.session import Limits, Subject
from superbiz.adapters.cloudwatch.source import CloudWatchSource
from superbiz.domain import alarms
from superbiz.domain.incidents import AlarmNotice
from superbiz.domain.runs import RunRecord


def source_of(record: RunRecord, home: Home) -> CloudWatchSource:
    """Asks AWS nothing. The run's clock is the time that it was opened at: each step, and each try of a step, has the same window."""
    subject = subject_of(record, home)
    return CloudWatchSource(clients_for(subject, home), subject, record.run.created_at, Limits())


def subject_of(record: RunRecord, home: Home) -> Subject:
    """The alarm behind the run, else what was asked."""
    trigger = record.request.trigger
    notice = alarms.parse(trigger, stack_name=home.session) if trigger is not None else None
    if isinstance(notice, AlarmNotice):
        return Subject.of_notice(notice)
    return Subject(region=home.region, account=home.account, question=record.request.query)
