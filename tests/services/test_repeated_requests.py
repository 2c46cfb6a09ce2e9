"""Requests that name themselves: the same one twice is done once, also where both come at the same moment."""

from datetime import timedelta

from relance.services import repeated_requests
from relance.services.repeated_requests import Done, Name, New, Other, UnderWay
from relance.testing import builders

FIRST, OTHER = b"first", b"other"


async def named(life, key="k", actor="crm"):
    """Return the name of a request of a program."""
    acme = await life.store.write(builders.workspace)
    return Name(workspace_id=acme.id, actor=actor, key=key)


async def begin(life, name, request=FIRST):
    """Take a name for a request."""
    return await life.store.write(repeated_requests.begin, name, request=request, now=life.now)


async def test_while_the_first_is_under_way_the_second_is_not_done(life):
    """Nor where nobody ever said how the first ended."""
    name = await named(life)

    assert isinstance(await begin(life, name), New)
    assert isinstance(await begin(life, name), UnderWay)
    assert isinstance(await begin(life, name, OTHER), Other)


async def test_what_was_answered_is_answered_again(life):
    """To the same request only; another program's name of the same letters is another."""
    name = await named(life)
    await begin(life, name)
    await life.store.write(repeated_requests.keep, name, status=201, headers={"etag": "1"}, body=b"{}")

    assert Done(status=201, headers={"etag": "1"}, body=b"{}") == await begin(life, name)
    assert isinstance(await begin(life, name, OTHER), Other)
    assert isinstance(await begin(life, await named(life, actor="shop")), New)


async def test_what_was_refused_leaves_its_name_free_and_what_was_answered_does_not(life):
    """A name is let go only while nothing is known to have been done."""
    refused, answered = await named(life, "refused"), await named(life, "answered")
    for name in (refused, answered):
        await begin(life, name)
    await life.store.write(repeated_requests.keep, answered, status=200, headers={}, body=b"")
    for name in (refused, answered):
        await life.store.write(repeated_requests.forget, name)

    assert isinstance(await begin(life, refused), New)
    assert isinstance(await begin(life, answered), Done)


async def test_after_a_day_a_name_may_be_used_anew(life):
    """What is kept does not grow for ever."""
    name = await named(life)
    await begin(life, name)
    life.later(days=1, seconds=1)

    assert timedelta(hours=24) == repeated_requests.KEPT_FOR
    assert isinstance(await begin(life, name), New)
