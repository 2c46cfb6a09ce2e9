"""Drafts: made change by change, undone one by one, published as their file would be; over both stores."""

from functools import partial
from typing import Any

import pytest

from relance.core.sequence import Sequence, SequenceStatus
from relance.services import drafts, sequences
from relance.services.drafts import Draft, StaleDraftError
from relance.services.refusals import NotFoundError, RefusedError
from relance.services.sequence_files import Broken, Sound
from relance.services.sequence_files import editing as edits
from relance.services.sequence_files.writing import file_document
from relance.testing import builders
from services.life import Life

WRITTEN = {"id": "intro", "kind": "email", "subject": "Hello", "text": "Hi {{ first_name }}"}


async def begun(life: Life, name: str = "founders") -> Draft:
    """Begin a sequence that has nothing but a draft."""
    acme = await life.store.write(builders.workspace)
    return await life.store.write(drafts.create, workspace_id=acme.id, name=name, by="ann", now=life.now)


async def changed(life: Life, draft: Draft, edit: Any, what: str = "a change", by: str = "ann") -> Draft:
    """Make one change."""
    return await life.store.write(partial(drafts.change, **ids_of(draft), edit=edit, what=what, by=by, now=life.now))


async def written(life: Life, draft: Draft) -> Draft:
    """Give a draft its one e-mail."""
    return await changed(life, draft, lambda document: {**document, "steps": [WRITTEN]})


def ids_of(draft: Draft) -> dict[str, Any]:
    """Return what names a draft as it was read."""
    return {"workspace_id": draft.workspace_id, "sequence_id": draft.sequence_id, "revision": draft.revision}


async def test_every_change_can_be_undone_and_done_again(life):
    """Back to the very beginning, and forth to the very end."""
    draft = await begun(life)
    seen = [draft.document]
    for kind in ("email", "wait", "branch"):
        draft = await changed(life, draft, lambda document, kind=kind: edits.add_step(document, kind, 9), kind)
        seen.append(draft.document)
    back = [draft.document]
    for _ in range(3):
        draft = await life.store.write(partial(drafts.undo, **ids_of(draft)))
        back.append(draft.document)

    assert seen == back[::-1]
    assert (None, "email") == await life.store.read(drafts.beside, draft)
    for _ in range(3):
        draft = await life.store.write(partial(drafts.redo, **ids_of(draft)))
    assert seen[-1] == draft.document
    assert ("branch", None) == await life.store.read(drafts.beside, draft)


async def test_nothing_is_undone_before_the_beginning(life):
    """It says so, and the draft stays as it is."""
    draft = await begun(life)

    with pytest.raises(RefusedError, match="nothing to undo"):
        await life.store.write(partial(drafts.undo, **ids_of(draft)))
    with pytest.raises(RefusedError, match="nothing to do again"):
        await life.store.write(partial(drafts.redo, **ids_of(draft)))


async def test_a_change_after_an_undo_forgets_what_was_undone(life):
    """There is one line of changes, not a tree."""
    draft = await begun(life)
    draft = await changed(life, draft, lambda document: edits.add_step(document, "email", 0))
    draft = await life.store.write(partial(drafts.undo, **ids_of(draft)))
    draft = await changed(life, draft, lambda document: edits.add_step(document, "wait", 0))

    with pytest.raises(RefusedError, match="nothing to do again"):
        await life.store.write(partial(drafts.redo, **ids_of(draft)))


async def test_who_was_slower_changes_nothing_and_is_told_who_was_faster(life):
    """Two people edit one sequence: neither overwrites the other unseen."""
    draft = await begun(life)
    await changed(life, draft, lambda document: edits.add_step(document, "email", 0), "step intro was added", by="bo")

    with pytest.raises(StaleDraftError, match=r"bo changed this draft meanwhile \(step intro was added\)"):
        await changed(life, draft, lambda document: edits.add_step(document, "wait", 0))
    left = await life.store.read(drafts.of_sequence, workspace_id=draft.workspace_id, sequence_id=draft.sequence_id)
    assert ["intro"] == [step["id"] for step in left.document["steps"]]


