"""The key file and the envelope."""

import threading

import pytest

from relance.ports.vault import VaultError
from relance.storage.vault import LocalVault, create_key, read_key


@pytest.fixture
def vault():
    """Return a vault over a fixed key."""
    return LocalVault(bytes(range(32)))


def test_what_was_sealed_opens(vault):
    """With the same workspace's key and the same binding; and the text is not in it."""
    wrapped = vault.new_workspace_key()
    sealed = vault.seal(wrapped, b"secret", bound_to="mailbox:a@example.com")

    assert b"secret" == vault.open(wrapped, sealed, bound_to="mailbox:a@example.com")
    assert b"secret" not in sealed
    assert sealed != vault.seal(wrapped, b"secret", bound_to="mailbox:a@example.com")


def test_a_secret_cannot_be_moved_to_another_mailbox(vault):
    """Whoever can write to the database cannot make one mailbox log in as another."""
    wrapped = vault.new_workspace_key()
    sealed = vault.seal(wrapped, b"secret", bound_to="mailbox:a@example.com")

    with pytest.raises(VaultError, match=r"b@example\.com"):
        vault.open(wrapped, sealed, bound_to="mailbox:b@example.com")


def test_a_secret_cannot_be_opened_with_another_workspaces_key(vault):
    """Each has a data key of its own."""
    sealed = vault.seal(vault.new_workspace_key(), b"secret", bound_to="x")

    with pytest.raises(VaultError):
        vault.open(vault.new_workspace_key(), sealed, bound_to="x")


@pytest.mark.parametrize("place", [0, 1, 5, 20, -1])
def test_a_changed_bit_is_noticed(vault, place):
    """In the secret and in the wrapped key, wherever it is."""
    wrapped = vault.new_workspace_key()
    sealed = bytearray(vault.seal(wrapped, b"secret", bound_to="x"))
    sealed[place] ^= 1
    broken = bytearray(wrapped)
    broken[place] ^= 1

    with pytest.raises(VaultError):
        vault.open(wrapped, bytes(sealed), bound_to="x")
    with pytest.raises(VaultError):
        vault.seal(bytes(broken), b"secret", bound_to="x")


@pytest.mark.parametrize("cut", [b"", b"\x01", b"\x01abc"])
def test_a_torn_secret_is_an_error_of_the_port(vault, cut):
    """Never one of the library's."""
    with pytest.raises(VaultError):
        vault.open(vault.new_workspace_key(), cut, bound_to="x")


def test_another_installations_key_is_named(vault):
    """The sentence says that it is the wrong file and where to name the right one."""
    other = LocalVault(bytes(32))

    with pytest.raises(VaultError, match="RELANCE_MASTER_KEY_FILE"):
        other.seal(vault.new_workspace_key(), b"secret", bound_to="x")


def test_derived_keys_are_stable_and_differ_by_purpose_and_key(vault):
    """Message-IDs and tombstones depend on them for as long as the key lives."""
    assert vault.derive("message ids") == LocalVault(bytes(range(32))).derive("message ids")
    assert 32 == len(vault.derive("message ids"))
    assert 3 == len({vault.derive("a"), vault.derive("b"), LocalVault(bytes(32)).derive("a")})
    assert "3b2ba84a84b50f91" == vault.derive("a").hex()[:16]


def test_the_key_file_is_its_owners_alone_and_made_once(tmp_path):
    """A second `init` finds the same key."""
    path = tmp_path / "master.key"
    key = create_key(path)

    assert 0o600 == path.stat().st_mode & 0o777
    assert key == create_key(path) == read_key(path)
    assert ["master.key"] == [file.name for file in tmp_path.iterdir()]


def test_of_several_who_make_the_key_at_once_all_have_the_same(tmp_path):
    """A key that was replaced would make every secret unreadable."""
    keys: list[bytes] = []
    start = threading.Barrier(8)

    def make():
        start.wait()
        keys.append(create_key(tmp_path / "master.key"))

    threads = [threading.Thread(target=make) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)

    assert [1, 8] == [len(set(keys)), len(keys)]


@pytest.mark.parametrize(
    "content, mode, said",
    [
        (None, 0o600, "no key file"),
        (b"00" * 32, 0o640, "chmod 600"),
        (b"00" * 31, 0o600, "not a whole key"),
        (b"hello", 0o600, "not a key file"),
        (b"\xff\xfe", 0o600, "is not a key file: restore it"),
        (b"", 0o600, "not a whole key"),
    ],
)
def test_a_key_file_that_is_not_right_says_what_to_do(tmp_path, content, mode, said):
    """Nothing is ever written over it."""
    path = tmp_path / "master.key"
    if content is not None:
        path.write_bytes(content)
        path.chmod(mode)

    with pytest.raises(VaultError, match=said):
        read_key(path)


def test_a_folder_that_is_missing_is_named(tmp_path):
    """The key's place is a setting that may be wrong."""
    with pytest.raises(VaultError, match="cannot be made"):
        create_key(tmp_path / "missing" / "master.key")


def test_a_short_key_is_refused():
    """It would protect nothing."""
    with pytest.raises(VaultError, match="31 bytes"):
        LocalVault(bytes(31))
