"""`relance enroll` and `relance enrollment`: who walks which sequence, and an operator's decisions about it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

import click

from relance.app import Installation
from relance.cli.crowding import list_overlaps
from relance.cli.failures import DONE, NO
from relance.cli.leads import spelled
from relance.cli.printing import complain
from relance.cli.session import Command, Group, session
from relance.core.enrollment import Enrollment
from relance.core.lead import Lead
from relance.core.mailbox import Mailbox
from relance.core.sequence import Sequence as SequenceRow
from relance.core.words import counted
from relance.core.workspace import Workspace
from relance.ports.store import Reader, Transaction
from relance.services import enrollments, leads

BATCH = 500
COLUMNS = ("lead", "sequence", "version", "status", "stop_reason", "step", "next_due_at", "last_sent_at", "mailbox")


class Decision(Protocol):
    """What an operator may do with one enrollment; says whether it changed anything."""

    def __call__(self, tx: Transaction, /, *, workspace_id: int, enrollment_id: int, cause: str, now: datetime) -> bool:
        """Do it."""
        ...


@click.command(cls=Command)
@click.argument("sequence_name", metavar="SEQUENCE")
@click.option("--list", "list_name", metavar="NAME", help="Everyone on this list.")
@click.option("--lead", "emails", metavar="EMAIL", multiple=True, help="This lead; may be repeated.")
def enroll(sequence_name: str, list_name: str | None, emails: tuple[str, ...]) -> None:
    """Start leads on a live sequence; nobody starts twice."""
    current = session()
    if (list_name is None) == (not emails):
        raise click.UsageError("say whom: --list NAME, or --lead EMAIL once or more")

    async def write(installation: Installation, workspace: Workspace) -> enrollments.Enrolled:
        ids = await installation.read(_chosen_leads, workspace.id, list_name, emails)
        total = enrollments.Enrolled(enrolled=0, already=0, holdout=0)
        for start in range(0, len(ids), BATCH):
            done = await installation.write(
                enrollments.enroll,
                workspace_id=workspace.id,
                sequence_name=sequence_name,
                lead_ids=ids[start : start + BATCH],
                source_list=list_name,
                keys=installation.keys,
                now=installation.clock.now(),
            )
            total = enrollments.Enrolled(
                enrolled=total.enrolled + done.enrolled,
                already=total.already + done.already,
                holdout=total.holdout + done.holdout,
            )
        return total

    done = current.run(write)
    held_out = f" ({done.holdout} of them in the control group)" if done.holdout else ""
    current.printer.facts(
        {"sequence": sequence_name, "enrolled": done.enrolled, "already": done.already, "holdout": done.holdout},
        f"{done.enrolled} enrolled into {sequence_name}{held_out}, {done.already} had been before.",
    )


@click.group(cls=Group)
def enrollment() -> None:
    """Decide about leads inside sequences."""


enrollment.add_command(list_overlaps)


_chosen = (
    click.option("--sequence", "sequence_name", metavar="NAME", help="Those of this sequence."),
    click.option("--lead", "email", metavar="EMAIL", help="Those of this lead."),
)


@enrollment.command("list")
@_chosen[0]
@_chosen[1]
def list_enrollments(sequence_name: str | None, email: str | None) -> None:
    """List enrollments, oldest first."""
    current = session()

    async def read(installation: Installation, workspace: Workspace) -> list[Mapping[str, object]]:
        return await installation.read(_rows, workspace.id, sequence_name, email and spelled(email))

    current.printer.rows(current.run(read), COLUMNS, empty="Nobody is enrolled.")


@enrollment.command()
@_chosen[0]
@_chosen[1]
def pause(sequence_name: str | None, email: str | None) -> int:
    """Freeze enrollments in place."""
    return _decide(enrollments.pause, "paused", sequence_name, email)


@enrollment.command()
@_chosen[0]
@_chosen[1]
def resume(sequence_name: str | None, email: str | None) -> int:
    """Let paused or held enrollments go on from the identical step."""
    return _decide(enrollments.resume, "resumed", sequence_name, email)


@enrollment.command()
@_chosen[0]
@_chosen[1]
def stop(sequence_name: str | None, email: str | None) -> int:
    """End enrollments for good."""
    return _decide(_stop, "stopped", sequence_name, email)


def _stop(tx: Transaction, /, *, workspace_id: int, enrollment_id: int, cause: str, now: datetime) -> bool:
    return enrollments.stop(tx, workspace_id=workspace_id, enrollment_id=enrollment_id, cause=cause, now=now)


def _decide(decision: Decision, word: str, sequence_name: str | None, email: str | None) -> int:
    current = session()
    if sequence_name is None and email is None:
        raise click.UsageError("say which: --sequence NAME, --lead EMAIL, or both")

    def batch(tx: Transaction, found: Sequence[Enrollment], now: datetime) -> int:
        return sum(
            decision(tx, workspace_id=one.workspace_id, enrollment_id=one.id, cause=f"{word} by an operator", now=now)
            for one in found
        )

    async def write(installation: Installation, workspace: Workspace) -> tuple[int, int]:
        found = await installation.read(
            enrollments.chosen, workspace_id=workspace.id, sequence_name=sequence_name, email=email and spelled(email)
        )
        changed = 0
        for start in range(0, len(found), BATCH):
            changed += await installation.write(batch, found[start : start + BATCH], installation.clock.now())
        return changed, len(found)

    changed, found = current.run(write)
    said = f"{changed} of {counted(found, 'enrollment')} {'was' if changed == 1 else 'were'} {word}."
    current.printer.facts({word: changed, "unchanged": found - changed}, said)
    if not changed:
        complain(f"relance: nothing was {word}; see `relance enrollment list`")
    return DONE if changed else NO


def _chosen_leads(reader: Reader, workspace_id: int, list_name: str | None, emails: tuple[str, ...]) -> list[int]:
    if list_name is not None:
        return leads.on_list(reader, workspace_id, list_name)
    return list(dict.fromkeys(leads.by_email(reader, workspace_id, spelled(email)).id for email in emails))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Names:
    """Ids to what people call them."""

    leads: Mapping[int, str]
    sequences: Mapping[int, str]
    mailboxes: Mapping[int, str]


def _rows(
    reader: Reader, workspace_id: int, sequence_name: str | None, email: str | None
) -> list[Mapping[str, object]]:
    found = enrollments.chosen(reader, workspace_id=workspace_id, sequence_name=sequence_name, email=email)
    ids = {"workspace_id": workspace_id}
    names = _Names(
        leads={one.id: one.email for one in reader.all(Lead, "leads.of_workspace", **ids)},
        sequences={one.id: one.name for one in reader.all(SequenceRow, "sequences.of_workspace", **ids)},
        mailboxes={one.id: one.address for one in reader.all(Mailbox, "mailboxes.of_workspace", **ids)},
    )
    return [_row(one, names) for one in found]


def _row(one: Enrollment, names: _Names) -> Mapping[str, object]:
    plain = (
        "id", "version", "status", "stop_reason", "hold_reason", "step", "step_counter", "next_due_at", "skip_until",
        "last_skip_reason", "last_sent_at", "last_inbound_at", "replied_at", "source_list", "created_at", "ended_at",
    )  # fmt: skip
    return {
        "lead": names.leads.get(one.lead_id),
        "sequence": names.sequences.get(one.sequence_id),
        "mailbox": names.mailboxes.get(one.mailbox_id) if one.mailbox_id else None,
        **{name: getattr(one, name) for name in plain},
    }
