"""Which mailbox opens a sequence's next conversation, where the sequence asks for more than taking turns.

Rule 1: among the mailboxes that are free in a claim, the one with the least load opens first, then the next. While
        somebody waits, no free mailbox does: it counts where more mailboxes are free than people are due.
Rule 2: whoever has claimed is out for the rest of that claim; the next one weighs anew.
Rule 3: a sequence that takes turns costs nothing here.
"""

from collections.abc import Callable, Sequence
from datetime import datetime

from relance.core.mailbox import Mailbox
from relance.core.pacing import cap_today
from relance.core.sequence import Plan, Rotation
from relance.ports.store import Reader
from relance.services.limits import buckets_for, mailbox_zone, used
from relance.services.situations import workspace_of


class Rotations:
    """The queues of one claim: for each sequence that rotates by load, its free mailboxes, the least loaded first."""

    def __init__(self, reader: Reader, now: datetime) -> None:
        self._reader = reader
        self._now = now
        self._loads: dict[tuple[int, Rotation], float] = {}
        self._queues: dict[int, list[int]] = {}
        self._out: set[int] = set()
        self.somebody_waited = False  #: In this round a mailbox left the turn to another.

    def begin(self) -> None:
        """Begin another round over the mailboxes of the claim."""
        self.somebody_waited = False

    def is_turn_of(
        self, mailbox_id: int, sequence_id: int, plan: Plan, *, free: Callable[[], Sequence[int]], workspace_id: int
    ) -> bool:
        """Whether this mailbox may open the next conversation; `free` are those of the claim that the plan admits."""
        if plan.rotation is Rotation.LEAST_RECENT:
            return True
        if sequence_id not in self._queues:
            self._queues[sequence_id] = self._weighed(free(), plan.rotation, workspace_id)
        queue = self._queues[sequence_id]
        while queue and queue[0] in self._out:
            queue.pop(0)
        its_turn = bool(queue) and queue[0] == mailbox_id
        self.somebody_waited |= not its_turn
        return its_turn

    def leave_out(self, mailbox_id: int) -> None:
        """Pass over a mailbox that has claimed."""
        self._out.add(mailbox_id)

    def _weighed(self, ids: Sequence[int], rotation: Rotation, workspace_id: int) -> list[int]:
        unknown = [one for one in ids if (one, rotation) not in self._loads]
        if unknown:
            workspace = workspace_of(self._reader, workspace_id)
            for mailbox in self._reader.all(Mailbox, "mailboxes.some", mailbox_list=unknown):
                day = buckets_for(mailbox, workspace, self._now).mailbox_day
                today = used(self._reader, workspace.id, "mailbox_day", mailbox.id, day)
                date = self._now.astimezone(mailbox_zone(mailbox, workspace)).date()
                share = cap_today(mailbox, today=date) if rotation is Rotation.LEAST_LOADED else mailbox.weight
                self._loads[mailbox.id, rotation] = today / max(1, share)
        return sorted(ids, key=lambda one: self._loads[one, rotation])  # stable: the least recently served of equals
