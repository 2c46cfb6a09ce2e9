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
    from relance.app.restoring import restore_installation  # noqa: PLC0415 - what opens nothing should not wait for it

    current = session()
    restored = restore_installation(current.config(), file)
    aside = f"; what was there is kept as {restored.aside}" if restored.aside else ""
    current.printer.facts(
        {
            "file": str(file),
            "generation": restored.generation,
            "alive_at": restored.alive_at,
            "kept_aside": str(restored.aside) if restored.aside else None,
        },
        f"{file} is put back{aside}. `relance run` first reads back what was sent and answered since.",
    )
