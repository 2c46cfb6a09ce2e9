"""Mailboxes: connected, changed, paused, removed; what the engine learns about them and how they are put off."""

from dataclasses import dataclass
from datetime import datetime
from hashlib import blake2b

from relance.core import backoff, defaults
from relance.core.events import Event, EventName
from relance.core.mailbox import Mailbox, MailboxStatus
from relance.ports.connector import Cursor
from relance.ports.store import Reader, Transaction
from relance.services.records import columns, record
from relance.services.refusals import NotFoundError, RefusedError


@dataclass(frozen=True, slots=True, kw_only=True)
class Connected:
    """What the poller looks at in every pass, of every mailbox."""

    workspace_id: int
    id: int
    shard: int
    consecutive_failures: int
    asked_for: bool  #: A worker that does not own it has needed it read since it was.


@dataclass(frozen=True, slots=True, kw_only=True)
class SealedCredentials:
    """A mailbox's credentials as stored."""

    sealed_credentials: bytes | None


def by_address(reader: Reader, workspace_id: int, address: str) -> Mailbox:
    """Return a connected mailbox by its address. Raises NotFoundError."""
    found = reader.one(Mailbox, "mailboxes.by_address", workspace_id=workspace_id, address=address.strip().casefold())
    if found is None:
        raise NotFoundError(f"there is no mailbox {address!r}; see `relance mailbox list`")
    return found


def of_workspace(reader: Reader, workspace_id: int) -> list[Mailbox]:
    """Return every connected mailbox of a workspace, whatever its state."""
    return reader.all(Mailbox, "mailboxes.of_workspace", workspace_id=workspace_id)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Addresses:
    """What one mailbox goes by."""

    address: str
    aliases: tuple[str, ...]


def own_addresses(reader: Reader, workspace_id: int) -> frozenset[str]:
    """Return every address that is a mailbox of this workspace itself, aliases included: none of them is a lead."""
    rows = reader.all(_Addresses, "mailboxes.addresses", workspace_id=workspace_id)
    return frozenset(address.casefold() for row in rows for address in (row.address, *row.aliases))


def shard_of(provider: str, login: str) -> int:
    """Return the shard that owns all work of a mailbox: stable for its whole life."""
    return blake2b(f"{provider}/{login}".encode(), digest_size=1).digest()[0]


def add(tx: Transaction, mailbox: Mailbox, *, sealed: bytes, now: datetime) -> Mailbox:
    """Connect a mailbox; reconnecting a removed one keeps its history. Raises RefusedError if it is connected."""
    existing = tx.one(Mailbox, "mailboxes.by_login", provider=mailbox.provider, login=mailbox.login)
    if existing is not None and existing.status is not MailboxStatus.REMOVED:
        raise RefusedError(
            f"login {mailbox.login!r} is already connected as {existing.address}; change it with `relance mailbox set`"
        )
    if tx.one(Mailbox, "mailboxes.by_address", workspace_id=mailbox.workspace_id, address=mailbox.address) is not None:
        raise RefusedError(f"{mailbox.address} is already connected; change it with `relance mailbox set`")
    names = (mailbox.workspace_id, mailbox.address)
    if existing is not None and (existing.workspace_id, existing.address) == names:
        tx.run(
            "mailboxes.reconnect",
            **_settings(mailbox),
            workspace_id=mailbox.workspace_id,
            id=existing.id,
            shard=mailbox.shard,
            sealed_credentials=sealed,
        )
    else:
        values = columns(mailbox)
        del values["id"]
        tx.run("mailboxes.insert", **values, sealed_credentials=sealed)
    saved = by_address(tx, mailbox.workspace_id, mailbox.address)
    since = tx.one(datetime, "mailboxes.recover_since", workspace_id=saved.workspace_id)
    if since is not None:  # it may have been connected before, after the backup that was put back
        why = "others of its workspace recover"
        enter_recovery(tx, saved, since=since, why=why, now=now)
        saved = by_address(tx, mailbox.workspace_id, mailbox.address)
    _note(tx, saved, EventName.MAILBOX_ADDED, f"{saved.address} was connected", now)
    return saved


