"""`relance restore`: putting a backup in the place of the state."""

from pathlib import Path

import click

from relance.cli.session import Command, session


@click.command(cls=Command)
@click.argument("file", type=click.Path(path_type=Path))
def restore(file: Path) -> None:
    """Put the backup FILE in the place of the state, which is kept aside; no engine may run.

    The next engine reads back what the mailboxes have sent and received since, before it sends anything.
    """
    from relance.app import SystemClock  # noqa: PLC0415 - as below
    from relance.app.restoring import restore_installation  # noqa: PLC0415 - what opens nothing should not wait for it

    current = session()
    now = (current.clock or SystemClock()).now()
    outcome = restore_installation(current.config(), file, now=now)
    restored, along = outcome.restored, outcome.along
    aside = f"; what was there is kept as {restored.aside}" if restored.aside else ""
    said = [f"{file} is put back{aside}."]
    if along is not None:
        said.append(
            f"It knew of {along.sent} messages more, and of {along.doubted} that may have left: these are looked for, "
            f"or asked about by `relance stuck`; {along.held} enrollments are held for you to look at."
        )
    if along is not None and along.unknown_mailboxes:
        said.append(f"Connect again before you start an engine: {', '.join(along.unknown_mailboxes)}.")
    if outcome.unread is not None:
        said.append(f"That could not be looked into ({outcome.unread}): what it knew of since is not known here.")
    current.printer.facts(
        {
            "file": str(file),
            "generation": restored.generation,
            "alive_at": restored.alive_at,
            "kept_aside": str(restored.aside) if restored.aside else None,
            "sent_since": along.sent if along else None,
            "doubted": along.doubted if along else None,
            "held": along.held if along else None,
            "unknown_mailboxes": list(along.unknown_mailboxes) if along else [],
            "not_looked_into": outcome.unread,
        },
        "\n".join([*said, "`relance run` first reads back what was sent and answered since."]),
    )
