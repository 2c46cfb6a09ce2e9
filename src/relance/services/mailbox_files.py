"""Files of mailboxes: CSV with a mailbox a row, whose columns are called as the options of `mailbox add`.

Rule 1: a column that means nothing is refused with the whole file: a cap that is misspelt must not be left out.
Rule 2: where a row names no servers, those of its address's provider are taken, as far as that is known.
Rule 3: a row's secret is in none of its errors.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Final

from relance.core.mail_presets import preset_of_address
from relance.services.addresses import clean_address
from relance.services.lead_files.headers import snake_case
from relance.services.lead_files.records import FileFormatError, find_dialect, read_records
from relance.services.mailbox_options import (
    NameOptions,
    PacingOptions,
    WantedMailbox,
    names_from_words,
    pacing_from_words,
)
from relance.services.refusals import RefusedError, WrongInputError

#: Where a secret may be: the password itself, or a command that prints it, or a token, at each login.
SECRETS: Final = ("password", "password_command", "oauth_token_command")
_SERVERS: Final = ("smtp", "imap", "ca_file")
_LOGINS: Final = ("username", "smtp_username")
_OPTIONS: Final = tuple(one.name for kind in (PacingOptions, NameOptions) for one in fields(kind))
COLUMNS: Final = ("address", *_SERVERS, *_LOGINS, *SECRETS, *_OPTIONS)
#: Other words for a column.
_MEANT: Final[Mapping[str, str]] = {
    "email": "address",
    "e_mail": "address",
    "mailbox": "address",
    "name": "display_name",
    "alias": "aliases",
    "login": "username",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class MailboxRow:
    """A mailbox that a row describes, and its secret."""

    line: int
    wanted: WantedMailbox
    secret_kind: str  #: One of `SECRETS`.
    secret: str = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class BadMailbox:
    """A row that describes none, and why."""

    line: int
    address: str
    reason: str


def read_mailboxes(path: Path) -> Iterator[MailboxRow | BadMailbox]:
    """Yield every row of the file. Raises FileFormatError and OSError, before any row."""
    records = read_records(path, find_dialect(path))
    header = next(records, None)
    columns = _columns(header.values if header is not None else ())
    for record in records:
        if record.problem is not None:
            yield BadMailbox(line=record.line, address="", reason=record.problem)
            continue
        words = {name: value.strip() for name, value in zip(columns, record.values, strict=False)}
        if any(words.values()):
            yield _row(record.line, words)


def _columns(headers: Sequence[str]) -> list[str]:
    """Return what each column is. Raises FileFormatError."""
    names = [snake_case(header.strip("\ufeff \t\r\n")) for header in headers]
    columns = [_MEANT.get(name, name) for name in names]
    unknown = [header for header, name in zip(headers, columns, strict=True) if name not in COLUMNS]
    if unknown:
        raise FileFormatError(f"the column {unknown[0]!r} means nothing here; there are {', '.join(COLUMNS)}")
    twice = [name for name in columns if columns.count(name) > 1]
    if twice:
        raise FileFormatError(f"two columns are {twice[0]}; take one away")
    if "address" not in columns:
        raise FileFormatError("there is no column address; the first line names the columns")
    return columns


def _row(line: int, words: Mapping[str, str]) -> MailboxRow | BadMailbox:
    try:
        given = [name for name in SECRETS if words.get(name)]
        if len(given) != 1:
            raise WrongInputError(f"it needs one of {', '.join(SECRETS)}, and has {len(given)}")
        return MailboxRow(line=line, wanted=_wanted(words), secret_kind=given[0], secret=words[given[0]])
    except RefusedError as error:
        return BadMailbox(line=line, address=words.get("address", "")[:320], reason=str(error))


def _wanted(words: Mapping[str, str]) -> WantedMailbox:
    address = clean_address(words.get("address", ""))
    servers: dict[str, object] = {name: words[name] for name in _SERVERS if words.get(name)}
    preset = preset_of_address(address)
    if preset is not None:
        servers = {"smtp": preset.smtp, "imap": preset.imap, **servers}
    for server in ("smtp", "imap"):
        if server not in servers:
            raise WrongInputError(f"it names no {server} server; write HOST:PORT:tls, :starttls or :plain")
    return WantedMailbox(
        address=address,
        servers=servers,
        username=words.get("username") or None,
        smtp_username=words.get("smtp_username") or None,
        pacing=pacing_from_words(words),
        names=names_from_words(words),
    )
