"""CSV records out of bytes: which encoding, which separator, where a record ends.

Rule 1: a record is known by its first line's number, from 1.
Rule 2: a quotation mark that never closes costs its own line only: the lines after it are read as if it were not there.
Rule 3: the file is streamed; nothing but the record in hand is kept.
"""

import codecs
import csv
import io
import re
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from relance.services.refusals import RefusedError

SEPARATORS = (",", ";", "\t")
RECORD_LINES = 500  #: A quoted value of more lines is a quotation mark that was forgotten.
RECORD_CHARACTERS = 256 * 1024
_SAMPLE = 64 * 1024
_CHUNK = 1024 * 1024
_HALF = 0.3  #: Share of NUL bytes in one half of the positions from which it is UTF-16.
#: How the files of Excel (both kinds), LibreOffice and Numbers begin, and PDF.
_NOT_TEXT = (b"PK\x03\x04", b"\xd0\xcf\x11\xe0", b"%PDF-")
_WINDOWS_GAPS = {byte: chr(byte) for byte in (0x81, 0x8D, 0x8F, 0x90, 0x9D)}


class FileFormatError(RefusedError):
    """The file as a whole cannot be read as CSV; nothing was changed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """One record and where it begins."""

    line: int
    values: tuple[str, ...]
    problem: str | None = None  #: Why it is none; its line is the only value then.


@dataclass(frozen=True, slots=True, kw_only=True)
class Dialect:
    """How a file is written."""

    encoding: str
    separator: str
    skipped_lines: int = 0  #: Lines before the header: what Excel calls `sep=;`.


def find_dialect(path: Path) -> Dialect:
    """Return how the file is written. Reads it once. Raises FileFormatError and OSError."""
    if path.exists() and not path.is_file() and not path.is_dir():  # a folder is an OSError's matter
        raise FileFormatError(f"{path} is not a file that can be read twice: save it as one, and name that")
    encoding = _find_encoding(path)
    with open_text(path, encoding) as file:
        sample = file.read(_SAMPLE)
    if encoding == "cp1252" and "\0" in sample.partition("\n")[0]:
        raise _not_text(path)
    if not sample.strip("\ufeff\x00 \t\r\n"):
        raise FileFormatError(f"{path} is empty: its first line must name the columns")
    first = sample.splitlines()[0].strip().strip('"').casefold()
    if first.startswith("sep=") and len(first) <= len("sep=") + 1:
        separator = sample.strip()[len("sep=") :][:1].strip("\r\n") or "\t"
        if separator in SEPARATORS:
            return Dialect(encoding=encoding, separator=separator, skipped_lines=1)
    return Dialect(encoding=encoding, separator=_find_separator(sample))


def open_text(path: Path, encoding: str) -> IO[str]:
    """Open the file as text, line ends untouched. What cannot be decoded is replaced: its row will say so."""
    return path.open(encoding=encoding, errors="replace" if encoding.startswith("utf") else "windows_gaps", newline="")


def read_records(path: Path, dialect: Dialect) -> Iterator[Record]:
    """Yield every record that is not an empty line, header first. Raises OSError."""
    complete = _record_pattern(dialect.separator)
    waiting: deque[str] = deque()
    with open_text(path, dialect.encoding) as file:
        number = 0
        for _ in range(dialect.skipped_lines):
            file.readline()
            number += 1
        while True:
            first = _next_line(waiting, file)
            if not first:
                return
            number += 1
            lines, closed = _gather(first, waiting, file, complete)
            if not closed:
                waiting.extendleft(reversed(lines[1:]))
                problem = "a quotation mark opens and never closes; close it, or double it inside a value"
                yield Record(line=number, values=(first.rstrip("\r\n"),), problem=problem)
                continue
            if len(lines) > 1 or first.strip("\r\n"):
                yield Record(line=number, values=_split("".join(lines), dialect.separator))
            number += len(lines) - 1


def _next_line(waiting: deque[str], file: IO[str]) -> str:
    return waiting.popleft() if waiting else file.readline(RECORD_CHARACTERS)


def _gather(first: str, waiting: deque[str], file: IO[str], complete: "re.Pattern[str]") -> tuple[list[str], bool]:
    """Return the lines of one record, and whether its quotation marks are closed."""
    lines, size = [first], len(first)
    if '"' not in first:
        return lines, True
    while '"' not in lines[-1] or not complete.fullmatch("".join(lines)):  # a line without a mark closes none
        following = "" if len(lines) >= RECORD_LINES or size >= RECORD_CHARACTERS else _next_line(waiting, file)
        if not following:
            return lines, False
        lines.append(following)
        size += len(following)
    return lines, True


def _record_pattern(separator: str) -> "re.Pattern[str]":
    other = re.escape(separator)
    # Behind the mark that closes a value of several lines stands a separator or the end: else it opens the next value,
    # whose own mark was forgotten, and the lines between would be swallowed.
    quoted = rf'[ ]*+"(?:[^"\r\n]|"")*+"[^{other}\r\n"]*+|[ ]*+"(?:[^"]|"")*+"[ ]*+(?=[{other}\r\n]|\Z)'
    value = rf'(?:{quoted}|[^"{other}\r\n][^{other}\r\n]*+|)'
    return re.compile(rf"{value}(?:{other}{value})*+(?:\r\n|\n|\r|)")


def _split(text: str, separator: str) -> tuple[str, ...]:
    if '"' not in text:
        return tuple(text.rstrip("\r\n").split(separator))
    csv.field_size_limit(2 * RECORD_CHARACTERS)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator, skipinitialspace=True)
    return tuple(value for row in reader for value in row)


def _find_encoding(path: Path) -> str:
    with path.open("rb") as file:
        head = file.read(_SAMPLE)
        if head.startswith(_NOT_TEXT):
            raise _not_text(path)
        if head.startswith((codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE)):
            return "utf-32"
        if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
            return "utf-16"
        half = max(1, len(head) // 2)
        if head[1::2].count(0) / half > _HALF and head[0::2].count(0) == 0:
            return "utf-16-le"
        if head[0::2].count(0) / half > _HALF and head[1::2].count(0) == 0:
            return "utf-16-be"
        decoder = codecs.getincrementaldecoder("utf-8")()
        chunk = head
        try:
            while chunk:
                decoder.decode(chunk)
                chunk = file.read(_CHUNK)
            decoder.decode(b"", final=True)
        except UnicodeDecodeError:
            return "cp1252"
    return "utf-8-sig"


def _not_text(path: Path) -> FileFormatError:
    return FileFormatError(f"{path} is no text file (a spreadsheet's own format?): save it as CSV in UTF-8")


def _find_separator(sample: str) -> str:
    header = re.sub(r'"(?:[^"]|"")*+"', "", sample)
    header = next((line for line in header.splitlines() if line.strip()), "")
    return max(SEPARATORS, key=header.count)


def _fill_gap(error: UnicodeError) -> tuple[str, int]:
    """Decode the five bytes that Windows-1252 leaves undefined as the control characters that WHATWG makes of them."""
    if not isinstance(error, UnicodeDecodeError):
        raise error
    return _WINDOWS_GAPS.get(error.object[error.start], "\ufffd"), error.start + 1


codecs.register_error("windows_gaps", _fill_gap)
