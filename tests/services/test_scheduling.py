"""What comes next, for whoever waits: an engine that leaves when idle, and the person it tells."""

from relance.services import scheduling


async def test_a_lead_that_is_due_and_waits_for_its_mailbox_is_next_when_the_mailbox_is_free(life):
    """The time that is told is that of the next mail, not of some later row."""
    scene = await life.scene()
    await life.scene(email="bea@lead.example")
    await life.reserved()
    box = await life.box(scene.box)
    standing = await life.store.read(scheduling.standing, now=life.now)

    assert box.next_allowed_at is not None
    assert box.next_allowed_at == standing.next_at
