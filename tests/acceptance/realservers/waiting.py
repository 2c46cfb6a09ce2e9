"""The one place where a test waits: for a state, with a limit, never for a time."""

import threading
import time
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")

_never = threading.Event()


class TooLateError(AssertionError):
    """What was waited for did not come within its limit."""


def wait_until(predicate: Callable[[], T], timeout: float = 10.0, *, what: str = "", interval: float = 0.05) -> T:
    """Return the first truthy value of `predicate`; raise `TooLateError` after `timeout` seconds.

    `predicate` looks at a state outside (a server, a file, a process) and is asked every `interval` seconds and once
    more at the end. What it raises passes through: a predicate that knows it cannot come true any more says so.
    """
    deadline = time.monotonic() + timeout
    while True:
        last_look = time.monotonic() >= deadline
        if value := predicate():
            return value
        if last_look:
            raise TooLateError(f"not within {timeout:g} s: {what or getattr(predicate, '__name__', 'the condition')}")
        _never.wait(interval)
