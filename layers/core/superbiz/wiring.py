"""Which adapter stands behind which port. The only module that knows them all; each is imported and made on first use."""

from collections.abc import Callable
from functools import cache, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, TypedDict

from superbiz.adapters.clock import SystemClock
from superbiz.domain.runs import EngineName, Run, RunRecord
from superbiz.errors import Broken
from superbiz.ports import Clock, Engine, EvidenceSource, Knowledge, Ledger, Objects, Ports, Redactor, Toolbox, ToolboxOrder, VectorIndex
from superbiz.settings import Settings, settings

if TYPE_CHECKING:
    from superbiz.adapters.knowledge_index import KnowledgeIndex

Evidence = Callable[[RunRecord], EvidenceSource]


@lru_cache(maxsize=1)
def ports() -> Ports:
    """The ports of this process, by its environment."""
    return on_aws(settings())


def on_aws(given: Settings) -> Ports:
    """The deployed product, or the local stack: the same adapters."""
    from superbiz.adapters.machine import StepFunctionsMachine
    from superbiz.adapters.notifier import AwsNotifier
    from superbiz.adapters.objects import S3Objects
    from superbiz.adapters.queue import SqsQueue
    from superbiz.adapters.reach import reach
    from superbiz.adapters.table import DynamoLedger

    objects = S3Objects(given.bucket_name)
    ledger = DynamoLedger(given.table_name, objects)
    return Ports(
        settings=given,
        clock=SystemClock(),
        ledger=ledger,
        objects=objects,
        machine=StepFunctionsMachine(given.state_machine_arn),
        queue=SqsQueue(evaluation_url=given.evaluation_queue_url, intake_url=given.intake_queue_url),
        notifier=AwsNotifier(topic_arn=given.topic_arn, event_bus_name=given.event_bus_name, source=given.stack_name),
        reach=reach,
        **_factories(given, SystemClock(), ledger, objects, _evidence(given)),
    )


def in_process(source: EvidenceSource, given: Settings | None = None) -> Ports:
    """Everything in memory, over one evidence source: for the command line and for tests."""
    from superbiz.adapters.memory import MemoryLedger, MemoryObjects

    return over(source, MemoryLedger(), MemoryObjects(), given or settings())


def over(source: EvidenceSource, ledger: Ledger, objects: Objects, given: Settings) -> Ports:
    """Runs in this process, over one evidence source and a ledger of one's choice."""
    from superbiz.adapters.memory_ports import MemoryMachine, MemoryNotifier, MemoryQueue

    return Ports(
        settings=given,
        clock=SystemClock(),
        ledger=ledger,
        objects=objects,
        machine=MemoryMachine(),
        queue=MemoryQueue(),
        notifier=MemoryNotifier(),
        **_factories(given, SystemClock(), ledger, objects, lambda _record: source),
    )


def _evidence(given: Settings) -> Evidence:
    """A recorded world where one is named (read once a process), else the account and region of the run's alarm."""

    @cache
    def world() -> EvidenceSource:
        from superbiz.adapters.snapshot import SnapshotSource

        return SnapshotSource(Path(given.world_dir))

    if given.world_dir:
        return lambda _record: world()

    def live(record: RunRecord) -> EvidenceSource:
        from superbiz.adapters.cloudwatch.deployed import source_of
        from superbiz.adapters.cloudwatch.reaching import Home

        home = Home(given.stack_region, given.stack_account, given.evidence_role_name, given.evidence_external_id, given.stack_name)
        return source_of(record, home)

    return live


class _Factories(TypedDict):
    evidence: Evidence
    toolbox: Callable[[ToolboxOrder], Toolbox]
    engine: Callable[[Run], Engine]
    offline: Callable[[], Engine]
    vector_index: Callable[[], VectorIndex]
    knowledge: Callable[[], Knowledge]
    redactor: Callable[[str], Redactor]


def _factories(
    given: Settings, clock: Clock, ledger: Ledger, objects: Objects, evidence: Callable[[RunRecord], EvidenceSource]
) -> _Factories:
    index = cache(lambda: _index(given, ledger, objects))
    offline = cache(_offline)
    redactor = _redactors(given)
    model = cache(lambda: _model(given, clock, ledger, offline(), redactor))

    @lru_cache(maxsize=1)
    def knowledge_of(source: EvidenceSource) -> Knowledge:
        from superbiz.adapters.world_knowledge import with_runbooks

        return with_runbooks(source, index())  # a world's runbooks are encoded once a process

    def toolbox(order: ToolboxOrder) -> Toolbox:
        from superbiz.tools import TOOLS
        from superbiz.tools.recorder import RecordingToolbox

        return RecordingToolbox(
            order.run,
            order.step_index,
            order.round,
            TOOLS,
            order.source,
            ledger,
            redactor(order.run.run_id),
            clock,
            knowledge_of(order.source),
            order.limits,
            order.file,
        )

    def engine(run: Run) -> Engine:
        return offline() if run.engine is EngineName.OFFLINE or run.degraded else model()

    return _Factories(
        evidence=evidence, toolbox=toolbox, engine=engine, offline=offline, vector_index=index, knowledge=index, redactor=redactor
    )


def _redactors(given: Settings) -> Callable[[str], Redactor]:
    @lru_cache(maxsize=4)
    def redactor(run_id: str) -> Redactor:
        from superbiz.adapters.redaction import SecretRedactor

        return SecretRedactor(run_id.encode(), given.redact_ips)

    return redactor


def _index(given: Settings, ledger: Ledger, objects: Objects) -> "KnowledgeIndex":
    from superbiz.adapters import encoder
    from superbiz.adapters.exact_index import ExactIndex
    from superbiz.adapters.knowledge_index import KnowledgeIndex
    from superbiz.adapters.milvus import MilvusIndex
    from superbiz.adapters.parameters import Secret

    using = encoder.installed()
    milvus = (
        MilvusIndex(given.milvus_uri, using, Secret(given.milvus_token_parameter), given.stack_name) if given.milvus_uri and using else None
    )
    return KnowledgeIndex(ledger, ExactIndex(ledger, objects, using), milvus)


def _offline() -> Engine:
    from superbiz.engines.offline.composer import OfflineComposer
    from superbiz.engines.offline.executor import OfflineExecutor
    from superbiz.engines.offline.verifier import OfflineVerifier

    return Engine(EngineName.OFFLINE, OfflineExecutor(), OfflineVerifier(), OfflineComposer())


def _model(given: Settings, clock: Clock, ledger: Ledger, offline: Engine, redactor: Callable[[str], Redactor]) -> Engine:
    from superbiz.adapters.model_endpoint import ModelEndpoint, Prices
    from superbiz.adapters.parameters import Secret
    from superbiz.engines.model import Limits, model_engine

    if not (given.model_base_url and given.model_name):
        raise Broken(
            "the model engine has no endpoint", code="BAD_SETTING", mend="set MODEL_BASE_URL and MODEL_NAME, or use the offline engine"
        )
    prices = Prices(given.model_input_price, given.model_output_price)
    endpoint = ModelEndpoint(given.model_base_url, given.model_name, Secret(given.model_key_parameter), given.model_timeout_seconds, prices)
    limits = Limits(run_tokens=given.run_token_budget, day_tokens=given.day_token_budget)
    return model_engine(endpoint, ledger, clock, offline, limits=limits, redactor=redactor)
