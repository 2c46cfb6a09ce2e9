"""`relance doctor` and `relance backup`: is the installation sound, and a copy of its state."""

import asyncio
from collections.abc import Mapping
from pathlib import Path

import click

from relance.app import Installation
from relance.app.examining import examine, examine_outside
from relance.cli.failures import COULD_NOT, DONE, NO
from relance.cli.printing import complain
from relance.cli.session import Command, session
from relance.core.workspace import Workspace
from relance.ports.store import StoreError
from relance.ports.vault import VaultError
from relance.services.findings import Finding
from relance.storage import backup as backups


@click.command(cls=Command)
def doctor() -> int:
    """Check the installation, each finding with its remedy; exit 1 if anything is wrong, 3 without key or database."""
    current = session()
    config = current.config()
    code = NO

    async def look(installation: Installation, workspace: Workspace) -> list[Finding]:
        return await examine(installation, workspace)

    try:
        found = current.run(look)
    except (StoreError, VaultError) as error:
        if not config.data.is_dir():
            raise
        found, code = examine_outside(config.data, config.opt_out_log, error), COULD_NOT
    if current.as_json:
        current.printer.rows((_facts(one) for one in found), (), empty="")
    else:
        for one in found:
            remedy = f" – {one.remedy}" if one.remedy else ""
            current.printer.say(f"{'ok' if one.ok else 'NO':<4}{one.name}: {one.detail}{remedy}")
    wrong = [one for one in found if not one.ok]
    if wrong:
        complain(f"relance: {len(wrong)} of {len(found)} checks failed, first {wrong[0].name}: {wrong[0].remedy}")
    return code if wrong else DONE


@click.command(cls=Command)
@click.argument("file", type=click.Path(path_type=Path))
def backup(file: Path) -> None:
    """Write a consistent copy of the state to FILE, while an engine works; the key is not in it."""
    current = session()

    async def write(installation: Installation, _: Workspace) -> int:
        return await asyncio.to_thread(backups.back_up, installation.config.database, file)

    size = current.run(write)
    key = current.config().master_key_file
    current.printer.facts(
        {"file": str(file), "bytes": size, "contains_key": False, "master_key_file": str(key)},
        f"{file}: {size} bytes. The key {key} is not in it, and without the key it is of no use: keep a copy.",
    )


def _facts(one: Finding) -> Mapping[str, object]:
    return {"name": one.name, "ok": one.ok, "detail": one.detail, "remedy": one.remedy}
