"""Guards of the product taken out of its source one by one, each with what has to turn red: a scene, or a test.

Rule 1: a guard is named by its text. When the text is gone, a test says so, and a person decides anew which it is.
Rule 2: nothing of this touches the product's folder: a mutation is made in a copy, and the copy is run.

Two guards stand behind others, so that no run of the harness breaks a promise without them; a test sees that they are
gone all the same. `begin` by whom the shard is no longer: what another has looked at has another revision, what it has
not looked at is refused by the sender's own stopwatch before the dot. The voiding: `begin` asks for the status as well.
The reservation is taken out in the running process, see `guards.py`: no piece of text is it.
"""

import shutil
from dataclasses import dataclass
from pathlib import Path

from crash.guards import Guard

PRODUCT = Path(__file__).resolve().parents[2] / "src"


@dataclass(frozen=True, slots=True, kw_only=True)
class Edit:
    """One piece of text of a file under `src/relance`, which stands there once, and what shall stand there instead."""

    file: str
    old: str
    new: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Mutation:
    """A guard, how to take it out, and by what that is seen."""

    name: str
    edits: tuple[Edit, ...]
    seen_by: Guard | str  #: A scene of `directed.py`, by its guard; or a test, as pytest names it.

    def make(self, folder: Path) -> Path:
        """Copy the product into a folder, without this guard; return what to put before everything else to import."""
        shutil.copytree(PRODUCT, folder, ignore=shutil.ignore_patterns("*.egg-info"))
        for edit in self.edits:
            file = folder / "relance" / edit.file
            file.write_text(file.read_text(encoding="utf-8").replace(edit.old, edit.new), encoding="utf-8")
        return folder


_SENDER = "engine/sender.py"
_RESTORES = "tests/engine/test_recovering.py"
_BEGIN = "services/sending/begin.py"
_RECONCILER = "engine/reconciler.py"
_LAST_LOOK = """\
LAST_LOOK: tuple[Gate, ...] = (
    _every(lock, "lock"),
    _every(step_match, "step_match"),
"""
_NOT_WRITTEN_TO = """\
e.last_sent_at IS NULL AND e.lock_holder IS NULL
        AND e.status IN ('active', 'waiting', 'paused', 'held')
"""
_NOR_PERHAPS = """\
        AND NOT EXISTS (
            SELECT 1 FROM attempts a
            WHERE a.workspace_id = e.workspace_id AND a.enrollment_id = e.id AND a.status IN ('in_flight', 'unknown')
        )
"""
_DEADLINE = Edit(file=_SENDER, old="release_by is not None and around.clock.now() <= release_by and ", new="")
_STILL = Edit(file=_SENDER, old=" and around.shards.still(hold)", new="")
_TWO_WORKERS = "tests/engine/test_two_workers.py"
_SHARDS = "tests/engine/test_shards.py"
_GONE = "tests/services/test_mailbox_gone.py"
_CONSTRAINTS = "tests/stores/test_constraints.py"
_EXPLORED = "tests/exhaustive/test_two_workers.py::test_the_promises_hold_in_every_state"

