"""Asking the world what a domain says about its mail."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Records:
    """What name servers hold, definitely; empty: nothing is there."""

    values: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class NoAnswer:
    """No answer that says anything."""

    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DomainAnswers:
    """What was asked about one domain, and what came back."""

    texts: Records | NoAnswer  #: TXT of the domain, SPF among them.
    exchangers: Records | NoAnswer  #: MX, the preferred first.
    policies: Records | NoAnswer  #: TXT of `_dmarc` of the domain, or of the nearest one above that has any.
    keys: Mapping[str, Records | NoAnswer]  #: By selector: TXT of `SELECTOR._domainkey`.


class DomainInspector(Protocol):
    """Asks name servers."""

    async def inspect(self, domain: str, selectors: Sequence[str]) -> DomainAnswers:
        """Ask. Whatever goes wrong is an answer too: `NoAnswer`, and why."""
        ...
