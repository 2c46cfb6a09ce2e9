"""`relance thread`: the conversations that somebody has answered, and what is done with them."""

from collections.abc import Callable
from dataclasses import asdict
from datetime import datetime, timedelta
from typing import Any

import click

from relance.app import Installation
from relance.cli.session import Group, session
from relance.cli.thread_answers import answer, author, send_again, settle, withdraw
from relance.core.inbound import InboundKind
from relance.core.thread import CORRECTABLE, Interest
from relance.core.workspace import Workspace
from relance.ports.store import Reader, Transaction
from relance.services import correcting, mailboxes, sequences, users
from relance.services.refusals import NotFoundError
from relance.services.threads import handling, listing, reading
from relance.services.threads.listing import Filter, Hit, Place, State, ThreadLine
from relance.services.threads.reading import Conversation

_COLUMNS = ("id", "last_in_at", "kind", "lead", "subject", "mailbox", "sequence", "interest")
_NOBODY = "nobody"


@click.group(cls=Group)
def thread() -> None:
    """Read conversations and answer in them."""


for _command in (answer, withdraw, send_again, settle):
    thread.add_command(_command)


@thread.command("list")
@click.option("--state", type=click.Choice([str(one) for one in State]), default="open", show_default=True)
@click.option("--class", "kind", type=click.Choice([str(one) for one in InboundKind]), help="Of this class.")
@click.option("--sequence", "sequence_name", metavar="NAME", help="Of this sequence.")
@click.option("--mailbox", "address", metavar="ADDRESS", help="With this mailbox.")
@click.option("--assignee", metavar="EMAIL", help="Of which this person is in charge.")
@click.option("--limit", type=click.IntRange(1, listing.MOST), default=50, show_default=True, metavar="N")
def list_threads(
    state: str, kind: str | None, sequence_name: str | None, address: str | None, assignee: str | None, limit: int
) -> None:
    """List conversations, the newest first."""
    current = session()

    def found(reader: Reader, workspace: Workspace, now: datetime) -> list[ThreadLine]:
        template = sequences.by_name(reader, workspace.id, sequence_name) if sequence_name else None
        wanted = Filter(
            state=State(state),
            kind=kind,
            mailbox_id=mailboxes.by_address(reader, workspace.id, address).id if address else None,
            sequence_id=template.id if template is not None else None,
            assignee_id=_member(reader, workspace, assignee) if assignee else None,
        )
        lines: list[ThreadLine] = []
        before: Place | None = Place()
        while before is not None and len(lines) < limit:
            size = limit - len(lines)
            page = listing.page(reader, workspace_id=workspace.id, wanted=wanted, now=now, before=before, size=size)
            lines, before = [*lines, *page.lines], page.next
        return lines

    async def read(installation: Installation, workspace: Workspace) -> list[ThreadLine]:
        return await installation.read(found, workspace, installation.clock.now())

    rows = (asdict(one) for one in current.run(read))
    current.printer.rows(rows, _COLUMNS, empty="No conversation is like that.")


@thread.command("find")
@click.argument("words", nargs=-1, required=True)
@click.option("--limit", type=click.IntRange(1, listing.MOST), default=50, show_default=True, metavar="N")
def find(words: tuple[str, ...], limit: int) -> None:
    """Find messages that have all these words, the newest first."""
    current = session()

    async def read(installation: Installation, workspace: Workspace) -> list[Hit]:
        question = " ".join(words)
        return await installation.read(listing.find, workspace_id=workspace.id, question=question, size=limit)

    columns = ("thread_id", "received_at", "kind", "lead", "subject", "new_text")
    current.printer.rows((asdict(one) for one in current.run(read)), columns, empty="Nothing has all these words.")


@thread.command("show")
@click.argument("thread_id", metavar="ID", type=int)
def show(thread_id: int) -> None:
    """Show a conversation with its messages, answers that have not left, and notes."""
    current = session()

    async def read(installation: Installation, workspace: Workspace) -> Conversation:
        return await installation.read(reading.conversation, workspace_id=workspace.id, thread_id=thread_id)

    found = current.run(read)
    current.printer.facts(asdict(found), _as_text(found))


def _as_text(found: Conversation) -> str:
    """Return a conversation as a person reads it."""
    said = [f"{found.thread.lead} and {found.thread.mailbox}: {found.thread.subject or '(no subject)'}"]
    said += [
        f"\n--- message {one.id}, {one.at:%Y-%m-%d %H:%M} UTC, {one.from_address or found.thread.mailbox}"
        f" ({one.kind.replace('_', ' ')})\n{one.text}"
        for one in found.messages
    ]
    said += [
        f"\n--- answer {one.id} of {one.author}, {one.status.replace('_', ' ')}"
        f"{f': {one.error}' if one.error else ''}\n{one.text}"
        for one in found.answers
        if one.sent_at is None
    ]
    said += [f"\n--- note of {one.author}, {one.at:%Y-%m-%d %H:%M} UTC\n{one.text}" for one in found.notes]
    return "\n".join(said)


