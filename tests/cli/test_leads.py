"""`relance lead`: importing, adding, looking up, noting, exporting, erasing."""

import csv
import io

import pytest


def counts(facts) -> tuple[int, ...]:
    """Return rows, imported, merged, invalid, skipped."""
    return tuple(facts[name] for name in ("rows", "imported", "merged", "invalid", "skipped"))


@pytest.fixture
def mixed(tmp_path):
    """Return a file with good rows, one that is known twice, bad rows and an empty one."""
    path = tmp_path / "mixed.csv"
    path.write_text(
        "E-Mail;Vorname;Firma\n"
        "anna@example.org;Anna;Acme\n"
        "nobody;Bob;\n"
        "ANNA@example.org ;Anna B;\n"
        ";;\n"
        "carol@example.org;Carol;Globex;surplus\n"
        "dave@example.org;Dave;\n",
        encoding="utf-8",
    )
    return path


def test_every_row_of_an_import_is_counted_and_bad_ones_are_kept(shell, mixed):
    """Rows = imported + merged + invalid + skipped; exit 1 because a person is needed."""
    said = shell.run("lead", "import", mixed, "--list", "autumn", "--json")
    errors = list(csv.reader(io.StringIO((mixed.parent / "mixed.csv.errors.csv").read_text(encoding="utf-8"))))

    assert 1 == said.code
    assert (6, 2, 1, 2, 1) == counts(said.facts)
    assert "2 rows are invalid" in said.complaint
    assert ["line", "reason", "E-Mail", "Vorname", "Firma"] == errors[0]
    assert [["3", "nobody"], ["6", "carol@example.org"]] == [[row[0], row[2]] for row in errors[1:]]


def test_the_errors_file_can_be_corrected_and_imported(shell, mixed):
    """Its own columns become nothing that hurts, and a clean import takes the file away."""
    shell.run("lead", "import", mixed)
    errors = mixed.parent / "mixed.csv.errors.csv"
    corrected = mixed.parent / "corrected.csv"
    written = errors.read_text(encoding="utf-8").replace("nobody", "bob@example.org").replace(",surplus", "")
    corrected.write_text(written, encoding="utf-8")
    shell.ok("lead", "import", corrected)
    bob = shell.ok("lead", "show", "bob@example.org", "--json").facts
    mixed.write_text("E-Mail\nanna@example.org\n", encoding="utf-8")
    shell.ok("lead", "import", mixed)

    assert {"first_name": "Bob"} == bob["fields"]
    assert 4 == len(shell.ok("lead", "list", "--json").rows)
    assert not errors.exists()


def test_importing_again_merges_and_doubles_nobody(shell, mixed):
    """New data is written, the old stays."""
    shell.run("lead", "import", mixed)
    again = shell.run("lead", "import", mixed, "--json").facts
    anna = shell.ok("lead", "show", "Anna@Example.ORG", "--json").facts

    assert (6, 0, 3, 2, 1) == counts(again)
    assert {"first_name": "Anna B", "company": "Acme"} == anna["fields"]
    assert 4 == len(anna["touches"])


def test_a_dry_run_says_the_same_and_writes_nothing(shell, mixed):
    """Neither leads nor a file."""
    dry = shell.run("lead", "import", mixed, "--dry-run", "--json")

    assert (1, (6, 2, 1, 2, 1)) == (dry.code, counts(dry.facts))
    assert [] == shell.ok("lead", "list", "--json").rows
    assert [mixed] == list(mixed.parent.glob("*.csv*"))


def test_an_import_can_enroll_and_refuses_before_it_writes(filled, tmp_path):
    """A sequence that is not live is noticed before the first row."""
    (tmp_path / "more.csv").write_text("email,first name\ncarol@example.org,C\nerin@example.org,E\n", encoding="utf-8")
    refused = filled.run("lead", "import", tmp_path / "more.csv", "--sequence", "spring")
    before = len(filled.ok("lead", "list", "--json").rows)
    filled.ok("enroll", "autumn", "--lead", "carol@example.org")
    facts = filled.ok("lead", "import", tmp_path / "more.csv", "--sequence", "autumn", "--json").facts

    assert (1, 2) == (refused.code, before)
    assert "'spring'" in refused.complaint
    assert (1, 1, 1, 1) == tuple(facts[name] for name in ("imported", "merged", "enrolled", "already_enrolled"))


