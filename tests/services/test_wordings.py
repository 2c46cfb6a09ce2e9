"""Which wording a person gets: chosen once, kept for ever."""

from dataclasses import replace

from relance.core.enrollment import Enrollment
from relance.core.failure import TryLater
from relance.core.sequence import EmailStep, Variant
from relance.services.records import save_enrollment
from relance.testing.builders import delay


def two_wordings() -> EmailStep:
    """Return an opening mail that is written in two ways, each as often as the other."""
    wordings = tuple(
        Variant(id=name, weight=1, subject=f"Wording {name}", text=f"This is wording {name}.", html=None)
        for name in ("a", "b")
    )
    return EmailStep(id="intro", after=delay("0s"), variants=wordings)


async def test_no_person_ever_gets_two_wordings_of_one_step(life):
    """What was chosen stands on the run: neither a retry nor another way of choosing draws again."""
    scene = await life.scene(two_wordings())
    drawn = await life.reserved()
    await life.fail(drawn.attempt, TryLater(reason="greylisted", response="451 4.7.1 later"))
    kept = await life.again(scene.run)
    other = {"a": "b", "b": "a"}[kept.variants["intro"]]
    await life.store.write(_choose, kept, other)  # as another weighting would have done then
    life.later(hours=5)
    again = await life.reserved()

    assert drawn.variant.id == kept.variants["intro"]
    assert other == again.variant.id == again.attempt.variant
    assert f"This is wording {other}.".encode() in life.compose(again)


async def test_both_wordings_are_used(life):
    """People differ; each of them has a wording of their own."""
    scene = await life.scene(two_wordings())
    for number in range(15):
        await life.person(scene, f"lead{number}@lead{number}.example")
    sent = [await life.send() for _ in range(16)]

    assert {b"a", b"b"} == {raw.partition(b"This is wording ")[2][:1] for raw in sent}


def _choose(tx, run: Enrollment, variant: str) -> None:
    save_enrollment(tx, run, replace(run, variants={"intro": variant}))
