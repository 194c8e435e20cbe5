"""Redaction of secrets and personal data: before anything is stored, and before any model sees it."""

from superbiz.adapters.redaction.redactor import PLACEHOLDER, SecretRedactor

__all__ = ["PLACEHOLDER", "SecretRedactor"]
