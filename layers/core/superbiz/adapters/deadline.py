"""A hard limit on how long a caller waits for work that may hang, whatever timeouts the work keeps itself."""

import queue
import threading
import time
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


def within(seconds: float, work: Callable[[float], T]) -> T:
    """The work's result or exception; TimeoutError after that many seconds. `work` gets the monotonic time by which it has to be done.

    Work that overruns is left to end in its daemon thread; nobody reads its result.
    """
    done: queue.SimpleQueue[tuple[T | None, BaseException | None]] = queue.SimpleQueue()
    until = time.monotonic() + seconds

    def run() -> None:
        try:
            done.put((work(until), None))
        except BaseException as e:  # handed to the caller, whatever it is
            done.put((None, e))

    threading.Thread(target=run, daemon=True).start()
    try:
        result, error = done.get(timeout=seconds)
    except queue.Empty:
        raise TimeoutError(f"no answer within {seconds} s") from None
    if error is not None:
        raise error
    return result  # type: ignore[return-value]  # without an error there is a result
