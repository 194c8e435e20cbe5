"""Claims and records, taken apart into words, names, numbers and times, so that every rule reads the same."""
