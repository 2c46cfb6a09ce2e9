"""Scenarios in which exactly one guard stands between us and a broken promise.

Each is clean as long as the guard is there, and broken without it: so it judges the product, and the harness as well.
"""

import asyncio
import shutil
import signal
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import date, timedelta

from crash.guards import Guard
from crash.judging import FRESHNESS, SLACK, Undisturbed, violations
from crash.orders import Order, Trap, What
from crash.people import Reaction
from crash.plan import At, Plan
from crash.running import LEASE, Beat, Run, Running
from crash.scenario import ANNA, BEN, REACTIONS
from crash.stage import Process, Stage
from crash.turning import RunError
from relance.app import Installation, open_installation
from relance.config import Config, LogLevel
from relance.core.lead import Lead
from relance.sandbox.journal import Nature
from relance.services import enrollments, leasing, sequences
from relance.services.sequence_files import Sound, read_sequence_text

#: In which the second message to Anna, the only one of its day, is the fifth: nobody else is being written to then.
LAST_SEND = 5
TAKEOVER_LIMIT = 20.0
_LOOK = 0.05  #: Real seconds.


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """One guard's scenario: how to set it, and what would be broken, in the judge's first words."""

    guard: Guard
    breaks: str
    plan: Plan = field(default_factory=Plan)
    trap: Trap | None = None
    story: Callable[[Running, Process], Awaitable[None]] | None = None
    beats: tuple[Beat, ...] = ()
    lease: float = 30.0  #: Real seconds: long enough to be stopped in the story without losing it.
    reactions: Mapping[str, Reaction] = field(default_factory=lambda: REACTIONS)
    judge: Callable[[Run, Undisturbed], list[str]] = violations
    needs_postgres: bool = False


async def play(stage: Stage, scene: Scene, expected: Undisturbed, *, guarded: bool) -> list[str]:
    """Play a scene with its guard or without, and return what it broke."""
    plan = scene.plan if guarded else replace(scene.plan, without=(scene.guard,))
    running = Running(
        stage=stage,
        plan=plan,
        traps=(scene.trap,) if scene.trap else (),
        story=scene.story,
        beats=list(scene.beats),
        reactions=scene.reactions,
        lease=scene.lease,
    )
    try:
        return scene.judge(await running.run(), expected)
    except RunError as error:
        return [f"the run failed: {error}"]


# --- what happens in them


def beside(running: Running) -> Installation:
    """Open the run's installation beside the engine, as every command does."""
    data = running.data
    config = Config(
        data=data,
        master_key_file=data / "master.key",
        database_url=running.database_url,
        log_level=LogLevel.ERROR,
    )
    installation = open_installation(config)
    installation.clock = running.stage.clock
    return installation


async def pause_anna(running: Running, _: Process) -> None:
    """Pause Anna's enrollment while the server thinks about her address; the sender has reserved and not begun."""
    installation = beside(running)
    try:
        (row,) = await installation.read(enrollments.chosen, workspace_id=1, sequence_name=None, email=ANNA)
        paused = await installation.write(
            enrollments.pause, workspace_id=1, enrollment_id=row.id, cause="a person", now=installation.clock.now()
        )
        assert paused
    finally:
        await installation.close()


def paused_got_nothing(run: Run, _: Undisturbed) -> list[str]:
    """Judge that Anna, paused before her second message was begun, did not get it."""
    sent = [each for each in run.journal.accepted() if (each.recipient, each.marker) == (ANNA, "bump")]
    status = run.ended["people"][ANNA]["status"]
    wrong = [f"while paused: {each.recipient} got {each.marker} at {each.at}" for each in sent]
    return wrong if status == "paused" else [*wrong, f"lost: {ANNA} is {status}, not paused"]


async def anna_answers_meanwhile(running: Running, _: Process) -> None:
    """Let just too much time pass between body and dot, and Anna answer at its beginning: no deadline may grow."""
    world = running.stage.world
    world.people.react(world.people.received[ANNA], Nature.ANSWER)
    world.clock.jump(world.clock.now() + FRESHNESS + SLACK + timedelta(seconds=10))


def answered_in_time(run: Run, expected: Undisturbed) -> list[str]:
    """Judge as ever, with Anna stopped by the answer that she gives here."""
    people = {**expected.people, ANNA: expected.people[BEN]}
    steps = {**expected.steps, ANNA: ("intro",)}
    return violations(run, Undisturbed(people=people, steps=steps))


SECOND = """\
name: friends
window: always
steps:
  - id: hello
    kind: email
    subject: "Another question about {{ company }}"
    text: "Hello {{ first_name }},\\n\\nThis is step hello.\\n"
"""


