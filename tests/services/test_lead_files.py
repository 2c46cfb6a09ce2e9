"""CSV files as people's programs write them."""

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from relance.services.lead_files import (
    BadRow,
    EmptyRow,
    FileFormatError,
    LeadFile,
    LeadRow,
    match_headers,
    open_lead_file,
)
from relance.services.lead_files.headers import snake_case
from relance.services.refusals import RefusedError

TEXT = "E-Mail;Vorname;Größe\nanna@example.org;Jürgen;5 cm\n"


def opened(tmp_path: Path, content: bytes | str, **mapped: str) -> LeadFile:
    """Write a file and open it."""
    path = tmp_path / "leads.csv"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return open_lead_file(path, mapped)


def rows(tmp_path: Path, content: bytes | str, **mapped: str) -> list[LeadRow | BadRow | EmptyRow]:
    """Return all rows of a file with this content."""
    return list(opened(tmp_path, content, **mapped).rows())


def only(tmp_path: Path, content: bytes | str, **mapped: str) -> LeadRow:
    """Return the only row, which must be a lead."""
    [row] = rows(tmp_path, content, **mapped)
    assert isinstance(row, LeadRow)
    return row


def reasons(tmp_path: Path, content: bytes | str) -> list[tuple[int, str]]:
    """Return lines and reasons of what cannot be imported."""
    return [(row.line, row.reason) for row in rows(tmp_path, content) if isinstance(row, BadRow)]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "cp1252"])
@pytest.mark.parametrize("separator", [";", ",", "\t"])
@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r"])
def test_encoding_separator_and_line_ends_are_found_out(tmp_path, encoding, separator, line_end):
    """Every encoding, separator and line end that spreadsheets write."""
    content = TEXT.replace(";", separator).replace("\n", line_end).encode(encoding)
    row = only(tmp_path, content)

    assert ("anna@example.org", {"first_name": "Jürgen", "grosse": "5 cm"}) == (row.email, row.values)


def test_excels_own_separator_line_is_skipped(tmp_path):
    """`sep=;` says what the separator is; it is no header."""
    row = only(tmp_path, f"sep=;\r\n{TEXT}")

    assert (3, "anna@example.org") == (row.line, row.email)


def test_quoted_values_hold_separators_quotes_and_line_ends(tmp_path):
    """RFC 4180."""
    row = only(tmp_path, 'email,notes,city\r\na@example.org,"one, ""two""\r\nthree",Oslo\r\n')

    assert {"notes": 'one, "two"\r\nthree', "city": "Oslo"} == row.values


def test_a_stray_quote_inside_a_value_is_text(tmp_path):
    """An inch sign opens nothing."""
    row = only(tmp_path, 'email,size,city\na@example.org,5" pipe,Oslo\n')

    assert {"size": '5" pipe', "city": "Oslo"} == row.values


def test_a_quote_that_never_closes_costs_one_row(tmp_path):
    """What stands behind it is not swallowed."""
    content = 'email,notes\na@example.org,"open\n' + "".join(f"b{n}@example.org,x\n" for n in range(2000))
    found = rows(tmp_path, content)

    assert [2] == [row.line for row in found if isinstance(row, BadRow)]
    assert 2000 == sum(isinstance(row, LeadRow) for row in found)


@pytest.mark.parametrize(
    "header,field",
    [
        ("E-Mail", "email"), ("e-mail address", "email"), ("EMAIL", "email"), ("Mail", "email"),
        ("E-Mail-Adresse", "email"), ("Adresse e-mail", "email"), ("Courriel", "email"),
        ("Correo electrónico", "email"), ("Indirizzo email", "email"), ("E-mailadres", "email"),
        ("Endereço de e-mail", "email"), ("Adres e-mail", "email"), ("E-postadress", "email"),
        ("Sähköposti", "email"), ("Work Email", "email"),
    ],
)  # fmt: skip
def test_the_address_column_is_known_in_the_languages_people_use(header, field):
    """Only this column is required."""
    assert (field,) == match_headers([header], {}).fields


