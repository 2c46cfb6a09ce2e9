"""Asking name servers what a domain says about its mail."""

import pytest

from connectors.name_server import BROKEN, name_server
from relance.connectors.addresses.domain_records import NameServerInspector
from relance.ports.domains import NoAnswer, Records

ZONES: dict[str, dict[str, list[str]] | str] = {
    "example.com": {"TXT": ['"v=spf1 " "mx ~all"', '"other"'], "MX": ["20 b.example.com.", "10 a.example.com."]},
    "_dmarc.example.com": {"TXT": ['"v=DMARC1; p=none"']},
    "s1._domainkey.example.com": {"TXT": ['"v=DKIM1; p=MI" "IB"']},
    "broken.example": BROKEN,
}


async def test_every_record_is_read_as_it_was_written():
    """Pieces of a text are one text; exchangers come in the order of their preference."""
    async with name_server(ZONES) as (_, place):
        found = await NameServerInspector(name_server=place).inspect("example.com", ["s1", "s2"])

    assert isinstance(found.texts, Records)
    assert {"v=spf1 mx ~all", "other"} == set(found.texts.values)
    assert Records(("a.example.com", "b.example.com")) == found.exchangers
    assert Records(("v=DMARC1; p=none",)) == found.policies
    assert {"s1": Records(("v=DKIM1; p=MIIB",)), "s2": Records()} == found.keys


async def test_a_policy_holds_for_the_domains_below_it():
    """The nearest one above counts."""
    async with name_server(ZONES) as (server, place):
        found = await NameServerInspector(name_server=place).inspect("news.eu.example.com", [])

    assert Records(("v=DMARC1; p=none",)) == found.policies
    assert "_dmarc.com TXT" not in server.asked


async def test_a_name_server_that_fails_says_nothing_of_the_domain():
    """Only a definite no is one."""
    async with name_server(ZONES) as (_, place):
        found = await NameServerInspector(name_server=place).inspect("broken.example", [])

    assert isinstance(found.texts, NoAnswer)
    assert "broken.example" in found.texts.why
    assert isinstance(found.exchangers, NoAnswer)


@pytest.mark.parametrize("domain", ["bücher.example", "BÜCHER.example"])
async def test_an_international_domain_is_asked_for_by_its_ascii_name(domain):
    """As name servers keep it."""
    async with name_server({"xn--bcher-kva.example": {"MX": ["10 mx.example."]}}) as (_, place):
        found = await NameServerInspector(name_server=place).inspect(domain, [])

    assert Records(("mx.example",)) == found.exchangers
