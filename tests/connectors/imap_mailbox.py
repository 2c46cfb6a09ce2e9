"""A scripted IMAP server with folders in it, whose answers a test can bend: enough for reading, no more."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, datetime

from connectors.scripted import ImapScript, Peer
from relance.testing.moments import MONDAY

MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")


@dataclass(frozen=True, slots=True, kw_only=True)
class Stored:
    """One message in a folder."""

    uid: int
    at: datetime
    raw: bytes


def message(uid: int, *, at: datetime = MONDAY, size: int = 60, headers: Mapping[str, str] | None = None) -> Stored:
    """Return a message of that many bytes."""
    lines = [f"{name}: {value}" for name, value in (headers or {}).items()]
    head = "\r\n".join([f"Subject: {uid}", *lines, "", ""]).encode("utf-8")
    return Stored(uid=uid, at=at, raw=head + b"x" * max(0, size - len(head)))


@dataclass(slots=True)
class Mailbox(ImapScript):
    """Folders with messages; `lies` replaces what STATUS and EXAMINE say (None: leaves it out)."""

    folders: dict[str, list[Stored]] = field(default_factory=dict)
    attributes: dict[str, str] = field(default_factory=dict)
    lies: dict[str, int | None] = field(default_factory=dict)
    uid_next: dict[str, int] = field(default_factory=dict)
    uid_validity: dict[str, int] = field(default_factory=dict)
    refuses_modseq: bool = False
    selected: str = ""
    changes: int = 1

    def __post_init__(self) -> None:
        """Fill the table."""
        self.answers = {
            "LIST": self.list_folders,
            "STATUS": self.status,
            "EXAMINE": self.examine,
            "SELECT": self.examine,
            "UID SEARCH": self.search,
            "UID FETCH": self.fetch,
            "FETCH": self.fetch,
            "APPEND": self.append,
            "CREATE": self.create,
            **self.answers,
        }

    def add(self, folder: str, *messages: Stored) -> None:
        """Let messages arrive."""
        self.folders.setdefault(folder, []).extend(messages)
        self.changes += 1

    def rebuild(self, folder: str, messages: list[Stored]) -> None:
        """Replace a folder under a new UIDVALIDITY."""
        self.folders[folder] = messages
        self.uid_validity[folder] = self.uid_validity.get(folder, 7) + 1

    async def list_folders(self, peer: Peer, tag: str, _: str) -> None:
        """Answer LIST."""
        for name in self.folders:
            await peer.send(f'* LIST ({self.attributes.get(name, "")}) "/" "{name}"')
        await peer.send(f"{tag} OK listed")

    async def status(self, peer: Peer, tag: str, rest: str) -> None:
        """Answer STATUS."""
        if self.refuses_modseq and "HIGHESTMODSEQ" in rest:
            await peer.send(f"{tag} BAD no HIGHESTMODSEQ here")
            return
        name = _quoted(rest)
        facts = " ".join(f"{key} {value}" for key, value in self._facts(name).items() if key in rest)
        await peer.send(f'* STATUS "{name}" ({facts})', f"{tag} OK done")

    async def examine(self, peer: Peer, tag: str, rest: str) -> None:
        """Answer EXAMINE and SELECT."""
        self.selected = _quoted(rest)
        facts = self._facts(self.selected)
        await peer.send(f"* {len(self.folders[self.selected])} EXISTS", "* FLAGS (\\Seen)")
        for key in ("UIDVALIDITY", "UIDNEXT", "HIGHESTMODSEQ"):
            if key in facts and (key != "HIGHESTMODSEQ" or "CONDSTORE" in rest):
                await peer.send(f"* OK [{key} {facts[key]}] said")
        await peer.send(f"{tag} OK [READ-ONLY] opened")

    async def search(self, peer: Peer, tag: str, rest: str) -> None:
        """Answer UID SEARCH: UID, SINCE, HEADER."""
        messages = self.folders[self.selected]
        if found := re.search(r" UID (\d+|\*)(:\*)?$", rest):
            low = int(found[1]) if found[1] != "*" else 2**32
            uids = [one.uid for one in messages if one.uid >= low or one is messages[-1]]
        elif found := re.search(r" SINCE (\d+)-(\w+)-(\d+)", rest):
            day = date(int(found[3]), MONTHS.index(found[2]) + 1, int(found[1]))
            uids = [one.uid for one in messages if one.at.date() >= day]
        elif found := re.search(r' HEADER "([^"]*)" "([^"]*)"', rest):
            pattern = re.compile(rf"^{found[1]}:.*{re.escape(found[2])}".encode(), re.IGNORECASE | re.MULTILINE)
            uids = [one.uid for one in messages if pattern.search(one.raw)]
        else:
            await peer.send(f"{tag} BAD {rest}")
            return
        await peer.send(" ".join(["* SEARCH", *map(str, uids)]), f"{tag} OK done")

    async def fetch(self, peer: Peer, tag: str, rest: str) -> None:
        """Answer FETCH and UID FETCH."""
        messages = self.folders[self.selected]
        wanted = rest.removeprefix("UID ").split(" ")[1]
        by_uid = rest.startswith("UID ")
        for number, one in enumerate(messages, start=1):
            key = one.uid if by_uid else number
            highest = (messages[-1].uid if by_uid else len(messages)) if messages else 0
            if any(low <= key <= high for low, high in _ranges(wanted, highest)):
                await peer.send_raw(_describe(number, one, rest))
        await peer.send(f"{tag} OK done")

    async def append(self, peer: Peer, tag: str, rest: str) -> None:
        """Answer APPEND with or without waiting."""
        name = _quoted(rest)
        size, plus = re.findall(r"\{(\d+)(\+?)\}$", rest)[0]
        if not plus:
            await peer.send("+ go on")
        raw = await peer.exactly(int(size))
        await peer.line()
        if name not in self.folders:
            await peer.send(f"{tag} NO [TRYCREATE] no such folder")
            return
        last = max((one.uid for one in self.folders[name]), default=0)
        self.add(name, Stored(uid=last + 1, at=MONDAY, raw=raw))
        await peer.send(f"{tag} OK kept")

    async def create(self, peer: Peer, tag: str, rest: str) -> None:
        """Answer CREATE."""
        self.folders[_quoted(rest)] = []
        await peer.send(f"{tag} OK created")

    def _facts(self, name: str) -> dict[str, int]:
        messages = self.folders[name]
        last = max((one.uid for one in messages), default=0)
        facts: dict[str, int | None] = {
            "MESSAGES": len(messages),
            "UIDVALIDITY": self.uid_validity.get(name, 7),
            "UIDNEXT": self.uid_next.get(name, last + 1),
            **({"HIGHESTMODSEQ": self.changes} if "CONDSTORE" in self.capabilities else {}),
            **self.lies,
        }
        return {key: value for key, value in facts.items() if value is not None}


def _quoted(rest: str) -> str:
    found = re.search(r'"([^"]*)"', rest)
    assert found, rest
    return found[1]


def _ranges(wanted: str, highest: int) -> list[tuple[int, int]]:
    ranges = []
    for part in wanted.split(","):
        ends = [highest if end == "*" else int(end) for end in part.split(":")]
        ranges.append((min(ends), max(ends)))
    return ranges


def _describe(number: int, one: Stored, rest: str) -> bytes:
    written = f"{one.at.day:2d}-{MONTHS[one.at.month - 1]}-{one.at.year} {one.at:%H:%M:%S} +0000"
    parts = [f"* {number} FETCH (UID {one.uid}".encode()]
    if "RFC822.SIZE" in rest:
        parts.append(b" RFC822.SIZE %d" % len(one.raw))
    if "INTERNALDATE" in rest:
        parts.append(f' INTERNALDATE "{written}"'.encode())
    if section := re.search(r"BODY\.PEEK\[(.*?)\](?:<0\.(\d+)>)?", rest):
        content = one.raw if not section[1] else one.raw[: one.raw.index(b"\r\n\r\n") + 4]
        origin = "<0>" if section[2] else ""
        content = content[: int(section[2])] if section[2] else content
        parts.append(f" BODY[{section[1]}]{origin} {{{len(content)}}}\r\n".encode() + content)
    return b"".join(parts) + b")\r\n"