@pytest.mark.parametrize(
    "header,field",
    [
        ("Vorname", "first_name"), ("First name", "first_name"), ("FirstName", "first_name"),
        ("first_name", "first_name"),
        ("Prénom", "first_name"), ("Nombre", "first_name"), ("Nome", "first_name"), ("Voornaam", "first_name"),
        ("Imię", "first_name"), ("Förnamn", "first_name"), ("Fornavn", "first_name"),
        ("Nachname", "last_name"), ("Surname", "last_name"), ("Nom", "last_name"), ("Apellidos", "last_name"),
        ("Cognome", "last_name"), ("Sobrenome", "last_name"), ("Achternaam", "last_name"), ("Nazwisko", "last_name"),
        ("Firma", "company"), ("Company Name", "company"), ("Entreprise", "company"), ("Empresa", "company"),
        ("Azienda", "company"), ("Bedrijf", "company"), ("Företag", "company"), ("Organisation", "company"),
        ("Telefon", "phone"), ("Mobile Phone", "phone"), ("Time zone", "timezone"), ("Zeitzone", "timezone"),
        ("LinkedIn URL", "linkedin_url"), ("Job title", "title"), ("Ort", "city"), ("Pays", "country"),
        ("Kundennummer (alt)", "kundennummer_alt"), ("jobTitleLevel", "job_title_level"),
        ("2nd contact", "_2nd_contact"),
    ],
)  # fmt: skip
def test_every_other_column_becomes_a_field(header, field):
    """Known meanings have one name, all others their own in snake_case."""
    assert ("email", field) == match_headers(["email", header], {}).fields


def test_no_column_is_lost_when_two_mean_the_same():
    """The first keeps the name; the others get one of their own, and a note says so."""
    columns = match_headers(["E-Mail", "Work Email", "Notes", "Notes", "", "Город"], {})

    assert ("email", "work_email", "notes", "notes_2", "column_5", "column_6") == columns.fields
    assert 3 == len(columns.notes)


def test_a_map_decides_over_everything(tmp_path):
    """Also to leave a column out."""
    row = only(tmp_path, "Kontakt,E-Mail,City\na@example.org,old@example.org,Oslo\n", Kontakt="email", City="")

    assert ("a@example.org", {"e_mail": "old@example.org"}) == (row.email, row.values)


@pytest.mark.parametrize(
    "mapped,words",
    [({"Nope": "email"}, "'Nope'"), ({"City": "é–"}, "first_name"), ({"City": "x", "E-Mail": "x"}, "two columns")],
)
def test_a_map_that_means_nothing_is_refused(mapped, words):
    """The sentence names what there is."""
    if mapped == {"City": "é–"}:
        mapped = {"City": "–"}
    with pytest.raises(RefusedError, match=words):
        match_headers(["E-Mail", "City"], mapped)


@pytest.mark.parametrize(
    "content,words",
    [
        (b"", "is empty"),
        (b"\xef\xbb\xbf \r\n", "is empty"),
        (b"name,city\nAnna,Oslo\n", "no column with an e-mail address"),
        (b"anna@example.org,Anna\nbob@example.org,Bob\n", "no column with an e-mail address"),
        (b'"email,name\na@example.org,b\n', "header cannot be read"),
    ],
)
def test_a_file_that_is_no_list_of_leads_is_refused_as_a_whole(tmp_path, content, words):
    """Nothing is imported; the sentence says what the first line must be."""
    with pytest.raises(FileFormatError, match=words):
        rows(tmp_path, content)


def test_a_folder_or_a_pipe_is_no_file(tmp_path):
    """A pipe can be read only once, and its first lines would be lost."""
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(IsADirectoryError):
        open_lead_file(tmp_path, {})
    with pytest.raises(FileFormatError, match="is not a file"):
        open_lead_file(tmp_path / "pipe", {})


