"""The exported suite, over both stores."""

import pytest

from relance.ports.store import Store
from relance.storage.opening import open_store
from relance.testing.store_suite import (
    CHECKS,
    Check,
    a_caller_cancelled_in_the_queue_does_not_lose_its_write,
    a_cancelled_caller_does_not_lose_its_write,
)


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
async def test_the_store_keeps_its_promises(store: Store, check: Check):
    """Each check names its promise."""
    await check(store)


@pytest.mark.parametrize(
    "check",
    [a_cancelled_caller_does_not_lose_its_write, a_caller_cancelled_in_the_queue_does_not_lose_its_write],
    ids=lambda check: check.__name__,
)
async def test_a_write_whose_caller_was_cancelled_is_there_after_reopening(location: str, check: Check):
    """The store was closed while the function ran; the next one finds what it wrote."""
    first = open_store(location)
    await check(first)
    second = open_store(location)
    names = await second.read(lambda reader: reader.all(str, "workspaces.names"))
    await second.close()

    assert ["kept"] == names
