"""Lists of leads: which there are, who is put on one and taken off."""

from collections.abc import Iterable
from datetime import datetime

from relance.ports.store import Reader, Transaction
from relance.services.refusals import WrongInputError

_LONGEST = 200


def names(reader: Reader, workspace_id: int) -> list[str]:
    """Return every list that has somebody on it, by name; costs what lists there are, not who is on them."""
    return reader.all(str, "lead_lists.names", workspace_id=workspace_id)


def of_lead(reader: Reader, workspace_id: int, lead_id: int) -> list[str]:
    """Return the lists that one lead is on."""
    return reader.all(str, "lead_lists.of_lead", workspace_id=workspace_id, lead_id=lead_id)


def put(tx: Transaction, *, workspace_id: int, name: str, lead_ids: Iterable[int], now: datetime) -> int:
    """Put leads on a list, a new one too; return how many were not on it. Raises WrongInputError."""
    list_name = clean_name(name)
    row = {"workspace_id": workspace_id, "list": list_name, "at": now}
    return sum(tx.run("leads.put_on_list", **row, lead_id=lead_id) for lead_id in lead_ids)


def take_off(tx: Transaction, *, workspace_id: int, name: str, lead_ids: Iterable[int]) -> int:
    """Take leads off a list; return how many were on it."""
    row = {"workspace_id": workspace_id, "list": name}
    return sum(tx.run("lead_lists.take_off", **row, lead_id=lead_id) for lead_id in lead_ids)


def clean_name(name: str) -> str:
    """Return a list's name as it is kept. Raises WrongInputError."""
    found = " ".join(name.split())
    if not found or len(found) > _LONGEST:
        raise WrongInputError(f"a list has a name of at most {_LONGEST} characters")
    return found
