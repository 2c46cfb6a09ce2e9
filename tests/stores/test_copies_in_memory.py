"""The store in memory keeps the promises that a single caller can see."""

import asyncio

import pytest

from relance.ports.store import StoreUnavailableError
from relance.storage.scratch import ScratchStore
from relance.testing import store_suite

CHECKS = [
    store_suite.a_write_returns_what_its_function_returned,
    store_suite.values_come_back_as_they_went_in,
    store_suite.text_that_no_database_keeps_is_stored_with_a_mark,
    store_suite.a_function_that_raises_loses_its_own_writes_only,
    store_suite.a_refused_constraint_is_a_conflict,
    store_suite.an_error_is_final_for_its_function_even_if_it_is_swallowed,
    store_suite.a_run_returns_how_many_rows_it_changed,
    store_suite.many_rows_and_arrays,
    store_suite.a_batch_is_refused_whole,
    store_suite.a_transaction_ends_with_its_function,
]


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
async def test_a_store_in_memory_keeps_its_promises(check):
    """Those of the exported suite that are not about several callers."""
    store = ScratchStore.empty()
    await check(store)
    await store.close()


async def test_a_closed_one_says_so():
    """Like every other store."""
    store = ScratchStore.empty()
    await store.close()

    with pytest.raises(StoreUnavailableError, match="closed"):
        await store.read(lambda _: None)


async def test_others_have_their_turn_after_each_call():
    """Nobody who only reads keeps the loop to themselves."""
    store, order = ScratchStore.empty(), []

    async def read(name):
        for _ in range(2):
            await store.read(lambda _: order.append(name))

    await asyncio.gather(read("a"), read("b"))
    await store.close()

    assert ["a", "b", "a", "b"] == order
