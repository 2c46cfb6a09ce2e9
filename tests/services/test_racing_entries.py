"""One person who comes in by two addresses at the same time, told by a number and a name, over PostgreSQL."""

from typing import Any

import pytest

from relance.services import leads
from relance.services.leads import Addition
from services.races import meet, unlocked

pytestmark = pytest.mark.postgres

PERSON = {"phone": "+4930123456", "first_name": "Zoe", "last_name": "Lee"}


def entering(life, scene, email):
    """Return the transaction of an entry."""
    entry: dict[str, Any] = {"workspace_id": scene.workspace.id, "source": "form", "list_name": None, "now": life.now}
    return lambda tx: leads.add(tx, email=email, values=PERSON, **entry)


async def test_one_person_who_comes_in_twice_at_once_is_one_lead(two_workers):
    """The second entry waits for the first, and finds the person."""
    life = two_workers
    scene = await life.scene()
    met = await meet(life, entering(life, scene, "zoe@lead.example"), entering(life, scene, "zoe@private.example"))

    assert met.waited
    assert (Addition.ADDED, Addition.MERGED) == (met.first.outcome, met.second.outcome)


async def test_without_the_lock_it_would_be_two(two_workers):
    """What the race above is decided by."""
    life = two_workers
    scene = await life.scene()
    with unlocked(life, "workspaces.lock"):
        met = await meet(life, entering(life, scene, "zoe@lead.example"), entering(life, scene, "zoe@private.example"))

    assert (Addition.ADDED, Addition.ADDED) == (met.first.outcome, met.second.outcome)