def test_a_suppressed_lead_stays_suppressed(filled, tmp_path):
    """However often it comes in."""
    filled.ok("suppress", "add", "carol@example.org")
    filled.ok("lead", "import", tmp_path / "leads.csv")

    assert (
        "carol@example.org"
        == filled.ok("lead", "show", "carol@example.org", "--json").facts["suppressions"][0]["value"]
    )


def test_our_own_mailbox_is_never_a_lead(shell, tmp_path, monkeypatch):
    """It is counted as skipped."""
    monkeypatch.setenv("PASSWORD", "x")
    servers = ("--smtp", "127.0.0.1:25:plain", "--imap", "127.0.0.1:143:plain", "--password-env", "PASSWORD")
    shell.ok("mailbox", "add", "anna@example.com", "--alias", "a.berg@example.com", *servers)
    (tmp_path / "own.csv").write_text("email\nanna@example.com\nA.Berg@example.com\nb@example.org\n", encoding="utf-8")

    assert (3, 1, 0, 0, 2) == counts(shell.ok("lead", "import", tmp_path / "own.csv", "--json").facts)


def test_colleagues_who_share_a_phone_are_two_people(shell, tmp_path):
    """A switchboard's number names nobody; both keep it as a field."""
    (tmp_path / "firm.csv").write_text(
        "email,phone\na@example.org,+49 30 1234567\nb@example.org,+49 30 1234567\n", encoding="utf-8"
    )
    facts = shell.ok("lead", "import", tmp_path / "firm.csv", "--json").facts
    phones = [row["fields"]["phone"] for row in shell.ok("lead", "list", "--json").rows]

    assert (2, 2, 0, 0, 0) == counts(facts)
    assert ["+49301234567", "+49301234567"] == phones


@pytest.mark.parametrize(
    "name,content,code,words",
    [
        ("missing.csv", None, 3, "missing.csv cannot be read"),
        ("empty.csv", "", 1, "is empty"),
        ("nomail.csv", "name\nAnna\n", 1, "no column with an e-mail address"),
    ],
)
def test_a_file_that_cannot_be_imported_at_all_is_named(shell, tmp_path, name, content, code, words):
    """One sentence, and nothing happened."""
    if content is not None:
        (tmp_path / name).write_text(content, encoding="utf-8")
    said = shell.run("lead", "import", tmp_path / name)

    assert code == said.code
    assert words in said.complaint


def test_bad_rows_that_cannot_be_kept_end_the_import(shell, mixed):
    """Better to stop than to lose a row without a word; doing it again doubles nobody."""
    (mixed.parent / "mixed.csv.errors.csv").mkdir()
    said = shell.run("lead", "import", mixed)

    assert 3 == said.code
    assert "mixed.csv.errors.csv cannot be written" in said.complaint


def test_a_lead_is_added_shown_noted_and_exported(shell):
    """By hand, one at a time."""
    added = shell.ok("lead", "add", "Anna@Example.org", "First Name=Anna", "Größe=5", "--list", "vip", "--json").facts
    again = shell.ok("lead", "add", "anna@example.org", "company=Acme", "--json").facts
    noted = shell.ok("lead", "note", "anna@example.org", "called her", "--json").facts
    exported = list(csv.DictReader(io.StringIO(shell.ok("lead", "export", "--list", "vip").out)))

    assert ["added", "merged"] == [added["outcome"], again["outcome"]]
    assert 0 == noted["paused"]
    assert [("anna@example.org", "Anna", "5", "Acme")] == [
        (row["email"], row["first_name"], row["grosse"], row["company"]) for row in exported
    ]


def test_a_note_pauses_who_is_walking(filled):
    """Policy on_note."""
    filled.ok("enroll", "autumn", "--list", "autumn")
    noted = filled.ok("lead", "note", "carol@example.org", "met her at the fair", "--json").facts
    rows = filled.ok("enrollment", "list", "--lead", "carol@example.org", "--json").rows

    assert (1, ["paused"]) == (noted["paused"], [row["status"] for row in rows])


