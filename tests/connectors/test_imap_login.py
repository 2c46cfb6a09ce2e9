"""Connecting and logging in to IMAP, with the server failing at every point."""

import asyncio
import ssl
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from acceptance.realservers.authority import make_certificates
from connectors.imap_mailbox import Mailbox, Stored
from connectors.scripted import Answer, Peer, connector, serving
from relance.connectors.smtp_imap.mailbox_connector import SmtpImapConnector
from relance.connectors.smtp_imap.settings import Endpoint, Security
from relance.connectors.smtp_imap.transport import tls_refusal
from relance.ports.connector import ConnectorError, LoginRefusedError, MailboxUnreachableError
from relance.testing.connector_suite import Reader
from relance.testing.moments import MONDAY

Play = Callable[[Peer], Awaitable[None]]
INBOX: dict[str, list[Stored]] = {"INBOX": []}
PLAIN = "AUTHENTICATE PLAIN AGFkYQBzZXNhbWU="
XOAUTH2 = "AUTHENTICATE XOAUTH2 dXNlcj1hZGEBYXV0aD1CZWFyZXIgc2VzYW1lAQE="


async def read(one: SmtpImapConnector) -> ConnectorError | None:
    """Read once, and return the error that ended it."""
    try:
        await Reader(one, MONDAY).read()
    except ConnectorError as error:
        return error
    finally:
        await one.close()
    return None


async def logging_in(script: Play, **wishes: bool) -> ConnectorError | None:
    """Read from a server that plays `script`."""
    async with serving(script) as server:
        return await read(connector(imap=server, oauth=wishes.get("oauth", False)))


async def refuse_silently(peer: Peer) -> None:
    """Close instead of greeting."""
    peer.close()


async def send_away(peer: Peer) -> None:
    """Greet with BYE."""
    await peer.send("* BYE [UNAVAILABLE] come back later")


async def speak_http(peer: Peer) -> None:
    """Speak another protocol."""
    await peer.send("HTTP/1.1 400 Bad Request")


async def close_in_capability(peer: Peer) -> None:
    """Close after the first command."""
    await peer.send("* OK hi")
    await peer.line()
    peer.abort()


async def refuse_capability(peer: Peer) -> None:
    """Answer the first command with BAD."""
    await peer.send("* OK hi")
    tag = (await peer.line()).split()[0].decode()
    await peer.send(f"{tag} BAD what?")
    await peer.hang()


async def close_in_login(peer: Peer) -> None:
    """Close instead of answering the login."""
    await peer.send("* OK [CAPABILITY IMAP4rev1] hi")
    await peer.expect("R1 LOGIN .*")
    peer.close()


async def bye_in_login(peer: Peer) -> None:
    """Say goodbye instead of answering the login."""
    await peer.send("* OK [CAPABILITY IMAP4rev1] hi")
    await peer.line()
    await peer.send("* BYE too many connections")
    await peer.hang()


async def ask_for_ever(peer: Peer) -> None:
    """Answer each part of the login with another challenge."""
    await peer.send("* OK [CAPABILITY IMAP4rev1 SASL-IR AUTH=PLAIN] hi")
    while await peer.line():
        await peer.send("+ ")


@pytest.mark.parametrize(
    "script",
    [
        refuse_silently,
        send_away,
        speak_http,
        close_in_capability,
        refuse_capability,
        close_in_login,
        bye_in_login,
        ask_for_ever,
    ],
)
async def test_a_server_that_fails_before_the_login_is_done_is_unreachable(script: Play):
    """Back off the mailbox; the password may be right."""
    assert isinstance(await logging_in(script), MailboxUnreachableError)


async def test_a_silent_server_is_noticed():
    """At the greeting, and in the login."""

    async def after_the_greeting(peer: Peer) -> None:
        await peer.send("* OK [CAPABILITY IMAP4rev1] hi")
        await peer.hang()

    for script in (Peer.hang, after_the_greeting):
        async with serving(script) as server:
            error = await read(connector(imap=server, command_seconds=0.2, connect_seconds=0.2))

        assert isinstance(error, MailboxUnreachableError)


