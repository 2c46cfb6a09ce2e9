"""`relance restore`: a backup takes the place of the state, and whatever is wrong with it changes nothing."""

import json
import os
import resource
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import apsw
import pytest

from cli.shell import PROGRAM, Shell
from relance.storage.durable_files import share
from relance.storage.opening import engine_lock


def _leads(shell: Shell) -> list[str]:
    return [row["email"] for row in shell.ok("lead", "list", "--json").rows]


def _backup(shell: Shell, tmp_path: Path) -> Path:
    """Make a backup, and let one lead more come in after it."""
    shell.ok("backup", tmp_path / "monday.backup")
    shell.ok("lead", "add", "late@example.org")
    return tmp_path / "monday.backup"


def _files(shell: Shell) -> set[str]:
    return {file.name for file in shell.data.iterdir() if not file.name.startswith("engine.")}


def test_a_backup_takes_the_place_of_the_state_which_is_kept_aside(filled, tmp_path):
    """Nothing is destroyed: what was there is a database beside it."""
    backup = _backup(filled, tmp_path)
    facts = filled.ok("restore", backup, "--json").facts
    restored = _leads(filled)
    Path(facts["kept_aside"]).rename(filled.data / "relance.db")

    assert "late@example.org" not in restored
    assert "late@example.org" in _leads(filled)
    assert backup.exists()


def test_what_cannot_be_looked_into_is_said_and_put_aside_all_the_same(filled, tmp_path):
    """The database that is there is damaged: that may be why it is replaced."""
    backup = _backup(filled, tmp_path)
    whole = filled.ok("restore", backup, "--json").facts
    (filled.data / "relance.db").write_bytes(b"These are not the bytes of a database. " * 400)
    facts = filled.ok("restore", backup, "--json").facts

    assert (0, 0, None) == (whole["sent_since"], whole["held"], whole["not_looked_into"])
    assert (None, None) == (facts["sent_since"], facts["held"])
    assert "relance.db" in facts["not_looked_into"]
    assert 2 == len(_leads(filled))


#: Ends itself at the place of that number, and names each place that it passes.
_KILLED = """
import os, signal, sys
from relance.cli.main import main
from relance.ports import faultpoints
last, passed = int(sys.argv.pop(1)), []
def hook(place):
    if place.startswith(("restore ", "file generation")):
        passed.append(place)
        print(place, file=sys.stderr)
        if len(passed) == last:
            os.kill(os.getpid(), signal.SIGKILL)
faultpoints.hook = hook
main()
"""


def _restored(shell: Shell, backup: Path, *, killed_at: int = 0) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", _KILLED, str(killed_at), "--data", str(shell.data), "restore", str(backup)],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )


def test_wherever_a_restore_is_killed_one_of_the_two_states_is_there_whole(filled, tmp_path):
    """And no engine goes on with the older one as if it were the newest; the next restore tidies up."""
    backup = _backup(filled, tmp_path)
    before = _files(filled)
    places = _restored(filled, backup).stderr.splitlines()
    kept = [name for name in _files(filled) if "replaced-" in name]
    found = []
    for number in range(1, len(places) + 1):
        filled.run("lead", "add", "late@example.org")
        known = _generation(filled)
        assert -signal.SIGKILL == _restored(filled, backup, killed_at=number).returncode
        newest = "late@example.org" in _leads(filled)
        found.append(newest)
        assert newest or _generation(filled) > known
    tidied = _restored(filled, backup)
    names = _files(filled)

    assert 8 == len(places), places
    assert [True] * 7 + [False] == found
    assert (0, 1, 3) == (tidied.returncode, len(kept), len([name for name in names if "replaced-" in name]))
    assert before | {"generation.json"} == {name for name in names if "replaced-" not in name}


#: The disk fails at the last moment.
_FAILED = """
import errno, os
from relance.cli.main import main
from relance.ports import faultpoints
def hook(place):
    if place == "restore take the place: before":
        raise OSError(errno.EIO, os.strerror(errno.EIO))
faultpoints.hook = hook
main()
"""


