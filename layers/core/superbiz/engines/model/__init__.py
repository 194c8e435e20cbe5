"""The engine behind any OpenAI-compatible endpoint."""

from superbiz.engines.model.budget import Limits
from superbiz.engines.model.engine import model_engine

__all__ = ["Limits", "model_engine"]
