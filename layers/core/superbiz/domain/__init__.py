"""Values and rules. Pure: no clock, log, network or environment; a time is an argument."""
