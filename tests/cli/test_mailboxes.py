"""`relance mailbox`: connecting, changing, checking, and what is said when a server says no."""

import asyncio
import io
import socket

import pytest

from cli.shell import Said, Shell
from relance.app import run_secret_command
from relance.ports.connector import LoginRefusedError
from relance.sandbox.domains import Account, Security
from relance.sandbox.world import World

SERVERS = ("--smtp", "127.0.0.1:2525:plain", "--imap", "127.0.0.1:1143:plain")


def add(shell: Shell, account: Account, *more: str) -> Said:
    """Connect an account of the world as a person would."""
    return shell.run(
        *("mailbox", "add", account.address, "--username", account.username),
        *("--smtp", str(account.smtp), "--imap", str(account.imap), "--ca-file", str(account.ca_file)),
        *("--password-env", "PASSWORD", "--json", *more),
    )


@pytest.fixture(autouse=True)
def password(monkeypatch) -> str:
    """Return a password that the variable PASSWORD holds."""
    monkeypatch.setenv("PASSWORD", "s3cret-of-anna")
    return "s3cret-of-anna"


def test_a_mailbox_is_added_listed_changed_paused_resumed_and_removed(shell, password):
    """The life of a mailbox, without ever showing its secret."""
    added = shell.ok("mailbox", "add", "Anna@Example.com", *SERVERS, "--password-env", "PASSWORD", "--json")
    changed = shell.ok("mailbox", "set", "anna@example.com", "--daily-cap", 7, "--name", "Anna Berg", "--json")
    paused = shell.ok("mailbox", "pause", "anna@example.com", "--json")
    resumed = shell.ok("mailbox", "resume", "anna@example.com", "--json")
    listed = shell.ok("mailbox", "list", "--json")
    removed = shell.ok("mailbox", "remove", "anna@example.com", "--json")

    assert "anna@example.com" == added.facts["address"]
    assert (7, "Anna Berg", 10) == tuple(changed.facts[name] for name in ("daily_cap", "display_name", "hourly_cap"))
    assert ["paused", "active", "removed"] == [said.facts["status"] for said in (paused, resumed, removed)]
    assert [("anna@example.com", 7)] == [(row["address"], row["daily_cap"]) for row in listed.rows]
    assert [] == shell.ok("mailbox", "list", "--json").rows
    assert not any(password in said.out for said in (added, changed, paused, resumed, listed, removed))
    assert password.encode() not in b"".join(path.read_bytes() for path in shell.data.glob("relance.db*"))


def test_a_removed_mailbox_can_be_connected_again(shell):
    """Its history is kept, and nothing stands in the way."""
    arguments = ("mailbox", "add", "anna@example.com", *SERVERS, "--password-env", "PASSWORD")
    shell.ok(*arguments)
    shell.ok("mailbox", "remove", "anna@example.com")

    assert 0 == shell.run(*arguments).code


@pytest.mark.parametrize("login", ["anna@example.com", "another-login"])
def test_connecting_the_same_mailbox_twice_is_refused(shell, login):
    """By its login, and by its address."""
    shell.ok("mailbox", "add", "anna@example.com", *SERVERS, "--password-env", "PASSWORD")
    said = shell.run("mailbox", "add", "anna@example.com", "--username", login, *SERVERS, "--password-env", "PASSWORD")

    assert 1 == said.code
    assert "relance mailbox set" in said.complaint


def test_pacing_comes_from_the_preset_and_from_what_is_said(shell):
    """A single end of the gap moves the other: it is drawn between once and twice."""
    facts = shell.ok(
        *("mailbox", "add", "anna@example.com", *SERVERS, "--password-env", "PASSWORD", "--json"),
        *("--preset", "cautious", "--hourly-cap", 3, "--no-ramp"),
    ).facts
    changed = shell.ok("mailbox", "set", "anna@example.com", "--min-gap", 2, "--json").facts

    assert (30, 3, 480, 900, False) == tuple(
        facts[name] for name in ("daily_cap", "hourly_cap", "min_gap", "max_gap", "ramp")
    )
    assert (2, 4, 30) == (changed["min_gap"], changed["max_gap"], changed["daily_cap"])


