"""Any OpenAI-compatible chat endpoint behind the `ModelClient` port."""

from superbiz.adapters.model_endpoint.endpoint import ModelEndpoint, Prices

__all__ = ["ModelEndpoint", "Prices"]