def test_a_disk_that_fails_at_the_last_moment_leaves_everything_as_it_was(filled, tmp_path):
    """Nor does the next engine read back for nothing."""
    backup = _backup(filled, tmp_path)
    filled.ok("restore", backup)
    filled.run("lead", "add", "late@example.org")
    before = (_files(filled), _leads(filled), _generation(filled))
    said = subprocess.run(
        [sys.executable, "-c", _FAILED, "--data", str(filled.data), "restore", str(backup)],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )

    assert 3 == said.returncode, said.stderr
    assert before == (_files(filled), _leads(filled), _generation(filled))


#: Another command starts when the backup is about to take the place.
_BESIDE = """
import subprocess, sys
from relance.cli.main import main
from relance.ports import faultpoints
program, data, begun = sys.argv.pop(1), sys.argv[2], []
def hook(place):
    if place == "restore take the place: before":
        command = [sys.executable, "-c", program, "--data", data, "lead", "add", "beside@example.org"]
        begun.append(subprocess.Popen(command, stdout=subprocess.DEVNULL))
        try:
            begun[0].wait(timeout=3)
        except subprocess.TimeoutExpired:
            print("it waits", file=sys.stderr)
faultpoints.hook = hook
try:
    main()
finally:
    begun[0].wait(timeout=60)
"""


