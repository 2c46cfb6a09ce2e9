"""`explain` at every point of a send: where it is, which gate holds it, and what became of the message."""

from datetime import timedelta

import pytest

from relance.core.failure import AddressRejected, MailboxTrouble, TryLater, Withdrawn
from relance.core.mailbox import MailboxStatus
from relance.services import enrollments, explaining, mailboxes, reconciling, rescuing, sending, sequences
from relance.testing import letters
from relance.testing.builders import KEYS


async def explained(life, scene):
    """Return what is said of the run."""
    ids = {"workspace_id": scene.workspace.id, "email": scene.lead.email, "sequence_name": None}
    facts = await life.store.read(explaining.explain, **ids, keys=KEYS, now=life.now)
    (run,) = facts["enrollments"]
    return run


def ids_of(scene):
    """Name the run."""
    return {"workspace_id": scene.workspace.id, "enrollment_id": scene.run.id}


async def enrolled(life, scene):
    """Do nothing more."""


async def claimed(life, _scene):
    """Let a worker claim it."""
    await life.claim()


async def reserved(life, _scene):
    """Take slot and attempt."""
    await life.reserved()


async def begun(life, _scene):
    """Bring it on the wire."""
    await life.begun()


async def abandoned(life, _scene):
    """Let its sender die with it on the wire, and be found out."""
    _, attempt = await life.begun()
    life.later(minutes=2)
    await life.store.write(rescuing.give_up_on, attempt, now=life.now)


async def rescued(life, scene):
    """Let its sender die before anything leaves, and be found out."""
    found = await life.reserved()
    await life.store.write(rescuing.take_over, **ids_of(scene), holder=found.enrollment.lock_holder)


async def lost(life, _scene):
    """Lose its outcome."""
    await life.lost()


async def unanswerable(life, _scene):
    """Lose its outcome where nothing can be looked up."""
    await life.lost()
    (due,) = await life.store.read(reconciling.due, now=life.now, limit=10)
    await life.store.write(reconciling.leave_to_others, due, why="no Sent folder")


async def found(life, scene):
    """Find it in Sent."""
    _, attempt = await life.lost()
    ids = {"workspace_id": scene.workspace.id, "attempt_id": attempt.id}
    await life.store.write(sending.settle_sent, **ids, by="found in Sent", now=life.now)


async def not_found(life, scene):
    """Prove that it did not leave."""
    _, attempt = await life.lost()
    life.later(hours=1)
    await life.read_all_freshly()
    ids = {"workspace_id": scene.workspace.id, "attempt_id": attempt.id}
    await life.store.write(sending.settle_failed, **ids, by="not in Sent", now=life.now)


async def confirmed(life, _scene):
    """Let the server say yes."""
    await life.send()


async def cooled_down(life, _scene):
    """Let the server say: later."""
    _, attempt = await life.begun()
    await life.fail(attempt, TryLater(reason="greylisted", response="450 4.7.1 later"))


async def bounced(life, _scene):
    """Let the server say: nobody of that name."""
    _, attempt = await life.begun()
    await life.fail(attempt, AddressRejected(reason="unknown_user", response="550 5.1.1 no such user"))


async def withdrawn(life, _scene):
    """Let the last look before the dot say no."""
    _, attempt = await life.begun()
    await life.fail(attempt, Withdrawn(reason="not_released"))


async def refused_login(life, _scene):
    """Let the mailbox's own server refuse the login."""
    _, attempt = await life.begun()
    until = life.now + timedelta(hours=1)
    trouble = MailboxTrouble(
        reason="smtp_login_refused", response="535 no", status=MailboxStatus.AUTH_ERROR, until=until
    )
    await life.fail(attempt, trouble)


async def quarantined(life, _scene):
    """Find that its text lacks a value."""
    await life.store.write(sending.quarantine, await life.reserved(), hold_reason="missing_value:company", now=life.now)


async def stopped_in_flight(life, scene):
    """Stop it while it may be on the wire."""
    await life.begun()
    await life.store.write(enrollments.stop, **ids_of(scene), cause="asked to", now=life.now)


async def stopped_and_confirmed(life, scene):
    """Stop it while it is on the wire, and then let the server say yes."""
    flying, _ = await life.begun()
    await life.store.write(enrollments.stop, **ids_of(scene), cause="asked to", now=life.now)
    await life.confirm(flying)


async def stopped_when_reserved(life, scene):
    """Stop it before anything leaves."""
    await life.reserved()
    await life.store.write(enrollments.stop, **ids_of(scene), cause="asked to", now=life.now)


async def paused_and_unknown(life, scene):
    """Pause it while nobody knows whether it left."""
    await life.lost()
    await life.store.write(enrollments.pause, **ids_of(scene), cause="by hand", now=life.now)


async def paused_and_confirmed(life, scene):
    """Pause it while it is on the wire, and then let the server say yes."""
    flying, _ = await life.begun()
    await life.store.write(enrollments.pause, **ids_of(scene), cause="by hand", now=life.now)
    await life.confirm(flying)


async def resumed_after_it_left(life, scene):
    """Let it go on after that."""
    await paused_and_confirmed(life, scene)
    life.later(minutes=10)
    await life.read_all_freshly()
    await life.store.write(enrollments.resume, **ids_of(scene), cause="by hand", now=life.now)


async def sequence_paused(life, scene):
    """Pause the sequence between reserve and begin."""
    held = await life.reserved()
    await life.store.write(sequences.pause, workspace_id=scene.workspace.id, name="q4", now=life.now)
    await life.begin(held)


