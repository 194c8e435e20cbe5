"""The model engine: the same three stages over one endpoint, each with the offline stage behind it."""

from collections.abc import Callable

from superbiz.domain.runs import EngineName
from superbiz.engines.model.budget import Limits, ModelLedger
from superbiz.engines.model.composer import ModelComposer
from superbiz.engines.model.executor import ModelExecutor
from superbiz.engines.model.talk import Means
from superbiz.engines.model.verifier import ModelVerifier
from superbiz.ports import Clock, Engine, ModelClient, Redactor


def model_engine(
    client: ModelClient,
    ledger: ModelLedger,
    clock: Clock,
    offline: Engine,
    *,
    limits: Limits,
    redactor: Callable[[str], Redactor],
) -> Engine:
    """`clock` is the wall clock: budgets and the breaker go by it. `redactor` gives a run's redactor by the run's id."""
    means = Means(client, ledger, clock, limits, redactor)
    return Engine(
        EngineName.MODEL,
        ModelExecutor(means, offline.executor),
        ModelVerifier(means, offline.verifier),
        ModelComposer(means, offline.composer),
    )