def enter_recovery(tx: Transaction, box: Mailbox, *, since: datetime, why: str, now: datetime) -> str:
    """Let one mailbox recover, and return why, in words for people."""
    last = now + defaults.AMBIGUITY_GRACE
    reason = (
        f"{why}: it is read back to {since:%Y-%m-%d %H:%M} UTC before anything is sent, and once more after "
        f"{last:%H:%M} UTC, because copies may come late"
    )
    ids = {"workspace_id": box.workspace_id, "id": box.id}
    tx.run("mailboxes.enter_recovery", **ids, since=since, reason=reason, now=now)
    return reason


def change(tx: Transaction, mailbox: Mailbox, *, sealed: bytes | None) -> None:
    """Write a mailbox's settings (and new credentials); whatever held it back because of the old ones is lifted."""
    tx.run(
        "mailboxes.change",
        **_settings(mailbox),
        workspace_id=mailbox.workspace_id,
        id=mailbox.id,
        sealed_credentials=sealed,
    )


def _settings(mailbox: Mailbox) -> dict[str, object]:
    names = (
        "display_name",
        "signature_text",
        "signature_html",
        "aliases",
        "pool",
        "timezone",
        "settings",
        "daily_cap",
        "hourly_cap",
        "min_gap",
        "max_gap",
        "ramp",
        "ramp_start",
        "ramp_step",
        "workday",
        "weight",
        "ceiling",
    )
    return {name: getattr(mailbox, name) for name in names}


def pause(tx: Transaction, mailbox: Mailbox, *, reason: str, now: datetime) -> None:
    """Keep a mailbox from sending until someone resumes it; it is still read."""
    if not _after_recovery(tx, mailbox, MailboxStatus.PAUSED):
        _set_status(tx, mailbox, MailboxStatus.PAUSED, reason)
    _note(tx, mailbox, EventName.MAILBOX_PAUSED, reason, now)


def resume(tx: Transaction, mailbox: Mailbox, *, now: datetime) -> None:
    """Let a mailbox send again, whatever held it back; one that recovers only once it is read back."""
    if not _after_recovery(tx, mailbox, MailboxStatus.ACTIVE):
        _set_status(tx, mailbox, MailboxStatus.ACTIVE, None)
    _note(tx, mailbox, EventName.MAILBOX_RESUMED, f"{mailbox.address} was resumed", now)


def remove(tx: Transaction, mailbox: Mailbox, *, now: datetime) -> None:
    """Disconnect a mailbox; its history stays, and whoever it has not written to goes to another one.

    Its credentials are forgotten as soon as nothing is looked for in it any more: at once, or by the housekeeper. What
    is reserved on it is given back by its sender, which finds it removed, or by the rescuer. Raises RefusedError for
    one that recovers: whom it may have written to has to be decided first.
    """
    if mailbox.status is MailboxStatus.RECOVERING:
        raise RefusedError(
            f"{mailbox.address} is read back after a restore, and may have written to people unknown to this state: "
            f"say `relance mailbox recovered {mailbox.address}` first, then remove it"
        )
    ids = {"workspace_id": mailbox.workspace_id, "id": mailbox.id}
    if tx.run("mailboxes.remove", **ids, reason="removed by an operator") != 1:
        raise RefusedError(f"{mailbox.address} is removed already")
    tx.run("enrollments.let_go_of_mailbox", workspace_id=mailbox.workspace_id, mailbox_id=mailbox.id)
    tx.run("mailboxes.forget_credentials")
    _note(tx, mailbox, EventName.MAILBOX_REMOVED, f"{mailbox.address} was removed", now)


