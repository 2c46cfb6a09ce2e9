"""What sequences attach: kept once per workspace when a version is published, read when a message goes on the wire."""

from collections.abc import Mapping
from datetime import datetime

from relance.core.sequence import EmailStep, Plan
from relance.mail.attaching import encoded
from relance.ports.store import Reader, Transaction
from relance.services.refusals import NotFoundError, RefusedError


def keep(tx: Transaction, *, workspace_id: int, plan: Plan, contents: Mapping[str, bytes], now: datetime) -> None:
    """Keep what a plan attaches. `contents`: by SHA-256 in hex. Raises RefusedError for one that is not at hand."""
    files = {file.sha256: file for step in plan.steps if isinstance(step, EmailStep) for file in step.attachments}
    for sha256, file in files.items():
        ids = {"workspace_id": workspace_id, "sha256": sha256}
        if tx.one(int, "attachments.is_kept", **ids) is not None:
            continue
        if sha256 not in contents:
            raise RefusedError(
                f"the content of {file.name} is not at hand; publish from the file that attaches it, which reads it"
            )
        tx.run("attachments.keep", **ids, content=contents[sha256], now=now)


def body(reader: Reader, *, workspace_id: int, sha256: str) -> bytes:
    """Return a kept content as a message carries it, in base64. Raises NotFoundError."""
    content = reader.one(bytes, "attachments.content", workspace_id=workspace_id, sha256=sha256)
    if content is None:
        raise NotFoundError(f"the attachment {sha256[:12]}… is not in the database; publish the sequence's file again")
    return encoded(content)
