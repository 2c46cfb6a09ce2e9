"""One logged-in IMAP connection: commands out, responses in, every failure with its meaning.

Rule 1: whatever the server does ends in LostError (this connection is over) or RefusedError (NO or BAD, it goes on).
Rule 2: no command waits for ever: after `command_seconds` of silence the connection is over.
Rule 3: the connection is only ever read by the task that runs a command or waits in IDLE.
"""

import asyncio
import contextlib
from collections.abc import Callable, Sequence
from functools import lru_cache

from relance.connectors.smtp_imap.errors import LostError, RefusedError, WireLostError
from relance.connectors.smtp_imap.imap_commands import Command, String, command, write_command
from relance.connectors.smtp_imap.imap_parser import (
    Capability,
    Condition,
    Continuation,
    Event,
    Fetched,
    ResponseParser,
    Tagged,
)
from relance.connectors.smtp_imap.imap_selected import Selected, describe_selected
from relance.connectors.smtp_imap.imap_wire import ProtocolViolation
from relance.connectors.smtp_imap.transport import Wire
from relance.ports.faultpoints import reach

#: Commands of ours that change something on the server: before, within and after each a crash leaves a trace.
CHANGING = frozenset({"APPEND", "CREATE"})
LONGEST_COMMAND = 10.0  # times command_seconds: a server that drips bytes does not hold us for ever
MOST_EVENTS = 50_000  # in one command's answer
MOST_BYTES = 64 * 1024 * 1024  # of messages in one command's answer


