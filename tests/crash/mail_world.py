"""The servers of the harness: the sandbox's, in this process, with a log of their own and faults by plan.

They keep their ports from run to run, so that one prepared installation serves for all of them; everything else is new
for each run. What the product sees is real sockets and real protocols.
"""

import ssl
from collections import Counter
from collections.abc import Callable, Collection
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

from crash.harness_clock import WorldClock
from crash.people import Reaction, ScriptedPeople
from crash.plan import Plan
from relance.sandbox.activity import Activity
from relance.sandbox.domains import Domain, Endpoint, SandboxMailbox, Security
from relance.sandbox.faults import NO_FAULTS, DataFate, Faults, LoginFate, Protocol, PushFate
from relance.sandbox.imap_server import ImapServer
from relance.sandbox.journal import Journal
from relance.sandbox.mailstore import Mailstore
from relance.sandbox.post_office import PostOffice
from relance.sandbox.smtp_server import SmtpServer

KEEPS = Domain(name="keeps.example", security=Security.PLAIN)
FORGETS = Domain(name="forgets.example", security=Security.PLAIN, saves_sent=False)
PASSWORD = "correct horse"
#: How long a server waits for a client that says nothing. RFC 5321, section 4.5.3.2.7, asks for five minutes at least;
#: those in use wait five, or ten. It has to be shorter than the product's grace: see docs/decisions/0023.
PATIENCE = timedelta(minutes=10)


class FreezableActivity(Activity):
    """Counts what is open, but for the connections of processes that are stopped: they will say nothing for long.

    It also knows when each connection's client last said something.
    """

    def __init__(self, clock: WorldClock) -> None:
        super().__init__()
        self._clock = clock
        self._known: dict[object, datetime] = {}
        self._frozen: set[object] = set()
        self._frozen_ports: set[int] = set()

    def quiet(self) -> bool:
        """Say whether no command is open and no push unconsumed."""
        return all(self._is_frozen(each) for each in (*self._commands, *self._pushes))

    def _is_frozen(self, connection: object) -> bool:
        return connection in self._frozen or _client_port(connection) in self._frozen_ports

    def open_ports(self) -> set[int]:
        """Return the clients' ports of all connections with an open command."""
        return {_client_port(each) for each in self._commands}

    def freeze_ports(self, ports: Collection[int]) -> None:
        """Wait for no connection from these ports of clients."""
        self._frozen_ports |= set(ports)
        self.changed.set()

    def thaw_ports(self, ports: Collection[int]) -> None:
        """Wait for them again."""
        self._frozen_ports -= set(ports)

    def opened(self, connection: object) -> None:
        """Know the connection from now on."""
        self._known[connection] = self._clock.now()
        super().opened(connection)

    def gone(self, connection: object) -> None:
        """Forget it."""
        self._known.pop(connection, None)
        super().gone(connection)

    def silent_for(self, connection: object) -> timedelta:
        """Return how long its client has said nothing."""
        return self._clock.now() - self._known.get(connection, self._clock.now())

    def freeze(self) -> None:
        """Wait for no connection that is open now."""
        self._frozen = set(self._known)
        self.changed.set()

    def thaw(self) -> None:
        """Wait for all of them again."""
        self._frozen.clear()


def _client_port(connection: object) -> int:
    transport = getattr(connection, "_transport", None)
    peer = transport.get_extra_info("peername") if transport is not None else None
    return int(peer[1]) if peer else 0


@dataclass(slots=True, kw_only=True)
class PlannedFaults(Faults):
    """Faults by occasion, not by chance."""

    todo: Plan
    started_at: datetime
    on_dot: Callable[[str, str], None] = lambda *_: None  #: Told of every final dot to people, and its fate.
    down: set[str] = field(default_factory=set)  #: Users whose reading is refused, until they are taken out again.
    occasions: Counter[str] = field(default_factory=Counter)

    def _count(self, what: str) -> int:
        self.occasions[what] += 1
        return self.occasions[what]

    def refuses_connection(self) -> bool:
        """Nobody is turned away."""
        return False

    def at_login(self, protocol: Protocol, username: str) -> LoginFate:
        """Refuse reading while the plan says so."""
        refused = protocol is Protocol.IMAP and (self.is_down() or username in self.down)
        return LoginFate.UNAVAILABLE if refused else LoginFate.LET_IN

    def greylists(self, recipient: str) -> bool:
        """Nobody is put off."""
        del recipient
        return False

    def after_data(self, domain: str, *, saves_sent: bool) -> DataFate:
        """Decide by the number of the dot."""
        del saves_sent
        label = domain.partition(".")[0]
        dot = f"{label} {self._count(label)}"
        fate = self.todo.dots.get(dot, DataFate.ACCEPT.value)
        self.on_dot(dot, fate)
        return DataFate.ACCEPT if fate == "kill" else DataFate(fate)

    def at_push(self) -> PushFate:
        """Decide by the number of the push."""
        return PushFate(self.todo.pushes.get(self._count("push"), PushFate.PUSH.value))

    def next_change(self) -> datetime | None:
        """Return when reading is possible again."""
        if self.todo.refused_imap is None:
            return None
        begin, length = self.todo.refused_imap
        times = [self.started_at + timedelta(minutes=minutes) for minutes in (begin, begin + length)]
        return min((at for at in times if at > self.clock.now()), default=None)

    def is_down(self) -> bool:
        """Whether the plan refuses all reading now."""
        if self.todo.refused_imap is None:
            return False
        begin, length = self.todo.refused_imap
        minutes = (self.clock.now() - self.started_at) / timedelta(minutes=1)
        return begin <= minutes < begin + length


