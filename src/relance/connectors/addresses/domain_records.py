"""What a domain says about its mail, as name servers tell it: SPF, DKIM, DMARC and MX.

Only a definite answer is one: a name server that does not answer, or says SERVFAIL, says nothing of the domain.
"""

import asyncio
from collections.abc import Sequence

import dns.asyncresolver
import dns.exception
import dns.name
import dns.resolver

from relance.core.identifiers import ascii_domain
from relance.ports.domains import DomainAnswers, NoAnswer, Records

_LIFETIME = 8.0  #: Real seconds for one question, over all name servers.
_DNS_PORT = 53
_LEVELS = 5  #: Domains above one that are asked for a policy, at most (RFC 7489 looks at one, its successor at each).


class NameServerInspector:
    """Asks the host's name servers, or the one that is named; implements `ports.domains.DomainInspector`."""

    def __init__(self, *, name_server: str | None = None) -> None:
        self._name_server = name_server

    async def inspect(self, domain: str, selectors: Sequence[str]) -> DomainAnswers:
        """Ask everything at once."""
        name = ascii_domain(domain)
        texts, exchangers, policies, *keys = await asyncio.gather(
            self._ask(name, "TXT"),
            self._ask(name, "MX"),
            self._policies(name),
            *(self._ask(f"{selector}._domainkey.{name}", "TXT") for selector in selectors),
        )
        return DomainAnswers(
            texts=texts, exchangers=exchangers, policies=policies, keys=dict(zip(selectors, keys, strict=True))
        )

    async def _policies(self, name: str) -> Records | NoAnswer:
        """Ask the domain for its policy, then each above it that is not a top-level one."""
        labels = name.split(".")
        for above in range(min(len(labels) - 1, _LEVELS)):
            found = await self._ask(f"_dmarc.{'.'.join(labels[above:])}", "TXT")
            if found != Records():
                return found
        return Records()

    async def _ask(self, name: str, kind: str) -> Records | NoAnswer:
        try:
            answer = await self._resolver().resolve(dns.name.from_text(name), kind, lifetime=_LIFETIME)
        except (dns.resolver.NoAnswer, dns.resolver.NXDOMAIN):
            return Records()
        except (dns.exception.DNSException, ValueError, OSError) as error:
            return NoAnswer(f"the name servers say nothing of {name}: {str(error) or type(error).__name__}")
        if kind == "MX":
            hosts = sorted((int(record.preference), str(record.exchange)) for record in answer)
            return Records(tuple(host.rstrip(".").lower() for _, host in hosts))
        return Records(tuple(b"".join(record.strings).decode("utf-8", "replace") for record in answer))

    def _resolver(self) -> dns.asyncresolver.Resolver:
        """Return a resolver that remembers nothing: a person who just changed a record asks again."""
        resolver = dns.asyncresolver.Resolver(configure=self._name_server is None)
        if self._name_server is not None:
            host, _, port = self._name_server.partition(":")
            resolver.nameservers, resolver.port = [host], int(port or _DNS_PORT)
        return resolver
