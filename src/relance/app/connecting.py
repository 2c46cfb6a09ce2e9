"""Connecting a mailbox: its settings checked by its connector, its secret sealed, its servers tried."""

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from relance.app.installation import Installation
from relance.app.logins import LOGIN, Secret, SecretKind
from relance.core.mailbox import Mailbox, Pacing
from relance.core.workspace import Workspace
from relance.ports.connector import CheckReport, Connector, Credentials, LoginRefusedError
from relance.ports.domains import DomainAnswers
from relance.services import addresses, mailbox_checks, mailboxes
from relance.services.mailbox_options import Said, WantedMailbox, as_named
from relance.services.refusals import WrongInputError

PROVIDER = "smtp_imap"


@dataclass(frozen=True, slots=True, kw_only=True)
class Prepared:
    """A mailbox that `mailboxes.add` can connect as it is."""

    mailbox: Mailbox
    sealed: bytes


def prepare(
    installation: Installation, workspace: Workspace, wanted: WantedMailbox, secret: Secret, said: Said = as_named
) -> Prepared:
    """Check what is wanted and seal the secret; nothing is opened and nothing kept yet. Raises WrongInputError."""
    address = addresses.clean_address(wanted.address)
    login = wanted.username or address
    try:
        settings = installation.factory(PROVIDER).parse_settings(wanted.servers)
    except ValueError as error:
        raise WrongInputError(str(error)) from error
    unborn = Mailbox(
        workspace_id=workspace.id,
        id=0,
        provider=PROVIDER,
        login=login,
        address=address,
        settings={**settings, **login_settings(secret, wanted.smtp_username)},
        shard=mailboxes.shard_of(PROVIDER, login),
        created_at=installation.clock.now(),
    )
    columns = {**wanted.pacing.over(Pacing(), said), **wanted.names.columns(said), **wanted.signature}
    mailbox = replace(unborn, **columns)  # type: ignore[arg-type]  # columns of a mailbox by their names
    return Prepared(mailbox=mailbox, sealed=installation.seal(workspace, address, secret))


def login_settings(secret: Secret, smtp_username: str | None) -> dict[str, object]:
    """Return what a mailbox's settings say about its login, without the secret."""
    return {LOGIN: {"oauth": secret.kind is SecretKind.OAUTH_TOKEN_COMMAND, "smtp_username": smtp_username}}


def other_servers(
    installation: Installation,
    existing: Mailbox,
    servers: Mapping[str, object],
    *,
    smtp_username: str | None = None,
) -> Mapping[str, object]:
    """Return a mailbox's settings with what is given of its servers. Raises WrongInputError."""
    stored = {name: value for name, value in existing.settings.items() if name != LOGIN}
    login = existing.settings.get(LOGIN)
    kept = dict(login) if isinstance(login, Mapping) else {}
    if smtp_username is not None:
        kept["smtp_username"] = smtp_username
    try:
        settings = installation.factory(existing.provider).parse_settings({**stored, **servers})
    except ValueError as error:
        raise WrongInputError(str(error)) from error
    return {**settings, LOGIN: kept}


async def try_out(installation: Installation, mailbox: Mailbox, secret: str) -> CheckReport:
    """Try the servers of a mailbox that is not connected yet, with the password as it was given."""

    async def password() -> str:
        return secret

    login = mailbox.settings.get(LOGIN)
    smtp_username = login.get("smtp_username") if isinstance(login, Mapping) else None
    credentials = Credentials(username=mailbox.login, secret=password, smtp_username=smtp_username)
    settings = {name: value for name, value in mailbox.settings.items() if name != LOGIN}
    try:
        connector = installation.factory(mailbox.provider).connect(
            address=mailbox.address, settings=settings, credentials=credentials
        )
    except ValueError as error:
        raise LoginRefusedError(f"The settings of {mailbox.address} do not work: {error}") from error
    return await _check(installation, mailbox, connector)


async def check(installation: Installation, mailbox: Mailbox) -> CheckReport:
    """Try every part of a connected mailbox. Raises LoginRefusedError where its secret does not open."""
    return await _check(installation, mailbox, await installation.connect(mailbox))


async def _check(installation: Installation, mailbox: Mailbox, connector: Connector) -> CheckReport:
    try:
        probe = mailbox_checks.compose_probe(mailbox, now=installation.clock.now(), token=uuid.uuid4().hex)
        return await connector.check(probe, sleep=installation.monotonic.sleep)
    finally:
        await connector.close()


@dataclass(frozen=True, slots=True)
class ConnectingHands:
    """What the web asks for, over one installation; implements `web.hands.MailboxHands`."""

    installation: Installation

    def prepare(self, workspace: Workspace, wanted: WantedMailbox, password: str) -> tuple[Mailbox, bytes]:
        """Return a mailbox to connect, and its sealed password. Raises WrongInputError."""
        found = prepare(self.installation, workspace, wanted, _password(password))
        return found.mailbox, found.sealed

    def settings(self, existing: Mailbox, servers: Mapping[str, object]) -> Mapping[str, object]:
        """Return a mailbox's settings with other servers. Raises WrongInputError."""
        return other_servers(self.installation, existing, servers)

    def seal(self, workspace: Workspace, address: str, password: str) -> bytes:
        """Seal another password for a mailbox."""
        return self.installation.seal(workspace, address, _password(password))

    async def try_out(self, wanted: Mailbox, password: str) -> CheckReport:
        """Try a mailbox that is not connected yet."""
        return await try_out(self.installation, wanted, password)

    async def check(self, mailbox: Mailbox) -> CheckReport:
        """Try a connected mailbox."""
        return await check(self.installation, mailbox)

    async def inspect_domain(self, name: str, selectors: Sequence[str]) -> DomainAnswers:
        """Ask name servers about a domain."""
        return await self.installation.domains.inspect(name, selectors)


def _password(text: str) -> Secret:
    return Secret(kind=SecretKind.PASSWORD, value=text)