async def ben_enters_another_sequence(running: Running) -> None:
    """Enroll Ben into a second sequence, which may be sent from the other mailbox."""
    installation = beside(running)
    now = installation.clock.now()
    reading = read_sequence_text(SECOND, file="friends.yaml", today=date(2026, 11, 30))
    assert isinstance(reading, Sound), reading
    try:
        await installation.write(sequences.publish, workspace_id=1, plan=reading.plan, now=now)
        await installation.write(_enroll_ben, installation, now)
    finally:
        await installation.close()


def _enroll_ben(tx, installation, now) -> None:
    lead = tx.one(Lead, "leads.by_email", workspace_id=1, email=BEN)
    enrollments.enroll(
        tx,
        workspace_id=1,
        sequence_name="friends",
        lead_ids=[lead.id],
        source_list=None,
        keys=installation.keys,
        now=now,
    )


async def hide_his_mailbox(running: Running) -> None:
    """Refuse reading of the mailbox that wrote to Ben; it goes on sending."""
    world = running.stage.world
    wrote = next(each.mailbox for each in world.journal.accepted() if each.recipient == BEN)
    world.faults.down.add(wrote)
    world.cut_reading()


async def show_his_mailbox(running: Running) -> None:
    """Let it be read again."""
    running.stage.world.faults.down.clear()


async def another_host_takes_over(running: Running, process: Process) -> None:
    """Start an engine on another host, let it send what the stopped one left, and only then wake that one.

    The stopped host's clock stands still with it, so that it cannot see by its clock how late it is.
    """
    stage = running.stage
    elsewhere = stage.folder / "data of another host"
    shutil.rmtree(elsewhere, ignore_errors=True)
    shutil.copytree(running.data, elsewhere)
    (elsewhere / "engine.lock").unlink(missing_ok=True)
    stage.clock.move_to(stage.folder / "clock of another host")
    await until_lease_is_over(running)
    other = await stage.start(
        Order(
            control=str(stage.folder / "control"),
            clock=str(stage.folder / "clock of another host"),
            data=str(elsewhere),
            database_url=running.database_url,
        )
    )
    stage.world.activity.freeze()
    try:
        await running.live(other)
    finally:
        await other.bury()
        stage.world.activity.thaw()
    process.signal(signal.SIGCONT)


async def until_lease_is_over(running: Running) -> None:
    """Return once nobody holds a shard."""
    installation = beside(running)
    try:
        async with asyncio.timeout(TAKEOVER_LIMIT):
            while await installation.read(leasing.workers):  # noqa: ASYNC110 - it is real time that ends a lease
                await asyncio.sleep(_LOOK)
    finally:
        await installation.close()


SCENES = (
    Scene(
        guard=Guard.RESERVE,
        breaks="twice",
        plan=Plan(kills=(At(place="commit confirm: before"),), copies="none"),  # a copy in Sent would give it away
    ),
    Scene(
        guard=Guard.IN_FLIGHT,
        breaks="twice",
        plan=Plan(kills=(At(place="commit confirm: before"),), copies="none"),  # a copy in Sent would give it away
    ),
    Scene(
        guard=Guard.GRACE,
        breaks="twice",
        plan=Plan(dots={"keeps 1": "accept_and_drop"}, sent_copies={1: 5}),
    ),
    Scene(
        guard=Guard.STATUS_IN_BEGIN,
        breaks="while paused",
        trap=Trap(at=At(place="smtp RCPT: answered", passing=LAST_SEND), what=What.STOP),
        story=pause_anna,
        judge=paused_got_nothing,
    ),
    Scene(
        guard=Guard.RELEASE_DEADLINE,
        breaks="after an answer",
        trap=Trap(at=At(place="smtp body: written", passing=LAST_SEND), what=What.STOP),
        story=anna_answers_meanwhile,
        judge=answered_in_time,
    ),
    Scene(
        guard=Guard.FENCE,
        breaks="twice",
        plan=Plan(copies="all", patient=True),  # a server that hangs up would do as well
        lease=LEASE,
        trap=Trap(at=At(place="smtp body: written", passing=LAST_SEND), what=What.STOP),
        story=another_host_takes_over,
        needs_postgres=True,
    ),
    Scene(
        guard=Guard.FRESHNESS,
        breaks="after an answer",
        beats=(
            Beat(minute=60, act=hide_his_mailbox),
            Beat(minute=15 * 60 + 1, act=ben_enters_another_sequence),  # the next day, when mailboxes may send again
            Beat(minute=15 * 60 + 31, act=show_his_mailbox),
        ),
    ),
)
