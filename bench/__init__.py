"""Budgets and benchmarks: programs that measure, each row beside its bound. `make bench` runs all; `python -m bench NAME …` some."""
