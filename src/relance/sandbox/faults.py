"""What goes wrong in the world, and when.

Rule 1: a fault is decided by the seed and by how often its occasion has come, never by real time.
Rule 2: every kind is certain to show early: each block of occasions has exactly one fault, at a place drawn from the
seed, and the first block is small enough for a demo of 300 leads.
Rule 3: connections break after DATA only where the outcome can be looked up in Sent, unless a plan says otherwise.
"""

from collections import Counter
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum

from relance.sandbox.chance import below, draw
from relance.sandbox.clock import SandboxClock


class FaultKind(StrEnum):
    """The kinds of faults; each can be left out of a plan."""

    ACCEPTED_THEN_DROPPED = "accepted_then_dropped"  #: The message was accepted, the reply to the dot never came.
    LOST_AND_DROPPED = "lost_and_dropped"  #: The connection broke after the dot and the message was not accepted.
    GREYLISTED = "greylisted"  #: 451 for a recipient's first five minutes.
    SMTP_UNAVAILABLE = "smtp_unavailable"  #: 454 to every login of a mailbox for a while.
    SMTP_REFUSED = "smtp_refused"  #: 535 to every login of a mailbox for a while, though the password is right.
    IMAP_UNAVAILABLE = "imap_unavailable"  #: NO [UNAVAILABLE] to every login of a mailbox for a while.
    IDLE_SILENT = "idle_silent"  #: The server stops pushing and keeps the connection.
    IDLE_CLOSED = "idle_closed"  #: The server closes the connection instead of pushing.
    CONNECT_REFUSED = "connect_refused"  #: 421 instead of a greeting.


class DataFate(StrEnum):
    """What becomes of a message whose final dot has arrived."""

    ACCEPT = "accept"  #: Accepted, and the client is told.
    ACCEPT_AND_DROP = "accept_and_drop"  #: Accepted, and the client is not told.
    LOSE_AND_DROP = "lose_and_drop"  #: Not accepted, and the client is not told.


class PushFate(StrEnum):
    """What becomes of news for an idling client."""

    PUSH = "push"  #: It is told.
    SILENCE = "silence"  #: It is told nothing until it idles anew.
    CLOSE = "close"  #: Its connection is closed.


class LoginFate(StrEnum):
    """What becomes of a login whose password is right."""

    LET_IN = "let_in"  #: The login succeeds.
    UNAVAILABLE = "unavailable"  #: Not now: 454, or NO [UNAVAILABLE].
    REFUSED = "refused"  #: 535, as if the password were wrong.


class Protocol(StrEnum):
    """Which of a mailbox's two servers is meant."""

    SMTP = "smtp"  #: Submission.
    IMAP = "imap"  #: Reading.


@dataclass(slots=True, kw_only=True)
class Schedule:
    """Exactly one hit in each block of occasions; blocks after the first are `period` long, or double if that is 0."""

    seed: int
    what: str
    first: int
    period: int = 0
    _block: int = 0
    _start: int = 0
    _size: int = 0
    _count: int = 0

    def hit(self) -> bool:
        """Count one occasion and say whether it is the block's."""
        if self._count == 0:
            self._size = self.first
        elif self._count == self._start + self._size:
            self._start += self._size
            self._block += 1
            self._size = self.period or self._size * 2
        place = self._count - self._start
        self._count += 1
        return place == below(self.seed, self._size, "fault", self.what, self._block)


@dataclass(frozen=True, slots=True, kw_only=True)
class FaultPlan:
    """Which faults there are and how often."""

    kinds: frozenset[FaultKind] = frozenset(FaultKind)
    drops: tuple[int, int] = (12, 45)
    """The first block and the further blocks of messages accepted by one domain, for each kind of drop."""
    greylisted: tuple[int, int] = (12, 30)
    """The same in recipients seen for the first time."""
    only_where_sent_is_saved: bool = True
    greylist_for: timedelta = timedelta(minutes=5)
    refusal: tuple[timedelta, timedelta] = (timedelta(minutes=4), timedelta(minutes=15))
    """How long logins are refused, at least and at most."""


NO_FAULTS = FaultPlan(kinds=frozenset())


