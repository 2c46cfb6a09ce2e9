"""TLS sessions: taken once and resumed, and asked for ever more seldom where nothing comes of them."""

import ssl
from dataclasses import dataclass
from typing import cast

import pytest

from relance.connectors.smtp_imap.tls import TlsDoor


@dataclass
class Connection:
    """What a door looks at of a connection; every question for its session counts, because it may leak."""

    session_reused: bool
    asked: int = 0

    @property
    def session(self) -> object:
        """Return one."""
        self.asked += 1
        return object()


def after(history: str) -> int:
    """Return how many connections were asked for their session; `r` for one that resumed, `n` for one that did not."""
    door = TlsDoor(ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT))
    connections = [Connection(one == "r") for one in history]
    for connection in connections:
        door.learn(cast("ssl.SSLObject", connection))
    return sum(connection.asked for connection in connections)


def test_a_server_that_resumes_is_asked_once():
    """A hundred thousand connections to one provider share one session."""
    assert 1 == after("n" + "r" * 1000)


def test_a_session_that_does_not_serve_any_more_is_replaced():
    """It expired, or the server was started again."""
    assert 2 == after("n" + "r" * 100 + "n" + "r" * 100)


@pytest.mark.parametrize("count, most", [(100, 8), (10_000, 21)])
def test_a_server_that_resumes_nothing_is_asked_ever_more_seldom(count: int, most: int):
    """What a question costs is lost for good; it must not grow with the connections of a day."""
    assert 1 <= after("n" * count) <= most
