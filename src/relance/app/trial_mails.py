"""Test mails: every e-mail of a plan, or one, to an address of one's own; nobody is enrolled and nothing is counted."""

import uuid
from collections.abc import Mapping
from dataclasses import replace

from relance.app.installation import Installation
from relance.core.lead import Lead
from relance.core.mailbox import Mailbox
from relance.core.sequence import Plan
from relance.core.workspace import Workspace
from relance.mail.attaching import contents_of, encoded, filled
from relance.ports.connector import Envelope
from relance.services import attachments, leads, previewing
from relance.services.composing import Composed
from relance.services.previewing import MissedValueError, Preview, TrialMails
from relance.services.refusals import RefusedError

RELEASE_SECONDS = 60.0


async def send_test(
    installation: Installation,
    *,
    workspace: Workspace,
    plan: Plan,
    contents: Mapping[str, bytes],
    recipient: str,
    email: str | None = None,
    step: str | None = None,
) -> TrialMails:
    """Send them now. `email`: whose values are filled in, else `[field]` stands for each; `step`: only this one.

    `contents`: what the plan attaches and no version has yet, by SHA-256 in hex. Raises RefusedError,
    MissedValueError, and what connectors raise.
    """
    lead = await _lead_for(installation, workspace, email, recipient)
    mailbox = await installation.read(previewing.sending_mailbox, workspace.id, plan)
    found = previewing.preview(
        plan,
        workspace=replace(workspace, uid=uuid.uuid4().hex),  # ids of its own, each time
        lead=lead,
        mailbox=mailbox,
        keys=installation.keys,
        now=installation.clock.now(),
        fill_in=email is None,
    )
    wanted = [one for one in found if step in {None, one.step}]
    if not wanted:
        raise RefusedError(f"{plan.name} has no e-mail step {step!r}; name one of its e-mails, or none for all")
    return TrialMails(
        mailbox=mailbox.address, steps=await _send_all(installation, mailbox, wanted, recipient, contents)
    )


async def _send_all(
    installation: Installation,
    mailbox: Mailbox,
    wanted: list[Preview],
    recipient: str,
    contents: Mapping[str, bytes],
) -> tuple[str, ...]:
    connector = await installation.connect(mailbox)
    sent: list[str] = []
    try:
        for one in wanted:
            if not isinstance(one.outcome, Composed):
                raise MissedValueError(one.step, one.outcome.field, mailbox.address)
            raw = await _whole(installation, mailbox.workspace_id, one.outcome.raw, contents)
            envelope = Envelope(sender=mailbox.address, recipient=recipient, message_id=one.message_id, raw=raw)
            staged = await connector.stage(envelope)
            await staged.release(may_leave=lambda: True, time_limit=RELEASE_SECONDS)
            sent.append(one.step)
    finally:
        await connector.close()
    return tuple(sent)


async def _whole(installation: Installation, workspace_id: int, raw: bytes, contents: Mapping[str, bytes]) -> bytes:
    """Return a message with what it attaches: from the file it comes from, else as it was published."""
    bodies = {
        sha256: encoded(contents[sha256])
        if sha256 in contents
        else await installation.read(attachments.body, workspace_id=workspace_id, sha256=sha256)
        for sha256 in contents_of(raw)
    }
    return filled(raw, bodies)


async def _lead_for(installation: Installation, workspace: Workspace, email: str | None, recipient: str) -> Lead:
    if email is not None:
        found = await installation.read(leads.by_email, workspace.id, email)
        return replace(found, email=recipient)
    return Lead(workspace_id=workspace.id, id=0, email=recipient, created_at=installation.clock.now())
