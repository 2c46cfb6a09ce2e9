"""Who runs somebody's mail, and whom a mailbox may therefore write to first."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from relance.core.ceilings import mail_host
from relance.core.mail_hosts import ANYBODY, MailHost, ProviderMatch, host_of, lanes
from unit.core.making import mailbox

BIG = {MailHost.GOOGLE, MailHost.MICROSOFT}
hosts = st.sampled_from(list(MailHost))


@pytest.mark.parametrize(
    "server, host",
    [
        ("aspmx.l.google.com", MailHost.GOOGLE),
        ("smtp.google.com.", MailHost.GOOGLE),
        ("alt1.gmr-smtp-in.l.google.com", MailHost.GOOGLE),
        ("aspmx2.googlemail.com", MailHost.GOOGLE),
        ("firm-example.mail.protection.outlook.com", MailHost.MICROSOFT),
        ("hotmail-com.olc.protection.outlook.com", MailHost.MICROSOFT),
        ("firm-example.a-v1.mx.microsoft", MailHost.MICROSOFT),
        ("mx.notgoogle.com", MailHost.OTHER),
        ("google.com.firm.example", MailHost.OTHER),
        ("mail.firm.example", MailHost.OTHER),
    ],
)
def test_a_mail_server_is_known_by_the_end_of_its_name(server: str, host: MailHost):
    """By whole labels, in whatever case."""
    assert host is host_of(server) is host_of(server.upper())


@pytest.mark.parametrize(
    "facts, host",
    [
        ({"settings": {"smtp_host": "smtp.gmail.com"}}, MailHost.GOOGLE),
        ({"settings": {"smtp_host": "smtp.office365.com"}, "ceiling": "none"}, MailHost.MICROSOFT),
        ({"ceiling": "google_trial"}, MailHost.GOOGLE),
        ({}, MailHost.OTHER),
    ],
)
def test_a_mailbox_is_known_by_its_server_or_by_what_a_person_said(facts: dict[str, object], host: MailHost):
    """Whether its ceiling holds is another matter."""
    assert host is mail_host(mailbox(**facts))


@given(own=hosts, free=st.sets(hosts))
def test_only_leaves_people_of_the_other_provider_to_its_mailboxes(own: MailHost, free: set[MailHost]):
    """And whoever has neither may be written to from any."""
    found = lanes(ProviderMatch.ONLY, own, free)

    assert set() == {host for host in BIG if host is not own} & set(found)
    assert {ANYBODY, str(MailHost.OTHER)} <= set(found)


@given(own=hosts, free=st.sets(hosts))
def test_prefer_takes_those_of_the_other_provider_where_none_of_its_own_is_free(own: MailHost, free: set[MailHost]):
    """Its own come first, the strangers last."""
    found = lanes(ProviderMatch.PREFER, own, free | {own})

    assert {host for host in BIG if host is own or host not in free} == BIG & set(found)
    assert own is MailHost.OTHER or own == found[0]


@given(own=hosts, free=st.sets(hosts))
def test_without_matching_everybody_is_open_to_every_mailbox(own: MailHost, free: set[MailHost]):
    """Also who was put into a lane while the sequence still matched."""
    assert {ANYBODY, *map(str, MailHost)} == set(lanes(ProviderMatch.OFF, own, free))