@pytest.mark.parametrize(
    "options,words",
    [
        (["--smtp", "mail.example.com:587:plain", "--imap", "127.0.0.1:1143:plain"], "plain only on this machine"),
        (["--smtp", "mail.example.com", "--imap", "127.0.0.1:1143:plain"], "lacks its port"),
        (["--smtp", "mail.example.com:smtp", "--imap", "127.0.0.1:1143:plain"], "needs a port"),
        ([*SERVERS, "--ca-file", "missing.pem"], "missing.pem is not a readable file"),
        ([*SERVERS, "--min-gap", "9", "--max-gap", "3"], "--max-gap 3 is shorter than --min-gap 9"),
        ([*SERVERS, "--daily-cap", "0"], "--daily-cap"),
        ([*SERVERS, "--preset", "reckless"], "'reckless' is not one of"),
        ([*SERVERS, "--password-command", "true"], "exclude each other"),
        ([*SERVERS, "--pool", " "], "--pool is empty"),
        ([*SERVERS[:2]], "--imap"),
    ],
)
def test_wrong_options_are_refused_and_nothing_is_connected(shell, options, words):
    """Exit 2, one sentence."""
    said = shell.run("mailbox", "add", "anna@example.com", "--password-env", "PASSWORD", *options)

    assert 2 == said.code
    assert words in said.complaint
    assert [] == shell.ok("mailbox", "list", "--json").rows


@pytest.mark.parametrize(
    "options,code,words",
    [
        (["--password-env", "NO_SUCH_VARIABLE"], 2, "NO_SUCH_VARIABLE holds no password"),
        (["--password-file", "no-such-file"], 3, "no-such-file cannot be read"),
        (["--timezone", "Berlin"], 2, "'Berlin' is not a time zone"),
        (["--alias", "nobody"], 2, "'nobody' is not an e-mail address"),
    ],
)
def test_a_secret_or_name_that_cannot_be_used_is_named(shell, monkeypatch, options, code, words):
    """The sentence names the place."""
    monkeypatch.setattr("sys.stdin", io.StringIO())
    said = shell.run("mailbox", "add", "anna@example.com", *SERVERS, *options)

    assert code == said.code
    assert words in said.complaint


def test_the_password_is_taken_from_a_pipe_where_nobody_can_be_asked(shell):
    """`pass show anna | relance mailbox add …`."""
    said = shell.process("mailbox", "add", "anna@example.com", *SERVERS, stdin=b"from-a-pipe\n")

    assert 0 == said.code


@pytest.mark.parametrize("command", ["check", "pause", "resume", "remove", "set"])
def test_a_mailbox_that_is_not_connected_is_named(shell, command):
    """Exit 1 and where to look."""
    options = ["--daily-cap", "7"] if command == "set" else []
    said = shell.run("mailbox", command, "nobody@example.com", *options)

    assert 1 == said.code
    assert "relance mailbox list" in said.complaint


@pytest.mark.parametrize("server", ["smtp", "imap"])
async def test_check_names_a_server_that_cannot_be_reached_with_what_to_do(shell, world: World, monkeypatch, server):
    """Host and port, and no error number; exit 3, alike for both servers."""
    account = next(one for one in world.accounts if one.smtp.security is Security.PLAIN)
    monkeypatch.setenv("PASSWORD", account.password)
    await asyncio.to_thread(add, shell, account)
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # taken and not listening: nobody answers here
        port = taken.getsockname()[1]
        await asyncio.to_thread(shell.ok, "mailbox", "set", account.address, f"--{server}", f"127.0.0.1:{port}:plain")
        said = await asyncio.to_thread(shell.run, "mailbox", "check", account.address)

    assert 3 == said.code
    assert said.complaint == (
        f"relance: {account.address} does not work yet ({server} connect): 127.0.0.1:{port} cannot be reached: "
        "Connection refused: check host and port, and whether a firewall stands between"
    )


@pytest.mark.parametrize("server", ["smtp", "imap"])
def test_check_names_a_server_without_an_address_with_what_to_do(shell, server):
    """Without the system's error number."""
    servers = {"smtp": "127.0.0.1:1:plain", "imap": "127.0.0.1:1:plain"} | {server: "nowhere.invalid:993"}
    words = [word for name, value in servers.items() for word in (f"--{name}", value)]
    shell.ok("mailbox", "add", "anna@example.com", *words, "--password-env", "PASSWORD")
    steps = shell.run("mailbox", "check", "anna@example.com", "--json").facts["steps"]
    (found,) = [step["detail"] for step in steps if step["name"] == f"{server} resolve"]

    assert found.startswith("the name nowhere.invalid cannot be resolved: ")
    assert found.endswith(": check the host name")
    assert "Errno" not in found


