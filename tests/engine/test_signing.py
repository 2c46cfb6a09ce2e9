"""Signatures on the wire: whose, in which form, and what becomes of whoever would get none."""

from dataclasses import replace

from engine.rig import Rig
from relance.core.enrollment import EnrollmentStatus
from relance.core.sequence import EmailStep, Step, Variant
from relance.mail.parse import parse
from relance.services import enrollments, mailboxes, sequences
from relance.testing import builders

HTML = "<p>Bo <b>Berg</b></p>"


def signed(step_id: str, after: str = "0s", subject: str | None = None) -> Step:
    """Return a step whose both parts ask for the signature."""
    html = "<p>Hi</p>{{ sender_signature }}"
    wording = Variant(id="a", weight=1, subject=subject, text="Hi\n{{ sender_signature }}", html=html)
    return EmailStep(id=step_id, after=builders.delay(after), variants=(wording,))


async def sign(rig: Rig, text: str, html: str | None) -> None:
    """Give the mailbox a signature, as `mailbox set` does."""
    changed = replace(await rig.box(), signature_text=text, signature_html=html)
    await rig.store.write(mailboxes.change, changed, sealed=None)


async def test_both_parts_end_with_the_signature_of_the_mailbox_that_sends(any_rig):
    """The follow-up too: with the one that the mailbox has when it leaves."""
    rig = any_rig
    await rig.prepare(signed("intro", subject="Hello"), signed("bump", "1d"))
    await sign(rig, "Bo Berg", HTML)
    await rig.person("ann@lead.example")
    await rig.parts().send_one()
    await sign(rig, "Dr. Bo <Berg>", None)
    async with rig.running() as engine:
        await rig.play(engine)
    first, second = (parse(delivery.raw) for delivery in rig.world.received_by("ann@lead.example"))

    assert ("Hi\nBo Berg", f"<p>Hi</p>{HTML}") == (first.text.strip(), first.html.strip())
    assert ("Hi\nDr. Bo <Berg>", "<p>Hi</p>Dr. Bo &lt;Berg&gt;") == (second.text.strip(), second.html.strip())


async def test_a_mailbox_without_a_signature_holds_whoever_needs_it_until_it_has_one(rig):
    """Nothing goes out with a gap; publishing says so beforehand, and names the mailbox."""
    plan = builders.plan(signed("intro", subject="Hello"))
    await rig.prepare(*plan.steps)
    where = {"workspace_id": rig.workspace.id, "now": rig.clock.now()}
    published = await rig.store.write(sequences.publish, plan=plan, **where)
    run = await rig.person("ann@lead.example")
    await rig.parts().send_one()
    held = await rig.again(run)

    assert ("bo@ours.example",) == published.unsigned
    assert (EnrollmentStatus.HELD, "missing_value:sender_signature") == (held.status, held.hold_reason)
    assert [] == rig.world.received_by("ann@lead.example")

    await sign(rig, "Bo Berg", None)
    await rig.store.write(enrollments.resume, enrollment_id=run.id, cause="it has a signature now", **where)
    async with rig.running() as engine:
        await rig.play(engine)

    assert 1 == len(rig.world.received_by("ann@lead.example"))


async def test_a_value_of_a_lead_is_never_taken_for_the_signature(rig):
    """A column of a list may be called as it is, and hold whatever it likes."""
    await rig.prepare(signed("intro", subject="Hello"))
    values = {"sender_signature": "<script>x</script>"}
    lead = await rig.store.write(builders.lead, rig.workspace, "ann@lead.example", **values)
    run = await rig.store.write(builders.enrollment, rig.workspace, lead)
    await rig.parts().send_one()

    assert EnrollmentStatus.HELD == (await rig.again(run)).status
