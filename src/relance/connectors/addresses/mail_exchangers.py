"""Which servers take mail for a domain, as name servers tell it (RFC 5321, section 5.1; RFC 7505).

Only a definite answer is one: a name server that does not answer, or says SERVFAIL, says nothing of the domain.
"""

from dataclasses import dataclass

import dns.asyncresolver
import dns.exception
import dns.name
import dns.resolver

from relance.core.identifiers import ascii_domain

_LIFETIME = 8.0  #: Real seconds for one question, over all name servers.
_DNS_PORT = 53


@dataclass(frozen=True, slots=True)
class Exchangers:
    """The servers to try, the preferred first."""

    hosts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class TakesNoMail:
    """A definite no."""

    why: str


@dataclass(frozen=True, slots=True)
class CannotTell:
    """No answer that says anything."""

    why: str


class MailExchangers:
    """Asks the host's name servers, or the one that is named (`address` or `address:port`), and remembers answers.

    What is remembered lasts as long as the answer says (its TTL).
    """

    def __init__(self, name_server: str | None = None) -> None:
        self._name_server = name_server
        self._resolver: dns.asyncresolver.Resolver | None = None

    async def of(self, domain: str) -> Exchangers | TakesNoMail | CannotTell:
        """Ask for the MX records, and where there are none for an address of the domain itself."""
        try:
            answer = await self._ask().resolve(dns.name.from_text(ascii_domain(domain)), "MX", lifetime=_LIFETIME)
        except (dns.resolver.NoAnswer, dns.resolver.NXDOMAIN) as nothing:
            return await self._by_address(domain, exists=isinstance(nothing, dns.resolver.NoAnswer))
        except (dns.exception.DNSException, ValueError, OSError) as error:
            return CannotTell(f"the name servers do not say who takes mail for {domain}: {_in_words(error)}")
        records = sorted(answer, key=lambda record: int(record.preference))
        hosts = tuple(str(record.exchange).rstrip(".").lower() for record in records)
        if not any(hosts):
            return TakesNoMail(f"{domain} says that it takes no mail (a null MX record)")
        return Exchangers(tuple(host for host in hosts if host))

    async def _by_address(self, domain: str, *, exists: bool) -> Exchangers | TakesNoMail | CannotTell:
        if not exists:
            return TakesNoMail(f"the domain {domain} does not exist")
        for kind in ("A", "AAAA"):
            try:
                await self._ask().resolve(domain, kind, lifetime=_LIFETIME)
            except (dns.resolver.NoAnswer, dns.resolver.NXDOMAIN):
                continue
            except (dns.exception.DNSException, OSError) as error:
                return CannotTell(f"the name servers do not say whether {domain} has an address: {_in_words(error)}")
            return Exchangers((domain,))
        return TakesNoMail(f"{domain} names no mail server and has no address")

    def _ask(self) -> dns.asyncresolver.Resolver:
        """Return the resolver. Raises DNSException where the host names no server."""
        if self._resolver is None:
            resolver = dns.asyncresolver.Resolver(configure=self._name_server is None)
            if self._name_server is not None:
                host, _, port = self._name_server.partition(":")
                resolver.nameservers, resolver.port = [host], int(port or _DNS_PORT)
            resolver.cache = dns.resolver.LRUCache()
            self._resolver = resolver
        return self._resolver


def _in_words(error: BaseException) -> str:
    return str(error) or type(error).__name__
