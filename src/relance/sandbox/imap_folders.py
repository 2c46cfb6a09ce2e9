"""IMAP commands about folders: LIST, STATUS, SELECT and their kin, and APPEND (RFC 3501 §6.3, RFC 6154, RFC 4315)."""

import re
from collections.abc import Callable
from datetime import datetime

from relance.sandbox.domains import Capability
from relance.sandbox.imap_fetch import read_date
from relance.sandbox.imap_session import Answer, Session
from relance.sandbox.imap_syntax import CommandRefused, Token, list_of, quoted, text_of
from relance.sandbox.mailstore import Folder, Use, decode_folder, encode_folder

_NO_ATTRIBUTE = {Use.INBOX, Use.NONE}


def list_folders(session: Session, args: list[Token]) -> Answer:
    """LIST, with the selection option and the return option of RFC 6154; LSUB answers alike."""
    separator = session.domain.separator
    only_special = bool(args) and isinstance(args[0], list)
    if only_special:
        args = args[1:]
    if len(args) < 2:
        raise CommandRefused("LIST takes a reference and a pattern", "BAD")
    store = session.owner().store
    pattern = text_of(args[0]) + (text_of(args[1]) if not isinstance(args[1], list) else "*")
    if not pattern:
        return Answer(untagged=[f'* LIST (\\Noselect) "{separator}" ""\r\n'.encode()], text="LIST done")
    matching = _pattern(pattern, separator)
    lines = []
    for folder in store:
        name = encode_folder(folder.name)
        special = session.has(Capability.SPECIAL_USE) and folder.use not in _NO_ATTRIBUTE
        if matching.fullmatch(name) and (special or not only_special):
            attributes = ["\\HasNoChildren", *([folder.use.value] if special else [])]
            lines.append(f'* LIST ({" ".join(attributes)}) "{separator}" {quoted(name)}\r\n'.encode())
    return Answer(untagged=lines, text="LIST done")


def _pattern(pattern: str, separator: str) -> re.Pattern[str]:
    pieces = {"*": ".*", "%": f"[^{re.escape(separator)}]*"}
    return re.compile("".join(pieces.get(char, re.escape(char)) for char in pattern), re.IGNORECASE)


def list_subscribed(session: Session, args: list[Token]) -> Answer:
    """LSUB: everything is subscribed."""
    answer = list_folders(session, args)
    return Answer(untagged=[line.replace(b"* LIST", b"* LSUB", 1) for line in answer.untagged], text="LSUB done")


def status(session: Session, args: list[Token]) -> Answer:
    """STATUS, which also shows that somebody looks at the folder."""
    if len(args) != 2:
        raise CommandRefused("STATUS takes a folder and a list", "BAD")
    folder = session.named(args[0])
    session.activity.read(folder)
    values = [
        f"{name} {_status_value(session, folder, name)}" for name in map(str.upper, map(text_of, list_of(args[1])))
    ]
    return Answer(
        untagged=[f"* STATUS {quoted(encode_folder(folder.name))} ({' '.join(values)})\r\n".encode()],
        text="STATUS done",
    )


def _status_value(session: Session, folder: Folder, name: str) -> int:
    match name:
        case "MESSAGES":
            return len(folder)
        case "RECENT":
            return 0
        case "UIDNEXT":
            return folder.uid_next
        case "UIDVALIDITY":
            return folder.uid_validity
        case "UNSEEN":
            return sum("\\Seen" not in message.flags for message in folder)
        case "HIGHESTMODSEQ" if session.has(Capability.CONDSTORE):
            session.condstore = True
            return folder.highest_modseq
        case _:
            raise CommandRefused(f"STATUS does not know {name}", "BAD")


def select(session: Session, args: list[Token]) -> Answer:
    """SELECT, optionally with (CONDSTORE)."""
    return _open(session, args, read_only=False)


def examine(session: Session, args: list[Token]) -> Answer:
    """EXAMINE: SELECT that changes nothing."""
    return _open(session, args, read_only=True)