async def test_check_logs_in_writes_to_itself_and_keeps_what_it_learned(shell, world: World, monkeypatch):
    """TLS, STARTTLS and plain, each with the certificate of the world's own authority."""
    for account in world.accounts:
        monkeypatch.setenv("PASSWORD", account.password)
        await asyncio.to_thread(add, shell, account)
        said = await asyncio.to_thread(shell.run, "mailbox", "check", account.address, "--json")

        assert (0, "") == (said.code, said.err)
        assert said.facts["ok"] is True
    rows = (await asyncio.to_thread(shell.ok, "mailbox", "list", "--json")).rows

    assert all(row["saves_sent"] is not None and row["ids_survive"] is True for row in rows)


async def test_a_refused_login_needs_a_person(shell, world: World, monkeypatch):
    """Exit 1, and the sentence says where the credentials are wrong."""
    account = world.accounts[0]
    monkeypatch.setenv("PASSWORD", "wrong")
    await asyncio.to_thread(add, shell, account)
    said = await asyncio.to_thread(shell.run, "mailbox", "check", account.address)

    assert 1 == said.code
    assert "login" in said.complaint
    assert "password" in said.complaint


async def test_a_certificate_of_an_unknown_authority_is_not_trusted(shell, world: World, monkeypatch):
    """There is no switch to look away; the sentence leads to --ca-file."""
    account = next(one for one in world.accounts if one.smtp.security == "tls")
    monkeypatch.setenv("PASSWORD", account.password)
    await asyncio.to_thread(
        shell.ok,
        *("mailbox", "add", account.address, "--smtp", str(account.smtp), "--imap", str(account.imap)),
        *("--password-env", "PASSWORD"),
    )
    said = await asyncio.to_thread(shell.run, "mailbox", "check", account.address)

    assert 3 == said.code
    assert "ca-file" in said.complaint.replace("_", "-")