@dataclass(slots=True, kw_only=True)
class Faults:
    """Decides for every occasion in the world whether it goes wrong, and counts what did."""

    clock: SandboxClock
    seed: int
    plan: FaultPlan = field(default_factory=FaultPlan)
    counts: Counter[FaultKind] = field(default_factory=Counter)
    armed: bool = True
    """While not armed nothing goes wrong and nothing is counted: for setting a world up."""
    _schedules: dict[str, Schedule] = field(default_factory=dict)
    _known_logins: set[tuple[Protocol, str]] = field(default_factory=set)
    _refusals: dict[tuple[Protocol, str], tuple[datetime, LoginFate]] = field(default_factory=dict)
    _greylist: dict[str, datetime | None] = field(default_factory=dict)

    def _hit(self, kind: FaultKind, scope: str, first: int, period: int = 0) -> bool:
        if kind not in self.plan.kinds or not self.armed:
            return False
        what = f"{kind} {scope}"
        schedule = self._schedules.get(what)
        if schedule is None:
            schedule = self._schedules[what] = Schedule(seed=self.seed, what=what, first=first, period=period)
        if not schedule.hit():
            return False
        self.counts[kind] += 1
        return True

    def refuses_connection(self) -> bool:
        """Say whether this SMTP connection is turned away with 421."""
        return self._hit(FaultKind.CONNECT_REFUSED, "", 12)

    def at_login(self, protocol: Protocol, username: str) -> LoginFate:
        """Decide a login with the right password; a mailbox's first one always succeeds."""
        key = (protocol, username)
        now = self.clock.now()
        if key in self._refusals:
            until, fate = self._refusals[key]
            if now < until:
                return fate
            del self._refusals[key]
        if key not in self._known_logins:
            self._known_logins.add(key)
            return LoginFate.LET_IN
        match protocol:
            case Protocol.IMAP if self._hit(FaultKind.IMAP_UNAVAILABLE, "", 2):
                return self._refuse(key, LoginFate.UNAVAILABLE)
            case Protocol.SMTP if self._hit(FaultKind.SMTP_UNAVAILABLE, "", 8):
                return self._refuse(key, LoginFate.UNAVAILABLE)
            case Protocol.SMTP if self._hit(FaultKind.SMTP_REFUSED, "", 24):
                return self._refuse(key, LoginFate.REFUSED)
            case _:
                return LoginFate.LET_IN

    def _refuse(self, key: tuple[Protocol, str], fate: LoginFate) -> LoginFate:
        shortest, longest = self.plan.refusal
        share = draw(self.seed, "refusal", *key, sum(self.counts.values()))
        until = self.clock.now() + shortest + (longest - shortest) * share
        self._refusals[key] = (until, fate)
        return fate

    def greylists(self, recipient: str) -> bool:
        """Say whether this recipient is refused with 451 now."""
        now = self.clock.now()
        if recipient not in self._greylist:
            first, period = self.plan.greylisted
            hit = self._hit(FaultKind.GREYLISTED, "", first, period)
            self._greylist[recipient] = now + self.plan.greylist_for if hit else None
        until = self._greylist[recipient]
        return until is not None and now < until

    def after_data(self, domain: str, *, saves_sent: bool) -> DataFate:
        """Decide what becomes of a message whose final dot has arrived."""
        if self.plan.only_where_sent_is_saved and not saves_sent:
            return DataFate.ACCEPT
        accepted = self._hit(FaultKind.ACCEPTED_THEN_DROPPED, domain, *self.plan.drops)
        lost = not accepted and self._hit(FaultKind.LOST_AND_DROPPED, domain, *self.plan.drops)
        if accepted:
            return DataFate.ACCEPT_AND_DROP
        return DataFate.LOSE_AND_DROP if lost else DataFate.ACCEPT

    def at_push(self) -> PushFate:
        """Decide what becomes of news for an idling client."""
        if self._hit(FaultKind.IDLE_CLOSED, "", 4):
            return PushFate.CLOSE
        if self._hit(FaultKind.IDLE_SILENT, "", 4):
            return PushFate.SILENCE
        return PushFate.PUSH

    def next_change(self) -> datetime | None:
        """Return when the next refusal of logins ends, or None."""
        now = self.clock.now()
        return min((until for until, _ in self._refusals.values() if until > now), default=None)