@thread.command("assign")
@click.argument("thread_id", metavar="ID", type=int)
@click.argument("email", metavar=f"EMAIL|{_NOBODY}")
def assign(thread_id: int, email: str) -> None:
    """Put somebody in charge of a conversation."""

    def put(tx: Transaction, workspace: Workspace, **facts: Any) -> None:  # noqa: ANN401  # as `_handle` gives them
        who = None if email == _NOBODY else email.strip().casefold()
        member = _member(tx, workspace, who) if who is not None else None
        handling.assign(tx, **facts, assignee_id=member, name=who)

    _handle(put, thread_id, f"{email} is in charge.")


@thread.command("snooze")
@click.argument("thread_id", metavar="ID", type=int)
@click.option("--days", type=click.IntRange(1, 366), default=1, show_default=True, metavar="N")
def snooze(thread_id: int, days: int) -> None:
    """Let a conversation sleep for some days, or until its person writes."""

    def put(tx: Transaction, _: Workspace, **facts: Any) -> None:  # noqa: ANN401  # as `_handle` gives them
        handling.snooze(tx, **facts, until=facts["now"] + timedelta(days=days))

    _handle(put, thread_id, f"It sleeps for {days} days.")


@thread.command("finish")
@click.argument("thread_id", metavar="ID", type=int)
def finish(thread_id: int) -> None:
    """Say that nobody need look at it until its person writes again."""
    _handle(lambda tx, _, **facts: handling.finish(tx, **facts), thread_id, "It is done.")


@thread.command("reopen")
@click.argument("thread_id", metavar="ID", type=int)
def reopen(thread_id: int) -> None:
    """Say that somebody ought to look at it."""
    _handle(lambda tx, _, **facts: handling.reopen(tx, **facts), thread_id, "It is open.")


@thread.command("mark")
@click.argument("thread_id", metavar="ID", type=int)
@click.argument("interest", type=click.Choice([str(one) for one in Interest]))
def mark(thread_id: int, interest: str) -> None:
    """Say what its answers show; `positive` is counted."""
    wanted = Interest(interest)
    _handle(
        lambda tx, _, **facts: handling.mark(tx, **facts, interest=wanted), thread_id, f"It is marked as {interest}."
    )


@thread.command("note")
@click.argument("thread_id", metavar="ID", type=int)
@click.argument("text")
def note(thread_id: int, text: str) -> None:
    """Note something about its person; sequences with `on_note: pause` are paused for them."""
    _handle(lambda tx, _, **facts: handling.note(tx, **facts, text=text), thread_id, "It is noted.")


@thread.command("class")
@click.argument("message_id", metavar="MESSAGE", type=int)
@click.argument("kind", type=click.Choice([str(one) for one in CORRECTABLE]))
def reclassify(message_id: int, kind: str) -> None:
    """Say what a message is: what it had done is undone, and what it is does its own."""
    current = session()

    async def write(installation: Installation, workspace: Workspace) -> correcting.Corrected:
        return await installation.write(
            correcting.correct,
            workspace_id=workspace.id,
            message_id=message_id,
            kind=InboundKind(kind),
            by=author(),
            keys=installation.keys,
            now=installation.clock.now(),
        )

    done = current.run(write)
    said = f"Message {message_id} was {done.before} and is {done.after}; {done.undone} of what it had done is undone."
    current.printer.facts(asdict(done), said.replace("_", " "))


def _handle(service: Callable[..., object], thread_id: int, said: str) -> None:
    """Do something with a conversation, as whoever runs the command."""
    current = session()

    async def write(installation: Installation, workspace: Workspace) -> object:
        facts: dict[str, Any] = {"thread_id": thread_id, "by": author(), "now": installation.clock.now()}
        return await installation.write(service, workspace, workspace_id=workspace.id, **facts)

    current.run(write)
    current.printer.facts({"id": thread_id}, said)


def _member(reader: Reader, workspace: Workspace, email: str) -> int:
    found = next((one for one in users.members(reader, workspace) if one.email == email.strip().casefold()), None)
    if found is None:
        raise NotFoundError(f"{email} is not in this workspace; see `relance user list`")
    return found.user_id