def test_nobody_is_asked_about_a_person_who_is_not_there(filled):
    """The question would be about nothing."""
    result = filled.run("lead", "erase", "nobody@example.org")

    assert 1 == result.code
    assert "nobody@example.org" in result.err
    assert "Erase everything" not in result.out + result.err


def test_erasing_needs_a_yes_and_leaves_a_mark(filled, tmp_path):
    """The person is gone from every table, and an import cannot bring anybody to write to them again."""
    asked = filled.run("lead", "erase", "carol@example.org")
    erased = filled.ok("lead", "erase", "carol@example.org", "--yes")
    filled.ok("lead", "import", tmp_path / "leads.csv")
    back = filled.ok("lead", "show", "carol@example.org", "--json").facts

    assert 1 == asked.code
    assert "--yes" in asked.complaint
    assert "never written to again" in erased.out
    assert ["erased"] == [one["reason"] for one in back["suppressions"]]
    assert " erased\n" in (filled.data / "optouts.log").read_text(encoding="utf-8")
    assert "carol" not in (filled.data / "optouts.log").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    "arguments,code,words",
    [
        (["add", "nobody"], 2, "'nobody' is not an e-mail address"),
        (["add", "a@example.org", "company"], 2, "'company' is not field=value"),
        (["add", "a@example.org", "timezone=Berlin"], 2, "'Berlin' is not a time zone"),
        (["show", "nobody@example.org"], 1, "relance lead list"),
        (["note", "nobody@example.org", "x"], 1, "relance lead list"),
        (["note", "carol@example.org", " "], 2, "the note is empty"),
        (["erase", "nobody@example.org", "--yes"], 1, "relance lead list"),
        (["list", "--list", "nowhere"], 1, "'nowhere' has no leads"),
    ],
)
def test_what_cannot_be_done_is_said_in_one_sentence(filled, arguments, code, words):
    """With what to do."""
    said = filled.run("lead", *arguments)

    assert code == said.code
    assert words in said.complaint


def test_what_came_from_outside_cannot_steer_the_terminal(shell):
    """Escape sequences in a field are shown as what they are: nothing."""
    shell.ok("lead", "add", "a@example.org", "company=\x1b[2J\u202egnp.exe")
    table = shell.ok("lead", "list").out

    assert not set("\x1b\u202e") & set(table)


def test_an_entry_under_a_key_comes_in_once(shell):
    """A request that is sent again because its answer was lost changes nothing; the key of somebody else is refused."""
    first = shell.ok("lead", "add", "zoe@example.org", "company=Acme", "--key", "form-1", "--json").facts
    again = shell.ok("lead", "add", "zoe@example.org", "company=Other", "--key", "form-1", "--json").facts
    lead = shell.ok("lead", "show", "zoe@example.org", "--json").facts
    other = shell.run("lead", "add", "max@example.org", "--key", "form-1")

    assert ("added", "repeated", first["id"]) == (first["outcome"], again["outcome"], again["id"])
    assert ("Acme", 1) == (lead["fields"]["company"], len(lead["touches"]))
    assert 1 == other.code
    assert "'form-1' came in before with zoe@example.org" in other.complaint


def test_rows_under_a_key_come_in_once(shell, tmp_path):
    """However often the file is imported; the key is no field."""
    (tmp_path / "keyed.csv").write_text("email,Idempotency Key\nzoe@example.org,r-1\n", encoding="utf-8")
    once = shell.ok("lead", "import", tmp_path / "keyed.csv", "--json").facts
    twice = shell.ok("lead", "import", tmp_path / "keyed.csv", "--json").facts
    lead = shell.ok("lead", "show", "zoe@example.org", "--json").facts

    assert [(1, 1, 0, 0, 0), (1, 0, 0, 0, 1)] == [counts(once), counts(twice)]
    assert ({}, 1) == (lead["fields"], len(lead["touches"]))
