"""Vendors behind the ports."""
