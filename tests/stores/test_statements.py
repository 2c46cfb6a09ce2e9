"""The loader of named statements, and how one text becomes two dialects."""

import pytest

from relance.storage.statements import Dialect, StatementError, load_statements, read_folder, translate

SQLITE, POSTGRES = Dialect.SQLITE, Dialect.POSTGRES


@pytest.mark.parametrize(
    "text, sqlite, postgres",
    [
        ("SELECT :a", "SELECT :a", "SELECT %(a)s"),
        ("SELECT :a::timestamptz, x::text[]", "SELECT :a, x", "SELECT %(a)s::timestamptz, x::text[]"),
        ("SELECT ':a'", "SELECT ':a'", "SELECT ':a'"),
        ("SELECT 'it''s :a' || :b", "SELECT 'it''s :a' || :b", "SELECT 'it''s :a' || %(b)s"),
        ('SELECT ":a"', 'SELECT ":a"', 'SELECT ":a"'),
        ("SELECT x % 256 LIKE '%y'", "SELECT x % 256 LIKE '%y'", "SELECT x %% 256 LIKE '%%y'"),
        ("SELECT 1 -- not :a; nor %", "SELECT 1", "SELECT 1"),
        ("SELECT 1 /* not\n :a */ + 1", "SELECT 1   + 1", "SELECT 1   + 1"),
        ("SELECT 'H:%M:%S'", "SELECT 'H:%M:%S'", "SELECT 'H:%%M:%%S'"),
        ("SELECT id\n--postgres FOR UPDATE", "SELECT id", "SELECT id\nFOR UPDATE"),
        ("SELECT id\n  --sqlite , rowid\nFROM t", "SELECT id\n  , rowid\nFROM t", "SELECT id\nFROM t"),
        (
            "WHERE id = ANY (:ids_list::bigint[])",
            "WHERE id IN (SELECT value FROM json_each(:ids_list))",
            "WHERE id = ANY (%(ids_list)s::bigint[])",
        ),
        ("SELECT 1;", "SELECT 1", "SELECT 1"),
    ],
)
def test_one_text_becomes_two_dialects(text, sqlite, postgres):
    """Parameters, casts and arrays change; strings, names and comments never do."""
    assert (sqlite, postgres) == (translate(text, SQLITE)[0], translate(text, POSTGRES)[0])


def test_the_parameters_are_those_outside_strings_comments_and_casts():
    """What is not a parameter is never asked for."""
    text = "SELECT :a, ':b', x::c, :a -- :d"

    assert frozenset({"a"}) == translate(text, SQLITE)[1] == translate(text, POSTGRES)[1]


def write(folder, **files):
    """Write query files; `__` in a name is a folder."""
    for name, text in files.items():
        path = folder / f"{name.replace('__', '/')}.sql"
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    return folder


def test_a_statement_has_its_promise(tmp_path):
    """The comment above it, as one sentence."""
    folder = write(tmp_path, leads="-- About leads.\n\n-- name: leads.count\n-- How many\n-- there are.\nSELECT 1\n")

    assert ("How many there are.", "SELECT 1") == (
        read_folder(folder, SQLITE)["leads.count"].promise,
        read_folder(folder, SQLITE)["leads.count"].sql,
    )


def test_a_dialect_shadows_single_statements_and_parts(tmp_path):
    """The rest of the file stays common; a part may be shadowed too."""
    folder = write(
        tmp_path,
        clock="-- name: clock.both\n-- B.\nSELECT {clock.now}, {clock.other}\n-- part: clock.other\n:o\n",
        sqlite__clock="-- part: clock.now\n'lite'\n",
        postgres__clock="-- part: clock.now\nclock_timestamp()\n-- name: clock.more\n-- M.\nSELECT 2\n",
    )

    assert {"clock.both": "SELECT 'lite', :o"} == {n: s.sql for n, s in read_folder(folder, SQLITE).items()}
    assert {"clock.both": "SELECT clock_timestamp(), %(o)s", "clock.more": "SELECT 2"} == {
        n: s.sql for n, s in read_folder(folder, POSTGRES).items()
    }


@pytest.mark.parametrize(
    "text, said",
    [
        ("-- name: leads.count\nSELECT 1", "promise"),
        ("-- name: leads.count\n-- A promise.\n", "no SQL"),
        ("-- name: people.count\n-- P.\nSELECT 1", "named leads"),
        ("-- name: leads.a\n-- P.\nSELECT 1\n-- name: leads.a\n-- P.\nSELECT 2", "twice"),
        ("-- name: leads.a\n-- P.\nSELECT 1; SELECT 2", "more than one"),
        ("-- name: leads.a\n-- P.\nSELECT {leads.columns}", "does not exist"),
    ],
)
def test_a_file_that_breaks_a_rule_is_refused(tmp_path, text, said):
    """When it is loaded, with the file's or the statement's name."""
    with pytest.raises(StatementError, match=said):
        read_folder(write(tmp_path, leads=text), SQLITE)


@pytest.mark.parametrize("given", [{"a": 1}, {"a": 1, "b": 2, "c": 3}, {}])
def test_a_statement_takes_exactly_its_parameters(tmp_path, given):
    """A misspelt one would be NULL, or an old value would stay."""
    folder = write(tmp_path, leads="-- name: leads.a\n-- P.\nSELECT :a, :b")
    with pytest.raises(StatementError, match=r"leads\.a misses"):
        read_folder(folder, SQLITE)["leads.a"].check(given)


@pytest.mark.parametrize("dialect", Dialect)
def test_the_product_has_its_statements(dialect):
    """Loading reads every file of the package once."""
    statements = load_statements(dialect)

    assert statements is load_statements(dialect)
    assert {"workspaces.add", "shards.take", "opt_outs.add"} <= statements.keys()
