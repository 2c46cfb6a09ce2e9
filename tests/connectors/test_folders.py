"""Which folders matter: by special use, by name in many languages, below INBOX, and on Gmail."""

import pytest

from connectors.wire_names import encode_modified_utf7
from relance.connectors.smtp_imap.folders import MOST_OF_A_ROLE, MOST_OTHERS, NAMES, choose_folders, sent_name
from relance.connectors.smtp_imap.imap_parser import Listed
from relance.ports.connector import FolderRole

INBOX, SENT, JUNK, ARCHIVE, ALL, OTHER = (
    FolderRole.INBOX,
    FolderRole.SENT,
    FolderRole.JUNK,
    FolderRole.ARCHIVE,
    FolderRole.ALL,
    FolderRole.OTHER,
)


def listed(name: str, *attributes: str, delimiter: str | None = "/") -> Listed:
    """Return a folder as LIST would say it."""
    return Listed(attributes=frozenset(attributes), delimiter=delimiter, name=encode_modified_utf7(name))


def chosen(*entries: Listed) -> list[tuple[str, FolderRole]]:
    """Return names and roles of what is chosen."""
    return [(folder.name, folder.role) for folder in choose_folders(entries)]


def test_special_use_decides_whatever_the_names():
    """RFC 6154; a folder that is only called Sent is then an ordinary one."""
    expected = [("INBOX", INBOX), ("Ausgang", SENT), ("Werbung?", JUNK), ("Ablage", ARCHIVE), ("Sent", OTHER)]

    assert expected == chosen(
        listed("INBOX"),
        listed("Ablage", "\\archive"),
        listed("Ausgang", "\\sent"),
        listed("Sent"),
        listed("Werbung?", "\\junk"),
        listed("Drafts", "\\drafts"),
    )


@pytest.mark.parametrize("role, name", [(role, name) for role, names in NAMES.items() for name in names])
def test_a_name_that_people_use_is_understood(role: FolderRole, name: str):
    """In any case, at the top and below INBOX, over the wire's encoding."""
    for entry in (listed(name.title()), listed(f"INBOX.{name.upper()}", delimiter=".")):
        (folder,) = [each for each in choose_folders([listed("INBOX"), entry]) if each.role is not INBOX]

        assert role is folder.role
        assert entry.name == folder.wire_name


def test_all_mail_replaces_the_archive():
    """Gmail: everything is in it, and nothing is read twice for the sake of an archive."""
    assert [("INBOX", INBOX), ("[Gmail]/Sent Mail", SENT), ("[Gmail]/Spam", JUNK), ("[Gmail]/All Mail", ALL)] == chosen(
        listed("INBOX"),
        listed("Archive"),
        listed("[Gmail]", "\\noselect"),
        listed("[Gmail]/All Mail", "\\all"),
        listed("[Gmail]/Sent Mail", "\\sent"),
        listed("[Gmail]/Spam", "\\junk"),
    )


def test_archives_by_year_are_archives():
    """Mail programs file by year below the archive; there may be many."""
    years = [listed(f"Archive/{year}") for year in range(2000, 2040)]
    found = chosen(listed("INBOX"), listed("Archive", "\\archive"), *years)

    assert ("Archive/2000", ARCHIVE) in found
    assert MOST_OF_A_ROLE == sum(role is ARCHIVE for _, role in found)
    assert 2 + len(years) == len(found)


def test_what_cannot_be_opened_is_left_out():
    """Folders that exist as parents only."""
    assert [("INBOX", INBOX)] == chosen(listed("INBOX"), listed("Sent", "\\noselect"), listed("Spam", "\\nonexistent"))


def test_an_inbox_that_is_not_listed_is_there_all_the_same():
    """RFC 3501 §5.1."""
    assert [("INBOX", INBOX), ("Sent", SENT)] == chosen(listed("Sent"))


def test_inbox_is_inbox_in_any_case():
    """Its cursor keeps one name."""
    assert [("INBOX", INBOX)] == chosen(listed("Inbox"))


def test_a_folder_deep_in_somebodys_filing_has_no_role():
    """`Projects/2019/Sent` is a coincidence."""
    assert [("INBOX", INBOX), ("Projects/2019/Sent", OTHER)] == chosen(listed("INBOX"), listed("Projects/2019/Sent"))


def test_folders_that_people_made_are_read_those_near_the_top_first():
    """A rule of theirs may file an answer anywhere; the bin is one of them."""
    deep = listed("Kunden/Süd/Acme")
    many = [listed(f"List {number}") for number in range(MOST_OTHERS)]
    found = chosen(listed("INBOX"), deep, listed("Trash", "\\trash"), *many)

    assert ("Trash", OTHER) in found
    assert 1 + MOST_OTHERS == len(found)
    assert ("Kunden/Süd/Acme", OTHER) not in found
    assert [("INBOX", INBOX), ("Kunden/Süd/Acme", OTHER)] == chosen(listed("INBOX"), deep)


@pytest.mark.parametrize("name", ["Drafts", "Entwürfe", "INBOX/Brouillons", "Outbox", "Vorlagen"])
def test_what_is_not_written_to_its_end_is_not_read(name: str):
    """Every draft is saved many times."""
    assert [("INBOX", INBOX)] == chosen(listed("INBOX"), listed(name), listed("Any", "\\drafts"))


def test_with_all_mail_only_the_bin_is_read_beside_it():
    """Gmail: a label is not a place; the bin and spam are."""
    assert [("INBOX", INBOX), ("Alle Nachrichten", ALL), ("Papierkorb", OTHER)] == chosen(
        listed("INBOX"),
        listed("Customers"),
        listed("Alle Nachrichten", "\\all"),
        listed("Papierkorb", "\\trash"),
    )


def test_what_belongs_to_others_is_not_read():
    """RFC 2342: a colleague's shared INBOX is a colleague's."""
    entries = [listed("INBOX"), listed("Customers"), listed("Other Users/bob"), listed("Other Users/bob/Sent")]

    assert [("INBOX", INBOX), ("Customers", OTHER)] == [
        (folder.name, folder.role) for folder in choose_folders(entries, foreign=[b"Other Users/"])
    ]


@pytest.mark.parametrize(
    "entries, name",
    [
        ([listed("INBOX"), listed("Drafts")], b"Sent"),
        ([listed("INBOX", delimiter="."), listed("INBOX.Drafts", delimiter=".")], b"INBOX.Sent"),
        ([listed("INBOX")], b"Sent"),
        ([listed("INBOX", delimiter=None), listed("Drafts", delimiter=None)], b"Sent"),
    ],
)
def test_a_new_sent_folder_stands_beside_the_others(entries: list[Listed], name: bytes):
    """Where everything is below INBOX, it has to be too."""
    assert name == sent_name(entries)
