"""What `relance doctor` says of the records themselves: whether any of them contradicts itself or another."""

from dataclasses import replace

from relance.app.installation import Installation
from relance.core.workspace import Workspace
from relance.services import invariants
from relance.services.invariants import Broken

SHOWN = 5  #: Rows of one kind that are named.


async def find_broken(installation: Installation, workspace: Workspace) -> tuple[int, list[Broken]]:
    """Return how many rows were looked at, and what is broken, each kind once. Reads stretch by stretch."""
    parts = await installation.read(invariants.stretches, workspace_id=workspace.id)
    found: dict[str, Broken] = {}
    now = installation.clock.now()
    for part in parts:
        for one in await installation.read(
            invariants.look, part, workspace_id=workspace.id, keys=installation.keys, now=now
        ):
            before = found.get(one.rule)
            found[one.rule] = replace(one, rows=(*before.rows, *one.rows)) if before else one
    return invariants.looked_at(parts), list(found.values())


def in_words(broken: Broken) -> str:
    """Return the first rows of one kind, and how many more there are."""
    more = len(broken.rows) - SHOWN
    return "; ".join(broken.rows[:SHOWN]) + (f"; and {more} more" if more > 0 else "")