def test_a_server_that_does_not_answer_is_named(shell):
    """Exit 3, with host and port."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # taken and not listening: nobody answers here
        port = taken.getsockname()[1]
        servers = ("--smtp", f"127.0.0.1:{port}:plain", "--imap", f"127.0.0.1:{port}:plain")
        shell.ok("mailbox", "add", "anna@example.com", *servers, "--password-env", "PASSWORD")
        said = shell.run("mailbox", "check", "anna@example.com")

    assert 3 == said.code
    assert str(port) in said.complaint


@pytest.mark.parametrize(
    "command,words",
    [
        ("echo wrong >&2; exit 7", "failed with exit code 7: wrong"),
        ("true", "printed nothing"),
    ],
)
async def test_a_password_command_that_fails_is_named_with_what_it_said(shell, world: World, command, words):
    """It is run at each login, so its failure shows there, and a person is needed."""
    account = world.accounts[0]
    await asyncio.to_thread(connect_by, shell, account, command)
    said = await asyncio.to_thread(shell.run, "mailbox", "check", account.address)

    assert 1 == said.code
    assert words in said.complaint


async def test_a_password_command_is_run_at_each_login(shell, world: World, tmp_path):
    """A password that changed where it is kept needs no word to Relance."""
    account = world.accounts[0]
    (tmp_path / "kept").write_text("an old one\n", encoding="utf-8")
    await asyncio.to_thread(connect_by, shell, account, f"cat '{tmp_path}/kept'")
    refused = await asyncio.to_thread(shell.run, "mailbox", "check", account.address)
    (tmp_path / "kept").write_text(f"{account.password}\n", encoding="utf-8")
    accepted = await asyncio.to_thread(shell.run, "mailbox", "check", account.address)

    assert [1, 0] == [refused.code, accepted.code]


async def test_a_password_command_that_hangs_is_ended():
    """With all that it started; the login counts as refused for now."""
    with pytest.raises(LoginRefusedError, match="gave no answer in") as refused:
        await run_secret_command("sleep 60 & sleep 60", what="The command", limit=0.2)

    assert refused.value.temporary


def connect_by(shell: Shell, account: Account, command: str) -> Said:
    """Connect an account whose password a command prints."""
    return shell.ok(
        *("mailbox", "add", account.address, "--username", account.username),
        *("--smtp", str(account.smtp), "--imap", str(account.imap), "--ca-file", str(account.ca_file)),
        *("--password-command", command),
    )


def test_a_signature_is_read_from_a_file_and_removed_again(shell, tmp_path):
    """HTML has its plain form beside it; every other change leaves it as it is."""
    html, text = tmp_path / "bo.html", tmp_path / "bo.txt"
    html.write_text("<p>Bo <b>Berg</b></p>", encoding="utf-8")
    text.write_text("-- \nBo Berg\n", encoding="utf-8")
    arguments = ("mailbox", "add", "bo@example.com", *SERVERS, "--password-env", "PASSWORD", "--json")
    added = shell.ok(*arguments, "--signature-file", html).facts
    kept = shell.ok("mailbox", "set", "bo@example.com", "--daily-cap", 7, "--json").facts
    changed = shell.ok("mailbox", "set", "bo@example.com", "--signature-file", text, "--json").facts
    removed = shell.ok("mailbox", "set", "bo@example.com", "--signature-file", "none", "--json").facts

    assert ("Bo Berg", "<p>Bo <b>Berg</b></p>") == (added["signature_text"], added["signature_html"])
    assert "Bo Berg" == kept["signature_text"]
    assert ("-- \nBo Berg", None) == (changed["signature_text"], changed["signature_html"])
    assert (None, None) == (removed["signature_text"], removed["signature_html"])


@pytest.mark.parametrize(
    "name, content, code, words",
    [
        ("bo.docx", "Bo", 2, "give a file ending in .txt or .html, or none"),
        ("bo.txt", "Bo {{ sender_email }}", 2, "it holds {{ or {%"),
        ("bo.html", None, 3, "bo.html cannot be read: No such file"),
    ],
)
def test_a_file_that_holds_no_signature_is_named(shell, tmp_path, name, content, code, words):
    """With what to write instead."""
    if content is not None:
        (tmp_path / name).write_text(content, encoding="utf-8")
    said = shell.run(
        *("mailbox", "add", "bo@example.com", *SERVERS, "--password-env", "PASSWORD"),
        *("--signature-file", tmp_path / name),
    )

    assert code == said.code
    assert words in said.complaint


MAILBOXES = """\
Email,SMTP,IMAP,Name,Daily cap,Password
anna@example.com,127.0.0.1:2525:plain,127.0.0.1:1143:plain,Anna Berg,60,s3cret-of-anna
bo@gmail.com,,,Bo,,s3cret-of-bo
carl@example.com,,,Carl,,s3cret-of-carl
dora@example.com,127.0.0.1:2525:plain,127.0.0.1:1143:plain,Dora,many,s3cret-of-dora
anna@example.com,127.0.0.1:2525:plain,127.0.0.1:1143:plain,Anna,,s3cret-again
"""


def test_mailboxes_of_a_file_are_connected_row_by_row(shell, tmp_path):
    """A bad row takes no other along; servers of known providers need not be named; no secret is ever said."""
    file = tmp_path / "mailboxes.csv"
    file.write_text(MAILBOXES, encoding="utf-8")
    tried = shell.run("mailbox", "import", file, "--dry-run", "--json")
    none = shell.ok("mailbox", "list", "--json").rows
    done = shell.run("mailbox", "import", file, "--json")
    again = shell.run("mailbox", "import", file)
    boxes = {row["address"]: row for row in shell.ok("mailbox", "list", "--json").rows}

    assert (1, [], 5) == (tried.code, none, tried.facts["rows"])
    assert (1, ["anna@example.com", "bo@gmail.com"]) == (done.code, done.facts["connected"])
    assert [4, 5, 6] == [error["line"] for error in done.facts["errors"]]
    assert ["names no smtp server", "'many' is no number", "already connected"] == [
        found
        for found, error in zip(
            ("names no smtp server", "'many' is no number", "already connected"), done.facts["errors"], strict=True
        )
        if found in error["reason"]
    ]
    assert ("Anna Berg", 60) == (boxes["anna@example.com"]["display_name"], boxes["anna@example.com"]["daily_cap"])
    assert "smtp.gmail.com:465:tls" == boxes["bo@gmail.com"]["smtp"]
    assert "correct and import again" in again.complaint
    assert not any("s3cret" in said.out + said.err for said in (tried, done, again))


def test_a_column_that_means_nothing_refuses_the_whole_file_of_mailboxes(shell, tmp_path):
    """A cap that is misspelt must not be left out without a word."""
    file = tmp_path / "mailboxes.csv"
    file.write_text(MAILBOXES.replace("Daily cap", "Dayly cap"), encoding="utf-8")
    said = shell.run("mailbox", "import", file)

    assert 1 == said.code
    assert "the column 'Dayly cap' means nothing here; there are address, smtp" in said.complaint
    assert [] == shell.ok("mailbox", "list", "--json").rows
