"""Goes through every state that a script can lead to, once each, and looks at the promises in all of them.

Two ways that lead to the same state are followed from there only once, and both are counted.
"""

from collections.abc import Hashable
from dataclasses import dataclass, replace
from hashlib import blake2b

from exhaustive import promises
from exhaustive.ground import AnyGround, Ground
from exhaustive.puppet import Position
from exhaustive.stage import Script, Stage, State
from relance.core.attempt import Attempt
from relance.services import sending


def drawn(key: str) -> bytes:
    """Return what decides an order as chance would, and the same one each time."""
    return blake2b(key.encode(), digest_size=8).digest()


class PromiseBroken(AssertionError):  # noqa: N818  # a fact about a way, not a fault of the explorer
    """What was promised does not hold; the way there is told."""


@dataclass(slots=True)
class Found:
    """What was gone through."""

    states: int = 0
    moves: int = 0
    interleavings: int = 0  #: Different ways from the opening to an end.
    ends: int = 0  #: Different ends.


def wander(script: Script, ground: AnyGround, *, seed: str) -> int:
    """Walk one way to its end, drawn by a seed; return how many moves it had. Raises PromiseBroken."""
    stage = Stage(script, ground)
    state, path = stage.opening(), list[str]()
    try:
        while True:
            for label, move in sorted(stage.moves(state), key=lambda move: drawn(f"{seed}/{len(path)}/{move[0]}")):
                path.append(label)
                after = move()
                if after is None:
                    path.pop()
                    continue
                promises.check_move(stage, state, label, after)
                counter = promises.check_state(stage, after, counter_before=state.counter)
                state = replace(after, counter=counter)
                break
            else:
                promises.check_end(stage, state)
                return len(path)
    except AssertionError as error:
        raise PromiseBroken("after\n  " + "\n  ".join(path) + f"\n{error}") from error


class Explorer:
    """Walks depth first; the database goes back when the walk does."""

    def __init__(self, script: Script, ground: Ground) -> None:
        self._ground = ground
        self._stage = Stage(script, self._ground)
        self._ways: dict[Hashable, int | None] = {}  #: How many ways lead on from a state; None: we stand there.
        self._path: list[str] = []
        self._ends: set[Hashable] = set()
        self._checked: dict[Hashable, int] = {}
        self._found = Found()

    def explore(self) -> Found:
        """Go through everything. Raises PromiseBroken with the way that leads to it."""
        opening = self._stage.opening()
        try:
            self._found.interleavings = self._from(opening, self._key(opening))
        except AssertionError as error:
            way = "\n  ".join(self._path)
            raise PromiseBroken(f"after\n  {way}\n{error}") from error
        self._found.states = len(self._ways)
        self._found.ends = len(self._ends)
        return self._found

    def _from(self, state: State, key: Hashable) -> int:
        self._ways[key] = None
        ways = 0
        for label, move in self._stage.moves(state):
            with self._ground.tried():
                self._path.append(label)
                after = move()
                if after is not None:
                    ways += self._arrive(state, key, label, after)
                self._path.pop()
        if ways == 0:
            ways = 1
            self._end(state)
        self._ways[key] = ways
        return ways

    def _arrive(self, before: State, key_before: Hashable, label: str, after: State) -> int:
        key = self._key(after)
        if key == key_before:
            return 0
        self._found.moves += 1
        promises.check_move(self._stage, before, label, after)
        if key in self._ways:
            ways = self._ways[key]
            assert ways is not None, "the way leads back to where it came from: a script must come to an end"
            return ways
        return self._from(replace(after, counter=self._check_state(before, after)), key)

    def _check_state(self, before: State, after: State) -> int:
        """Look at what is stored; not again where only a worker has moved on in its own head."""
        told = self._ground.rows("SELECT to_status, event, step_counter FROM enrollment_history ORDER BY id")
        stored = (self._rows(), told, after.post, before.counter)
        if stored not in self._checked:
            self._checked[stored] = promises.check_state(self._stage, after, counter_before=before.counter)
        return self._checked[stored]

    def _end(self, state: State) -> None:
        end = (self._rows(), state.post, state.at)
        if end not in self._ends:
            self._ends.add(end)
            with self._ground.tried():
                promises.check_end(self._stage, state)

    # --- telling states apart ---

    def _key(self, state: State) -> Hashable:
        """Return what decides how it can go on. Left out are events, history, texts and how often a row was written."""
        revisions = dict(self._ground.rows("SELECT id, revision FROM attempts"))
        workers = tuple(
            (w.boxes, w.alive, w.leased, w.claims, w.since, w.position and _place(w.position, revisions))
            for w in state.workers
        )
        return (
            state.at,
            workers,
            state.post,
            (state.crashes, state.stalls, state.losses, state.refusals, state.unheard),
            state.events,
            self._rows(),
        )

    def _rows(self) -> Hashable:
        rows = self._ground.rows
        return (
            rows(
                "SELECT status, stop_reason, step_counter, next_due_at, skip_until, last_skip_reason, last_sent_at, "
                "replied_at, mailbox_id, consecutive_failures, lock_holder, lock_expires_at FROM enrollments"
            ),
            rows(
                "SELECT status, step_counter, mailbox_id, planned_at, holds_slot, release_by, began_at, "
                "next_look_at, looks FROM attempts"
            ),
            rows("SELECT status, next_allowed_at, skip_until, fresh_at, consecutive_failures FROM mailboxes"),
            rows("SELECT scope, scope_id, bucket, used FROM usage WHERE used > 0"),
            rows("SELECT status, skip_until, new_leads_until FROM sequences"),
            rows("SELECT value FROM suppressions"),
            rows("SELECT owner, epoch FROM shards WHERE owner IS NOT NULL"),
        )


def _place(position: Position, revisions: dict[int, int]) -> Hashable:
    """Return where a sender stands and what it holds; how old what it holds is counts, not its number."""
    held: list[Hashable] = []
    for heard in position.heard:
        match heard.answer:
            case sending.Reserved(attempt=attempt) | sending.Begun(attempt=attempt):
                held.append(_seen(attempt, revisions))
            case answer:
                held.append(type(answer).__name__)
    asks = position.asks.what if position.asks else ""
    since = position.heard[-1].at if position.heard else position.began_at
    return asks, since, position.claimed.step_counter, position.claimed.mailbox_id, tuple(held)


def _seen(attempt: Attempt, revisions: dict[int, int]) -> Hashable:
    behind = revisions.get(attempt.id, 0) - attempt.revision
    return attempt.id, attempt.planned_at, attempt.mailbox_id, attempt.release_by, behind == 0
