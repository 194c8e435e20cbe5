"""The engine behind any OpenAI-compatible endpoint."""
