"""What is promised, looked at in every state: by what the servers took, and by what the rows say."""

from dataclasses import replace
from datetime import timedelta

from exhaustive.stage import Stage, State, Worker
from relance.core import defaults
from relance.core.attempt import AttemptStatus
from relance.core.enrollment import WALKING, EnrollmentStatus
from relance.core.sequence import SequenceStatus
from relance.core.suppression import Suppression
from relance.ports.store import Reader
from relance.services import sending, sequences
from row_stories import Story, check_history, check_row, check_usage, contradictions, stories_of

#: An answer that was there to be read for longer than this stops what has not left yet.
SEEN_BY = defaults.FRESHNESS + defaults.RELEASE_DEADLINE
#: What stops a run on purpose, and how it then ends.
WANTED_ENDS = {
    "pause": EnrollmentStatus.PAUSED,
    "stop": EnrollmentStatus.STOPPED,
    "archive": EnrollmentStatus.STOPPED,
    "ann answers": EnrollmentStatus.STOPPED,
    "opt out": EnrollmentStatus.SUPPRESSED,
}


def check_move(stage: Stage, before: State, label: str, after: State) -> None:
    """Look at what just happened: was it allowed to begin, was it allowed to leave."""
    for worker, was in zip(after.workers, before.workers, strict=True):
        if worker.position is not None and worker.position is not was.position:
            match worker.position.heard[-1:]:
                case (heard,) if isinstance(heard.answer, sending.Begun):
                    stage.ground.carry_out(_nothing_spoke_against_it, stage, worker)
    if len(after.post.taken) > len(before.post.taken):
        _left_in_time(before, after, label)


def check_state(stage: Stage, state: State, *, counter_before: int = 1) -> int:
    """Look at everything that is stored and at what the servers took; return the step counter."""
    return stage.ground.carry_out(_check_state, stage, state, counter_before)


def _check_state(reader: Reader, stage: Stage, state: State, counter_before: int) -> int:
    stories = stories_of(reader, stage.workspace.id)
    (story,) = stories
    check_row(story, counter_before=counter_before)
    check_history(story)
    check_usage(reader, stage.workspace.id, stories)
    _nobody_twice(state)
    _acceptance_is_never_denied(story, state)
    return story.run.step_counter


def _nobody_twice(state: State) -> None:
    """Count what each person got, whatever we believe."""
    ids = [one.message_id for one in state.post.taken]

    assert sorted(set(ids)) == sorted(ids), "a step reached a person twice"


def _acceptance_is_never_denied(story: Story, state: State) -> None:
    """Refuse to call failed, or never begun, what a server took."""
    taken = {one.message_id for one in state.post.taken}
    for attempt in story.attempts:
        if attempt.message_id in taken:
            still = {AttemptStatus.SENT, AttemptStatus.UNKNOWN, AttemptStatus.IN_FLIGHT}
            assert attempt.status in still, f"a message that left is called {attempt.status}"


def _nothing_spoke_against_it(reader: Reader, stage: Stage, worker: Worker) -> None:
    """Let win what was committed before the last look; and nobody begins a row that another one holds."""
    (story,) = stories_of(reader, stage.workspace.id)
    run = story.run
    sequence = sequences.by_name(reader, run.workspace_id, "q4")
    suppressed = reader.all(Suppression, "suppressions.of_workspace", workspace_id=run.workspace_id)

    assert run.status in WALKING, f"it began although its run is {run.status}"
    assert run.replied_at is None, "it began although the person had answered"
    assert SequenceStatus.LIVE is sequence.status, f"it began although its sequence is {sequence.status}"
    assert [] == suppressed, "it began although the person had opted out"
    assert run.lock_holder in {worker.name, None}, f"{worker.name} began, and the row is held by {run.lock_holder}"


def _left_in_time(before: State, after: State, label: str) -> None:
    """See that the dot was written under the lease, in time, and not behind an answer that could have been read."""
    (worker,) = (w for w in before.workers if label.startswith(f"{w.name}:"))
    answered = before.post.answered_at
    assert worker.position is not None
    begun = worker.position.heard[-1].answer
    assert isinstance(begun, sending.Begun)
    release_by = begun.attempt.release_by

    assert release_by is not None and after.at <= release_by, "the dot was written after its deadline"  # noqa: PT018

    assert worker.leased, "the dot was written by a worker that has lost its lease"
    assert answered is None or after.at - answered <= SEEN_BY, "it left behind an answer that lay there"


def check_end(stage: Stage, state: State) -> None:
    """Let a new process tidy up in peace: nobody may be lost, and no outcome may stay open."""
    ground = stage.ground
    boxes = frozenset(box.id for box in stage.boxes)
    state = replace(
        state,
        events=frozenset(),
        crashes=0,
        stalls=0,
        losses=0,
        refusals=0,
        unheard=0,
        workers=(Worker(name="successor", boxes=boxes, claims=99, since=state.at),),
    )
    for _ in range(8):
        state = replace(state, at=state.at + timedelta(minutes=20), post=stage.read(state))
        state = _work(stage, state)
    (story,) = ground.carry_out(stories_of, stage.workspace.id)
    found = ground.carry_out(contradictions, stage.workspace.id, state.at)

    assert [] == found, found

    _ended_well(stage, state, story)


def _work(stage: Stage, state: State) -> State:
    """Do one of what can be done, again and again, until nothing can."""
    while True:
        for label, move in stage.moves(state):
            if label.startswith("time"):
                continue
            after = move()
            if after is not None:
                check_move(stage, state, label, after)
                check_state(stage, after)
                state = after
                break
        else:
            return state


def _ended_well(stage: Stage, state: State, story: Story) -> None:
    run, wanted = story.run, [WANTED_ENDS[event] for event in stage.script.events if event in WANTED_ENDS]
    unsettled = [one for one in story.attempts if one.status is AttemptStatus.UNKNOWN]

    assert [] == unsettled, "an outcome stays unknown"
    if run.status is EnrollmentStatus.COMPLETED:
        assert stage.script.steps == len(state.post.taken), "it completed, and the person has not got every step"
        return
    assert run.status in wanted or _is_held_back(stage, run.status), f"it ends up {run.status}: {run}"


def _is_held_back(stage: Stage, status: EnrollmentStatus) -> bool:
    """Return whether a walking run waits for a person: its sequence is paused, or its only mailbox was removed."""
    return status in WALKING and bool({"pause the sequence", "remove a mailbox"} & set(stage.script.events))