async def test_a_server_that_drips_bytes_is_noticed():
    """It is never silent for long, and never done: the whole command has a limit too."""

    async def script(peer: Peer) -> None:
        await peer.send("* OK [CAPABILITY IMAP4rev1] hi")
        await peer.line()
        while True:
            await peer.send("* OK still here")
            await asyncio.sleep(0.02)

    async with serving(script) as server:
        error = await read(connector(imap=server, command_seconds=0.05))

    assert isinstance(error, MailboxUnreachableError)


@pytest.mark.parametrize(
    "answer, temporary",
    [
        ("NO [AUTHENTICATIONFAILED] wrong", False),
        ("NO [AUTHORIZATIONFAILED] not you", False),
        ("NO [EXPIRED] password expired", False),
        ("NO wrong", False),
        ("NO [UNAVAILABLE] backend down", True),
        ("NO [LIMIT] too many", True),
        ("NO [INUSE] locked", True),
        ("NO [ALERT] Too many simultaneous connections. (Failure)", True),
        ("NO [ALERT] Account exceeded command or bandwidth limits. (Failure)", True),
        ("NO Maximum number of connections from user+IP exceeded (mail_max_userip_connections=10)", True),
        ("BAD User is authenticated but not connected.", True),
        ("NO Server error, please try again later", True),
        ("NO Invalid login or password, please try again", False),
        ("NO [AUTHENTICATIONFAILED] Too many wrong passwords", False),
        ("NO [ALERT] Please log in via your web browser", False),
    ],
)
async def test_a_refused_login_says_whether_it_is_for_good(answer: str, temporary: bool):  # noqa: FBT001 - a parameter
    """RFC 5530: some codes speak of the server's own trouble; where there is none, its words do."""
    script = Mailbox(folders=INBOX, answers={"LOGIN": [f"{{tag}} {answer}"]}, capabilities="IMAP4rev1")
    error = await logging_in(script)

    assert isinstance(error, LoginRefusedError)
    assert temporary == error.temporary
    assert 1 == len(script.said("LOGIN"))


@pytest.mark.parametrize(
    "capabilities, commands",
    [
        ("IMAP4rev1", ['LOGIN "ada" "sesame"']),
        ("IMAP4rev1 SASL-IR AUTH=PLAIN", [PLAIN]),
        ("IMAP4rev1 SASL-IR AUTH=PLAIN LOGINDISABLED", [PLAIN]),
    ],
)
async def test_the_best_way_to_log_in_is_taken(capabilities: str, commands: list[str]):
    """AUTHENTICATE PLAIN in one round trip where it is offered, else LOGIN."""
    script = Mailbox(folders=INBOX, capabilities=capabilities)
    await logging_in(script)

    assert commands == [one for one in script.commands if one.startswith(("LOGIN", "AUTHENTICATE"))]


async def test_without_an_initial_response_the_server_is_waited_for():
    """SASL-IR not offered: the secret travels after `+`."""

    async def authenticate(peer: Peer, tag: str, _: str) -> None:
        await peer.send("+ ")
        await peer.expect("AGFkYQBzZXNhbWU=")
        await peer.send(f"{tag} OK [CAPABILITY IMAP4rev1] welcome")

    script = Mailbox(folders=INBOX, answers={"AUTHENTICATE PLAIN": authenticate}, capabilities="IMAP4rev1 AUTH=PLAIN")

    assert None is await logging_in(script)
    assert ["AUTHENTICATE PLAIN"] == script.said("AUTHENTICATE")


async def test_a_mechanism_that_is_offered_and_not_understood_falls_back_to_login():
    """BAD is no refusal of the password."""
    script = Mailbox(
        folders=INBOX, answers={"AUTHENTICATE": ["{tag} BAD what?"]}, capabilities="IMAP4rev1 SASL-IR AUTH=PLAIN"
    )

    assert None is await logging_in(script)
    assert ['LOGIN "ada" "sesame"'] == script.said("LOGIN")


async def test_a_password_is_not_sent_where_login_is_disabled():
    """RFC 3501 §6.2.3; the sentence says what to do."""
    script = Mailbox(folders=INBOX, capabilities="IMAP4rev1 LOGINDISABLED")
    error = await logging_in(script)

    assert isinstance(error, LoginRefusedError)
    assert [] == script.said("LOGIN")


