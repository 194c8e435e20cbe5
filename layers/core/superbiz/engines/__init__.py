"""Executors, Verifiers and Composers: offline (no model) and model."""
