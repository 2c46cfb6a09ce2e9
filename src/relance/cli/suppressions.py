"""`relance suppress`: whom never to write to."""

import itertools
from collections.abc import Mapping, Sequence
from pathlib import Path

import click

from relance.app import Installation
from relance.cli.failures import DONE, NO, unreadable
from relance.cli.leads import suppression_facts
from relance.cli.printing import complain
from relance.cli.session import Group, session
from relance.core.suppression import Suppression, SuppressionReason, SuppressionScope
from relance.core.words import counted
from relance.core.workspace import Workspace
from relance.ports.store import Reader
from relance.services import suppressions
from relance.services.suppression_files import BadTarget, Target, import_targets, read_target, read_targets

BATCH = 1_000
SHOWN = 20

_scope = click.option(
    "--scope",
    type=click.Choice([scope.value for scope in SuppressionScope]),
    default=SuppressionScope.WORKSPACE.value,
    show_default=True,
    help="Whom it binds.",
)


@click.group(cls=Group)
def suppress() -> None:
    """Decide whom never to write to: ADDRESS, @DOMAIN or +PHONE."""


@suppress.command()
@click.argument("target")
@_scope
def add(target: str, scope: str) -> None:
    """Never write to it again."""
    current = session()
    kind, value = read_target(target)

    async def write(installation: Installation, workspace: Workspace) -> bool:
        return await installation.write(
            suppressions.suppress,
            workspace_id=workspace.id,
            kind=kind,
            value=value,
            scope=SuppressionScope(scope),
            reason=SuppressionReason.MANUAL,
            source="command line",
            now=installation.clock.now(),
            tombstone_key=installation.keys.tombstone,
        )

    new = current.run(write)
    facts = {"kind": kind, "value": value, "scope": scope, "new": new}
    current.printer.facts(facts, f"{value} is suppressed{'' if new else ', as it was before'}.")


@suppress.command()
@click.argument("target")
@_scope
def remove(target: str, scope: str) -> int:
    """Take a suppression back."""
    current = session()
    kind, value = read_target(target)

    async def write(installation: Installation, workspace: Workspace) -> bool:
        return await installation.write(
            suppressions.unsuppress,
            workspace_id=workspace.id,
            kind=kind,
            value=value,
            scope=SuppressionScope(scope),
            tombstone_key=installation.keys.tombstone,
            now=installation.clock.now(),
        )

    removed = current.run(write)
    facts = {"kind": kind, "value": value, "scope": scope, "removed": removed}
    if removed or current.as_json:
        current.printer.facts(facts, f"{value} is no longer suppressed.")
    if not removed:
        complain(f"relance: {value} was not suppressed ({scope}); see `relance suppress check {value}`")
    return DONE if removed else NO


@suppress.command()
@click.argument("target")
def check(target: str) -> int:
    """Say whether it is suppressed, and by what; exit 1 if it is not."""
    current = session()
    kind, value = read_target(target)

    async def read(installation: Installation, workspace: Workspace) -> list[Suppression]:
        return await installation.read(
            suppressions.of_target,
            workspace_id=workspace.id,
            kind=kind,
            value=value,
            tombstone_key=installation.keys.tombstone,
        )

    found = current.run(read)
    facts = {"value": value, "suppressed": bool(found), "suppressions": [suppression_facts(one) for one in found]}
    why = "; ".join(f"{one.kind} ({one.reason}, {one.scope}, {one.source})" for one in found)
    current.printer.facts(facts, f"{value} is suppressed: {why}." if found else f"{value} is not suppressed.")
    return DONE if found else NO


@suppress.command("list")
def list_suppressions() -> None:
    """List everything suppressed here or globally, oldest first."""
    current = session()

    async def read(installation: Installation, workspace: Workspace) -> list[Suppression]:
        return await installation.read(_of_workspace, workspace.id)

    current.printer.rows(
        (suppression_facts(one) for one in current.run(read)),
        ("value", "kind", "scope", "reason", "source", "created_at"),
        empty="Nobody is suppressed.",
    )


@suppress.command("import")
@click.argument("file", type=click.Path(path_type=Path))
@_scope
def import_file(file: Path, scope: str) -> int:
    """Suppress every address, @domain and +phone of a file, one a line or in the first column."""
    current = session()
    bad: list[BadTarget] = []
    counts = {"rows": 0, "added": 0, "known": 0}

    async def write(installation: Installation, workspace: Workspace) -> None:
        rows = read_targets(file)
        while batch := list(itertools.islice(rows, BATCH)):
            good = [row for row in batch if isinstance(row, Target)]
            bad.extend(row for row in batch if isinstance(row, BadTarget))
            added = await installation.write(
                import_targets,
                good,
                workspace_id=workspace.id,
                scope=SuppressionScope(scope),
                source=f"import of {file.name}",
                now=installation.clock.now(),
            )
            counts["rows"] += len(batch)
            counts["added"] += added
            counts["known"] += len(good) - added

    try:
        current.run(write)
    except OSError as error:
        raise unreadable(file, error) from error
    current.printer.facts(_facts(file, counts, bad), _sentence(counts, bad))
    if bad:
        found = counted(len(bad), "line names", "lines name")
        complain(f"relance: {found} nobody, the first is line {bad[0].line}: correct and import again")
    return NO if bad else DONE


def _facts(file: Path, counts: Mapping[str, int], bad: Sequence[BadTarget]) -> Mapping[str, object]:
    errors = [{"line": one.line, "text": one.text, "reason": one.reason} for one in bad]
    return {"file": str(file), **counts, "invalid": len(bad), "errors": errors}


def _sentence(counts: Mapping[str, int], bad: Sequence[BadTarget]) -> str:
    lines = [f"line {one.line}: {one.reason}" for one in bad[:SHOWN]]
    total = f"{counted(counts['rows'], 'row')}: {counts['added']} added, {counts['known']} known, {len(bad)} invalid."
    return "\n".join([*lines, total])


def _of_workspace(reader: Reader, workspace_id: int) -> list[Suppression]:
    return reader.all(Suppression, "suppressions.of_workspace", workspace_id=workspace_id)
