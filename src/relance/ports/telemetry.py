"""Saying what happens: structured lines for people who operate the engine."""

from typing import Protocol


class Log(Protocol):
    """One structured line; never a secret, never a whole message."""

    def info(self, event: str, /, **facts: object) -> None:
        """Say that something happened as intended."""
        ...

    def warning(self, event: str, /, **facts: object) -> None:
        """Say that something was refused or put off."""
        ...

    def error(self, event: str, /, **facts: object) -> None:
        """Say that a person should look."""
        ...
