"""`relance init` and what every command says when the installation is not as it should be."""

import resource
import shutil
import stat
import subprocess
import sys
from datetime import UTC, datetime

import apsw
import pytest

from cli.shell import PROGRAM, Shell
from relance.storage.opening import engine_lock


def test_init_makes_what_is_missing_and_may_be_repeated(bare):
    """The second time changes nothing."""
    first = bare.ok("init", "--json").facts
    key = (bare.data / "master.key").read_bytes()
    second = bare.ok("init", "--json").facts

    assert first == second
    assert key == (bare.data / "master.key").read_bytes()
    assert 0 == stat.S_IMODE((bare.data / "master.key").stat().st_mode) & 0o077
    assert ["default"] == [row["name"] for row in bare.ok("workspace", "list", "--json").rows]


def test_init_takes_the_workspaces_zone_now_or_later(bare):
    """Windows, caps and quiet hours that name no zone use it."""
    bare.ok("init")
    zone = bare.ok("init", "--timezone", "Europe/Berlin", "--json").facts["timezone"]

    assert "Europe/Berlin" == zone
    assert "Europe/Berlin" == bare.ok("init", "--json").facts["timezone"]


def test_init_refuses_a_zone_that_is_none_before_making_anything(bare):
    """One clear sentence, nothing changed."""
    said = bare.run("init", "--timezone", "Berlin")

    assert (2, False) == (said.code, bare.data.exists())
    assert "'Berlin' is not a time zone" in said.complaint


def test_without_init_every_command_says_so(bare):
    """A typing error in --data does not make a second installation."""
    said = bare.run("lead", "list")

    assert (3, False) == (said.code, bare.data.exists())
    assert "relance init" in said.complaint


def test_a_database_without_its_key_is_not_given_a_new_one(shell):
    """With another key nothing that is sealed would ever open again."""
    (shell.data / "master.key").unlink()

    for command in (["init"], ["lead", "list"]):
        said = shell.run(*command)
        assert (3, False) == (said.code, (shell.data / "master.key").exists())
        assert "key file" in said.complaint


def test_a_key_that_others_can_read_is_refused(shell):
    """The sentence holds the remedy."""
    (shell.data / "master.key").chmod(0o644)
    said = shell.run("lead", "list")

    assert 3 == said.code
    assert "chmod 600" in said.complaint


def test_a_wrong_setting_is_wrong_use(shell, monkeypatch):
    """Exit 2 with name and place."""
    monkeypatch.setenv("RELANCE_LOG_LEVEL", "loud")
    said = shell.run("lead", "list")

    assert 2 == said.code
    assert "RELANCE_LOG_LEVEL" in said.complaint


def test_an_unknown_workspace_is_named_with_those_there_are_and_where_it_came_from(shell, monkeypatch):
    """Wrong use: exit 2; whoever forgot a variable or a line in a file would look for it on the command line."""
    flag = shell.run("--workspace", "sales", "lead", "list")
    monkeypatch.setenv("RELANCE_WORKSPACE", "sales")
    variable = shell.run("lead", "list")
    stronger = shell.run("lead", "list", "--workspace", "selas")
    monkeypatch.delenv("RELANCE_WORKSPACE")
    (shell.data / "relance.toml").write_text('workspace = "sales"\n', encoding="utf-8")
    file = shell.run("lead", "list")

    assert [
        "relance: --workspace: there is no workspace 'sales'; known are: default",
        "relance: RELANCE_WORKSPACE: there is no workspace 'sales'; known are: default",
        "relance: --workspace: there is no workspace 'selas'; known are: default",
        f"relance: {shell.data / 'relance.toml'}: there is no workspace 'sales'; known are: default",
    ] == [said.complaint for said in (flag, variable, stronger, file)]
    assert {2} == {said.code for said in (flag, variable, stronger, file)}


def test_a_database_of_a_newer_schema_is_left_alone(shell):
    """Rule 2 of the migrations, seen from outside."""
    path = shell.data / "relance.db"
    writer = apsw.Connection(str(path))
    columns = [row[1] for row in writer.execute("PRAGMA table_info(schema_migrations)")]
    known = {"number": 9999, "name": "of_the_future", "checksum": "0" * 32}
    values = [known.get(name, datetime.now(UTC).isoformat()) for name in columns]  # noqa: TID251 - any time will do
    writer.execute(f"INSERT INTO schema_migrations VALUES ({', '.join('?' for _ in columns)})", values)
    writer.close()
    said = shell.run("lead", "list")

    assert 3 == said.code
    assert "9999" in said.complaint
    assert "install the version that wrote it" in said.complaint


def test_a_file_that_is_no_database_is_named(shell):
    """Damage is told apart from a missing installation."""
    (shell.data / "relance.db").write_bytes(b"not a database at all" * 100)
    said = shell.run("lead", "list")

    assert 3 == said.code
    assert "restore a backup" in said.complaint


def test_a_place_that_cannot_be_written_is_named(bare):
    """Nothing can be made below something that is no directory."""
    (bare.data).write_text("", encoding="utf-8")
    said = type(bare)(data=bare.data / "below").run("init")

    assert 3 == said.code
    assert "cannot be made" in said.complaint


def test_a_disk_that_takes_no_more_loses_nothing(filled, tmp_path):
    """What was stored stays, the sentence names the disk, and the import can be repeated."""
    rows = "".join(f"lead{n}@example.org,{'x' * 500}\n" for n in range(3000))
    (tmp_path / "many.csv").write_text(f"email,notes\n{rows}", encoding="utf-8")
    limit = (filled.data / "relance.db").stat().st_size + 64 * 1024

    def small_disk() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

    said = filled.process("lead", "import", tmp_path / "many.csv", preexec_fn=small_disk)

    assert 3 == said.code
    assert "disk" in said.complaint
    assert 0 == filled.run("lead", "import", tmp_path / "many.csv").code
    assert 3002 == len(filled.ok("lead", "list", "--json").rows)


