"""Pytest's way to the real servers: one world per kind and worker, stopped when the session ends.

A `conftest.py` imports the fixtures it wants by name. A missing package skips the test with the remedy, and fails it
under CI (`peers.py`).
"""

import os
import subprocess
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import cache
from pathlib import Path

import pytest

from acceptance.realservers.imap_world import RealImap
from acceptance.realservers.layouts import LAYOUTS
from acceptance.realservers.world import RealMail
from peers import require_program, unavailable


def require_dovecot() -> None:
    """Skip or fail where Dovecot 2.3 or its IMAP or LMTP server is missing (2.4 has another configuration)."""
    require_program("setpriv")
    dovecot = require_program("dovecot")
    version = subprocess.run([dovecot, "--version"], capture_output=True, text=True, check=True).stdout
    if not version.startswith("2.3."):
        unavailable(f"Dovecot 2.3 (but {version.split()[0]})", "use Debian 12 or Ubuntu 24.04")
    # By path: Postfix has a program called lmtp too.
    for program, package in (("imap", "dovecot-imapd"), ("lmtp", "dovecot-lmtpd")):
        if not (Path("/usr/lib/dovecot") / program).exists():
            unavailable(f"Dovecot's {program}", f"apt-get install {package}")


def require_postfix() -> None:
    """Skip or fail where Postfix is missing, or may not change to its own users."""
    require_program("postfix")
    if os.geteuid() != 0:
        unavailable("the right to start Postfix", "run pytest as root (it changes to the user postfix)")


@pytest.fixture(scope="session")
def real_imap_with() -> Iterator[Callable[[str], RealImap]]:
    """Return a function from a name in `LAYOUTS` to a running Dovecot of that kind, the same for the same name."""
    require_dovecot()
    with ExitStack() as running:
        yield cache(lambda layout: running.enter_context(RealImap(layout=LAYOUTS[layout])))


@pytest.fixture(scope="session")
def real_mail_with() -> Iterator[Callable[[str], RealMail]]:
    """Return a function from a name in `LAYOUTS` to a running world of that kind, the same for the same name."""
    require_dovecot()
    require_postfix()
    with ExitStack() as running:
        yield cache(lambda layout: running.enter_context(RealMail(layout=LAYOUTS[layout])))


@pytest.fixture(scope="session")
def real_mail(real_mail_with: Callable[[str], RealMail]) -> RealMail:
    """Return a running Dovecot and Postfix of the layout `plain`. Tests share it: take addresses of your own."""
    return real_mail_with("plain")
