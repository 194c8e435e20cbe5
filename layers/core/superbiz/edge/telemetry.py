"""Logs and metrics of a function. The run's id stands in each log line, and is never a metric's dimension."""

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar

from aws_lambda_powertools import Logger, Metrics
from aws_lambda_powertools.metrics import MetricUnit

from superbiz.domain.values import JsonObject

SERVICE, NAMESPACE = "superbiz", "SuperBizAgent"
R = TypeVar("R")


class Telemetry:
    """One a function, made where the function's file is read."""

    def __init__(self, function: str) -> None:
        self.function = function
        self.log = Logger(service=SERVICE)
        self.metrics = Metrics(namespace=NAMESPACE, service=SERVICE)

    def about(self, **ids: str | None) -> None:
        """Name the run, session or event that the following lines are about. None: they are about none, whatever was named before."""
        self.log.remove_keys([name for name, value in ids.items() if not value])
        self.log.append_keys(**{name: value for name, value in ids.items() if value})

    def count(self, name: str, value: float = 1) -> None:
        """Add to a counter."""
        self.metrics.add_metric(name=name, unit=MetricUnit.Count, value=value)

    def observe(self, handler: Callable[[JsonObject, Any], R]) -> Callable[[JsonObject, Any], R]:
        """The process edge: each invocation with its own log keys, its failure logged and counted, its metrics written."""

        @wraps(handler)
        def invoke(event: JsonObject, context: Any) -> R:
            self.log.clear_state()
            self.about(function=self.function, function_request_id=getattr(context, "aws_request_id", None))
            self.metrics.add_dimension(name="function", value=self.function)
            self.count("Invocations")
            try:
                return handler(event, context)
            except Exception:
                self.log.exception("the invocation failed")
                self.count("Failures")
                raise
            finally:
                self.metrics.flush_metrics()
                self.metrics.clear_metrics()  # where metrics are switched off, nothing else does

        return invoke