def _open(session: Session, args: list[Token], *, read_only: bool) -> Answer:
    if not args:
        raise CommandRefused("Which folder?", "BAD")
    session.choose(None)
    folder = session.named(args[0])
    session.choose(folder, read_only=read_only)
    condstore = session.has(Capability.CONDSTORE)
    options = [text_of(option).upper() for each in args[1:] for option in list_of(each)]
    session.condstore = session.condstore or (condstore and "CONDSTORE" in options)
    lines = [
        b"* FLAGS (\\Answered \\Flagged \\Deleted \\Seen \\Draft)\r\n",
        b"* %d EXISTS\r\n" % len(folder),
        b"* 0 RECENT\r\n",
        b"* OK [UIDVALIDITY %d] Valid\r\n" % folder.uid_validity,
        b"* OK [UIDNEXT %d] Next\r\n" % folder.uid_next,
        b"* OK [PERMANENTFLAGS (\\Answered \\Flagged \\Deleted \\Seen \\Draft \\*)] Kept\r\n",
    ]
    if condstore:
        lines.append(b"* OK [HIGHESTMODSEQ %d] Highest\r\n" % folder.highest_modseq)
    return Answer(untagged=lines, text="[READ-ONLY] Opened" if read_only else "[READ-WRITE] Opened")


def close(session: Session, _: list[Token]) -> Answer:
    """CLOSE: leave the folder and remove what is marked as deleted."""
    folder = session.selected()
    read_only = session.read_only
    session.choose(None)
    if not read_only:
        folder.expunge([message.uid for message in folder if "\\Deleted" in message.flags])
    return Answer(text="CLOSE done")


def unselect(session: Session, _: list[Token]) -> Answer:
    """UNSELECT: leave the folder as it is (RFC 3691)."""
    session.selected()
    session.choose(None)
    return Answer(text="UNSELECT done")


def create(session: Session, args: list[Token]) -> Answer:
    """CREATE, without a purpose of its own."""
    if not args:
        raise CommandRefused("Which folder?", "BAD")
    name = decode_folder(text_of(args[0]).rstrip(session.domain.separator))
    if session.owner().store.folder(name) is not None:
        raise CommandRefused("[ALREADYEXISTS] There is such a folder")
    session.owner().store.create(name)
    return Answer(text="CREATE done")


def delete(session: Session, args: list[Token]) -> Answer:
    """DELETE a folder with what is in it; the INBOX stays (RFC 3501 §6.3.4)."""
    folder = session.named(args[0] if args else "")
    if folder.use is Use.INBOX:
        raise CommandRefused("[CANNOT] The INBOX stays")
    if session.folder is folder:
        session.choose(None)
    session.owner().store.remove(folder.name)
    return Answer(text="DELETE done")


def subscribe(session: Session, args: list[Token]) -> Answer:
    """SUBSCRIBE and UNSUBSCRIBE: everything stays subscribed."""
    session.named(args[0] if args else "")
    return Answer(text="Noted")


def namespace(session: Session, _: list[Token]) -> Answer:
    """NAMESPACE: one personal one (RFC 2342)."""
    separator = session.domain.separator
    prefix = "INBOX." if separator == "." else ""
    return Answer(untagged=[f'* NAMESPACE (("{prefix}" "{separator}")) NIL NIL\r\n'.encode()], text="NAMESPACE done")


def append(session: Session, args: list[Token]) -> Answer:
    """APPEND one message, with optional flags and date; tells its UID where UIDPLUS is offered."""
    if len(args) < 2 or not isinstance(args[-1], bytes):
        raise CommandRefused("APPEND takes a folder and a literal", "BAD")
    try:
        folder = session.named(args[0])
    except CommandRefused:
        raise CommandRefused("[TRYCREATE] No such folder") from None
    flags: list[str] = []
    at = session.clock.now()
    for option in args[1:-1]:
        match option:
            case list():
                flags = [text_of(flag) for flag in option]
            case _:
                at = _read_internal_date(text_of(option))
    uid = folder.append(args[-1], at=at, flags=flags)
    code = f"[APPENDUID {folder.uid_validity} {uid}] " if session.has(Capability.UIDPLUS) else ""
    return Answer(text=f"{code}APPEND done")


def _read_internal_date(text: str) -> datetime:
    day, _, clock_and_zone = text.strip().partition(" ")
    year, month, number = read_date(day)
    try:
        return datetime.strptime(f"{year}-{month}-{number} {clock_and_zone}", "%Y-%m-%d %H:%M:%S %z")
    except ValueError:
        raise CommandRefused(f"{text} is no date-time", "BAD") from None


FOLDER_COMMANDS: dict[str, Callable[[Session, list[Token]], Answer]] = {
    "LIST": list_folders,
    "LSUB": list_subscribed,
    "STATUS": status,
    "SELECT": select,
    "EXAMINE": examine,
    "CLOSE": close,
    "UNSELECT": unselect,
    "CREATE": create,
    "DELETE": delete,
    "SUBSCRIBE": subscribe,
    "UNSUBSCRIBE": subscribe,
    "NAMESPACE": namespace,
    "APPEND": append,
}