async def test_a_draft_keeps_the_order_of_its_keys(life):
    """A person reads the file that becomes of it: name first, steps last, on either database."""
    draft = await written(life, await begun(life))

    assert ["name", "mailboxes", "steps"] == list(draft.document)
    assert list(WRITTEN) == list(edits.steps_of(draft.document)[0])


async def test_publishing_a_draft_makes_the_sequence_live_and_ends_the_draft(life):
    """As publishing its file would."""
    draft = await written(life, await begun(life))
    done = await life.store.write(partial(drafts.publish, **ids_of(draft), now=life.now))
    sequence = await life.store.read(sequences.by_name, draft.workspace_id, "founders")

    assert (1, True, SequenceStatus.LIVE) == (done.version, done.changed, sequence.status)
    with pytest.raises(NotFoundError, match="no draft any more"):
        await life.store.write(partial(drafts.undo, **ids_of(draft)))


async def test_a_draft_with_a_problem_is_not_published(life):
    """What is wrong is said, and nothing is changed."""
    draft = await begun(life)

    assert isinstance(await life.store.read(drafts.reading_of, draft, now=life.now), Broken)
    with pytest.raises(RefusedError, match="no steps"):
        await life.store.write(partial(drafts.publish, **ids_of(draft), now=life.now))


async def test_a_draft_of_a_published_sequence_begins_with_its_version_and_names_what_it_changes(life):
    """Publishing shows the difference to the running version."""
    scene = await life.scene(builders.email("intro"), builders.email("bump", after="3d"))
    ids: dict[str, Any] = {"workspace_id": scene.workspace.id, "sequence_id": scene.run.sequence_id}
    draft = await life.store.write(partial(drafts.edit, **ids, by="ann", now=life.now))
    same = await life.store.read(drafts.publishing, draft, now=life.now)
    draft = await changed(life, draft, lambda document: edits.remove_step(document, 1))
    other = await life.store.read(drafts.publishing, draft, now=life.now)

    assert (1, ()) == (same.running, same.differences)
    assert [("bump", None, None)] == [(one.step, one.key, one.after) for one in other.differences]


async def test_a_sequence_that_was_never_published_goes_with_its_draft(life):
    """There is nothing else of it; one that was published stays."""
    draft = await begun(life)
    stays = await life.store.write(partial(drafts.discard, **ids_of(draft)))

    assert stays is False
    assert [] == await life.store.read(lambda reader: reader.all(Sequence, "sequences.of_workspace", workspace_id=1))


async def test_a_draft_may_change_its_name_until_it_is_published(life):
    """And undoing that gives the old one back."""
    draft = await written(life, await begun(life))
    draft = await changed(life, draft, lambda document: {**document, "name": "makers"})
    renamed = await life.store.read(sequences.by_name, draft.workspace_id, "makers")
    draft = await life.store.write(partial(drafts.undo, **ids_of(draft)))
    await life.store.write(partial(drafts.publish, **ids_of(draft), now=life.now))
    draft = await life.store.write(
        drafts.edit, workspace_id=draft.workspace_id, sequence_id=draft.sequence_id, by="ann", now=life.now
    )

    assert draft.sequence_id == renamed.id
    with pytest.raises(RefusedError, match="keeps its name"):
        await changed(life, draft, lambda document: {**document, "name": "others"})


async def test_an_uploaded_file_travels_with_the_version_that_attaches_it(life):
    """It is kept with the draft, and in the database once it is published."""
    draft = await written(life, await begun(life))
    await life.store.write(drafts.upload, draft, name="offer.pdf", content=b"%PDF-1.7 an offer")
    step = {**WRITTEN, "attachments": ["offer.pdf"]}
    draft = await changed(life, draft, lambda document: edits.replace_step(document, 0, step))
    await life.store.write(partial(drafts.publish, **ids_of(draft), now=life.now))
    again = await life.store.write(
        drafts.edit, workspace_id=draft.workspace_id, sequence_id=draft.sequence_id, by="ann", now=life.now
    )
    reading = await life.store.read(drafts.reading_of, again, now=life.now)

    assert isinstance(reading, Sound)
    assert ["offer.pdf"] == edits.steps_of(file_document(reading.plan))[0]["attachments"]