def reading_failed(
    tx: Transaction, *, workspace_id: int, mailbox_id: int, status: MailboxStatus, error: str, now: datetime
) -> datetime:
    """Put a mailbox off that cannot be read, with growing patience; return until when."""
    mailbox = tx.one(Mailbox, "mailboxes.get", workspace_id=workspace_id, id=mailbox_id)
    if mailbox is None:
        raise NotFoundError(f"mailbox {mailbox_id} does not exist")
    until = now + backoff.mailbox_rest(mailbox.consecutive_failures + 1)
    tx.run(
        "mailboxes.put_off_for_trouble",
        workspace_id=workspace_id,
        id=mailbox_id,
        status=status,
        reason=status,
        detail=error[:500],
        until=until,
    )
    if mailbox.status is not status:
        _note(tx, mailbox, EventName.MAILBOX_FAILED, f"{status}: {error}"[:500], now)
    return until


def mark_read(tx: Transaction, *, workspace_id: int, mailbox_id: int, started_at: datetime, now: datetime) -> None:
    """Move freshness to the start of a read, all of whose messages are ingested; trouble with reaching it is over."""
    mailbox = tx.one(Mailbox, "mailboxes.get", workspace_id=workspace_id, id=mailbox_id)
    if mailbox is None:
        return
    tx.run("mailboxes.mark_read", workspace_id=workspace_id, id=mailbox_id, started_at=started_at, now=now)
    if tx.run("mailboxes.mark_readable", workspace_id=workspace_id, id=mailbox_id):
        _note(tx, mailbox, EventName.MAILBOX_RECOVERED, f"{mailbox.address} can be read again", now)


def ask_for_reading(tx: Transaction, *, workspace_id: int, mailbox_id: int, now: datetime) -> None:
    """Let the worker that owns a mailbox read it soon; it looks every second."""
    tx.run("mailboxes.ask_for_reading", workspace_id=workspace_id, id=mailbox_id, now=now)


def cursors(reader: Reader, *, workspace_id: int, mailbox_id: int) -> dict[str, Cursor]:
    """Return how far each folder of a mailbox has been read."""
    rows = reader.all(Cursor, "folders.of_mailbox", workspace_id=workspace_id, mailbox_id=mailbox_id)
    return {row.folder: row for row in rows}


def learn(
    tx: Transaction, *, workspace_id: int, mailbox_id: int, saves_sent: bool | None, ids_survive: bool | None
) -> None:
    """Keep what was learned about a mailbox; None leaves it as it was."""
    tx.run("mailboxes.learn", workspace_id=workspace_id, id=mailbox_id, saves_sent=saves_sent, ids_survive=ids_survive)


def sealed_credentials(reader: Reader, mailbox: Mailbox) -> bytes:
    """Return a mailbox's sealed credentials. Raises RefusedError if they were forgotten."""
    row = reader.one(
        SealedCredentials, "mailboxes.sealed_credentials", workspace_id=mailbox.workspace_id, id=mailbox.id
    )
    if row is None or row.sealed_credentials is None:
        raise RefusedError(f"{mailbox.address} has no credentials; set them with `relance mailbox set`")
    return row.sealed_credentials


def _after_recovery(tx: Transaction, mailbox: Mailbox, status: MailboxStatus) -> bool:
    """Keep what shall become of a mailbox that recovers; return False if it does not."""
    return tx.run("mailboxes.recover_to", workspace_id=mailbox.workspace_id, id=mailbox.id, status=status) == 1


def _set_status(tx: Transaction, mailbox: Mailbox, status: MailboxStatus, reason: str | None) -> None:
    changed = tx.run(
        "mailboxes.set_status", workspace_id=mailbox.workspace_id, id=mailbox.id, status=status, reason=reason
    )
    if changed != 1:
        raise RefusedError(f"{mailbox.address} is removed; connect it again with `relance mailbox add`")


def _note(tx: Transaction, mailbox: Mailbox, name: EventName, detail: str, now: datetime) -> None:
    record(
        tx,
        Event(workspace_id=mailbox.workspace_id, at=now, name=name, detail=detail, mailbox_id=mailbox.id),
    )