def test_a_command_that_starts_while_a_backup_takes_the_place_works_on_the_backup(filled, tmp_path):
    """It waits; else what it writes would lie in the file that is put aside, or beside the wrong database."""
    backup = _backup(filled, tmp_path)
    said = subprocess.run(
        [sys.executable, "-c", _BESIDE, PROGRAM, "--data", str(filled.data), "restore", str(backup)],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    leads = _leads(filled)

    assert (0, "it waits") == (said.returncode, said.stderr.strip())
    assert (True, False) == ("beside@example.org" in leads, "late@example.org" in leads)


def test_a_restore_beside_a_command_that_has_the_database_open_is_refused(filled, tmp_path):
    """It would go on writing into the file that was set aside."""
    backup = _backup(filled, tmp_path)
    before = _leads(filled)
    handle = share(filled.data)
    try:
        said = filled.run("restore", backup)
    finally:
        os.close(handle)

    assert 3 == said.code
    assert "in use by another command" in said.complaint
    assert before == _leads(filled)


def _generation(shell: Shell) -> int:
    return int(json.loads((shell.data / "generation.json").read_text(encoding="utf-8"))["number"])


def test_the_next_engine_knows_that_the_state_is_an_older_one(filled, tmp_path):
    """The number beside the database is ahead of the one in it, whatever the backup's is."""
    backup = _backup(filled, tmp_path)
    facts = filled.ok("restore", backup, "--json").facts
    kept = json.loads((filled.data / "generation.json").read_text(encoding="utf-8"))

    assert kept["number"] > facts["generation"]


def test_a_backup_is_restored_where_there_is_no_database(filled, tmp_path):
    """On a new machine: the key and the opt-out log are brought along, and nothing is set aside."""
    backup = _backup(filled, tmp_path)
    other = Shell(data=tmp_path / "other")
    missing = other.run("restore", backup)
    other.data.mkdir(mode=0o700)
    keyless = other.run("restore", backup)
    (other.data / "master.key").write_bytes((filled.data / "master.key").read_bytes())
    (other.data / "master.key").chmod(0o600)
    facts = other.ok("restore", backup, "--json").facts

    assert (3, 3) == (missing.code, keyless.code)
    assert "master.key" in missing.complaint
    assert "key" in keyless.complaint
    assert facts["kept_aside"] is None
    assert 2 == len(_leads(other))


def _missing(backup: Path, _: Path) -> Path:
    return backup.with_name("missing.backup")


def _not_a_database(backup: Path, _: Path) -> Path:
    backup.write_text("These are not the bytes of a database, however long one reads on." * 100, encoding="utf-8")
    return backup


def _empty(backup: Path, _: Path) -> Path:
    backup.write_bytes(b"")
    return backup


def _torn(backup: Path, _: Path) -> Path:
    whole = backup.read_bytes()
    backup.write_bytes(whole[: len(whole) // 2])
    return backup


def _of_another_program(backup: Path, _: Path) -> Path:
    path = backup.with_name("foreign.db")
    connection = apsw.Connection(str(path))
    connection.execute("CREATE TABLE songs (name TEXT)")
    connection.close()
    return path


def _of_another_installation(_: Path, folder: Path) -> Path:
    other = Shell(data=folder / "elsewhere")
    other.ok("init")
    other.ok("backup", folder / "foreign.backup")
    return folder / "foreign.backup"


def _newer(backup: Path, _: Path) -> Path:
    connection = apsw.Connection(str(backup))
    connection.execute("INSERT INTO schema_migrations (number, name, checksum, applied_at) VALUES (99, 'new', 'x', '')")
    connection.close()
    return backup


def _itself(_: Path, folder: Path) -> Path:
    return folder / "data" / "relance.db"


@pytest.mark.parametrize(
    "spoil, words",
    [
        (_missing, "name a file that `relance backup` made"),
        (_not_a_database, "not a database"),
        (_empty, "not a backup of Relance"),
        (_torn, "damaged"),
        (_of_another_program, "not a backup of Relance"),
        (_of_another_installation, "another installation"),
        (_newer, "newer"),
        (_itself, "the database itself"),
    ],
)
def test_what_is_wrong_with_a_backup_is_said_and_nothing_is_changed(
    filled: Shell, tmp_path: Path, spoil: Callable[[Path, Path], Path], words: str
):
    """One sentence, exit 3, and the same files with the same leads as before."""
    backup = _backup(filled, tmp_path)
    filled.ok("restore", filled_backup(filled, tmp_path))  # so that the directory knows whose it is
    wrong = spoil(backup, tmp_path)
    before = (_files(filled), _leads(filled))
    said = filled.run("restore", wrong)

    assert 3 == said.code
    assert words in said.complaint
    assert before == (_files(filled), _leads(filled))


def filled_backup(shell: Shell, tmp_path: Path) -> Path:
    """Make another backup, of the present state."""
    path = tmp_path / "present.backup"
    shell.ok("backup", path)
    return path


def test_a_restore_under_a_running_engine_is_refused(filled, tmp_path):
    """It would go on writing into the file that was set aside."""
    backup = _backup(filled, tmp_path)
    before = (_files(filled), _leads(filled))
    with engine_lock(filled.data / "engine.lock"):
        said = filled.run("restore", backup)

    assert 3 == said.code
    assert "stop it first" in said.complaint
    assert before == (_files(filled), _leads(filled))


def test_a_full_disk_changes_nothing(filled, tmp_path):
    """The copy is complete before anything is moved."""
    backup = _backup(filled, tmp_path)
    before = (_files(filled), _leads(filled))
    said = subprocess.run(
        [sys.executable, "-c", PROGRAM, "--data", str(filled.data), "restore", str(backup)],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (65_536, 65_536)),
    )

    assert 3 == said.returncode, said.stderr
    assert 1 == len(said.stderr.splitlines())
    assert before == (_files(filled), _leads(filled))


def test_postgres_is_restored_by_its_own_tools(bare, tmp_path, monkeypatch):
    """The sentence names them; nothing is asked of the server."""
    bare.ok("init")
    (tmp_path / "copy.dump").write_text("x", encoding="utf-8")
    monkeypatch.setenv("RELANCE_DATABASE_URL", "postgresql://relance@127.0.0.1:1/relance")
    said = bare.run("restore", tmp_path / "copy.dump")

    assert 3 == said.code
    assert "pg_restore" in said.complaint
