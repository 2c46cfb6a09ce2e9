"""Whether real Postfix takes mail for somebody, asked without writing to them."""

import pytest

from acceptance.realservers import RealMail, Security
from connectors.name_server import name_server
from relance.connectors.addresses.checker import DirectChecker
from relance.core.address_check import AddressVerdict, Verification

ZONES: dict[str, dict[str, list[str]] | str] = {
    domain: {"MX": ["10 127.0.0.1."]} for domain in ("south.example", "elsewhere.example")
}


@pytest.mark.parametrize(
    "address, verdict",
    [
        ("ursula@south.example", AddressVerdict.VALID),
        ("nobody.at.all@south.example", AddressVerdict.INVALID),
        ("somebody@elsewhere.example", AddressVerdict.UNKNOWN),  # it is not the server of that domain
    ],
)
async def test_postfix_says_whom_it_has(real_mail: RealMail, address: str, verdict: AddressVerdict):
    """And nothing has been written to anybody."""
    real_mail.add_mailboxes({"ursula@south.example": None})
    async with name_server(ZONES) as (_, names):
        checker = DirectChecker(name_server=names, smtp_port=real_mail.smtp(Security.PLAIN).port)
        found = await checker.check(address, Verification.RCPT)

    assert verdict is found.verdict, found.reason
    assert [] == real_mail.inbox("ursula@south.example")
