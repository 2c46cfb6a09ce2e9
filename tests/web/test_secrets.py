"""What must never be said: passwords, tokens and keys, in logs, in answers, where something breaks."""

from relance.ports.store import StoreUnavailableError
from relance.web.server import application
from relance.web.surroundings import Surroundings
from web.house import House, around_of

PASSWORD = "the secret of somebody"


class Kept:
    """A log that is read afterwards."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def info(self, event: str, /, **facts: object) -> None:
        """Keep a line."""
        self.lines.append(f"{event} {facts}")

    warning = error = info


class BrokenStore:
    """A database that is gone; what it says names where it was."""

    async def write(self, *_: object, **__: object) -> None:
        """Fail."""
        raise StoreUnavailableError("The database cannot be reached")

    read = write

    async def close(self) -> None:
        """Do nothing."""


class SurprisedStore(BrokenStore):
    """A database under which a mistake of ours comes to light."""

    async def write(self, *_: object, **__: object) -> None:
        """Fail as nobody expected."""
        raise KeyError(PASSWORD)

    read = write


def broken(house: House, log: Kept, store: BrokenStore) -> House:
    """Return the house over a database that fails."""
    whole = around_of(house)
    around = Surroundings(**{**{name: getattr(whole, name) for name in whole.__slots__}, "store": store, "log": log})
    return house.with_app(application(around))


async def test_a_login_that_is_refused_leaves_no_password_behind(house: House):
    """Somebody may have typed the password of another account."""
    log = Kept()
    whole = around_of(house)
    around = Surroundings(**{**{name: getattr(whole, name) for name in whole.__slots__}, "log": log})
    async with house.with_app(application(around)).stranger() as browser:
        answer = await browser.post("/login", data={"email": "ann@acme.example", "password": PASSWORD})

    assert 422 == answer.status_code
    assert log.lines
    assert PASSWORD not in answer.text + "".join(log.lines)


async def test_a_database_that_is_gone_is_said_without_paths(house: House):
    """The token of a link stands in its path."""
    log = Kept()
    async with broken(house, log, BrokenStore()).stranger() as browser:
        answer = await browser.get("/welcome/secret-token")
        health = await browser.get("/health")
        metrics = await browser.get("/metrics", headers={"Authorization": "Bearer rel_secret"})

    assert (503, 503, 503) == (answer.status_code, health.status_code, metrics.status_code)
    assert log.lines
    assert "secret" not in answer.text + health.text + metrics.text + "".join(log.lines)


async def test_what_nobody_expected_is_said_in_one_sentence(house: House):
    """A page never shows what went wrong inside; the log does."""
    log = Kept()
    async with broken(house, log, SurprisedStore()).browser("owner") as browser:
        answer = await browser.get(house.path("settings"))

    assert 500 == answer.status_code
    assert "the log says what" in answer.text
    assert PASSWORD not in answer.text
    assert "page.broke" in log.lines[0]


async def test_a_form_that_is_too_large_is_refused(house: House):
    """Before it is kept anywhere."""
    async with house.browser("owner") as browser:
        answer = await browser.post(house.path("settings"), data={"timezone": "x" * 2_000_000})

    assert 413 == answer.status_code
