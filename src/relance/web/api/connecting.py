"""Connecting mailboxes, changing and trying them. A secret comes in and never goes out.

Only a password can be given: a command that prints one runs on the server, and is given there.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Annotated, Any, Final

from fastapi import APIRouter, Response
from pydantic import Field, SecretStr, StringConstraints

from relance.core.ceilings import CEILINGS, NO_CEILING
from relance.core.mail_presets import preset_of_address
from relance.core.mailbox import Mailbox, Pacing
from relance.core.pacing import PRESETS
from relance.mail.signatures import read_signature
from relance.ports.store import Transaction
from relance.services import mailbox_checks, mailboxes
from relance.services.addresses import clean_address
from relance.services.mailbox_options import AUTO, RANGES, NameOptions, PacingOptions, WantedMailbox, pacing_of
from relance.services.refusals import RefusedError, WrongInputError
from relance.web.api.call import SELF_NOTED, Call, Governs
from relance.web.api.mailboxes import Address, MailboxShape, shown
from relance.web.api.repeating import Repeatable
from relance.web.api.shapes import CREATED, Given, IfMatch, Shape, Word, check_match, tagged

routes = APIRouter(tags=["mailboxes"], route_class=Repeatable)
MOST: Final = 100
CEILING_WORDS: Final = sorted({*CEILINGS, NO_CEILING, AUTO})
Server = Annotated[str, StringConstraints(min_length=3, max_length=300)]
Password = Annotated[SecretStr, Field(min_length=1, max_length=4_000)]
Count = Annotated[int, Field(ge=RANGES["daily_cap"][0], le=RANGES["daily_cap"][1])]
Seconds = Annotated[float, Field(ge=RANGES["min_gap"][0], le=RANGES["min_gap"][1])]


class MailboxOptions(Given):
    """How fast a mailbox sends, what it is called, where it belongs; what is left out stays, or is the usual."""

    preset: Annotated[str, Field(json_schema_extra={"enum": sorted(PRESETS)})] | None = None
    daily_cap: Count | None = None
    hourly_cap: Count | None = None
    min_gap: Seconds | None = None
    max_gap: Seconds | None = None
    ramp: bool | None = None
    ramp_start: Count | None = None
    ramp_step: Count | None = None
    workday: Word | None = Field(default=None, examples=["08:30-17:30 lunch 12:00-13:00 jitter 20"])
    display_name: Word | None = None
    aliases: list[Word] | None = Field(default=None, max_length=50)
    pool: Word | None = None
    timezone: Word | None = None
    weight: Annotated[int, Field(ge=RANGES["weight"][0], le=RANGES["weight"][1])] | None = None
    ceiling: Annotated[str, Field(json_schema_extra={"enum": CEILING_WORDS})] | None = Field(
        default=None, description="Whose ceiling holds, `none`, or `auto`."
    )
    signature: Annotated[str, StringConstraints(max_length=20_000)] | None = Field(
        default=None, description="What `{{ sender_signature }}` shows; empty: none."
    )
    signature_is_html: bool = False

    def pacing(self) -> PacingOptions:
        """Return what is said about its pace. Raises WrongInputError."""
        if self.preset not in {None, *PRESETS}:
            raise WrongInputError(f"preset {self.preset!r} is none of {', '.join(sorted(PRESETS))}")
        return PacingOptions(**{name: getattr(self, name) for name in PacingOptions.__dataclass_fields__})

    def names(self) -> NameOptions:
        """Return what it is called. Raises WrongInputError."""
        if self.ceiling not in {None, *CEILING_WORDS}:
            raise WrongInputError(f"ceiling {self.ceiling!r} is none of {', '.join(CEILING_WORDS)}")
        given = {name: getattr(self, name) for name in NameOptions.__dataclass_fields__}
        return NameOptions(**{**given, "aliases": tuple(self.aliases or ())})

    def signed(self) -> Mapping[str, object]:
        """Return the columns of its signature, as far as one was said. Raises WrongInputError."""
        if self.signature is None:
            return {}
        if not self.signature.strip():
            return {"signature_text": None, "signature_html": None}
        try:
            found = read_signature(self.signature.encode(), is_html=self.signature_is_html)
        except ValueError as error:
            raise WrongInputError(f"signature: {error}") from error
        return {"signature_text": found.text, "signature_html": found.html}


class NewMailbox(MailboxOptions):
    """A mailbox that is to be connected."""

    address: Word
    password: Password = Field(description="Kept encrypted, and never shown.")
    smtp: Server | None = Field(
        default=None, description="HOST:PORT:tls or :starttls; left out: as the address's provider has it."
    )
    imap: Server | None = None
    username: Word | None = Field(default=None, description="Where it is not the address.")
    smtp_username: Word | None = None

    def wanted(self) -> WantedMailbox:
        """Return it as the services take it. Raises WrongInputError."""
        address = clean_address(self.address)
        preset = preset_of_address(address)
        known = {} if preset is None else {"smtp": preset.smtp, "imap": preset.imap}
        given = {name: value for name, value in (("smtp", self.smtp), ("imap", self.imap)) if value}
        servers: dict[str, object] = {**known, **given}
        for server in ("smtp", "imap"):
            if server not in servers:
                raise WrongInputError(f"nobody knows the {server} server of {address}; give it as HOST:PORT:tls")
        return WantedMailbox(
            address=address,
            servers=servers,
            username=self.username,
            smtp_username=self.smtp_username,
            pacing=self.pacing(),
            names=self.names(),
            signature=self.signed(),
        )


class NewMailboxes(Given):
    """Many mailboxes at once."""

    rows: list[NewMailbox] = Field(min_length=1, max_length=MOST)


class MailboxRowShape(Shape):
    """What became of one of many, in the order in which they were sent."""

    address: str
    connected: bool
    error: str | None = None


class MailboxChange(MailboxOptions):
    """What is to be changed; what is left out stays."""

    password: Password | None = None
    smtp: Server | None = None
    imap: Server | None = None


class CheckStepShape(Shape):
    """One part of a mailbox that was tried."""

    name: str
    ok: bool
    detail: str


class CheckShape(Shape):
    """What came of trying a mailbox."""

    address: str
    ok: bool
    steps: list[CheckStepShape]
    saves_sent: bool | None = Field(description="Whether its server keeps a copy of what it sends.")
    ids_survive: bool | None = Field(description="Whether Message-IDs stay as they are.")


@routes.post("/mailboxes", status_code=CREATED, response_model=MailboxShape)
async def connect_mailbox(call: Governs, wanted: NewMailbox) -> dict[str, Any]:
    """Connect a mailbox. Nothing is tried yet: see `check`."""
    return shown(await _connect(call, wanted))


@routes.post("/mailboxes/bulk", response_model=list[MailboxRowShape])
async def connect_mailboxes(call: Governs, wanted: NewMailboxes) -> list[dict[str, Any]]:
    """Connect many; each has its own outcome, and a bad one takes no other along."""
    rows: list[dict[str, Any]] = []
    for row in wanted.rows:
        try:
            await _connect(call, row)
        except RefusedError as error:
            rows.append({"address": row.address, "connected": False, "error": str(error)})
        else:
            rows.append({"address": row.address, "connected": True})
    return rows


@routes.patch("/mailboxes/{address}", response_model=MailboxShape)
async def change_mailbox(
    call: Governs, address: Address, wanted: MailboxChange, response: Response, if_match: IfMatch
) -> dict[str, Any]:
    """Change what is given and leave the rest; trouble that the old settings caused is forgotten."""
    servers = {name: value for name, value in (("smtp", wanted.smtp), ("imap", wanted.imap)) if value}

    def change(tx: Transaction) -> Mailbox:
        existing = mailboxes.by_address(tx, call.workspace_id, address)
        check_match(if_match, existing.revision)
        columns = {**wanted.pacing().over(pacing_of(existing)), **wanted.names().columns(), **wanted.signed()}
        settings = call.hands.mailboxes.settings(existing, servers) if servers else existing.settings
        sealed = None
        if wanted.password is not None:
            sealed = call.hands.mailboxes.seal(call.workspace, existing.address, wanted.password.get_secret_value())
        changed = replace(existing, settings=settings, **columns)  # type: ignore[arg-type]  # columns by their names
        mailboxes.change(tx, changed, sealed=sealed)
        return mailboxes.by_address(tx, call.workspace_id, address)

    return shown(tagged(response, await call.write(change)))


@routes.post("/mailboxes/{address}/check", response_model=CheckShape, openapi_extra={SELF_NOTED: True})
async def check_mailbox(call: Governs, address: Address) -> dict[str, Any]:
    """Log in to both servers, write to the mailbox itself, and learn how its server treats what it sends."""
    found = await call.read(mailboxes.by_address, call.workspace_id, address)
    report = await call.hands.mailboxes.check(found)
    await call.write(mailbox_checks.learn, found, report, call.now)
    return {
        "address": found.address,
        "ok": report.ok,
        "steps": report.steps,
        "saves_sent": report.saves_sent,
        "ids_survive": report.ids_survive,
    }


async def _connect(call: Call, wanted: NewMailbox) -> Mailbox:
    asked = wanted.wanted()
    asked.pacing.over(Pacing())
    mailbox, sealed = call.hands.mailboxes.prepare(call.workspace, asked, wanted.password.get_secret_value())
    return await call.write(mailboxes.add, mailbox, sealed=sealed, now=call.now)
