"""The table of `realservers/layouts.py`, compared with what Dovecot says in each layout."""

import re
from collections.abc import Callable
from email.message import EmailMessage

import pytest

from acceptance.realservers import LAYOUTS, RealImap, Role
from acceptance.realservers.client import imap_session

LIST_LINE = re.compile(rb'\((?P<flags>[^)]*)\) "(?P<separator>.)" (?:"(?P<quoted>[^"]*)"|(?P<atom>\S+))')

WithLayout = Callable[[str], RealImap]
every_layout = pytest.mark.parametrize("name", list(LAYOUTS))


def look(world: RealImap) -> tuple[set[str], dict[str, tuple[set[str], str]]]:
    """Return what the server announces after a login, and folder → its attributes and separator."""
    address = f"viewer-of-{world.layout.name.replace('_', '-')}@north.example"
    world.add_mailboxes({address: None})
    with imap_session(world.imap(), ca_file=world.ca_file, login=(address, world.password(address))) as session:
        announced = session.capability()[1][0].decode("ascii").split()
        folders = {}
        for line in session.list()[1]:
            assert isinstance(line, bytes)
            found = LIST_LINE.fullmatch(line)
            assert found, line
            name = (found["quoted"] or found["atom"]).decode("ascii")
            folders[name] = (set(found["flags"].decode("ascii").split()), found["separator"].decode("ascii"))
    return set(announced), folders


@every_layout
def test_folders_have_the_names_marks_and_separator_of_the_table(real_imap_with: WithLayout, name: str):
    """Names with prefix in modified UTF-7; SPECIAL-USE attributes where the layout is marked, and nowhere else."""
    layout = LAYOUTS[name]
    _, folders = look(real_imap_with(name))
    marks = {folder: {role.value for role in Role} & flags for folder, (flags, _) in folders.items()}

    assert {layout.separator} == {separator for _, separator in folders.values()}
    assert {f.wire: {f.role.value} if layout.marked else set() for f in layout.folders} == {
        folder: found for folder, found in marks.items() if folder in {f.wire for f in layout.folders}
    }


@every_layout
def test_the_server_announces_what_the_layout_leaves(real_imap_with: WithLayout, name: str):
    """A layout with a capability line announces exactly it, the others all that Dovecot has."""
    announced, _ = look(real_imap_with(name))
    allowed = LAYOUTS[name].capability

    if allowed is None:
        assert {"IDLE", "CONDSTORE", "QRESYNC", "SPECIAL-USE", "UIDPLUS", "MOVE", "LITERAL+"} <= announced
    else:
        assert set(allowed.split()) == announced


@every_layout
def test_a_message_put_into_a_folder_by_role_is_found_there(real_imap_with: WithLayout, name: str):
    """Each role of the layout opens its folder, whatever it is called."""
    world = real_imap_with(name)
    address = f"owner-of-{name.replace('_', '-')}@south.example"
    world.add_mailboxes({address: None})
    roles = [folder.role for folder in world.layout.folders]
    for role in roles:
        message = EmailMessage()
        message["Subject"] = role.name
        message.set_content("Text.\n")
        world.put(address, role, message)

    assert [[role.name] for role in roles] == [
        [mail["Subject"] for mail in world.folder(address, role)] for role in roles
    ]
