"""Every server that the rules run over: one row for each, and how a mailbox on it comes about.

| Server                | What is behind it                                                      |
|-----------------------|------------------------------------------------------------------------|
| `fake`                | the sandbox with every extension it knows, TLS                         |
| `fake_bare`           | the sandbox with IDLE alone, `INBOX.` names, in the clear              |
| `fake_gmail`          | the sandbox as Gmail: labels, All Mail, X-GM-EXT-1                     |
| `dovecot`             | Dovecot with CONDSTORE, QRESYNC and SPECIAL-USE                        |
| `dovecot_no_condstore`| Dovecot that announces none of CONDSTORE, QRESYNC, ENABLE              |
| `dovecot_inbox_dot`   | Dovecot with `INBOX.` and `.`, German names told by SPECIAL-USE        |
| `dovecot_unmarked`    | Dovecot with Exchange's names and no attributes                        |
| `dovecot_spartan`     | Dovecot that announces IMAP4rev1 and nothing else, `INBOX.`            |
| `cyrus`               | Cyrus with its alternate namespace and SPECIAL-USE                     |
| `cyrus_inbox_dot`     | Cyrus with its own namespace, `INBOX.`, and no attributes              |
| `courier`             | Courier: `INBOX.`, no SPECIAL-USE, no CONDSTORE, no LITERAL+, no ID    |
"""

import asyncio
import email
import itertools
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.message import EmailMessage
from email.policy import SMTP

from acceptance.realservers import LAYOUTS, RealImap
from acceptance.realservers.endpoint import Endpoint, Security
from acceptance.realservers.fixtures import require_dovecot
from acceptance.realservers.layouts import Folder, Layout, Role
from acceptance.realservers.other_worlds import CourierImap, CyrusImap
from acceptance.realservers.unpacked import REMEDY, SERVERS
from imap_servers.site import Site
from peers import require_program, unavailable
from relance.sandbox.domains import ENGLISH, GMAIL, UNDER_INBOX, Capability, Domain
from relance.sandbox.domains import Security as SandboxSecurity
from relance.sandbox.mailstore import Use, encode_folder
from relance.sandbox.world import World

_numbers = itertools.count(1)


@dataclass(frozen=True, slots=True, kw_only=True)
class RealServer:
    """A foreign program, started once for all rules."""

    kind: type[RealImap]
    layout: Layout
    require: Callable[[], None]
    securities: tuple[Security, ...] = (Security.TLS, Security.STARTTLS, Security.PLAIN)


@dataclass(frozen=True, slots=True, kw_only=True)
class FakeServer:
    """The sandbox's, started anew for every rule."""

    domain: Domain


def require_cyrus() -> None:
    """Skip or fail where Cyrus was not unpacked."""
    require_program("setpriv")
    if not (SERVERS / "cyrus-imapd").is_dir():
        unavailable("Cyrus", REMEDY)


def require_courier() -> None:
    """Skip or fail where Courier was not unpacked, or may not be put into a root folder of its own."""
    if not (SERVERS / "courier-imap").is_dir():
        unavailable("Courier", REMEDY)
    if os.geteuid() != 0:
        unavailable("the right to start Courier", "run pytest as root (it needs a root folder of its own)")


def _dovecot(layout: str) -> RealServer:
    return RealServer(kind=RealImap, layout=LAYOUTS[layout], require=require_dovecot)


SERVERS_BY_NAME: Mapping[str, RealServer | FakeServer] = {
    "fake": FakeServer(domain=Domain(name="north.example", security=SandboxSecurity.TLS, folders=ENGLISH)),
    "fake_bare": FakeServer(
        domain=Domain(
            name="north.example",
            security=SandboxSecurity.PLAIN,
            capabilities=frozenset({Capability.IDLE}),
            folders=UNDER_INBOX,
            separator=".",
        )
    ),
    "fake_gmail": FakeServer(
        domain=Domain(
            name="north.example",
            security=SandboxSecurity.TLS,
            folders=GMAIL,
            capabilities=frozenset(Capability),
        )
    ),
    "dovecot": _dovecot("plain"),
    "dovecot_no_condstore": _dovecot("no_condstore"),
    "dovecot_inbox_dot": _dovecot("inbox_dot"),
    "dovecot_unmarked": _dovecot("unmarked"),
    "dovecot_spartan": _dovecot("spartan"),
    "cyrus": RealServer(kind=CyrusImap, layout=LAYOUTS["plain"], require=require_cyrus),
    "cyrus_inbox_dot": RealServer(kind=CyrusImap, layout=LAYOUTS["unmarked_dot"], require=require_cyrus),
    "courier": RealServer(
        kind=CourierImap,
        layout=LAYOUTS["unmarked_dot"],
        require=require_courier,
        securities=(Security.TLS, Security.PLAIN),
    ),
}


def real_site(server: RealServer, world: RealImap) -> Site:
    """Return a new mailbox on a running server."""
    address = f"owner-{next(_numbers)}@north.example"
    world.add_mailboxes({address: None})

    async def by_the_server(raw: bytes) -> None:
        await asyncio.to_thread(world.deliver, address, _parsed(raw))

    return Site(
        address=address,
        username=address,
        password=world.password(address),
        endpoints=[world.imap(security) for security in server.securities],
        ca_file=world.ca_file,
        folders=server.layout.folders,
        separator=server.layout.separator,
        prefix=server.layout.prefix,
        now=lambda: datetime.now(tz=UTC),  # noqa: TID251 - real servers live in real time
        deliver_raw=by_the_server,
    )


def fake_site(server: FakeServer, world: World) -> Site:
    """Return the only mailbox of a running sandbox."""
    account = world.accounts[0]
    store = world.mailbox(account.address).store
    domain = server.domain
    roles = {Role(use.value): name for use, name in domain.folders.items() if use is not Use.INBOX}
    inbox = store.by_use(Use.INBOX)

    async def by_the_server(raw: bytes) -> None:
        inbox.append(raw, at=world.clock.now())

    return Site(
        address=account.address,
        username=account.username,
        password=account.password,
        endpoints=[Endpoint(host="127.0.0.1", port=account.imap.port, security=Security(account.imap.security.value))],
        ca_file=account.ca_file,
        folders=[Folder(role=role, name=name, wire=encode_folder(name)) for role, name in roles.items()],
        separator=domain.separator,
        all_mail=domain.folders.get(Use.ALL),
        prefix="INBOX." if domain.separator == "." else "",
        now=world.clock.now,
        deliver_raw=by_the_server,
    )


def _parsed(raw: bytes) -> EmailMessage:
    return email.message_from_bytes(raw, policy=SMTP)
