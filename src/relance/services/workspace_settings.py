"""What a person may change about a workspace."""

from relance.core.calendar import zone_named
from relance.core.workspace import Workspace
from relance.ports.store import Transaction
from relance.services.refusals import LostRaceError, RefusedError


def check_timezone(name: str) -> str:
    """Return an IANA name as it was given. Raises RefusedError for what is none."""
    if zone_named(name) is None:
        raise RefusedError(f"{name!r} is not a time zone; write an IANA name such as Europe/Berlin")
    return name


def set_timezone(tx: Transaction, workspace: Workspace, timezone: str) -> None:
    """Change the zone of windows, caps and quiet hours that name none of their own."""
    changed = tx.run(
        "workspaces.change_settings",
        id=workspace.id,
        timezone=check_timezone(timezone),
        settings=workspace.settings,
        revision=workspace.revision,
    )
    if changed != 1:
        raise LostRaceError(f"workspace {workspace.name}")
