"""Who may log in, asked by Cyrus (the protocol of saslauthd) or by Courier (that of authdaemond), over a unix socket.

A thread of the test answers, so that a new mailbox counts from the next login on and no database is written.
"""

import contextlib
import socket
import struct
import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import BinaryIO

#: Whose the mail is: a number, since there is no list of users in Courier's root.
NOBODY = 65534
Answer = Callable[[BinaryIO, Mapping[str, str]], bytes]


class PasswordService:
    """Listens from its making until `stop`; `passwords` may be replaced at any moment."""

    def __init__(self, path: Path, answer: Answer) -> None:
        """Listen at `path`, whose folder must exist; everybody may connect."""
        self.passwords: Mapping[str, str] = {}
        self._answer = answer
        self._listening = socket.socket(socket.AF_UNIX)
        self._listening.bind(str(path))
        path.chmod(0o777)
        self._listening.listen(100)
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Let go of the socket."""
        with contextlib.suppress(OSError):
            self._listening.shutdown(socket.SHUT_RDWR)  # wakes the thread, which `close` alone does not
        self._listening.close()
        self._thread.join()

    def _serve(self) -> None:
        while True:
            try:
                connection, _ = self._listening.accept()
            except OSError:
                return
            threading.Thread(target=self._converse, args=(connection,), daemon=True).start()

    def _converse(self, connection: socket.socket) -> None:
        with connection, connection.makefile("rb") as asked, contextlib.suppress(OSError, struct.error, ValueError):
            connection.sendall(self._answer(asked, self.passwords))


def as_saslauthd(asked: BinaryIO, passwords: Mapping[str, str]) -> bytes:
    """Answer one question of Cyrus SASL: name, password, service and realm, each with its length in front."""
    name, password, _, realm = (asked.read(struct.unpack("!H", asked.read(2))[0]).decode() for _ in range(4))
    address = f"{name}@{realm}" if realm else name
    word = b"OK" if passwords.get(address) == password else b"NO"
    return struct.pack("!H", len(word)) + word


def as_authdaemond(asked: BinaryIO, passwords: Mapping[str, str]) -> bytes:
    """Answer one question of Courier: `AUTH` with a length, then service, kind, name and password in lines."""
    for line in asked:
        verb, _, size = line.decode().strip().partition(" ")
        if "=" in verb:
            continue  # the client's address
        if verb != "AUTH":
            break
        _, kind, name, password, *_ = asked.read(int(size)).decode().split("\n")
        if kind != "login" or passwords.get(name) != password:
            break
        home = f"/users/{name}"
        facts = {"UID": NOBODY, "GID": NOBODY, "HOME": home, "ADDRESS": name, "MAILDIR": f"{home}/Maildir"}
        return "".join(f"{key}={value}\n" for key, value in facts.items()).encode() + b".\n"
    return b"FAIL\n"
