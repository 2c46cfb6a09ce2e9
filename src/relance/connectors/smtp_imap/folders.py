r"""Which folders matter and what each is for: special-use attributes (RFC 6154) first, names that people use second.

Rule 1: an answer may lie wherever its owner or a rule of theirs has put it, so every folder of theirs is read but those
        for what is not written to its end.
Rule 2: where one folder holds all mail (Gmail's \All), only what is not in it is read beside it.
Rule 3: what belongs to others (RFC 2342) is not read, whatever it is called.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from relance.connectors.smtp_imap.imap_parser import Listed
from relance.connectors.smtp_imap.modified_utf7 import decode_modified_utf7
from relance.ports.connector import FolderRole

MOST_FOLDERS = 5000  #: Looked at in one listing.
MOST_OF_A_ROLE = 20  #: Archives by year, and such.
ATTRIBUTES: Mapping[str, FolderRole] = {
    "\\junk": FolderRole.JUNK,
    "\\archive": FolderRole.ARCHIVE,
    "\\all": FolderRole.ALL,
    "\\sent": FolderRole.SENT,
}
MOST_OTHERS = 200  #: Folders of the owner's own, those nearest to the top first.
UNFINISHED = frozenset({"\\drafts", "\\templates"})
UNFINISHED_NAMES = frozenset(
    {
        *("drafts", "draft", "entwürfe", "brouillons", "borradores", "rascunhos", "bozze", "concepten", "utkast"),
        *("kladder", "luonnokset", "wersje robocze", "koncepty", "koncepty správ", "piszkozatok", "ciorne"),
        *("черновики", "чернетки", "taslaklar", "πρόχειρα", "草稿", "草稿箱", "下書き", "임시 보관함", "임시보관함"),
        *("templates", "vorlagen", "modèles", "outbox", "postausgang", "boîte d'envoi", "bandeja de salida"),
    }
)
NOT_OPENABLE = frozenset({"\\noselect", "\\nonexistent"})

# The last part of the name, case-folded. What mail programs and providers create, in the languages they come in.
NAMES: Mapping[FolderRole, tuple[str, ...]] = {
    FolderRole.SENT: (
        "sent",
        "sent items",
        "sent messages",
        "sent mail",
        "sent-mail",
        "gesendet",
        "gesendete objekte",
        "gesendete elemente",
        "gesendete nachrichten",
        "envoyés",
        "envoyes",
        "éléments envoyés",
        "messages envoyés",
        "courrier envoyé",
        "objets envoyés",
        "enviados",
        "elementos enviados",
        "mensajes enviados",
        "itens enviados",
        "mensagens enviadas",
        "inviati",
        "posta inviata",
        "elementi inviati",
        "messaggi inviati",
        "verzonden",
        "verzonden items",
        "verzonden berichten",
        "skickat",
        "skickade objekt",
        "sendt",
        "sendte elementer",
        "sendt post",
        "sendt mail",
        "sende elementer",
        "lähetetyt",
        "lähetetyt kohteet",
        "wysłane",
        "elementy wysłane",
        "odeslané",
        "odeslaná pošta",
        "odoslané",
        "elküldött",
        "elküldött elemek",
        "trimise",
        "отправленные",
        "надіслані",
        "gönderilmiş öğeler",
        "gönderilenler",
        "gönderilmiş postalar",
        "απεσταλμένα",
        "已发送",
        "已发送邮件",
        "已發送",
        "寄件備份",
        "送信済み",
        "送信済みアイテム",
        "送信済みメール",
        "보낸 편지함",
        "보낸편지함",
        "נשלחו",
        "المرسلة",
        "العناصر المرسلة",
    ),
    FolderRole.JUNK: (
        "junk",
        "junk e-mail",
        "junk email",
        "junk mail",
        "spam",
        "spambox",
        "bulk mail",
        "unwanted",
        "spamverdacht",
        "unerwünscht",
        "werbung",
        "courrier indésirable",
        "indésirables",
        "pourriel",
        "correo no deseado",
        "no deseado",
        "lixo eletrônico",
        "lixo electrónico",
        "posta indesiderata",
        "ongewenste e-mail",
        "ongewenst",
        "skräppost",
        "uønsket e-post",
        "uønsket mail",
        "uønsket",
        "søppelpost",
        "roskaposti",
        "wiadomości-śmieci",
        "niechciane",
        "nevyžádaná pošta",
        "levélszemét",
        "mesaje nedorite",
        "спам",
        "нежелательная почта",
        "önemsiz e-posta",
        "ανεπιθύμητα",
        "垃圾邮件",
        "垃圾郵件",
        "迷惑メール",
        "정크 메일",
        "스팸",
        "스팸메일함",
    ),
    FolderRole.ARCHIVE: (
        "archive",
        "archives",
        "archived",
        "all mail",
        "archiv",
        "archivio",
        "archivo",
        "archivados",
        "arquivo",
        "arquivo morto",
        "archief",
        "arkiv",
        "arkisto",
        "archiwum",
        "archív",
        "archívum",
        "arhivă",
        "архив",
        "архів",
        "arşiv",
        "αρχείο",
        "归档",
        "存档",
        "封存",
        "アーカイブ",
        "보관함",
        "보관",
    ),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Folder:
    """One folder that matters."""

    name: str  #: Decoded, for people and for cursors.
    wire_name: bytes  #: As the server wrote it.
    role: FolderRole
    delimiter: str | None = None


def choose_folders(listed: Iterable[Listed], *, foreign: Sequence[bytes] = ()) -> tuple[Folder, ...]:
    r"""Return the folders where answers land and where sent mail is kept; INBOX first, a role's best folder first.

    A role is filled by attributes if any folder bears its attribute, else by name. What remains follows as `OTHER`;
    with an \All folder (Gmail) that is the bin alone, and the archive is not read a second time. `foreign` are the
    beginnings of names that belong to others.
    """
    entries = [entry for _, entry in zip(range(MOST_FOLDERS), listed, strict=False)]
    openable = [
        entry for entry in entries if not entry.attributes & NOT_OPENABLE and not entry.name.startswith(tuple(foreign))
    ]
    chosen = [_folder(entry, FolderRole.INBOX) for entry in openable if entry.name.upper() == b"INBOX"][:1]
    if not chosen:
        chosen = [Folder(name="INBOX", wire_name=b"INBOX", role=FolderRole.INBOX)]
    taken = {chosen[0].wire_name}
    by_attribute = {role: [e for e in openable if attribute in e.attributes] for attribute, role in ATTRIBUTES.items()}
    for role in (FolderRole.SENT, FolderRole.JUNK, FolderRole.ALL, FolderRole.ARCHIVE):
        if role is FolderRole.ARCHIVE and by_attribute[FolderRole.ALL]:
            continue
        found = by_attribute[role] or _named(openable, role)
        if role is FolderRole.ARCHIVE:
            found = found + [entry for entry in openable if _is_under(entry, found)]
        for entry in found[:MOST_OF_A_ROLE]:
            if entry.name not in taken:
                taken.add(entry.name)
                chosen.append(_folder(entry, role))
    rest = [entry for entry in openable if entry.name not in taken and entry.name.upper() != b"INBOX"]
    rest = [entry for entry in rest if not _is_unfinished(entry)]
    if by_attribute[FolderRole.ALL]:
        rest = [entry for entry in rest if "\\trash" in entry.attributes]
    chosen += [_folder(entry, FolderRole.OTHER) for entry in sorted(rest, key=_depth)[:MOST_OTHERS]]
    return tuple(chosen)


def sent_name(listed: Iterable[Listed]) -> bytes:
    """Return the wire name of the Sent folder to create where there is none: beside the others, or below INBOX."""
    below = [entry for entry in listed if entry.name.upper() != b"INBOX"]
    delimiter = next((entry.delimiter for entry in below if entry.delimiter), None)
    if delimiter is not None:
        prefix = f"INBOX{delimiter}"
        if all(entry.name.upper().startswith(prefix.upper().encode()) for entry in below):
            return f"{prefix}Sent".encode()
    return b"Sent"


def _named(entries: list[Listed], role: FolderRole) -> list[Listed]:
    names = NAMES.get(role, ())
    ranked = []
    for entry in entries:
        last = _last_part(entry)
        if last in names and _depth(entry) <= 1:
            ranked.append((_depth(entry), names.index(last), entry))
    return [entry for *_, entry in sorted(ranked, key=lambda item: item[:2])]


def _last_part(entry: Listed) -> str:
    name = decode_modified_utf7(entry.name)
    return (name.rpartition(entry.delimiter)[2] if entry.delimiter else name).strip().casefold()


def _depth(entry: Listed) -> int:
    """Count the folders above, not counting INBOX or a provider's root such as `[Gmail]`."""
    return decode_modified_utf7(entry.name).count(entry.delimiter) if entry.delimiter else 0


def _is_unfinished(entry: Listed) -> bool:
    return bool(entry.attributes & UNFINISHED) or (_depth(entry) <= 1 and _last_part(entry) in UNFINISHED_NAMES)


def _is_under(entry: Listed, above: list[Listed]) -> bool:
    return any(
        one.delimiter is not None and entry.name.startswith(one.name + one.delimiter.encode("utf-8", "replace"))
        for one in above
    )


def _folder(entry: Listed, role: FolderRole) -> Folder:
    name = "INBOX" if role is FolderRole.INBOX else decode_modified_utf7(entry.name)
    return Folder(name=name, wire_name=entry.name, role=role, delimiter=entry.delimiter)
