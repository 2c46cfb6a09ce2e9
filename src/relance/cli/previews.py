"""`relance sequence preview` and `test`: what a lead would get, on the screen or in an inbox."""

from collections.abc import Iterator, Mapping
from pathlib import Path

import click

from relance.app import Installation
from relance.app.trial_mails import send_test
from relance.cli.failures import DONE, NO, NoError
from relance.cli.leads import spelled
from relance.cli.printing import complain, sized
from relance.cli.sequence_sources import plan_in_file, running_plan
from relance.cli.session import Command, session
from relance.core.mailbox import OPTION_OF_FIELD, Mailbox
from relance.core.sequence import EmailStep, Plan
from relance.core.words import counted
from relance.core.workspace import Workspace
from relance.mail.templates import MissingValue
from relance.ports.store import Reader
from relance.services import addresses, leads, previewing
from relance.services.dispatching import mailboxes_of
from relance.services.previewing import MissedValueError, Preview, TrialMails

NOBODY = "sender@example.com"  #: Who seems to send where no mailbox is connected yet.
FILE_ENDINGS = (".yaml", ".yml", ".json")


@click.command(cls=Command)
@click.argument("source", metavar="NAME|FILE")
@click.option("--lead", "email", metavar="EMAIL", required=True, help="Whose values are filled in.")
def preview(source: str, email: str) -> int:
    """Show every e-mail of a sequence as this lead would get it; exit 1 if a value is missing."""
    current = session()

    async def read(installation: Installation, workspace: Workspace) -> tuple[Mailbox, list[Preview]]:
        plan, _ = await _plan(installation, workspace, source)
        lead = await installation.read(leads.by_email, workspace.id, spelled(email))
        mailbox = await installation.read(_mailbox, workspace.id, plan, installation)
        found = previewing.preview(
            plan,
            workspace=workspace,
            lead=lead,
            mailbox=mailbox,
            keys=installation.keys,
            now=installation.clock.now(),
        )
        return mailbox, list(found)

    mailbox, found = current.run(read)
    if mailbox.address == NOBODY:
        complain(
            f"relance: warning: {source} has no mailbox to be sent from yet, so the sender {NOBODY} is invented; "
            "connect one with `relance mailbox add`"
        )
    for one in found:
        current.printer.facts(_facts(one, mailbox), "\n".join(_lines(one)))
    missing = [(one.step, one.outcome.field) for one in found if isinstance(one.outcome, MissingValue)]
    if missing:
        step, field = missing[0]
        whose, remedy = _remedy(field, email, mailbox)
        complain(
            f"relance: {whose} has no {field}, so step {step} would be held; "
            f"add it with `{remedy}`, or give the text a default"
        )
    return NO if missing else DONE


@click.command(cls=Command)
@click.argument("name")
@click.option("--to", "to", metavar="ADDRESS", required=True, help="Who gets the test mails.")
@click.option("--lead", "email", metavar="EMAIL", help="Whose values are filled in; else [field] stands for a value.")
@click.option("--step", "step_id", metavar="ID", help="Only this step.")
def test(name: str, to: str, email: str | None, step_id: str | None) -> None:
    """Send every e-mail of a sequence to an address of yours, now; nobody is enrolled and nothing is counted."""
    current = session()
    recipient = addresses.clean_address(to)

    async def send(installation: Installation, workspace: Workspace) -> TrialMails:
        plan, contents = await _plan(installation, workspace, name)
        if step_id is not None and not isinstance(plan.step(step_id), EmailStep):
            raise NoError(f"{name} has no e-mail step {step_id!r}; see `relance sequence show {name}`")
        try:
            return await send_test(
                installation,
                workspace=workspace,
                plan=plan,
                contents=contents,
                recipient=recipient,
                email=None if email is None else spelled(email),
                step=step_id,
            )
        except MissedValueError as error:
            mailbox = await installation.read(_mailbox, workspace.id, plan, installation)
            remedy = _remedy(error.field, "EMAIL", mailbox)[1]
            missed = f"step {error.step} misses {error.field}"
            raise NoError(f"{missed}; give it a default, or add it with `{remedy}`") from error

    sent = current.run(send)
    current.printer.facts(
        {"sequence": name, "to": recipient, "from": sent.mailbox, "steps": sent.steps},
        f"{counted(len(sent.steps), 'message')} went from {sent.mailbox} to {recipient}: {', '.join(sent.steps)}.",
    )


def _remedy(field: str, email: str, mailbox: Mailbox) -> tuple[str, str]:
    """Return who lacks a value, and the command that gives it."""
    if field in OPTION_OF_FIELD:
        address = "ADDRESS" if mailbox.address == NOBODY else mailbox.address
        return mailbox.address, f"relance mailbox set {address} {OPTION_OF_FIELD[field]} …"
    return email, f"relance lead add {email} {field}=…"


async def _plan(installation: Installation, workspace: Workspace, source: str) -> tuple[Plan, Mapping[str, bytes]]:
    """Return a file's plan and what it attaches where the source is called like one, else the running version."""
    if source.lower().endswith(FILE_ENDINGS):
        sound = plan_in_file(Path(source))
        return sound.plan, sound.contents
    return await installation.read(running_plan, workspace.id, source), {}


def _mailbox(reader: Reader, workspace_id: int, plan: Plan, installation: Installation) -> Mailbox:
    admitted = mailboxes_of(reader, workspace_id, plan)
    if admitted:
        return admitted[0]
    now = installation.clock.now()
    return Mailbox(
        workspace_id=workspace_id, id=0, provider="none", login=NOBODY, address=NOBODY, shard=0, created_at=now
    )


def _facts(one: Preview, mailbox: Mailbox) -> Mapping[str, object]:
    message = one.message
    return {
        "step": one.step,
        "variant": one.variant,
        "from": mailbox.address,
        "to": message.to[0].address if message and message.to else None,
        "subject": message.subject if message else None,
        "text": message.text if message else None,
        "html": (message.html or None) if message else None,
        "attachments": [
            {"name": file.name, "content_type": file.content_type, "size": file.size} for file in one.attachments
        ],
        "missing": one.outcome.field if isinstance(one.outcome, MissingValue) else None,
    }


def _lines(one: Preview) -> Iterator[str]:
    yield f"--- {one.step} (variant {one.variant})"
    message = one.message
    if isinstance(one.outcome, MissingValue):
        yield f"would be held: the value {one.outcome.field} is missing"
    if message is None:
        return
    yield f"From: {message.header('from')}"
    yield f"To: {message.header('to')}"
    yield f"Subject: {message.subject}"
    yield ""
    yield message.text.rstrip()
    if message.html:
        yield ""
        yield "(with an HTML part)"
    for file in one.attachments:
        yield f"Attached: {file.name} ({sized(file.size)}, {file.content_type})"