class ImapSession:
    """Commands over one wire. Opened and logged in by `imap_login.open_session`."""

    __slots__ = (
        "_keeps_no_uids",
        "_parser",
        "_read_only",
        "_tags",
        "capabilities",
        "capabilities_told",
        "farewell",
        "preauthenticated",
        "selected",
        "time_limit",
        "wire",
    )

    def __init__(self, wire: Wire, *, time_limit: float) -> None:
        self.wire = wire
        self.time_limit = time_limit
        self.capabilities: frozenset[str] = frozenset()
        self.capabilities_told = False  #: The server spoke of them by itself since this was reset.
        self.preauthenticated = False
        self.selected: Selected | None = None
        self._read_only = True
        self._keeps_no_uids = False
        self.farewell: str | None = None  #: What the server said with BYE.
        self._parser = ResponseParser()
        self._tags = 0

    @property
    def is_lost(self) -> bool:
        """Tell whether the connection is known to be over."""
        return self.wire.lost is not None or self.farewell is not None

    async def run(self, one: Command, *, doing: str) -> list[Event]:
        """Run one command and return the untagged responses to it. Raises LostError, RefusedError.

        `doing` completes the sentence "the IMAP server refused to …".
        """
        tag = self._next_tag()
        events: list[Event] = []
        _reach(one, "before")
        async with self._limit():
            pieces = write_command(tag, one, self.capabilities)
            for piece in pieces[:-1]:
                await self._write(piece)
                ended = await self._collect(frozenset({tag}), events, until_continuation=True)
                if ended is not None:
                    raise _refusal(doing, ended)
                _reach(one, "announced")
            await self._write(pieces[-1])
            _reach(one, "written")
            ended = await self._collect(frozenset({tag}), events)
        _reach(one, "answered")
        if ended is None or ended.kind != "OK":
            raise _refusal(doing, ended)
        return events

    async def run_all(
        self, commands: Sequence[Command], *, doing: str
    ) -> tuple[list[Event], list[RefusedError | None]]:
        """Run commands that depend on nothing in one write.

        Returns all untagged responses together, since a server may answer in any order (RFC 3501 §5.5), and each
        command's refusal. Raises LostError.
        """
        if any(one.waits for one in commands):
            return await self._run_in_turn(commands, doing)
        tags = [self._next_tag() for _ in commands]
        events: list[Event] = []
        ended: dict[str, Tagged] = {}
        async with self._limit():
            pieces = [write_command(tag, one, self.capabilities)[0] for tag, one in zip(tags, commands, strict=True)]
            await self._write(b"".join(pieces))
            while open_tags := frozenset(tags) - ended.keys():
                tagged = await self._collect(open_tags, events)
                if tagged is not None:
                    ended[tagged.tag] = tagged
        refusals = [None if ended[tag].kind == "OK" else _refusal(doing, ended[tag]) for tag in tags]
        return events, refusals

    async def greet(self) -> Condition:
        """Return the greeting. Raises LostError."""
        async with self._limit():
            event = await self.next_event()
        if isinstance(event, Condition) and event.kind in {"OK", "PREAUTH", "BYE"}:
            self.preauthenticated = event.kind == "PREAUTH"
            return event
        self.wire.abort()
        raise LostError(f"{self.wire.endpoint} does not greet like an IMAP server")

    async def authenticate(self, mechanism: str, first: bytes, *, then: bytes, doing: str) -> None:
        """Run AUTHENTICATE with an encoded initial response (RFC 4959); answer later challenges with `then`.

        Raises LostError, RefusedError.
        """
        tag = self._next_tag()
        events: list[Event] = []
        at_once = "SASL-IR" in self.capabilities
        async with self._limit():
            opening = f"{tag} AUTHENTICATE {mechanism}".encode("ascii")
            await self._write(opening + (b" " + first if at_once else b"") + b"\r\n")
            answers = [then, b"*"] if at_once else [first, then, b"*"]
            ended = await self._collect(frozenset({tag}), events, until_continuation=True)
            for answer in answers:
                if ended is not None:
                    break
                await self._write(answer + b"\r\n")
                ended = await self._collect(frozenset({tag}), events, until_continuation=True)
        if ended is None:
            self.wire.abort()
            raise LostError(f"{self.wire.endpoint} keeps asking for more during the login")
        if ended.kind != "OK":
            raise _refusal(doing, ended)

    async def refresh_capabilities(self) -> None:
        """Ask what the server can do."""
        await self.run(command("CAPABILITY"), doing="say what it can do")

    async def examine(self, wire_name: bytes, *, shown: str) -> Selected:
        """Open a folder without changing it, or return it if it is open. Raises LostError, RefusedError."""
        if self.selected is not None and self.selected.wire_name == wire_name:
            return self.selected
        self.selected = None
        doing = f"open {shown}"
        events = await self._open(wire_name, doing)
        selected = describe_selected(wire_name, events)
        if selected is None:  # RFC 3501 §6.3.2 demands the number of messages: without it, nothing is known
            raise RefusedError(doing, kind="OK", code=None, text="it did not say how many messages there are")
        if selected.uid_next is None and self._read_only:
            selected = await self._select_instead(selected, doing)
        self.selected = selected
        return selected

    async def unselect(self) -> None:
        """Leave the folder, so that STATUS is right for all of them (RFC 3501 §6.3.10 warns of the open one)."""
        if self.selected is None:
            return
        left, self.selected = self.selected, None
        if "UNSELECT" not in self.capabilities and not self._read_only:
            try:
                await self.run(command("EXAMINE", String(left.wire_name)), doing="leave the folder")
            except RefusedError:
                return
        # A folder opened by EXAMINE loses nothing by CLOSE (RFC 3501 §6.4.2); one opened by SELECT might.
        leave = command("UNSELECT" if "UNSELECT" in self.capabilities else "CLOSE")
        with contextlib.suppress(RefusedError):
            await self.run(leave, doing="close the folder")

    async def noop(self, *, time_limit: float | None = None) -> list[Event]:
        """Ask for news and prove that the connection lives. Raises LostError, RefusedError."""
        usual = self.time_limit
        self.time_limit = time_limit or usual
        try:
            return await self.run(command("NOOP"), doing="answer")
        finally:
            self.time_limit = usual

    async def start_idle(self, notice: Callable[[Event], None]) -> str | None:
        """Begin IDLE (RFC 2177) and return its tag once the server listens; None where it refuses.

        What comes before is given to `notice`. Raises LostError.
        """
        tag = self._next_tag()
        events: list[Event] = []
        async with self._limit():
            await self._write(f"{tag} IDLE\r\n".encode("ascii"))
            ended = await self._collect(frozenset({tag}), events, until_continuation=True)
        for event in events:
            notice(event)
        return tag if ended is None else None

    async def end_idle(self, tag: str, notice: Callable[[Event], None]) -> None:
        """Say DONE and give what comes before the answer to `notice`. Raises LostError."""
        async with self._limit():
            await self._write(b"DONE\r\n")
            while True:
                event = await self.next_event()
                if isinstance(event, Tagged) and event.tag == tag:
                    return
                notice(event)

    def waiting_event(self) -> Event | None:
        """Return an event that already came, or None. Raises LostError where the server broke the protocol."""
        event = self._parser.next_event()
        if event is None and (data := self.wire.take()):
            self._parser.feed(data)
            event = self._parser.next_event()
        if isinstance(event, ProtocolViolation):
            self.wire.abort()
            raise LostError(f"{self.wire.endpoint} broke the protocol: {event.reason}")
        if event is not None:
            self._notice(event)
        return event

    async def next_event(self) -> Event:
        """Return the next event. Raises LostError."""
        while True:
            event = self.waiting_event()
            if event is not None:
                return event
            try:
                self._parser.feed(await self.wire.read(time_limit=self.time_limit))
            except WireLostError as error:
                self.wire.abort()
                raise LostError(self._why(error)) from error

    def log_out(self) -> None:
        """Say goodbye, and go without waiting for an answer."""
        self.wire.close(f"{self._next_tag()} LOGOUT\r\n".encode("ascii"))

    # --- inside ---

    async def _select_instead(self, examined: Selected, doing: str) -> Selected:
        """Open a folder once more, for writing, where the server names no next UID although RFC 3501 §6.3.2 demands it.

        Courier names none, and to who only examines a folder it gives UIDs (and a UIDVALIDITY) that it does not keep:
        another message may bear the same one the next day, and would never be read.
        """
        self._keeps_no_uids = True
        return describe_selected(examined.wire_name, await self._open(examined.wire_name, doing)) or examined

    async def _open(self, wire_name: bytes, doing: str) -> list[Event]:
        """Open a folder in the best way that the server knows; BAD means that it does not know this one."""
        self._read_only = True
        if self._keeps_no_uids:
            with contextlib.suppress(RefusedError):  # of some folders only reading is allowed
                events = await self.run(command("SELECT", String(wire_name)), doing=doing)
                self._read_only = False  # BODY.PEEK leaves the flags alone here too
                return events
        if "CONDSTORE" in self.capabilities:
            try:
                return await self.run(command("EXAMINE", String(wire_name), "(CONDSTORE)"), doing=doing)
            except RefusedError as error:
                if error.kind != "BAD":
                    raise
                self.capabilities -= {"CONDSTORE"}  # it says so and cannot do it
        try:
            return await self.run(command("EXAMINE", String(wire_name)), doing=doing)
        except RefusedError as error:
            if error.kind != "BAD":
                raise
        self._read_only = False
        return await self.run(command("SELECT", String(wire_name)), doing=doing)

    async def _run_in_turn(
        self, commands: Sequence[Command], doing: str
    ) -> tuple[list[Event], list[RefusedError | None]]:
        events: list[Event] = []
        refusals: list[RefusedError | None] = []
        for one in commands:
            try:
                events += await self.run(one, doing=doing)
            except RefusedError as error:
                refusals.append(error)
            else:
                refusals.append(None)
        return events, refusals

    async def _write(self, data: bytes) -> None:
        try:
            await self.wire.write(data, time_limit=self.time_limit)
        except WireLostError as error:
            self.wire.abort()
            raise LostError(self._why(error)) from error

    async def _collect(
        self, tags: frozenset[str], events: list[Event], *, until_continuation: bool = False
    ) -> Tagged | None:
        """Read until one of the commands ends, or (None) until the server asks for more of it."""
        size = 0
        while True:
            match await self.next_event():
                case Tagged(tag=ended) as tagged if ended in tags:
                    return tagged
                case Continuation() if until_continuation:
                    return None
                case Condition(kind="BYE") as farewell:
                    self.wire.abort()
                    raise LostError(f"{self.wire.endpoint} closed the connection: {farewell.text}")
                case event:
                    events.append(event)
                    if isinstance(event, Fetched):
                        size += sum(len(content.data) for content in event.sections.values())
                    if len(events) > MOST_EVENTS or size > MOST_BYTES:
                        self.wire.abort()
                        raise LostError(f"{self.wire.endpoint} answers without end")

    def _limit(self) -> "_CommandLimit":
        return _CommandLimit(self.wire, LONGEST_COMMAND * self.time_limit)

    def _notice(self, event: Event) -> None:
        """Keep what holds for the whole connection."""
        match event:
            case Capability(names=names):
                self.capabilities = shared(names)
                self.capabilities_told = True
            case Condition() | Tagged() if event.code is not None and event.code.name == "CAPABILITY":
                self.capabilities = shared(frozenset(event.code.argument.upper().split()))
                self.capabilities_told = True
            case Condition(kind="BYE", text=text):
                self.farewell = text or "BYE"
            case _:
                pass

    def _next_tag(self) -> str:
        self._tags += 1
        return f"R{self._tags}"

    def _why(self, error: WireLostError) -> str:
        if self.farewell is not None:
            return f"{self.wire.endpoint} closed the connection: {self.farewell}"
        return str(error)


