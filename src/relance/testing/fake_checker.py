"""A world of addresses that a test decides about; implements `ports.addresses.AddressChecker`."""

from dataclasses import dataclass, field

from relance.core.address_check import AddressVerdict, Verification
from relance.ports.addresses import Finding

VALID = Finding(verdict=AddressVerdict.VALID, reason="its server takes mail")


@dataclass(slots=True)
class FakeChecker:
    """Answers as told, and else that the address is valid; notes what it was asked."""

    findings: dict[str, Finding] = field(default_factory=dict)
    asked: list[tuple[str, Verification]] = field(default_factory=list)

    async def check(self, address: str, question: Verification) -> Finding:
        """Answer."""
        self.asked.append((address, question))
        return self.findings.get(address, VALID)