def test_a_second_engine_on_the_same_data_is_refused(filled):
    """Commands work beside an engine; a second engine does not."""
    with engine_lock(filled.data / "engine.lock"):
        said = filled.run("run", "--until-idle")
        listed = filled.run("lead", "list")

    assert (3, 0) == (said.code, listed.code)
    assert "already works on" in said.complaint


def test_a_second_engine_on_a_link_to_the_same_database_is_refused(filled, tmp_path):
    """A data directory of its own, whose database is another's."""
    other = Shell(data=tmp_path / "linked")
    other.data.mkdir(mode=0o700)
    shutil.copy2(filled.data / "master.key", other.data)
    (other.data / "relance.db").symlink_to(filled.data / "relance.db")
    with engine_lock(filled.data / "engine.lock"):
        said = other.run("run", "--until-idle")

    assert 3 == said.code
    assert f"already works on {filled.data}" in said.complaint


@pytest.mark.parametrize(
    "arguments,words",
    [
        (["nonsense"], "No such command"),
        ([], "relance --help"),
        (["lead", "list", "--colour"], "No such option"),
        (["lead", "show"], "Missing argument 'EMAIL'"),
        (["enroll", "autumn"], "say whom"),
        (["attempt", "settle", "7", "perhaps"], "'perhaps' is not one of"),
        (["attempt", "settle", "x", "sent"], "'x' is not a valid integer"),
        (["mailbox", "add", "a@example.com"], "--smtp"),
        (["suppress", "add", "a@example.com", "--scope", "planet"], "'planet' is not one of"),
        (["lead", "import", "x.csv", "--map", "email"], "is not COLUMN=FIELD"),
    ],
)
def test_wrong_use_is_one_sentence_with_the_way_to_help(shell, arguments, words):
    """Exit 2; whoever reads the sentence knows what to type next."""
    said = shell.run(*arguments)

    assert 2 == said.code
    assert words in said.err
    assert "Traceback" not in said.err


def test_the_global_options_may_stand_anywhere(shell):
    """Before the noun, between the words, at the end."""
    data = str(shell.data)
    elsewhere = type(shell)(data=shell.data / "nowhere")

    assert 0 == elsewhere.run("lead", "list", "--data", data).code
    assert 0 == elsewhere.run("lead", "--data", data, "list", "--workspace", "default").code


def test_a_fault_of_ours_is_a_sentence_and_no_traceback(shell, monkeypatch):
    """The last net: exit 3 and a request to report it."""
    monkeypatch.setattr("relance.cli.leads._all_leads", lambda *_: 1 / 0)
    said = shell.run("lead", "list")

    assert 3 == said.code
    assert "please report it" in said.complaint


def test_the_installed_command_says_its_version(bare):
    """The entry point works in a process of its own."""
    said = bare.process("--version")

    assert 0 == said.code
    assert said.out.startswith("relance, version ")


def test_a_reader_that_leaves_early_is_no_error(filled, tmp_path):
    """`relance lead list | head -1` ends quietly."""
    rows = "".join(f"lead{n}@example.org\n" for n in range(3000))
    (tmp_path / "many.csv").write_text(f"email\n{rows}", encoding="utf-8")
    filled.ok("lead", "import", tmp_path / "many.csv")
    listing = subprocess.Popen(
        [sys.executable, "-c", PROGRAM, "--data", str(filled.data), "lead", "list", "--json"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    with listing:
        assert listing.stdout is not None
        assert listing.stderr is not None
        listing.stdout.readline()
        listing.stdout.close()
        complaint = listing.stderr.read()

    assert b"" == complaint


def test_another_installations_key_is_refused(shell, tmp_path, monkeypatch):
    """Under it, marks of erased people would not be recognised."""
    other = type(shell)(data=tmp_path / "other")
    other.ok("init")
    monkeypatch.setenv("RELANCE_MASTER_KEY_FILE", str(other.data / "master.key"))

    for command in (["lead", "list"], ["init"]):
        said = shell.run(*command)
        assert 3 == said.code
        assert "RELANCE_MASTER_KEY_FILE" in said.complaint


def test_a_demo_refuses_a_data_directory(bare):
    """It makes one of its own: an option that did nothing would look as if it had."""
    refused = bare.run("demo", "--leads", "1")

    assert 2 == refused.code
    assert "--keep" in refused.err
    assert not bare.data.exists()


def test_a_second_workspace_knows_nothing_of_the_first(filled):
    """Nothing crosses the border; and a name is given once."""
    made = filled.ok("workspace", "add", "beta", "--timezone", "Europe/Berlin", "--json").facts
    taken = filled.run("workspace", "add", "beta")
    wrong = filled.run("workspace", "add", "../beta")

    assert ("beta", "Europe/Berlin") == (made["name"], made["timezone"])
    assert ["beta", "default"] == [row["name"] for row in filled.ok("workspace", "list", "--json").rows]
    assert [] == filled.ok("lead", "list", "--workspace", "beta", "--json").rows
    assert (1, "relance: there is a workspace 'beta' already; choose another name") == (taken.code, taken.complaint)
    assert 2 == wrong.code


def test_the_log_of_a_workspace_tells_who_let_programs_in(filled):
    """What the command line does to people and keys stands in it too."""
    nothing = filled.ok("workspace", "log")
    filled.ok("key", "add", "crm")
    rows = filled.ok("workspace", "log", "--json").rows

    assert "Nobody has changed anything" in nothing.out
    assert ["key.added"] == [row["action"] for row in rows]
