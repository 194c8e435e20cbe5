"""The local stack: the real template, state machine and handlers on one machine, without Docker."""
