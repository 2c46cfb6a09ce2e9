"""IMAP commands about messages, by sequence number or by UID (RFC 3501 §6.4, RFC 4315, RFC 6851, RFC 7162)."""

from collections.abc import Callable
from functools import partial

from relance.sandbox.domains import Capability
from relance.sandbox.imap_fetch import Part, answer, wanted
from relance.sandbox.imap_search import found_by
from relance.sandbox.imap_session import Answer, Session
from relance.sandbox.imap_syntax import CommandRefused, Token, list_of, number_set, text_of
from relance.sandbox.mailstore import Folder, StoredMessage


def fetch(session: Session, args: list[Token], *, by_uid: bool) -> Answer:
    """FETCH, with CHANGEDSINCE where CONDSTORE is offered; only a BODY without PEEK marks as seen."""
    if len(args) < 2:
        raise CommandRefused("FETCH takes a set and items", "BAD")
    folder = session.selected()
    session.activity.read(folder)
    want = wanted(args[1])
    since = _changed_since(session, args[2:])
    implied: list[str | Part] = ["UID"] if by_uid and "UID" not in want.items else []
    if since is not None and "MODSEQ" not in want.items:
        implied.append("MODSEQ")
    if "MODSEQ" in (*implied, *want.items):
        session.condstore = True
    lines = []
    for sequence, message in _chosen(folder, args[0], by_uid=by_uid):
        if since is not None and message.modseq <= since:
            continue
        shown, items = message, (*implied, *want.items)
        if want.marks_seen and not session.read_only and "\\Seen" not in message.flags:
            shown = folder.set_flags(message.uid, message.flags | {"\\Seen"})
            items = (*items, "FLAGS") if "FLAGS" not in items else items
        lines.append(answer(sequence, shown, items))
    return Answer(untagged=lines, text="FETCH done")


def _chosen(folder: Folder, numbers: Token, *, by_uid: bool) -> list[tuple[int, StoredMessage]]:
    highest = folder.highest_uid() if by_uid else len(folder)
    return folder.chosen(number_set(numbers, highest), by_uid=by_uid)


def _changed_since(session: Session, modifiers: list[Token]) -> int | None:
    if not modifiers:
        return None
    words = [text_of(each).upper() for each in list_of(modifiers[0])]
    if len(words) != 2 or words[0] != "CHANGEDSINCE" or not session.has(Capability.CONDSTORE):
        raise CommandRefused("This FETCH modifier is not served here", "BAD")
    return int(words[1])


def search(session: Session, args: list[Token], *, by_uid: bool) -> Answer:
    """SEARCH; every message of a search by MODSEQ adds its sequence (RFC 7162 §3.1.5)."""
    folder = session.selected()
    session.activity.read(folder)
    found = found_by(folder, args)
    numbers = [str(message.uid if by_uid else sequence) for sequence, message in found]
    highest = ""
    if found and any(not isinstance(token, list) and text_of(token).upper() == "MODSEQ" for token in args):
        highest = f" (MODSEQ {max(message.modseq for _, message in found)})"
    return Answer(
        untagged=[f"* SEARCH{''.join(' ' + each for each in numbers)}{highest}\r\n".encode()], text="SEARCH done"
    )


def store(session: Session, args: list[Token], *, by_uid: bool) -> Answer:
    """STORE: set, add or remove flags."""
    if len(args) < 3:
        raise CommandRefused("STORE takes a set, an operation and flags", "BAD")
    folder = session.selected()
    _writable(session)
    operation, _, silent = text_of(args[1]).upper().partition(".")
    flags = frozenset(_flag(text_of(each)) for token in args[2:] for each in list_of(token))
    lines = []
    for sequence, message in _chosen(folder, args[0], by_uid=by_uid):
        match operation:
            case "FLAGS":
                changed = folder.set_flags(message.uid, flags)
            case "+FLAGS":
                changed = folder.set_flags(message.uid, message.flags | flags)
            case "-FLAGS":
                changed = folder.set_flags(message.uid, message.flags - flags)
            case _:
                raise CommandRefused(f"STORE does not know {operation}", "BAD")
        items: tuple[str, ...] = ("UID", "FLAGS") if by_uid else ("FLAGS",)
        items = (*items, "MODSEQ") if session.condstore else items
        if not silent or session.condstore:
            lines.append(answer(sequence, changed, items))
    return Answer(untagged=lines, text="STORE done")


def _flag(text: str) -> str:
    """Write a system flag as the RFC does; keywords stay as they are."""
    return f"\\{text[1:].title()}" if text.startswith("\\") else text


def _writable(session: Session) -> None:
    if session.read_only:
        raise CommandRefused("The folder is open for reading only")


def copy(session: Session, args: list[Token], *, by_uid: bool) -> Answer:
    """COPY; tells the new UIDs where UIDPLUS is offered."""
    folder, target, chosen = _transfer(session, args, by_uid=by_uid)
    code = _copy(session, chosen, target)
    session.activity.read(folder)
    return Answer(text=f"{code}COPY done")


def move(session: Session, args: list[Token], *, by_uid: bool) -> Answer:
    """MOVE: copy and remove in one step (RFC 6851)."""
    if not session.has(Capability.MOVE):
        raise CommandRefused("MOVE is not served here", "BAD")
    _writable(session)
    folder, target, chosen = _transfer(session, args, by_uid=by_uid)
    code = _copy(session, chosen, target)
    folder.expunge([message.uid for _, message in chosen])
    told = [f"* OK {code.strip()} Moved\r\n".encode()] if code else []
    return Answer(untagged=[*told, *session.news()], text="MOVE done")


def _transfer(
    session: Session, args: list[Token], *, by_uid: bool
) -> tuple[Folder, Folder, list[tuple[int, StoredMessage]]]:
    if len(args) != 2:
        raise CommandRefused("Which messages, and where to?", "BAD")
    folder = session.selected()
    try:
        target = session.named(args[1])
    except CommandRefused:
        raise CommandRefused("[TRYCREATE] No such folder") from None
    return folder, target, _chosen(folder, args[0], by_uid=by_uid)


def _copy(session: Session, chosen: list[tuple[int, StoredMessage]], target: Folder) -> str:
    new = [target.append(message.raw, at=message.internal_date, flags=message.flags) for _, message in chosen]
    if not new or not session.has(Capability.UIDPLUS):
        return ""
    old = ",".join(str(message.uid) for _, message in chosen)
    return f"[COPYUID {target.uid_validity} {old} {','.join(map(str, new))}] "


def expunge(session: Session, args: list[Token], *, by_uid: bool) -> Answer:
    """EXPUNGE what is marked as deleted; with UIDs only those of them (RFC 4315)."""
    folder = session.selected()
    _writable(session)
    if by_uid and not session.has(Capability.UIDPLUS):
        raise CommandRefused("UID EXPUNGE is not served here", "BAD")
    chosen = _chosen(folder, args[0], by_uid=True) if by_uid and args else [(0, message) for message in folder]
    folder.expunge([message.uid for _, message in chosen if "\\Deleted" in message.flags])
    return Answer(untagged=session.news(), text="EXPUNGE done")


MESSAGE_COMMANDS: dict[str, Callable[[Session, list[Token]], Answer]] = {
    f"{prefix}{name}": partial(command, by_uid=bool(prefix))
    for name, command in {
        "FETCH": fetch,
        "SEARCH": search,
        "STORE": store,
        "COPY": copy,
        "MOVE": move,
        "EXPUNGE": expunge,
    }.items()
    for prefix in ("", "UID ")
}