MUTATIONS = (
    Mutation(
        name="the last look asks whether the enrollment still walks",
        edits=(Edit(file="core/gates.py", old=f'{_LAST_LOOK}    _every(status, "status"),\n', new=_LAST_LOOK),),
        seen_by=Guard.STATUS_IN_BEGIN,
    ),
    Mutation(
        name="there is a last look",
        edits=(Edit(file=_BEGIN, old="_, verdict = gates.last_look(situation)", new="verdict = Pass()"),),
        seen_by=Guard.STATUS_IN_BEGIN,
    ),
    Mutation(
        name="no follow-up from what was not read",
        edits=(
            Edit(
                file="core/gates.py",
                old="    if not all(written.is_fresh(at=at.now, within=at.freshness) for written in at.written):\n",
                new="    if False:\n",
            ),
            Edit(
                file="core/gates.py",
                old="    if any(not written.readable for written in at.written):\n",
                new="    if False:\n",
            ),
        ),
        seen_by=Guard.FRESHNESS,
    ),
    Mutation(
        name="in flight is written before anything leaves",
        edits=(Edit(file=_BEGIN, old="Begun(attempt=save_attempt(tx, attempt, flying))", new="Begun(attempt=flying)"),),
        seen_by=Guard.IN_FLIGHT,
    ),
    Mutation(name="no dot without the lease", edits=(_STILL,), seen_by=Guard.FENCE),
    Mutation(name="no dot after the deadline", edits=(_DEADLINE,), seen_by=Guard.RELEASE_DEADLINE),
    Mutation(
        name="the deadline is short",
        edits=(
            Edit(
                file="core/defaults.py",
                old="RELEASE_DEADLINE = timedelta(seconds=20)",
                new="RELEASE_DEADLINE = timedelta(seconds=120)",
            ),
        ),
        seen_by=Guard.RELEASE_DEADLINE,
    ),
    Mutation(
        name="the connector asks before the dot",
        edits=(Edit(file="connectors/smtp_imap/smtp_session.py", old=" or not may_leave()", new=""),),
        seen_by=Guard.RELEASE_DEADLINE,
    ),
    Mutation(
        name="there is a grace",
        edits=(
            Edit(
                file="core/defaults.py",
                old="AMBIGUITY_GRACE = timedelta(minutes=15)",
                new="AMBIGUITY_GRACE = timedelta(0)",
            ),
            Edit(
                file="core/defaults.py", old="WITNESS_AFTER = timedelta(minutes=10)", new="WITNESS_AFTER = timedelta(0)"
            ),
        ),
        seen_by=Guard.GRACE,
    ),
    Mutation(
        name="a witness left late enough",
        edits=(Edit(file=_RECONCILER, old=" and _is_late_enough(at, attempt)", new=" and at is not None"),),
        seen_by="tests/engine/test_reconciling.py"
        "::test_a_later_message_that_left_too_soon_is_no_proof_and_the_mailbox_writes_to_itself_again",
    ),
    Mutation(
        name="the reconciler waits for the grace",
        edits=(Edit(file=_RECONCILER, old="if now < lost.grace_ends_at", new="if False"),),
        seen_by="tests/engine/test_reconciling.py::test_nobody_says_not_sent_before_the_grace_is_over",
    ),
    Mutation(
        name="what was looked for is one try",
        edits=(Edit(file="services/sending/settle.py", old=" or tries not in {None, attempt.tries}", new=""),),
        seen_by="tests/engine/test_reconciling.py::test_what_was_looked_for_is_one_try_and_says_nothing_of_the_next",
    ),
    Mutation(
        name="what was lost is not tried again",
        edits=(
            Edit(
                file="services/sending/settle.py",
                old="AttemptStatus.UNKNOWN, error=error[:500], next_look_at=now)",
                new="AttemptStatus.FAILED, error=error[:500], holds_slot=False, release_by=None, began_at=None)",
            ),
        ),
        seen_by=Guard.IN_FLIGHT,
    ),
    Mutation(
        name="what is settled as not sent is so by the owner of the shard",
        edits=(
            Edit(
                file=_RECONCILER,
                old="""\
        settled = await persistence.write_as_owner(
            around,
            hold,
            sending.settle_failed,
""",
                new="""\
        settled = await persistence.write(
            around,
            sending.settle_failed,
""",
            ),
        ),
        seen_by=f"{_TWO_WORKERS}::test_what_a_worker_that_slept_did_not_find_is_not_called_unsent_by_it[sqlite]",
    ),
    Mutation(
        name="what is read is stored by the owner of the shard",
        edits=(
            Edit(
                file="engine/poller.py",
                old="""\
                await persistence.write_as_owner(
                    around, hold, ingestion.stage_batch, **ids""",
                new="""\
                await persistence.write(
                    around, ingestion.stage_batch, **ids""",
            ),
        ),
        seen_by=f"{_TWO_WORKERS}::test_what_was_read_by_a_worker_that_slept_is_not_stored_by_it[sqlite]",
    ),
    Mutation(
        name="what is begun is begun by the owner of the shard",
        edits=(
            Edit(
                file=_SENDER,
                old="""\
            outcome = await persistence.write_as_owner(
                around,
                hold,
                sending.begin,
""",
                new="""\
            outcome = await persistence.write(
                around,
                sending.begin,
""",
            ),
        ),
        seen_by=f"{_TWO_WORKERS}::test_what_was_reserved_is_not_begun_once_the_shard_has_changed_hands[sqlite]",
    ),
    Mutation(
        name="who is fenced owns the shard",
        edits=(
            Edit(
                file="services/leasing.py",
                old='if tx.one(int, "shards.hold_one", owner=hold.owner, shard=hold.shard) != hold.epoch:',
                new="if False:",
            ),
        ),
        seen_by=f"{_SHARDS}::test_a_woken_worker_writes_nothing_for_what_is_not_its_own_any_more[sqlite]",
    ),
    Mutation(
        name="who claims owns the shards",
        edits=(Edit(file="services/leasing.py", old="        if hold not in owned:\n", new="        if False:\n"),),
        seen_by=f"{_SHARDS}::test_a_woken_worker_claims_nothing_for_a_mailbox_that_is_not_its_own_any_more[sqlite]",
    ),
    Mutation(
        name="a lease that was lost and won again is another one",
        edits=(
            Edit(
                file="engine/shards.py",
                old="self._lasts() and self._holds.get(hold.shard) == hold",
                new="self._lasts()",
            ),
        ),
        seen_by=f"{_SHARDS}::test_an_owner_who_lost_a_shard_and_has_it_again_does_not_go_on_where_it_was[sqlite]",
    ),
    Mutation(
        name="what is begun is as it was reserved",
        edits=(Edit(file=_BEGIN, old=" or attempt.revision != held.revision", new=""),),
        seen_by=f"{_EXPLORED}[a worker loses its lease]",
    ),
    Mutation(
        name="a run that ends voids what it had reserved",
        edits=(
            Edit(
                file="services/moving.py",
                old='tx.run("attempts.void_reserved", workspace_id=',
                new="dict(workspace_id=",
            ),
        ),
        seen_by="tests/services/test_enrolling.py::test_what_a_stopped_run_had_reserved_is_voided_and_never_left[sqlite]",
    ),
    Mutation(
        name="a step has one attempt",
        edits=(
            Edit(
                file="storage/migrations/sqlite/0006_attempts.sql",
                old="    UNIQUE (workspace_id, enrollment_id, step_counter),\n",
                new="",
            ),
        ),
        seen_by=f"{_CONSTRAINTS}::test_a_step_counter_is_attempted_once[sqlite]",
    ),
    Mutation(
        name="an enrollment has one open attempt",
        edits=(
            Edit(
                file="storage/migrations/sqlite/0006_attempts.sql",
                old="CREATE UNIQUE INDEX attempts_open",
                new="CREATE INDEX attempts_open",
            ),
        ),
        seen_by=f"{_CONSTRAINTS}::test_an_enrollment_has_one_open_attempt[sqlite-first0]",
    ),
    Mutation(
        name="a lease is counted from before it was asked for",
        edits=(
            Edit(
                file="engine/shards.py",
                old="self._ends = self._asked + self._lease.seconds",
                new="self._ends = self._monotonic.seconds() + self._lease.seconds",
            ),
        ),
        seen_by=f"{_SHARDS}::test_a_lease_is_counted_from_before_it_was_asked_for",
    ),
    Mutation(
        name="who claims holds the shards until that is written",
        edits=(
            Edit(
                file="storage/queries/shards.sql",
                old="id = ANY (:shard_list::int[]) ORDER BY id\n--postgres FOR KEY SHARE\n",
                new="id = ANY (:shard_list::int[]) ORDER BY id\n",
            ),
        ),
        seen_by=f"{_SHARDS}::test_a_taker_passes_by_a_shard_that_somebody_writes_for[claims]",
    ),
    Mutation(
        name="who is fenced holds the shard until that is written",
        edits=(
            Edit(
                file="storage/queries/shards.sql",
                old="AND id = :shard\n--postgres FOR KEY SHARE\n",
                new="AND id = :shard\n",
            ),
        ),
        seen_by=f"{_SHARDS}::test_a_taker_passes_by_a_shard_that_somebody_writes_for[decides]",
    ),
    Mutation(
        name="who may have been written to is not let go by a mailbox that is removed",
        edits=(
            Edit(
                file="storage/queries/enrollments.sql",
                old=f"{_NOT_WRITTEN_TO}{_NOR_PERHAPS}",
                new=_NOT_WRITTEN_TO,
            ),
        ),
        seen_by=f"{_GONE}::test_who_may_have_been_written_to_stays_with_the_mailbox_until_that_is_known[sqlite-lost]",
    ),
    Mutation(
        name="the connector has a stopwatch of its own before the dot",
        edits=(
            Edit(
                file="connectors/smtp_imap/smtp_session.py",
                old="if asyncio.get_running_loop().time() >= deadline or not may_leave():",
                new="if not may_leave():",
            ),
        ),
        seen_by="tests/connectors/test_smtp_before_the_dot.py"
        "::test_a_process_that_slept_between_body_and_dot_writes_no_dot",
    ),
    Mutation(
        name="a copy is filed by who has the lease",
        edits=(
            Edit(
                file=_RECONCILER,
                old="        if not around.shards.still(hold):\n            raise FencedError(hold)",
                new="        if False:\n            raise FencedError(hold)",
            ),
        ),
        seen_by=f"{_TWO_WORKERS}::test_a_copy_is_filed_once_though_a_worker_slept_before_it_filed_it[sqlite]",
    ),
    Mutation(
        name="a message to itself leaves by who has the lease",
        edits=(
            Edit(
                file=_RECONCILER,
                old="may_leave = partial(around.shards.still, hold)",
                new="may_leave = lambda: True",
            ),
        ),
        seen_by=f"{_TWO_WORKERS}::test_a_mailbox_does_not_write_to_itself_once_the_lease_is_over[sqlite]",
    ),
    Mutation(
        name="the rescuer leaves a reservation to a sender at work",
        edits=(
            Edit(
                file="engine/rescuer.py",
                old="if self._at_work(row.workspace_id, row.id):",
                new="if False:",
            ),
        ),
        seen_by="tests/engine/test_rescuing.py"
        "::test_a_message_whose_sender_is_slow_is_left_to_its_sender[sqlite-stage-reserved]",
    ),
    Mutation(
        name="the rescuer leaves what is in flight to a sender at work",
        edits=(
            Edit(
                file="engine/rescuer.py",
                old="if self._at_work(orphan.workspace_id, orphan.enrollment_id):",
                new="if False:",
            ),
        ),
        seen_by="tests/engine/test_rescuing.py"
        "::test_a_message_whose_sender_is_slow_is_left_to_its_sender[sqlite-reply-in_flight]",
    ),
    Mutation(
        name="Sent is read once more when copies have had their time",
        edits=(
            Edit(
                file="services/recovering.py",
                old="(mailbox.recover_noticed_at or mailbox.created_at) + defaults.AMBIGUITY_GRACE",
                new="(mailbox.recover_noticed_at or mailbox.created_at)",
            ),
        ),
        seen_by=f"{_RESTORES}::test_a_copy_that_comes_late_is_waited_for[sqlite]",
    ),
    Mutation(
        name="nothing is told from a Sent folder that does not show what a mailbox wrote to itself",
        edits=(
            Edit(file="engine/recoverer.py", old="if mailbox.saves_sent and began_at", new="if False and began_at"),
        ),
        seen_by=f"{_RESTORES}"
        "::test_nothing_is_told_from_a_sent_folder_that_does_not_show_what_was_sent_last[sqlite-saves nothing]",
    ),
    Mutation(
        name="what the state that is put aside knows to have left goes along",
        edits=(Edit(file="services/taking_along.py", old="        _keep(tx, one, now)\n", new="        pass\n"),),
        seen_by="tests/engine/test_taking_along.py::test_what_left_is_not_sent_again_though_its_copy_is_gone[sqlite]",
    ),
    Mutation(
        name="what may have left before a restore is a lost outcome, and not tried again",
        edits=(
            Edit(
                file="services/sending/catching_up.py",
                old="    if seen.folder == UNKNOWN:\n        _lose",
                new="    if not mailbox:\n        _lose",
            ),
        ),
        seen_by="tests/engine/test_taking_along.py"
        "::test_whoever_may_have_been_written_to_waits_until_that_is_settled[sqlite-failed-numbers1]",
    ),
    Mutation(
        name="an answer that was lost while the state changed is kept as a doubt",
        edits=(
            Edit(
                file="services/sending/catching_up.py",
                old="        forgotten.keep_departed(tx, held, mailbox=mailbox, folder=UNKNOWN, now=now)\n",
                new="        pass\n",
            ),
        ),
        seen_by="tests/engine/test_changing_under.py"
        "::test_what_may_have_left_while_the_state_changed_is_not_sent_again_where_no_copy_tells[sqlite]",
    ),
    Mutation(
        name="after a restore a step is known by its name, not by its number",
        edits=(
            Edit(
                file="services/sending/catching_up.py",
                old="(one for one in left.values() if one.step == run.step)",
                new="(one for one in [of_here] if one is not None)",
            ),
        ),
        seen_by="tests/services/test_taking_along.py"
        "::test_a_step_that_had_another_number_then_is_known_by_its_name[sqlite]",
    ),
    Mutation(
        name="nobody opens a database while a backup takes its place",
        edits=(
            Edit(file="storage/opening.py", old="shared = share(path.parent)", new="shared = os.open(os.devnull, 0)"),
        ),
        seen_by="tests/cli/test_restoring.py"
        "::test_a_command_that_starts_while_a_backup_takes_the_place_works_on_the_backup",
    ),
    Mutation(
        name="a mailbox that recovers is not removed before a person has decided",
        edits=(
            Edit(
                file="services/mailboxes.py",
                old='RECOVERING:\n        raise RefusedError(\n            f"{mailbox.address} is read back',
                new='REMOVED:\n        raise RefusedError(\n            f"{mailbox.address} is read back',
            ),
        ),
        seen_by="tests/services/test_recovering.py"
        "::test_a_mailbox_that_recovers_is_removed_only_after_a_person_has_decided[sqlite]",
    ),
    Mutation(
        name="whoever has answered since the backup is held",
        edits=(
            Edit(file="services/taking_along.py", old="held=sum([_end(tx, one, now) for one in ended])", new="held=0"),
        ),
        seen_by="tests/engine/test_taking_along.py"
        "::test_whoever_was_paused_then_and_has_answered_since_is_held[sqlite]",
    ),
    Mutation(
        name="that the state is an older one is said before it takes the place",
        edits=(
            Edit(
                file="storage/restore.py",
                old="        announce(found)\n",
                new="",
            ),
            Edit(
                file="storage/restore.py",
                old='        _at("clean up")\n',
                new='        _at("clean up")\n        announce(found)\n',
            ),
        ),
        seen_by="tests/cli/test_restoring.py::test_wherever_a_restore_is_killed_one_of_the_two_states_is_there_whole",
    ),
    Mutation(
        name="nothing is claimed from a mailbox that was not read since the start",
        edits=(
            Edit(
                file="engine/dispatcher.py",
                old="busy=unread.union(self._sending)",
                new="busy=frozenset(self._sending)",
            ),
        ),
        seen_by="tests/engine/test_sending.py"
        "::test_nothing_is_claimed_from_a_mailbox_that_was_not_read_since_the_start",
    ),
)