def test_every_kind_of_bad_row_is_named_with_its_line(tmp_path):
    """The good ones between them are read."""
    content = (
        "email,name,timezone\n"
        "good@example.org,Anna,\n"
        "not an address,Bob,\n"
        ",Carol,\n"
        "d@example.org,Dave,Berlin\n"
        "e@example.org,Erin,,surplus\n"
        "f@example.org,Fr\x00ank,\n"
        f"g@example.org,{'x' * 10_001},\n"
        "short@example.org\n"
        "\n"
        ",,\n"
    )
    found = rows(tmp_path, content)

    assert [2, 9] == [row.line for row in found if isinstance(row, LeadRow)]
    assert [11] == [row.line for row in found if isinstance(row, EmptyRow)]
    assert [(3, "e-mail"), (4, "empty"), (5, "time zone"), (6, "4 values for 3"), (7, "NUL"), (8, "10000")] == [
        (
            line,
            next(word for word in ("empty", "e-mail", "time zone", "4 values for 3", "NUL", "10000") if word in reason),
        )
        for line, reason in reasons(tmp_path, content)
    ]


def test_addresses_and_identities_get_one_spelling(tmp_path):
    """Trimmed and case-folded; a phone in E.164 where it can be; a profile without its query."""
    row = only(
        tmp_path,
        "email,phone,linkedin\n \xa0Anna@Example.ORG ,0049 (30) 123-456,HTTPS://LinkedIn.com/in/Anna/?a=b\n",
    )

    assert "anna@example.org" == row.email
    assert {"phone": "+4930123456", "linkedin_url": "https://linkedin.com/in/anna"} == row.values


def test_the_undefined_bytes_of_windows_1252_do_not_end_the_import(tmp_path):
    """Five bytes have no meaning there; their rows are read all the same."""
    found = rows(tmp_path, b"email,name\na@example.org,J\xfcrgen \x81\nb@example.org,x\n")

    assert 2 == sum(isinstance(row, LeadRow) for row in found)


@given(
    st.lists(
        st.lists(st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=12), min_size=2, max_size=2),
        max_size=8,
    )
)
def test_whatever_a_csv_writer_writes_is_read_back(tmp_path_factory, table):
    """Property: quoting, separators and line ends inside values survive, and every record is counted once."""
    import csv  # noqa: PLC0415 - the oracle

    path = tmp_path_factory.mktemp("csv") / "leads.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([["email", "a", "b"], *[[f"p{n}@example.org", *row] for n, row in enumerate(table)]])
    found = list(open_lead_file(path, {}).rows())
    blank = " \t\r\n\u00a0\u200b\ufeff"

    assert [f"p{n}@example.org" for n in range(len(table))] == [
        row.email if isinstance(row, LeadRow) else row.raw[0] for row in found if not isinstance(row, EmptyRow)
    ]
    for row, (a, b) in zip(found, table, strict=True):
        if isinstance(row, LeadRow):
            assert (a.strip(blank), b.strip(blank)) == (row.values.get("a", ""), row.values.get("b", ""))


@given(st.text(max_size=40))
def test_a_field_name_is_always_one_that_templates_can_say(text):
    """Or nothing, where nothing Latin is left."""
    name = snake_case(text)

    assert name == "" or (name.isidentifier() and name.isascii() and name == name.lower())


def test_a_forgotten_mark_swallows_no_rows_up_to_the_next_mark(tmp_path):
    """The next quoted value opens behind a separator: what stands before it are rows of their own."""
    content = 'email,name\na@x.example,"never closed\nb@x.example,B\nc@x.example,"two\nlines"\nd@x.example,"D"\n'

    found = rows(tmp_path, content)

    assert [2, 3, 4, 6] == [row.line for row in found]
    assert [BadRow, LeadRow, LeadRow, LeadRow] == [type(row) for row in found]
    assert isinstance(found[2], LeadRow)
    assert "two\nlines" == found[2].values["name"]
