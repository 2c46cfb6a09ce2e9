"""What a check of the installation found: the same for the command, the page and the API."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One check and its outcome."""

    name: str
    ok: bool
    detail: str
    remedy: str | None = None  #: What to do, where it is not well.
