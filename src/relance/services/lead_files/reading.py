"""Rows of a lead file as leads, or as what is wrong with them."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from relance.core.calendar import zone_named
from relance.services.addresses import BadAddressError, clean_address
from relance.services.identities import normalised
from relance.services.lead_files.headers import EMAIL, KEY, Columns, match_headers
from relance.services.lead_files.records import Dialect, FileFormatError, Record, find_dialect, read_records

VALUE_CHARACTERS = 10_000
_BLANK = " \t\r\n\u00a0\u200b\ufeff"


@dataclass(frozen=True, slots=True, kw_only=True)
class LeadRow:
    """A row that names a person."""

    line: int
    email: str
    values: Mapping[str, str]  #: Field to value; blank ones are left out.
    raw: tuple[str, ...]
    key: str | None = None  #: Its idempotency key.


@dataclass(frozen=True, slots=True, kw_only=True)
class BadRow:
    """A row that cannot be imported, and why."""

    line: int
    reason: str
    raw: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class EmptyRow:
    """A row with separators and nothing between them."""

    line: int


Row = LeadRow | BadRow | EmptyRow


@dataclass(frozen=True, slots=True, kw_only=True)
class LeadFile:
    """A file whose header was understood. Its rows are read when they are asked for."""

    path: Path
    dialect: Dialect
    columns: Columns

    def rows(self) -> Iterator[Row]:
        """Yield every row after the header. Raises OSError."""
        records = read_records(self.path, self.dialect)
        next(records, None)
        for record in records:
            yield _read(record, self.columns)


def open_lead_file(path: Path, mapped: Mapping[str, str]) -> LeadFile:
    """Find out how the file is written and what its columns are. Raises FileFormatError, WrongInputError, OSError."""
    dialect = find_dialect(path)
    header = next(read_records(path, dialect), None)
    if header is None:
        raise FileFormatError(f"{path} is empty: its first line must name the columns")
    if header.problem:
        raise FileFormatError(f"{path}:{header.line}: the header cannot be read: {header.problem}")
    return LeadFile(path=path, dialect=dialect, columns=match_headers(header.values, mapped))


def _read(record: Record, columns: Columns) -> Row:
    values = [value.strip(_BLANK) for value in record.values]
    if not any(values):
        return EmptyRow(line=record.line)
    fields = {field: value for field, value in zip(columns.fields, values, strict=False) if field and value}
    reason = record.problem or _damage(values, columns) or _bad_value(fields)
    if reason is not None:
        return BadRow(line=record.line, reason=reason, raw=record.values)
    try:
        email = clean_address(fields.pop(EMAIL, ""))
    except BadAddressError as error:
        reason = f"the e-mail address is not one: {error.reason}"
        return BadRow(line=record.line, reason=reason, raw=record.values)
    key = fields.pop(KEY, None)
    return LeadRow(line=record.line, email=email, values=normalised(fields), raw=record.values, key=key)


def _damage(values: list[str], columns: Columns) -> str | None:
    """Return what is wrong with a row as such."""
    if any("\0" in value for value in values):
        return "it holds NUL bytes; export the file again as UTF-8"
    if any("\ufffd" in value for value in values):
        return "it holds characters that cannot be decoded; export the file again as UTF-8"
    if any(values[len(columns.fields) :]):
        return (
            f"it has {len(values)} values for {len(columns.fields)} columns; "
            "put a value that holds the separator into quotation marks"
        )
    return None


def _bad_value(fields: Mapping[str, str]) -> str | None:
    """Return what is wrong with a value, whatever the address is."""
    long = next((field for field, value in fields.items() if len(value) > VALUE_CHARACTERS), None)
    if long is not None:
        return f"{long} has more than {VALUE_CHARACTERS} characters; shorten it"
    zone = fields.get("timezone")
    if zone is not None and zone_named(zone) is None:
        return f"{zone!r} is not a time zone; write an IANA name such as Europe/Berlin, or leave it out"
    return None
