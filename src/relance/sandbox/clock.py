"""The time of the sandbox: it stands still until somebody lets it jump."""

from datetime import UTC, datetime


class SandboxClock:
    """A clock that all parts of a demo share; it never ticks by itself and never goes back."""

    def __init__(self, start: datetime) -> None:
        if start.tzinfo is None:
            raise ValueError("The sandbox's clock starts at an aware instant.")
        self._now = start.astimezone(UTC)

    def now(self) -> datetime:
        """Return the present instant, aware and in UTC."""
        return self._now

    def jump(self, to: datetime) -> None:
        """Move to a later instant; ValueError when it lies in the past or is naive."""
        if to.tzinfo is None:
            raise ValueError("The sandbox's clock jumps to aware instants only.")
        if to < self._now:
            raise ValueError(f"The sandbox's clock stands at {self._now.isoformat()} and cannot go back to {to}.")
        self._now = to.astimezone(UTC)
