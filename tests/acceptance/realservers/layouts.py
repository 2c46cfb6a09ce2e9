r"""The kinds of IMAP server that Dovecot can be made to look like, for tests to parametrise over.

| Layout         | Separator, prefix | Sent              | Junk         | Told by     | Left out of CAPABILITY   |
|----------------|-------------------|-------------------|--------------|-------------|--------------------------|
| `plain`        | `/`               | Sent              | Junk         | SPECIAL-USE | nothing                  |
| `inbox_dot`    | `.`, `INBOX.`     | INBOX.Gesendet    | INBOX.Spam   | SPECIAL-USE | nothing                  |
| `gmail_like`   | `/`               | [Gmail]/Sent Mail | [Gmail]/Spam | SPECIAL-USE | nothing                  |
| `unmarked`     | `/`               | Sent Items        | Junk E-mail  | names only  | nothing                  |
| `unmarked_dot` | `.`, `INBOX.`     | INBOX.Sent        | INBOX.Junk   | names only  | nothing                  |
| `no_condstore` | `/`               | Sent              | Junk         | SPECIAL-USE | CONDSTORE QRESYNC ENABLE |
| `spartan`      | `.`, `INBOX.`     | INBOX.Sent        | INBOX.Junk   | names only  | all but IMAP4rev1        |

"Told by names only": SPECIAL-USE is announced and no folder has an attribute, as on servers nobody configured.
"Left out" concerns what the server *says*: Dovecot still obeys a command that it does not announce, so a client that
does not look at CAPABILITY goes unnoticed here; watch the dialogue if that is the question.
`inbox_dot` has a folder with a letter outside ASCII (Entwürfe), which travels in modified UTF-7 (RFC 3501 §5.1.3).
"""

from dataclasses import dataclass
from enum import StrEnum


class Role(StrEnum):
    r"""What a folder is for; the value is its SPECIAL-USE attribute (RFC 6154 §2)."""

    SENT = r"\Sent"
    JUNK = r"\Junk"
    ARCHIVE = r"\Archive"
    DRAFTS = r"\Drafts"
    TRASH = r"\Trash"
    ALL = r"\All"


@dataclass(frozen=True, slots=True, kw_only=True)
class Folder:
    """One folder that each new mailbox has. `name` is complete, with prefix, as people read it."""

    role: Role
    name: str
    wire: str  #: The same in modified UTF-7, unquoted.


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """How the mailboxes of one server look. `capability` replaces what the server announces; None keeps it whole."""

    name: str
    separator: str
    prefix: str
    folders: tuple[Folder, ...]
    marked: bool  #: Whether LIST shows SPECIAL-USE attributes.
    capability: str | None = None

    def folder(self, role: Role) -> Folder:
        """Return the folder for `role`; KeyError if this layout has none."""
        for folder in self.folders:
            if folder.role is role:
                return folder
        raise KeyError(role)


def _layout(
    name: str,
    names: dict[Role, str],
    *,
    separator: str = "/",
    prefix: str = "",
    marked: bool = True,
    capability: str | None = None,
    wires: dict[str, str] | None = None,
) -> Layout:
    folders = tuple(
        Folder(role=role, name=prefix + each, wire=prefix + (wires or {}).get(each, each))
        for role, each in names.items()
    )
    return Layout(
        name=name,
        separator=separator,
        prefix=prefix,
        folders=folders,
        marked=marked,
        capability=capability,
    )


_ENGLISH = {
    Role.SENT: "Sent",
    Role.JUNK: "Junk",
    Role.ARCHIVE: "Archive",
    Role.DRAFTS: "Drafts",
    Role.TRASH: "Trash",
}
_GERMAN = {
    Role.SENT: "Gesendet",
    Role.JUNK: "Spam",
    Role.ARCHIVE: "Archiv",
    Role.DRAFTS: "Entwürfe",
    Role.TRASH: "Papierkorb",
}
_GMAIL = {
    Role.SENT: "[Gmail]/Sent Mail",
    Role.JUNK: "[Gmail]/Spam",
    Role.DRAFTS: "[Gmail]/Drafts",
    Role.TRASH: "[Gmail]/Trash",
}
_EXCHANGE = {
    Role.SENT: "Sent Items",
    Role.JUNK: "Junk E-mail",
    Role.ARCHIVE: "Archive",
    Role.DRAFTS: "Drafts",
    Role.TRASH: "Deleted Items",
}
_NO_CONDSTORE = (
    "IMAP4rev1 SASL-IR LOGIN-REFERRALS ID IDLE LITERAL+ UNSELECT CHILDREN NAMESPACE UIDPLUS LIST-EXTENDED LIST-STATUS"
    " SPECIAL-USE MOVE"
)

#: By name, in the order of the table.
LAYOUTS: dict[str, Layout] = {
    layout.name: layout
    for layout in (
        _layout("plain", _ENGLISH),
        _layout("inbox_dot", _GERMAN, separator=".", prefix="INBOX.", wires={"Entwürfe": "Entw&APw-rfe"}),
        _layout("gmail_like", _GMAIL),
        _layout("unmarked", _EXCHANGE, marked=False),
        _layout("unmarked_dot", _ENGLISH, separator=".", prefix="INBOX.", marked=False),
        _layout("no_condstore", _ENGLISH, capability=_NO_CONDSTORE),
        _layout("spartan", _ENGLISH, separator=".", prefix="INBOX.", marked=False, capability="IMAP4rev1"),
    )
}