async def mailbox_paused(life, scene):
    """Pause its only mailbox."""
    await life.store.write(mailboxes.pause, scene.box, reason="by hand", now=life.now)


async def mailbox_removed(life, scene):
    """Remove its only mailbox before anything is sent."""
    await life.store.write(mailboxes.remove, scene.box, now=life.now)


async def answered(life, scene):
    """Let the person write back."""
    raw = await life.send()
    await life.receive(scene.box, letters.reply(raw, at=life.now))


#: Stage → status, the attempts' statuses, gates that do not pass (walking runs), and how the sentence begins.
STAGES = [
    (enrolled, "active", [], set(), "Ready: step intro is next"),
    (claimed, "active", [], {"lock"}, "Waiting: claimed by w1 until 30 Nov 2026 09:01 UTC, or, if"),
    (reserved, "active", ["reserved"], {"lock", "gap"}, "Sending: step intro from bo@acme.example is being prepared"),
    (begun, "active", ["in_flight"], {"lock", "gap"}, "Sending: step intro from bo@acme.example is on its way"),
    (abandoned, "active", ["unknown"], None, "Unknown: whether step intro from bo@acme.example left; it is looked for"),
    (rescued, "active", ["reserved"], set(), "Ready: step intro is next"),
    (lost, "active", ["unknown"], None, "Unknown: whether step intro from bo@acme.example left; it is looked for"),
    (unanswerable, "active", ["unknown"], None, "Unknown: whether step intro from bo@acme.example left, and it cannot"),
    (found, "active", ["sent"], None, "Waiting: step bump is due on 1 Dec 2026"),
    (not_found, "active", ["failed"], set(), "Ready: step intro is next"),
    (confirmed, "active", ["sent"], None, "Waiting: step bump is due on 1 Dec 2026"),
    (cooled_down, "active", ["reserved"], {"cooldown"}, "Waiting: resting after a failure, until 30 Nov 2026 09:10"),
    (bounced, "stopped", ["failed"], None, "Stopped: bounced on 30 Nov 2026 09:00 UTC at step intro"),
    (withdrawn, "active", ["reserved"], {"cooldown"}, "Waiting: not released, until 30 Nov 2026 09:00"),
    (refused_login, "active", ["reserved"], {"mailbox"}, "Waiting: smtp login refused, until 30 Nov 2026 10:00"),
    (
        quarantined,
        "held",
        ["reserved"],
        None,
        "Held: the value company is missing at step intro; a person must decide.",
    ),
    (stopped_in_flight, "stopped", ["in_flight"], None, "Stopped: stopped by an operator on 30 Nov 2026 09:00 UTC"),
    (stopped_and_confirmed, "stopped", ["sent"], None, "Stopped: stopped by an operator on 30 Nov 2026 09:00 UTC"),
    (stopped_when_reserved, "stopped", ["voided"], None, "Stopped: stopped by an operator on 30 Nov 2026 09:00 UTC"),
    (paused_and_unknown, "paused", ["unknown"], None, "Paused: by hand (30 Nov 2026 09:05 UTC); resume it"),
    (
        paused_and_confirmed,
        "paused",
        ["sent"],
        None,
        "Paused: by hand (30 Nov 2026 09:00 UTC); resume it to go on with what follows step intro (which was sent).",
    ),
    (resumed_after_it_left, "active", ["sent"], None, "Waiting: step bump is due on 1 Dec 2026 09:10"),
    (sequence_paused, "active", ["reserved"], {"sequence_live"}, "Waiting: the sequence is paused; then step intro."),
    (mailbox_paused, "active", [], {"mailbox"}, "Waiting: the mailbox is paused, until"),
    (mailbox_removed, "active", [], {"mailbox"}, "Waiting: no mailbox of its pool can be used, until"),
    (answered, "stopped", ["sent"], None, "Stopped: replied on 30 Nov 2026 09:05 UTC to step intro, matched by"),
]


@pytest.mark.parametrize("stage, status, attempts, gates, sentence", STAGES, ids=[one[0].__name__ for one in STAGES])
async def test_explain_is_right_at_every_stage(life, stage, status, attempts, gates, sentence):
    """The table is the story of a send, with every way out of it."""
    scene = await life.scene()
    await life.read_all_freshly()
    await stage(life, scene)
    run = await explained(life, scene)
    waiting = {gate["gate"] for gate in run["gates"] if gate["verdict"] != "pass"}

    assert run["summary"].startswith(sentence), run["summary"]
    assert (status, attempts) == (run["status"], [one["status"] for one in run["attempts"]])
    if gates is not None:
        assert gates == waiting


@pytest.mark.parametrize(
    "stage, then",
    [
        (stopped_in_flight, "Sending: step intro from bo@acme.example is on its way; what became of it is known by"),
        (paused_and_unknown, "Unknown: whether step intro from bo@acme.example left; it is looked for, next on"),
    ],
)
async def test_a_message_under_way_is_told_of_whatever_became_of_the_run(life, stage, then):
    """A stopped run says that something of it may still arrive."""
    scene = await life.scene()
    await stage(life, scene)

    assert f" {then}" in (await explained(life, scene))["summary"]


async def test_what_cannot_be_looked_up_names_the_command_that_settles_it(life):
    """With the attempt's own number."""
    scene = await life.scene()
    await unanswerable(life, scene)
    run = await explained(life, scene)

    assert f"`relance attempt settle {run['attempts'][0]['id']} sent` or `failed`" in run["summary"]
