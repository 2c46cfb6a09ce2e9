"""Places where a crash would hurt, by name, so that the crash harness (`tests/crash`) can crash exactly there.

In production `hook` is None, and a place costs one look at it: some 60 ns.
"""

import asyncio
from collections.abc import Callable

#: Called with the name of every place that is passed, in whatever thread passes it. Set by a test, or never.
hook: Callable[[str], None] | None = None


def reach(area: str, act: str | Callable[..., object], moment: str) -> None:
    """Pass a place, such as `smtp`, `RCPT`, `before`; a function as `act` stands for its name."""
    if hook is not None:
        hook(f"{area} {act if isinstance(act, str) else _name(act)}: {moment}")


def reach_when_waiting(area: str, act: str, moment: str) -> None:
    """Pass a place as soon as the caller waits: by then it has written the command whose reply it waits for."""
    if hook is not None:
        asyncio.get_running_loop().call_soon(reach, area, act, moment)


def _name(function: Callable[..., object]) -> str:
    inner = getattr(function, "func", function)  # a partial's own function
    return str(getattr(inner, "__name__", type(inner).__name__)).strip("_")
