"""Filters of leads under a name, for everybody in the workspace."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from relance.ports.store import Reader, Transaction
from relance.services.lead_filters import Filter, to_words
from relance.services.refusals import NotFoundError, WrongInputError

MOST = 200  #: Of one workspace.
_LONGEST = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class SavedFilter:
    """One filter and who gave it its name."""

    id: int
    name: str
    words: Mapping[str, str]  #: As `lead_filters` writes them.
    author: str
    saved_at: datetime


def of_workspace(reader: Reader, workspace_id: int) -> list[SavedFilter]:
    """Return every saved filter, by name."""
    return reader.all(SavedFilter, "saved_filters.of_workspace", workspace_id=workspace_id, limit=MOST)


def named(reader: Reader, workspace_id: int, name: str) -> SavedFilter:
    """Return a saved filter by its name. Raises NotFoundError."""
    found = next((one for one in of_workspace(reader, workspace_id) if one.name == name), None)
    if found is None:
        raise NotFoundError(f"there is no saved filter {name!r}")
    return found


def save(tx: Transaction, *, workspace_id: int, name: str, asked: Filter, author: str, now: datetime) -> None:
    """Keep a filter under a name; one of that name now asks this. Raises WrongInputError."""
    clean = " ".join(name.split())
    if not clean or len(clean) > _LONGEST:
        raise WrongInputError(f"a filter has a name of at most {_LONGEST} characters")
    words = to_words(asked)
    if not words:
        raise WrongInputError("this filter asks nothing: choose something first")
    if len(of_workspace(tx, workspace_id)) >= MOST:
        raise WrongInputError(f"there are {MOST} saved filters already: delete one first")
    tx.run("saved_filters.save", workspace_id=workspace_id, name=clean, words=words, author=author, now=now)


def forget(tx: Transaction, *, workspace_id: int, filter_id: int) -> None:
    """Delete a saved filter. Raises NotFoundError."""
    if tx.run("saved_filters.forget", workspace_id=workspace_id, id=filter_id) != 1:
        raise NotFoundError("this saved filter is not there any more")
