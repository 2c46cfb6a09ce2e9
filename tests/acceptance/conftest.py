"""The acceptance tests' world: Debian's own mail servers, started for the session."""

import pytest

from acceptance.realservers.fixtures import real_imap_with, real_mail, real_mail_with

__all__ = ["real_imap_with", "real_mail", "real_mail_with"]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what needs the servers, so that `-m "not dovecot"` leaves it out."""
    for item in items:
        needs = getattr(item, "fixturenames", ())
        if "real_mail_with" in needs:
            item.add_marker(pytest.mark.dovecot)
            item.add_marker(pytest.mark.postfix)
        elif "real_imap_with" in needs:
            item.add_marker(pytest.mark.dovecot)
