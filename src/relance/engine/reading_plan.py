"""Which mailboxes are known and read, and when each is to be read again. No I/O: the poller asks and tells.

Rule 1: a mailbox that was never read since the start, or is new here, is due at once, whatever it rested for before.
Rule 2: the sweep comes round for every mailbox; a failed read puts a rest in its place, which ends where trouble does.
Rule 3: what asks how much is waiting must not cost more with the number of mailboxes: it is asked for every send.
"""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from heapq import heappop, heappush

from relance.engine.surroundings import Box
from relance.services.leasing import Hold
from relance.services.mailboxes import Connected


class ReadingPlan:
    """The mailboxes of the shards that were held at the last look."""

    def __init__(self) -> None:
        self._boxes: Mapping[Box, Connected] | None = None
        self._looked: Sequence[Hold] = ()
        self._tried: set[Box] = set()
        self._waiting: set[Box] = set()  #: Known, and not tried.
        self._at_start: set[Box] = set()  #: Those that were there at the first look.
        self._sweep_at: dict[Box, datetime] = {}
        self._rest_until: dict[Box, datetime] = {}
        self._coming: list[tuple[datetime, int, Box]] = []  #: A heap of what those two said; old entries stay behind.

    # --- what the poller tells

    def look(
        self, boxes: Mapping[Box, Connected], holds: Sequence[Hold], *, in_use: Callable[[int], bool]
    ) -> list[Box]:
        """Take in what is connected now; return what has gone for good: not what is still being sent from."""
        first = self._boxes is None
        new = set() if first or holds is self._looked else {hold.shard for hold in set(holds) - set(self._looked)}
        self._tried = {box for box in self._tried if box in boxes and boxes[box].shard not in new}
        for box in [box for box in self._rest_until if box not in self._tried]:
            del self._rest_until[box]
        if first:
            self._at_start = set(boxes)
        self._boxes, self._looked = boxes, holds
        self._waiting = set(boxes) - self._tried
        gone = [box for box in self._sweep_at if box not in boxes and not in_use(box.mailbox_id)]
        for box in gone:
            del self._sweep_at[box]
        return gone

    def sweep(self, box: Box, at: datetime) -> None:
        """Read it next at `at`, unless something asks for it before."""
        self._sweep_at[box] = at
        heappush(self._coming, (at, box.mailbox_id, box))

    def rest(self, box: Box, until: datetime) -> None:
        """Read it again at `until`: reading it has failed."""
        self._rest_until[box] = until
        self._sweep_at.pop(box, None)
        heappush(self._coming, (until, box.mailbox_id, box))

    def note_try(self, box: Box) -> bool:
        """Note that it was read, or could not be; return whether that was the first try."""
        first = box not in self._tried
        self._tried.add(box)
        self._waiting.discard(box)
        return first

    # --- what others ask

    def has_tried(self, box: Box) -> bool:
        """Whether it was read, or could not be, since the start."""
        return box in self._tried

    def first_read(self, box: Box) -> bool:
        """Whether it is to be read, or tried, for the first time since the start."""
        return self._boxes is None or box in self._waiting

    @property
    def has_tried_all(self) -> bool:
        """Whether every connected mailbox was read, or tried, since the start."""
        return self._boxes is not None and not self._waiting

    def unread(self) -> frozenset[int] | None:
        """Return the mailboxes that may not send yet; None before the first look at what there is.

        These are the ones neither read nor tried since the start, and at the start all of their workspace: what lies in
        their Sent folders may have gone to people whom another mailbox would write to next, if the database is a little
        older than the last send and nobody could notice.
        """
        if self._boxes is None:
            return None
        if not self._waiting:
            return frozenset()
        starting = {box.workspace_id for box in self._waiting & self._at_start}
        return frozenset(box.mailbox_id for box in self._boxes if box in self._waiting or box.workspace_id in starting)

    def known(self, holds: Sequence[Hold]) -> Sequence[Hold]:
        """Return those of these shards whose mailboxes are known: what came in with one just now is not read yet."""
        return holds if holds is self._looked else sorted(set(holds) & set(self._looked), key=lambda hold: hold.shard)

    def has_due(self, now: datetime) -> bool:
        """Whether a sweep is due, or the next try at a mailbox that could not be read."""
        if self._boxes is None or self._waiting:
            return True
        while self._coming and self._coming[0][0] != self._due_at(self._coming[0][2]):
            heappop(self._coming)
        return bool(self._coming) and self._coming[0][0] <= now

    def is_of(self, holds: Sequence[Hold]) -> bool:
        """Whether there was a look, and at the mailboxes of these shards."""
        return self._boxes is not None and holds is self._looked

    def knows(self, box: Box) -> bool:
        """Whether it was there at the last look."""
        return self._boxes is not None and box in self._boxes

    def take_due(self, now: datetime) -> set[Box]:
        """Return those whose sweep or rest is over, each once; what is not read then, a look finds."""
        due = set()
        while self._coming and self._coming[0][0] <= now:
            at, _, box = heappop(self._coming)
            if at == self._due_at(box):
                due.add(box)
        return due

    def is_due(self, box: Box, now: datetime) -> bool:
        """Whether its sweep has come round."""
        at = self._sweep_at.get(box)
        return at is None or at <= now or box not in self._tried

    def rests(self, box: Box, now: datetime) -> bool:
        """Whether reading it failed a moment ago. A rest of its sending side is no reason not to read it."""
        until = self._rest_until.get(box)
        troubled = self._boxes is not None and box in self._boxes and self._boxes[box].consecutive_failures > 0
        return until is not None and until > now and troubled

    def _due_at(self, box: Box) -> datetime | None:
        if self._boxes is None or box not in self._boxes:
            return None
        return self._sweep_at.get(box) or self._rest_until.get(box)
