"""What one row about a server's own words holds."""

from dataclasses import dataclass

from relance.mail.bounce_taxonomy import BounceReason


@dataclass(frozen=True, slots=True, kw_only=True)
class Dialect:
    """One thing that one kind of server says. `words` is a pattern, `since` the version of the rules it came with."""

    server: str
    words: str
    reason: BounceReason
    example: str
    source: str
    since: int = 2


def rows(server: str, source: str, *said: tuple[BounceReason, str, str]) -> tuple[Dialect, ...]:
    """Return one row for each (reason, pattern, example) of a server, in order."""
    return tuple(
        Dialect(server=server, source=source, reason=reason, words=words, example=example)
        for reason, words, example in said
    )
