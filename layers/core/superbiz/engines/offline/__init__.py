"""The deterministic engine."""
