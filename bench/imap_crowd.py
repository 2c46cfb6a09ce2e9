"""An IMAP server for benchmarks: very many connections that idle, over TLS in memory, in a process of its own.

It knows what a reader and a watcher ask for, and no more. Every user name is a mailbox; its password is not looked at.
Orders come through a pipe: `("push", user, raw)` lets mail arrive and answers with the moment at which it was pushed,
`("cut",)` breaks every connection, `("idle",)` answers with how many idle, `("size",)` with the resident kilobytes.
"""

import asyncio
import base64
import contextlib
import re
import ssl
import time
from collections import defaultdict
from multiprocessing.connection import Connection
from pathlib import Path

import uvloop

from relance.sandbox.certificates import Authority

CAPABILITY = "IMAP4rev1 IDLE LITERAL+ UNSELECT SASL-IR AUTH=PLAIN CONDSTORE SPECIAL-USE LIST-EXTENDED ID"
FOLDERS = ((r"\HasNoChildren", "INBOX"), (r"\Sent", "Sent"), (r"\Junk", "Junk"), (r"\Archive", "Archive"))


def resident() -> int:
    """Return the resident size of this process in kilobytes."""
    found = re.search(r"VmRSS:\s+(\d+)", Path("/proc/self/status").read_text())
    return int(found[1]) if found else 0


class Crowd:
    """All mailboxes, and who idles over which."""

    def __init__(self, context: ssl.SSLContext) -> None:
        self.context = context
        self.mail: defaultdict[str, list[bytes]] = defaultdict(list)
        self.idling: defaultdict[str, set[Guest]] = defaultdict(set)
        self.guests: set[Guest] = set()

    def push(self, user: str, raw: bytes) -> float:
        """Let mail arrive; return the moment at which it was pushed."""
        self.mail[user].append(raw)
        at = time.monotonic()
        for guest in tuple(self.idling[user]):
            guest.say(f"* {len(self.mail[user])} EXISTS")
        return at


