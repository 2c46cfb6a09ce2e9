"""The acceptance tests' world: Debian's own mail servers, started for the session, and the product beside them."""

from pathlib import Path

import pytest

from acceptance.product import Product
from acceptance.realservers.fixtures import real_imap_with, real_mail, real_mail_with

__all__ = ["real_imap_with", "real_mail", "real_mail_with"]

STORES = ("sqlite", pytest.param("postgres", marks=pytest.mark.postgres))


@pytest.fixture(params=STORES)
def store_url(request: pytest.FixtureRequest) -> str | None:
    """Return the URL of an empty PostgreSQL database, or None for SQLite; a test that asks for it runs on both."""
    return str(request.getfixturevalue("postgres_url")) if request.param == "postgres" else None


@pytest.fixture
def product(tmp_path: Path, store_url: str | None) -> Product:
    """Return an installation that `relance init` has made."""
    made = Product(tmp_path, database_url=store_url)
    made.ask("init")
    return made


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what needs the servers, so that `-m "not dovecot"` leaves it out."""
    for item in items:
        needs = getattr(item, "fixturenames", ())
        if "real_mail_with" in needs:
            item.add_marker(pytest.mark.dovecot)
            item.add_marker(pytest.mark.postfix)
        elif "real_imap_with" in needs:
            item.add_marker(pytest.mark.dovecot)
