"""The connector against Debian's Dovecot and Postfix, in every folder layout and with every protection."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from email.message import EmailMessage

import pytest

from acceptance.realservers import LAYOUTS, RealImap, RealMail, Role, Security
from relance.connectors.smtp_imap.factory import SmtpImapFactory
from relance.ports.connector import (
    Connector,
    Credentials,
    FolderRole,
    LoginRefusedError,
    MailboxUnreachableError,
    RejectedError,
)
from relance.testing.connector_suite import Reader, Subject, compose, exercise

Connect = Callable[..., Connector]
ROLES = {
    Role.JUNK: FolderRole.JUNK,
    Role.SENT: FolderRole.SENT,
    Role.ARCHIVE: FolderRole.ARCHIVE,
    Role.ALL: FolderRole.ALL,
}


def now() -> datetime:
    """Return the servers' time."""
    return datetime.now(tz=UTC)  # noqa: TID251 - real servers live in real time


def secret_of(text: str) -> Callable[[], Awaitable[str]]:
    """Return a secret as Credentials take it."""

    async def ask() -> str:
        return text

    return ask


@pytest.fixture
async def connect() -> AsyncIterator[Connect]:
    """Return a function that opens a connector to a mailbox of a world; all are closed afterwards."""
    opened: list[Connector] = []

    def open_one(
        world: RealImap,
        address: str,
        *,
        security: Security = Security.TLS,
        secret: str | None = None,
        oauth: bool = False,
        trusts: bool = True,
    ) -> Connector:
        smtp = world.smtp(security) if isinstance(world, RealMail) else "127.0.0.1:9:plain"
        settings = {
            "smtp": str(smtp),
            "imap": str(world.imap(security)),
            "ca_file": str(world.ca_file) if trusts else None,
            "command_seconds": 10,
            "poll_seconds": 0.2,
        }
        credentials = Credentials(username=address, secret=secret_of(secret or world.password(address)), oauth=oauth)
        opened.append(SmtpImapFactory().connect(address=address, settings=settings, credentials=credentials))
        return opened[-1]

    yield open_one
    for one in opened:
        await one.close()


def letter(subject: str) -> EmailMessage:
    """Return some mail."""
    message = EmailMessage()
    message["From"] = "whoever@south.example"
    message["Subject"] = subject
    message.set_content("Text.\n")
    return message


@pytest.mark.dovecot
@pytest.mark.postfix
@pytest.mark.parametrize("layout", list(LAYOUTS))
async def test_the_conformance_suite_holds_in_every_layout(
    real_mail_with: Callable[[str], RealMail], connect: Connect, layout: str
):
    """Names, separators, marks and extensions of a server change nothing of what the port promises."""
    world = real_mail_with(layout)
    address = f"suite-{layout.replace('_', '-')}@north.example"
    world.add_mailboxes({address: None})

    await exercise(connect(world, address), Subject(address=address, now=now))


@pytest.mark.dovecot
@pytest.mark.postfix
@pytest.mark.parametrize("security", list(Security))
async def test_the_conformance_suite_holds_with_every_protection(
    real_mail: RealMail, connect: Connect, security: Security
):
    """TLS from the first byte, by STARTTLS, and none at all on this machine."""
    address = f"suite-{security}@north.example"
    real_mail.add_mailboxes({address: None})

    await exercise(connect(real_mail, address, security=security), Subject(address=address, now=now))


@pytest.mark.dovecot
@pytest.mark.postfix
async def test_the_conformance_suite_holds_with_a_token(real_mail: RealMail, connect: Connect):
    """XOAUTH2 on both sides."""
    address = "suite-token@north.example"
    real_mail.add_mailboxes({address: None})
    connector = connect(real_mail, address, secret=real_mail.access_token(address), oauth=True)

    await exercise(connector, Subject(address=address, now=now))


@pytest.mark.dovecot
@pytest.mark.parametrize("layout", list(LAYOUTS))
async def test_answers_are_found_in_every_folder_where_they_land(
    real_imap_with: Callable[[str], RealImap], connect: Connect, layout: str
):
    """INBOX, junk, archive or all, and sent: each with its role, once, in the layout's own name."""
    world = real_imap_with(layout)
    address = f"lands-{layout.replace('_', '-')}@north.example"
    world.add_mailboxes({address: None})
    roles = [folder.role for folder in world.layout.folders if folder.role in ROLES]
    if Role.ALL in roles:
        roles = [role for role in roles if role is not Role.ARCHIVE]
    reader = Reader(connect(world, address), now() - timedelta(hours=1))
    await reader.read()
    await asyncio.to_thread(world.deliver, address, letter("INBOX"))
    for role in roles:
        await asyncio.to_thread(world.put, address, role, letter(role.name))
    found = {(message.folder, message.role): message.raw.count(b"Subject:") for message in await reader.read()}

    assert {
        ("INBOX", FolderRole.INBOX): 1,
        **{(world.layout.folder(role).name, ROLES[role]): 1 for role in roles},
    } == found
    assert [] == await reader.read()


@pytest.mark.dovecot
@pytest.mark.postfix
async def test_a_refused_recipient_is_named_with_its_code(real_mail: RealMail, connect: Connect):
    """And the connection is as good as before."""
    address = "refused@north.example"
    real_mail.add_mailboxes({address: None})
    connector = connect(real_mail, address)
    subject = Subject(address=address, now=now)
    envelope = compose(subject, "to nobody")
    with pytest.raises(RejectedError) as refused:
        await connector.stage(replace(envelope, recipient="nobody@south.example"))
    staged = await connector.stage(envelope)
    await staged.discard()

    assert ("RCPT", 550, "5.1.1") == (refused.value.stage, refused.value.code, refused.value.enhanced)


@pytest.mark.dovecot
@pytest.mark.postfix
async def test_a_wrong_password_is_a_refused_login_on_both_sides(real_mail: RealMail, connect: Connect):
    """For good, not for the moment: a person has to look."""
    address = "wrong@north.example"
    real_mail.add_mailboxes({address: None})
    connector = connect(real_mail, address, secret="not the password")
    with pytest.raises(LoginRefusedError) as reading:
        await Reader(connector, now()).read()
    with pytest.raises(LoginRefusedError) as sending:
        await connector.stage(compose(Subject(address=address, now=now), "never"))

    assert (False, False) == (reading.value.temporary, sending.value.temporary)


@pytest.mark.dovecot
@pytest.mark.postfix
@pytest.mark.parametrize("security", [Security.TLS, Security.STARTTLS])
async def test_an_unknown_authority_is_named_with_the_remedy(real_mail: RealMail, connect: Connect, security: Security):
    """Nothing is said to a server whose certificate nobody vouches for, and the sentence names --ca-file."""
    address = f"untrusting-{security}@north.example"
    real_mail.add_mailboxes({address: None})
    connector = connect(real_mail, address, security=security, trusts=False)
    with pytest.raises(MailboxUnreachableError, match="--ca-file"):
        await Reader(connector, now()).read()
    with pytest.raises(MailboxUnreachableError, match="--ca-file"):
        await connector.stage(compose(Subject(address=address, now=now), "never"))
    report = await connector.check(compose(Subject(address=address, now=now), "never"), sleep=asyncio.sleep)

    assert [("smtp tls", False), ("imap tls", False)] == [(step.name, step.ok) for step in report.steps]