class _CommandLimit:
    """The longest time that one command may take in all; ends the connection, since its answer may still come."""

    __slots__ = ("_seconds", "_timeout", "_wire")

    def __init__(self, wire: Wire, seconds: float) -> None:
        self._wire = wire
        self._seconds = seconds
        self._timeout = asyncio.timeout(seconds)

    async def __aenter__(self) -> None:
        await self._timeout.__aenter__()

    async def __aexit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: object) -> None:
        try:
            await self._timeout.__aexit__(kind, error, None)
        except TimeoutError:
            self._wire.abort()
            raise LostError(f"{self._wire.endpoint} did not finish a command in {self._seconds:g} seconds") from None
        if isinstance(error, asyncio.CancelledError):
            self._wire.abort()  # the rest of the answer would be taken for the next command's


@lru_cache(maxsize=256)
def shared(names: frozenset[str]) -> frozenset[str]:
    """Return the same object for equal capabilities: of many connections few have different ones."""
    return names


def _reach(one: Command, moment: str) -> None:
    if one.name in CHANGING:
        reach("imap", one.name, moment)


def _refusal(doing: str, ended: Tagged | None) -> RefusedError:
    if ended is None:
        return RefusedError(doing, kind="BAD", code=None, text="it asked for more than there was")
    return RefusedError(doing, kind=ended.kind, code=ended.code, text=ended.text)