async def test_a_refused_token_gets_its_empty_answer_and_is_a_refusal():
    """XOAUTH2 explains itself in a challenge first."""

    async def refuse(peer: Peer, tag: str, _: str) -> None:
        await peer.send("+ eyJzdGF0dXMiOiI0MDEifQ==")
        await peer.expect("")
        await peer.send(f"{tag} NO [AUTHENTICATIONFAILED] expired")

    script = Mailbox(folders=INBOX, answers={XOAUTH2: refuse}, capabilities="IMAP4rev1 SASL-IR AUTH=XOAUTH2 AUTH=PLAIN")

    assert isinstance(await logging_in(script, oauth=True), LoginRefusedError)


async def test_oauthbearer_is_spoken_where_it_is_all_there_is():
    """RFC 7628."""
    script = Mailbox(folders=INBOX, capabilities="IMAP4rev1 SASL-IR AUTH=OAUTHBEARER")

    assert None is await logging_in(script, oauth=True)
    assert 1 == len(script.said("AUTHENTICATE OAUTHBEARER bixhPWFkYSwBaG9zdD0xMjcuMC4wLjEBcG9ydD0"))


@pytest.mark.parametrize("place", ["code", "untagged", "nowhere"])
async def test_capabilities_are_those_after_the_login(place: str):
    """Told in the answer, told before it, or asked for: UNSELECT is known afterwards in each case."""
    after = "IMAP4rev1 UNSELECT ID"
    login: dict[str, list[str | bytes]] = {
        "code": [f"{{tag}} OK [CAPABILITY {after}] welcome"],
        "untagged": [f"* CAPABILITY {after}", "{tag} OK welcome"],
        "nowhere": ["{tag} OK welcome"],
    }
    capability: list[Answer] = [["* CAPABILITY IMAP4rev1", "{tag} OK"], [f"* CAPABILITY {after}", "{tag} OK"]]
    script = Mailbox(folders=INBOX, answers={"LOGIN": login[place], "CAPABILITY": capability})
    await logging_in(script)

    assert (2 if place == "nowhere" else 1) == len(script.said("CAPABILITY"))
    assert 1 == len(script.said("ID "))


async def test_a_server_that_knows_us_already_is_not_asked():
    """PREAUTH."""
    script = Mailbox(folders=INBOX, greeting="* PREAUTH [CAPABILITY IMAP4rev1] hello root")

    assert None is await logging_in(script)
    assert [] == script.said("LOGIN")


async def test_a_strange_password_cannot_leave_its_argument():
    """Quotes, backslashes, line ends: as a literal, the server reads one string."""

    async def login(peer: Peer, tag: str, _: str) -> None:
        await peer.send("+ go")
        assert b'pass"word\r\nR2 DELETE INBOX' == await peer.exactly(26)
        await peer.expect("")
        await peer.send(f"{tag} OK welcome")

    async def strange() -> str:
        return 'pass"word\r\nR2 DELETE INBOX'

    script = Mailbox(folders=INBOX, answers={"LOGIN": login}, capabilities="IMAP4rev1")
    async with serving(script) as server:
        one = connector(imap=server, ask=strange)

        assert None is await read(one)
    assert ['LOGIN "ada" {26}'] == script.said("LOGIN")


# TLS


@pytest.fixture(scope="module")
def certificates(tmp_path_factory: pytest.TempPathFactory) -> tuple[ssl.SSLContext, Path]:
    """Return a server's context and the file of the authority behind it."""
    made = make_certificates(tmp_path_factory.mktemp("tls"))
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(made.cert_file, made.key_file)
    return context, made.ca_file


async def test_starttls_comes_before_everything_else(certificates: tuple[ssl.SSLContext, Path]):
    """And what was said in the clear is forgotten: the capabilities are asked for again."""
    context, ca_file = certificates
    script = Mailbox(folders=INBOX, capabilities="IMAP4rev1")

    async def upgrade(peer: Peer) -> None:
        await peer.send("* OK [CAPABILITY IMAP4rev1 STARTTLS AUTH=PLAIN SASL-IR] hi")
        await peer.expect("R1 STARTTLS")
        await peer.send("R1 OK go")
        await peer.start_tls(context)
        script.greeting = "* OK not a greeting, just words"
        await script(peer)

    async with serving(upgrade) as server:
        error = await read(connector(imap=server, imap_security="starttls", ca_file=str(ca_file)))

    assert None is error
    assert ["CAPABILITY", 'LOGIN "ada" "sesame"'] == script.commands[:2]