@dataclass(slots=True, kw_only=True)
class PlannedPostOffice(PostOffice):
    """A post office whose own copies in Sent may come late, or not at all."""

    todo: Plan
    later: Callable[[timedelta, Callable[[], None]], None]
    copies: int = 0

    def keep_copy(self, mailbox: SandboxMailbox, raw: bytes) -> None:
        """File the copy when the plan says so."""
        self.copies += 1
        if self.todo.sent_stops_at is not None and self.copies >= self.todo.sent_stops_at:
            return
        minutes = self.todo.sent_copies.get(self.copies, 0)
        if minutes > 0:
            self.later(timedelta(minutes=minutes), lambda: self._file(mailbox, raw))
        else:
            self._file(mailbox, raw)

    def _file(self, mailbox: SandboxMailbox, raw: bytes) -> None:
        PostOffice.keep_copy(self, mailbox, raw)


class MailWorld:
    """Two domains, one whose servers file what they send and one whose do not, and people who write back."""

    def __init__(self, clock: WorldClock, *, boxes: tuple[str, ...], markers: dict[str, str]) -> None:
        self.clock = clock
        self.activity = FreezableActivity(clock)
        self._boxes = boxes
        self._markers = markers
        self._by_login: dict[str, dict[str, SandboxMailbox]] = {KEEPS.name: {}, FORGETS.name: {}}
        self._servers: dict[str, tuple[SmtpServer, ImapServer]] = {}
        self.begin_anew(Plan(), {})
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)  # never used: these domains speak in the clear
        for domain in (KEEPS, FORGETS):
            mailboxes = self._by_login[domain.name]
            smtp = SmtpServer(
                domain=domain,
                faults=self.faults,
                activity=self.activity,
                tls=context,
                mailboxes=mailboxes,
                post_office=self.post_office,
                refusal_of=lambda _: None,
            )
            imap = ImapServer(
                domain=domain,
                clock=clock,
                faults=self.faults,
                activity=self.activity,
                tls=context,
                mailboxes=mailboxes,
            )
            self._servers[domain.name] = (smtp, imap)

    def begin_anew(self, plan: Plan, reactions: dict[str, Reaction]) -> None:
        """Forget the last run: empty mailboxes, an empty log, the clock at its start. Connections are broken."""
        self.clock.begin_anew()
        self.journal = Journal()
        self.faults = PlannedFaults(clock=self.clock, seed=1, plan=NO_FAULTS, todo=plan, started_at=self.clock.now())
        self.people = ScriptedPeople(
            clock=self.clock, reactions=dict(reactions), step_of=self.step_of, poison=plan.poison
        )
        self.post_office = PlannedPostOffice(
            clock=self.clock,
            seed=1,
            journal=self.journal,
            markers=self._markers,
            to_person=self.people.receive,
            todo=plan,
            later=self.people.later,
        )
        self.people.post_office = self.post_office
        for address in self._boxes:
            self._add(address, plan)
        for smtp, imap in self._servers.values():
            smtp.cut_all()
            imap.cut_all()
            smtp.faults = imap.faults = self.faults
            smtp.post_office = self.post_office

    def _add(self, address: str, plan: Plan) -> None:
        local, _, name = address.partition("@")
        usual = KEEPS if name == KEEPS.name else FORGETS
        saves_sent = {"all": True, "none": False}.get(plan.copies, usual.saves_sent)
        domain = replace(usual, rewrites_message_id=plan.rewrites_ids, saves_sent=saves_sent)
        mailbox = SandboxMailbox(
            address=address,
            display_name=local.title(),
            username=address,
            password=PASSWORD,
            domain=domain,
            store=Mailstore(domain.folders, uid_validity=1_000),
        )
        self._by_login[name][address] = mailbox
        self.post_office.mailboxes[address] = mailbox

    def step_of(self, raw: bytes) -> str | None:
        """Return which step a message is, by its text."""
        text = b" ".join(raw.replace(b"=\r\n", b"").split()).decode("utf-8", "replace")
        return next((step for step, phrase in self._markers.items() if phrase in text), None)

    async def start(self) -> None:
        """Open all sockets, on free ports of 127.0.0.1."""
        for smtp, imap in self._servers.values():
            await smtp.start()
            await imap.start()

    async def stop(self) -> None:
        """Close all sockets."""
        for smtp, imap in self._servers.values():
            await smtp.stop()
            await imap.stop()

    def accounts(self) -> list[tuple[SandboxMailbox, Endpoint, Endpoint]]:
        """Return every mailbox with its SMTP and IMAP endpoints."""
        found = []
        for mailbox in self.post_office.mailboxes.values():
            smtp, imap = self._servers[mailbox.domain.name]
            ends = [Endpoint(host="127.0.0.1", port=each.port, security=Security.PLAIN) for each in (smtp, imap)]
            found.append((mailbox, ends[0], ends[1]))
        return found

    def smtp_port(self, domain: str) -> int:
        """Return the port that a domain's mail is sent to, by its first label."""
        return next(smtp.port for name, (smtp, _) in self._servers.items() if name.startswith(f"{domain}."))

    def cut_reading(self) -> None:
        """Break every reading connection."""
        for _, imap in self._servers.values():
            imap.cut_all()

    def hang_up(self) -> None:
        """Break the sending connections whose clients have said nothing for longer than a server waits."""
        if self.faults.todo.patient:
            return
        for smtp, _ in self._servers.values():
            smtp.cut_all(lambda wire: self.activity.silent_for(wire) >= PATIENCE)

    def saves_sent(self, address: str) -> bool:
        """Whether a mailbox's server files what it sends."""
        return self.post_office.mailboxes[address].domain.saves_sent

    def next_event(self) -> datetime | None:
        """Return when something happens here by itself, or None."""
        times = (self.people.next_due(), self.faults.next_change())
        return min((at for at in times if at is not None), default=None)