class Guest(asyncio.Protocol):
    """One connection."""

    __slots__ = ("_crowd", "_idle_tag", "_in", "_line", "_open", "_out", "_tls", "_wire", "selected", "user")

    def __init__(self, crowd: Crowd) -> None:
        self._crowd = crowd
        self._in, self._out = ssl.MemoryBIO(), ssl.MemoryBIO()
        self._tls = crowd.context.wrap_bio(self._in, self._out, server_side=True)
        self._line = b""
        self._open = False
        self._idle_tag = ""
        self.user = ""
        self.selected = ""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Keep the wire."""
        self._wire: asyncio.Transport = transport  # type: ignore[assignment]  # uvloop's is no subclass of it
        self._crowd.guests.add(self)

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the guest."""
        del exc
        self._crowd.guests.discard(self)
        self._crowd.idling[self.user].discard(self)

    def abort(self) -> None:
        """Break the connection."""
        self._wire.abort()

    def say(self, *lines: str | bytes) -> None:
        """Send lines."""
        self._tls.write(b"".join((line.encode() if isinstance(line, str) else line) + b"\r\n" for line in lines))
        self._flush()

    def data_received(self, data: bytes) -> None:
        """Decrypt and answer every whole line."""
        self._in.write(data)
        if not self._open:
            try:
                self._tls.do_handshake()
            except ssl.SSLWantReadError:
                self._flush()
                return
            except ssl.SSLError:
                self.abort()
                return
            self._open = True
            self.say(f"* OK [CAPABILITY {CAPABILITY}] ready")
        with contextlib.suppress(ssl.SSLWantReadError, ssl.SSLZeroReturnError):
            while piece := self._tls.read(65536):
                self._line += piece
        while b"\r\n" in self._line:
            line, _, self._line = self._line.partition(b"\r\n")
            self._answer(line.decode())

    def _flush(self) -> None:
        if data := self._out.read():
            self._wire.write(data)

    def _answer(self, line: str) -> None:
        if line == "DONE":
            self._crowd.idling[self.user].discard(self)
            self.say(f"{self._idle_tag} OK done")
            return
        tag, _, rest = line.partition(" ")
        verb = rest.split(" ")[0].upper()
        mail = self._crowd.mail[self.user] if self.selected == "INBOX" else []
        match verb:
            case "AUTHENTICATE" | "LOGIN":
                self.user = _user(rest)
                self.say(f"{tag} OK [CAPABILITY {CAPABILITY}] welcome")
            case "CAPABILITY":
                self.say(f"* CAPABILITY {CAPABILITY}", f"{tag} OK done")
            case "LIST":
                self.say(*(f'* LIST ({use}) "/" {name}' for use, name in FOLDERS), f"{tag} OK listed")
            case "STATUS":
                name = _name(rest)
                count = len(self._crowd.mail[self.user]) if name == "INBOX" else 0
                facts = f"MESSAGES {count} UIDNEXT {count + 1} UIDVALIDITY 7 HIGHESTMODSEQ {count + 1}"
                self.say(f'* STATUS "{name}" ({facts})', f"{tag} OK done")
            case "EXAMINE":
                self.selected = _name(rest)
                count = len(self._crowd.mail[self.user]) if self.selected == "INBOX" else 0
                codes = (("UIDVALIDITY", 7), ("UIDNEXT", count + 1), ("HIGHESTMODSEQ", count + 1))
                self.say(f"* {count} EXISTS", *(f"* OK [{key} {value}] so" for key, value in codes), f"{tag} OK open")
            case "UID" if " SEARCH " in rest:
                found = re.search(r" UID (\d+):", rest)
                first = int(found[1]) if found else 1
                self.say(" ".join(["* SEARCH", *map(str, range(first, len(mail) + 1))]), f"{tag} OK done")
            case "UID" | "FETCH":
                for uid in _numbers(rest, len(mail)):
                    self._fetch(uid, mail[uid - 1], rest)
                self.say(f"{tag} OK done")
            case "IDLE":
                self._idle_tag = tag
                self._crowd.idling[self.user].add(self)
                self.say("+ idling")
            case "LOGOUT":
                self._wire.close()
            case _:
                self.say(f"{tag} OK done")

    def _fetch(self, uid: int, raw: bytes, rest: str) -> None:
        date = '"30-Nov-2026 09:00:00 +0000"'
        facts = f"UID {uid} RFC822.SIZE {len(raw)} INTERNALDATE {date}"
        if "BODY" in rest:
            self.say(f"* {uid} FETCH ({facts} BODY[] {{{len(raw)}}}".encode() + b"\r\n" + raw + b")")
        else:
            self.say(f"* {uid} FETCH ({facts})")


def _user(rest: str) -> str:
    if rest.upper().startswith("LOGIN"):
        return rest.split(" ")[1].strip('"')
    return base64.b64decode(rest.rpartition(" ")[2]).split(b"\0")[1].decode()


def _name(rest: str) -> str:
    return rest.split('"')[1]


def _numbers(rest: str, highest: int) -> list[int]:
    numbers: list[int] = []
    for part in rest.partition("FETCH ")[2].partition(" ")[0].split(","):
        low, _, high = part.replace("*", str(highest)).partition(":")
        numbers += range(int(low), int(high or low) + 1)
    return [number for number in numbers if 1 <= number <= highest]


def serve(orders: Connection, folder: Path) -> None:
    """Serve until the process is ended; first tells the port and the file of the authority."""

    async def run() -> None:
        authority = Authority(folder)
        crowd = Crowd(authority.server_context(["localhost"]))
        loop = asyncio.get_running_loop()
        server = await loop.create_server(lambda: Guest(crowd), "127.0.0.1", 0, backlog=4096)
        orders.send((server.sockets[0].getsockname()[1], str(authority.ca_file)))

        def obey() -> None:
            match orders.recv():
                case ("push", str(user), bytes(raw)):
                    orders.send(crowd.push(user, raw))
                case ("cut",):
                    for guest in tuple(crowd.guests):
                        guest.abort()
                    orders.send(time.monotonic())
                case ("idle",):
                    orders.send(sum(len(guests) for guests in crowd.idling.values()))
                case _:
                    orders.send(resident())

        loop.add_reader(orders.fileno(), obey)
        await server.serve_forever()

    uvloop.run(run())
