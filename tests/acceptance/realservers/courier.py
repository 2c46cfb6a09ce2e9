"""Courier IMAP, unpacked from Debian's packages, in a root folder of its own: IMAP on two ports, mail in maildirs.

Its library asks about passwords at a path that was compiled in (/run/courier/authdaemon/socket), so the programs and
what they load are copied into a folder and started with `chroot`, which only root may do; they run as `nobody`.
"""

import os
import shutil
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from acceptance.realservers.authority import Certificates
from acceptance.realservers.endpoint import LOOPBACK
from acceptance.realservers.layouts import Layout
from acceptance.realservers.passwords import NOBODY
from acceptance.realservers.process import Server
from acceptance.realservers.unpacked import SERVERS, libraries

ROOT = SERVERS / "courier-imap"
LISTENER, TLS = "usr/sbin/couriertcpd", "usr/bin/couriertls"
LOGIN, IMAPD = "usr/lib/courier/courier/imaplogin", "usr/bin/imapd"
SOCKET = "run/courier/authdaemon/socket"
CAPABILITY = "IMAP4rev1 UIDPLUS CHILDREN NAMESPACE THREAD=ORDEREDSUBJECT THREAD=REFERENCES SORT QUOTA IDLE AUTH=PLAIN"


@dataclass(frozen=True, slots=True, kw_only=True)
class CourierPorts:
    """Loopback ports; `imap` takes cleartext only."""

    imap: int
    imaps: int


def prepare_courier(folder: Path, certificates: Certificates) -> None:
    """Fill the root folder: programs, libraries, certificate, and where the socket for passwords belongs."""
    for name in ("users", "tmp", "dev", "etc", "lib", str(Path(SOCKET).parent)):
        (folder / name).mkdir(parents=True)
    for program in (LISTENER, TLS, LOGIN, IMAPD):
        (folder / program).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / program, folder / program)
        for library in libraries(ROOT, program):
            # The loader is asked for by its path, everything else is found in /lib.
            inside = folder / (str(library).lstrip("/") if library.name.startswith("ld-") else f"lib/{library.name}")
            inside.parent.mkdir(parents=True, exist_ok=True)
            if not inside.exists():
                shutil.copy(library, inside)
    both = certificates.cert_file.read_bytes() + certificates.key_file.read_bytes()
    (folder / "etc/server.pem").write_bytes(both)


def make_maildir(folder: Path, address: str, layout: Layout) -> None:
    """Give an address its folders, as maildirmake does."""
    home = folder / "users" / address
    maildir = home / "Maildir"
    names = ["", *(f".{each.wire.removeprefix(layout.prefix)}" for each in layout.folders)]
    for name in names:
        for part in ("cur", "new", "tmp"):
            (maildir / name / part).mkdir(parents=True, exist_ok=True)
        if name:
            (maildir / name / "maildirfolder").touch()
    _give_to_nobody((home, *home.rglob("*")))


def deliver_to_maildir(folder: Path, address: str, raw: bytes, *, name: str) -> None:
    """Put a message into an INBOX as a delivery agent does: written aside, then moved to `new`."""
    maildir = folder / "users" / address / "Maildir"
    (maildir / "tmp" / name).write_bytes(raw.replace(b"\r\n", b"\n"))  # a maildir's lines end so
    _give_to_nobody([maildir / "tmp" / name])
    (maildir / "tmp" / name).rename(maildir / "new" / name)


def start_courier(folder: Path, *, ports: CourierPorts) -> list[Server]:
    """Start the two listeners. They may not listen yet on return."""
    settings = {
        "IMAP_CAPABILITY": CAPABILITY,
        "IMAP_IDLE_TIMEOUT": "1",
        "IMAP_USELOCKS": "0",
        "IMAP_UMASK": "022",
        "IMAP_TRASHFOLDERNAME": "Trash",
        "MAILDIRPATH": "Maildir",
        "TLS_CERTFILE": "/etc/server.pem",
    }
    inside = [f"/{LOGIN}", f"/{IMAPD}", "Maildir"]
    _give_to_nobody((folder / "users", folder / "tmp"))

    def listen(name: str, port: int, through: list[str], **more: str) -> Server:
        environment = [f"{key}={value}" for key, value in {**settings, **more}.items()]
        command = ["/usr/bin/env", "-i", *environment, "/usr/sbin/chroot", f"--userspec={NOBODY}:{NOBODY}", str(folder)]
        command += [f"/{LISTENER}", f"-address={LOOPBACK}", "-maxprocs=200", "-maxperip=200"]
        command += ["-nodnslookup", "-noidentlookup", str(port), *through, *inside]
        return Server(name, command, log=folder.parent / f"{name}.log")

    return [
        listen("courier", ports.imap, [], IMAP_STARTTLS="NO"),
        listen("courier-tls", ports.imaps, [f"/{TLS}", "-server", "-tcpd"], IMAP_TLS="1"),
    ]


def _give_to_nobody(paths: Iterable[Path]) -> None:
    for path in paths:
        os.chown(path, NOBODY, NOBODY)
