"""Queues: what is sent, what is taken, what is left, and how old it grows."""

from typing import NamedTuple

QUIET_AGE = 2.0


class QueueState(NamedTuple):
    """Of one minute: messages left, the age of the oldest in seconds, messages sent, taken, and done with."""

    depth: float
    age: float
    sent: float
    taken: float
    done: float


EMPTY = QueueState(0.0, QUIET_AGE, 0.0, 0.0, 0.0)


def worked_off(before: QueueState, sent: float, able: float, lost: float) -> QueueState:
    """The next minute. `able` is how many messages could be taken, `lost` the share that fails and comes back."""
    taken = min(before.depth + sent, able)
    done = taken * (1 - lost)
    depth = max(0.0, before.depth + sent - done)
    if depth < 1:
        return QueueState(0.0, QUIET_AGE, sent, taken, done)
    # the oldest has waited as long as the messages before it need; if nothing is done with, it only grows older
    age = before.age + 60 if done < 1 else min(before.age + 60, 60 * depth / done + QUIET_AGE)
    return QueueState(depth, age, sent, taken, done)
