"""How much is asked of a system: requests a second, over the day, with noise that has a memory."""

import math
import random
from datetime import datetime
from typing import NamedTuple


class Load(NamedTuple):
    """`rps` is the day's mean; `swing` how far the peak lies above it, as a share."""

    rps: float
    swing: float = 0.3
    peak_hour: float = 14.0
    noise: float = 0.03

    def at(self, moment: datetime) -> float:
        """Requests a second, without noise."""
        hour = moment.hour + moment.minute / 60
        return self.rps * (1 + self.swing * math.cos(2 * math.pi * (hour - self.peak_hour) / 24))


def drift(seed: str, minutes: int, size: float, memory: float = 0.7) -> list[float]:
    """Factors around 1, one a minute, each leaning on the one before."""
    chance = random.Random(seed)
    out, level = [], 0.0
    for _ in range(minutes):
        level = memory * level + (1 - memory**2) ** 0.5 * chance.gauss(0, size)
        out.append(max(0.2, 1 + level))
    return out
