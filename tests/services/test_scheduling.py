"""What comes next, for whoever waits: an engine that leaves when idle, and the person it tells."""

from relance.services import mailboxes, scheduling


async def test_a_lead_that_is_due_and_waits_for_its_mailbox_is_next_when_the_mailbox_is_free(life):
    """The time that is told is that of the next mail, not of some later row."""
    scene = await life.scene()
    await life.scene(email="bea@lead.example")
    await life.reserved()
    box = await life.box(scene.box)
    standing = await life.store.read(scheduling.standing, now=life.now)

    assert box.next_allowed_at is not None
    assert box.next_allowed_at == standing.next_at


async def test_copies_that_are_wanting_are_counted_where_no_server_saves_them(life):
    """Who leaves before they were filed is told, where the server is not known to save them."""
    scene = await life.scene()
    await life.send()
    where_it_saves = await life.store.read(scheduling.standing, now=life.now)
    ids = {"workspace_id": scene.workspace.id, "mailbox_id": scene.box.id}
    await life.store.write(mailboxes.learn, **ids, saves_sent=False, ids_survive=None)
    where_it_does_not = await life.store.read(scheduling.standing, now=life.now)

    assert (0, 1) == (where_it_saves.uncopied, where_it_does_not.uncopied)
