"""The folder that a sequence file stands in: what its steps attach is read from there when the file is read.

Rule 1: only what lies in that folder or below is read, links followed; so a sequence file that came from somebody else
        cannot send the keys and lists of whoever publishes it.
Rule 2: a file's type follows from its name alone, by a table of our own before the standard library's, and never by the
        machine's, so that the same file is the same version wherever it is published.
"""

import mimetypes
import unicodedata
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from types import MappingProxyType

from relance.core import defaults
from relance.core.sequence import AttachedFile
from relance.mail.attaching import attachment_part
from relance.services.sequence_files.forms import Form

ANYTHING = "application/octet-stream"
_REMEDY = "write a list of files such as [offer.pdf, pictures/plan.png]"
_MOST = defaults.ATTACHMENTS_TOTAL
_LIMIT = f"{_MOST // 1024**2} MB"
_TOO_MUCH = f"attach less, or link to it: a message takes {_LIMIT}, base64 adds a third, and servers refuse larger ones"
_OFFICE = "application/vnd.openxmlformats-officedocument."
_TYPES = MappingProxyType(
    {
        ".docx": f"{_OFFICE}wordprocessingml.document",
        ".xlsx": f"{_OFFICE}spreadsheetml.sheet",
        ".pptx": f"{_OFFICE}presentationml.presentation",
        ".odt": "application/vnd.oasis.opendocument.text",
        ".ods": "application/vnd.oasis.opendocument.spreadsheet",
        ".odp": "application/vnd.oasis.opendocument.presentation",
        ".webp": "image/webp",
        ".ics": "text/calendar",
        ".vcf": "text/vcard",
        ".gz": "application/gzip",
        ".eml": ANYTHING,  # message/rfc822 must not be in base64 (RFC 2046 §5.2.1)
    }
)


class Folder:
    """What one sequence file attaches; each file is read once. `path` is None for a text that is no file."""

    def __init__(self, path: Path | None) -> None:
        self._path = path.resolve() if path is not None else None
        self._files: dict[Path, AttachedFile] = {}
        self.contents: dict[str, bytes] = {}  #: What was read, by its SHA-256 in hex.

    def read(self, name: str) -> AttachedFile:
        """Read one file. Raises ValueError with what is wrong, a semicolon, and what to do."""
        if self._path is None:
            raise ValueError("what a text attaches lies in no folder; save the sequence as a file beside it")
        if any(unicodedata.category(character) in {"Cc", "Cs"} for character in name):
            raise ValueError("the name holds control characters; rename the file")
        written = Path(name)
        try:
            path = (self._path / written).resolve()
        except (OSError, RuntimeError):  # a circle of links
            raise ValueError(f"{name} cannot be followed; {_REMEDY}") from None
        if written.is_absolute() or not path.is_relative_to(self._path):
            raise ValueError(f"{name} lies outside the folder of the sequence file; copy it there, or below")
        if path not in self._files:
            content = _content(path, name)
            self._files[path] = described(name, content)
            self.contents[self._files[path].sha256] = content
        return self._files[path]


class Kept:
    """The files of a draft: what was uploaded to it, and what the running version attaches; by their names."""

    def __init__(self, files: Mapping[str, AttachedFile], contents: Mapping[str, bytes] = MappingProxyType({})) -> None:
        self._files = files
        self.contents: dict[str, bytes] = dict(contents)  #: What is not in the database yet, by its SHA-256 in hex.

    def read(self, name: str) -> AttachedFile:
        """Return one file. Raises ValueError with what is wrong, a semicolon, and what to do."""
        if name not in self._files:
            raise ValueError(f"{name} is not there; upload it to this step, or take it out")
        return self._files[name]


def attached(form: Form, folder: Folder | Kept) -> tuple[AttachedFile, ...]:
    """Return what a step attaches; problems are noted in the form."""
    files: list[AttachedFile] = []
    for node in form.scalars("attachments", _REMEDY) or ():
        file = form.convert(node, "attachments", folder.read, _REMEDY)
        if file is None:
            continue
        if any(file.name.casefold() == other.name.casefold() for other in files):
            form.wrong(node.line, f"attachments: two files are called {file.name}", "rename one, or leave it out")
            continue
        files.append(file)
    total = sum(file.size for file in files)
    if total > _MOST:
        form.wrong(form.line("attachments"), f"attachments: together they have {total / 1024**2:.1f} MB", _TOO_MUCH)
    return tuple(files)


def content_type_of(name: str) -> str:
    """Return the type of a file by the ending of its name."""
    own = _TYPES.get(Path(name).suffix.lower())
    if own is not None:
        return own
    known, packed = mimetypes.MimeTypes().guess_type(name)
    return ANYTHING if known is None or packed is not None else known


def _content(path: Path, name: str) -> bytes:
    try:
        if path.is_dir():
            raise ValueError(f"{name} is a folder; name the files in it")
        if path.exists() and not path.is_file():  # a pipe or a device: reading it may never end
            raise ValueError(f"{name} is no ordinary file but a pipe or a device; copy what it holds into a file")
        with path.open("rb") as opened:
            content = opened.read(_MOST + 1)
    except FileNotFoundError:
        raise ValueError(f"{name} is not there; paths begin at the folder of the sequence file") from None
    except OSError as error:
        raise ValueError(f"{name} cannot be read: {error.strerror}; correct its rights") from None
    if not content:
        raise ValueError(f"{name} is empty; attach the finished file")
    if len(content) > _MOST:
        raise ValueError(f"{name} has more than {_LIMIT}; {_TOO_MUCH}")
    return content


def described(name: str, content: bytes) -> AttachedFile:
    """Return a file as messages carry it. Raises ValueError where no message can."""
    # Composed letters: a name from a Mac has its accents apart, which other systems show as two characters.
    shown = unicodedata.normalize("NFC", Path(name).name)
    file = AttachedFile(
        name=shown,
        content_type=content_type_of(shown),
        size=len(content),
        sha256=sha256(content, usedforsecurity=False).hexdigest(),
    )
    attachment_part(file)  # raises ValueError where no message can carry it
    return file