async def test_words_smuggled_in_before_tls_end_the_connection(certificates: tuple[ssl.SSLContext, Path]):
    """What comes in one packet with the answer to STARTTLS was said by nobody knows whom (CVE-2011-0411)."""
    _, ca_file = certificates

    async def smuggle(peer: Peer) -> None:
        await peer.send("* OK [CAPABILITY IMAP4rev1 STARTTLS] hi")
        await peer.expect("R1 STARTTLS")
        await peer.send_raw(b"R1 OK go\r\n* CAPABILITY IMAP4rev1 EVIL\r\n")
        await peer.hang()

    async with serving(smuggle) as server:
        error = await read(connector(imap=server, imap_security="starttls", ca_file=str(ca_file)))

    assert isinstance(error, MailboxUnreachableError)
    assert "TLS" in str(error)


@pytest.mark.parametrize("greeting", ["* OK [CAPABILITY IMAP4rev1] hi", "* PREAUTH [CAPABILITY IMAP4rev1 STARTTLS] hi"])
async def test_without_starttls_nothing_is_said(greeting: str):
    """A server, or somebody in between, that leaves it out does not get the password."""
    script = Mailbox(folders=INBOX, greeting=greeting)
    async with serving(script) as server:
        error = await read(connector(imap=server, imap_security="starttls"))

    assert isinstance(error, MailboxUnreachableError)
    assert [] == script.commands


async def test_an_untrusted_certificate_names_the_remedy(certificates: tuple[ssl.SSLContext, Path]):
    """And the login is never spoken."""
    context, _ = certificates
    script = Mailbox(folders=INBOX)

    async def handshake(peer: Peer) -> None:
        await peer.start_tls(context)
        await script(peer)

    async with serving(handshake) as server:
        error = await read(connector(imap=server, imap_security="tls"))

    assert isinstance(error, MailboxUnreachableError)
    assert "--ca-file" in str(error)
    assert [] == script.commands


@pytest.mark.parametrize(
    "code, remedy", [(10, "renew"), (20, "--ca-file"), (62, "the name that"), (64, "the name that")]
)
def test_a_certificate_is_refused_with_the_remedy_that_helps(code: int, remedy: str):
    """Another authority helps neither against a wrong name nor against one that has expired (X509_V_ERR_…)."""
    error = ssl.SSLCertVerificationError()
    error.verify_code, error.verify_message = code, "no"
    refusal = str(tls_refusal(Endpoint(host="mail.example", port=993, security=Security.TLS), error))

    assert remedy in refusal
    assert ("--ca-file" in remedy) == ("--ca-file" in refusal)


async def test_a_clear_port_that_is_called_tls_is_named():
    """A frequent mistake: the sentence says to look at port and security."""
    async with serving(Mailbox(folders=INBOX)) as server:
        error = await read(connector(imap=server, imap_security="tls"))

    assert isinstance(error, MailboxUnreachableError)
    assert "does not speak TLS there): check port and security" in str(error)


async def test_a_handshake_that_never_ends_is_noticed():
    """The server takes the hello and says nothing."""
    async with serving(Peer.hang) as server:
        error = await read(connector(imap=server, imap_security="tls", connect_seconds=0.2))

    assert isinstance(error, MailboxUnreachableError)


async def test_a_second_connection_resumes_the_first_ones_session(certificates: tuple[ssl.SSLContext, Path]):
    """Half a handshake and no certificate: what makes 100,000 reconnecting watchers bearable."""
    context, ca_file = certificates
    script = Mailbox(folders=INBOX)
    before = context.session_stats()["hits"]

    async def handshake(peer: Peer) -> None:
        await peer.start_tls(context)
        await script(peer)

    async with serving(handshake, forever=True) as server:
        one = connector(imap=server, imap_security="tls", ca_file=str(ca_file))
        await read(one)
        await read(one)

    assert 2 == server.connections
    assert 1 == context.session_stats()["hits"] - before
