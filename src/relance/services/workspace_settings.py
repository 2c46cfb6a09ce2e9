"""What a person may change about a workspace."""

from dataclasses import dataclass

from relance.core.calendar import zone_named
from relance.core.plan_document import interval_of
from relance.core.workspace import Workspace
from relance.ports.store import Transaction
from relance.services.refusals import LostRaceError, WrongInputError
from relance.services.sequences import APPROVAL


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What is to be changed; None leaves a thing as it is, and the empty text or 0 takes it away."""

    timezone: str | None = None
    daily_cap: int | None = None  #: Messages of the whole workspace a day.
    recipient_domain_daily_cap: int | None = None  #: Messages to one company's domain a day.
    approval: bool | None = None  #: Whether what is published waits until somebody approves it.
    quiet_hours: str | None = None  #: For e-mail, where a sequence has none of its own: `20:00-08:00`.


def check_timezone(name: str) -> str:
    """Return an IANA name as it was given. Raises WrongInputError for what is none."""
    if zone_named(name) is None:
        raise WrongInputError(f"{name!r} is not a time zone; write an IANA name such as Europe/Berlin")
    return name


def change(tx: Transaction, workspace: Workspace, wanted: Wanted) -> None:
    """Change what is wanted. Raises WrongInputError for what cannot be, LostRaceError if somebody was first."""
    given = {
        "daily_cap": wanted.daily_cap,
        "recipient_domain_daily_cap": wanted.recipient_domain_daily_cap,
        APPROVAL: wanted.approval,
        "quiet_hours": _checked_hours(wanted.quiet_hours),
    }
    kept = {**workspace.settings, **{name: value for name, value in given.items() if value is not None}}
    changed = tx.run(
        "workspaces.change_settings",
        id=workspace.id,
        timezone=workspace.timezone if wanted.timezone is None else check_timezone(wanted.timezone),
        settings={name: value for name, value in kept.items() if value not in ("", 0)},
        revision=workspace.revision,
    )
    if changed != 1:
        raise LostRaceError(f"workspace {workspace.name}")


def _checked_hours(text: str | None) -> str | None:
    if not text:
        return text
    try:
        hours = interval_of(text)
    except ValueError as error:
        raise WrongInputError(f"quiet hours: {error}") from None
    if hours.start == hours.end:
        raise WrongInputError("the quiet hours never end; write them from evening to morning, such as 20:00-08:00")
    return text


def set_timezone(tx: Transaction, workspace: Workspace, timezone: str) -> None:
    """Change the zone of windows, caps and quiet hours that name none of their own."""
    change(tx, workspace, Wanted(timezone=timezone))
