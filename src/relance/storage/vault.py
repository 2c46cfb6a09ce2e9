"""Secrets in two layers: each workspace's data key encrypts them, and the installation's key, a local file, wraps that.

Rule 1: the key file is made once, for its owner only, complete or not at all; it is never in a backup.
Rule 2: AES-256-GCM with a random nonce; what a secret is bound to is authenticated, so it cannot be moved elsewhere.
Rule 3: keyed hashes come from keys derived by HKDF-SHA256 (RFC 5869), one per purpose.

Wrapped key and sealed secret are: version (1 byte), for a wrapped key the key's name (8), nonce (12), ciphertext.
"""

import os
import secrets
from pathlib import Path

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from relance.ports.vault import VaultError
from relance.storage.durable_files import sync_folder

KEY_BYTES = 32
_VERSION = b"\x01"
_NAME_BYTES = 8
_NONCE_BYTES = 12
_OTHERS = 0o077


class LocalVault:
    """Implements `relance.ports.vault.Vault` over a key in memory."""

    def __init__(self, key: bytes) -> None:
        if len(key) != KEY_BYTES:
            raise VaultError(f"The key has {len(key)} bytes instead of {KEY_BYTES}: restore the key file from its copy")
        self._key = key
        self._wrapping = AESGCM(self.derive("wrap workspace keys"))
        self._name = self.derive("name the key")[:_NAME_BYTES]

    def new_workspace_key(self) -> bytes:
        """Return a fresh data key, wrapped."""
        nonce = secrets.token_bytes(_NONCE_BYTES)
        header = _VERSION + self._name
        return header + nonce + self._wrapping.encrypt(nonce, AESGCM.generate_key(KEY_BYTES * 8), header)

    def seal(self, wrapped_key: bytes, plaintext: bytes, *, bound_to: str) -> bytes:
        """Encrypt for one workspace and one purpose."""
        nonce = secrets.token_bytes(_NONCE_BYTES)
        return _VERSION + nonce + self._unwrap(wrapped_key).encrypt(nonce, plaintext, bound_to.encode())

    def open(self, wrapped_key: bytes, sealed: bytes, *, bound_to: str) -> bytes:
        """Decrypt. Raises VaultError if key, data or `bound_to` differ."""
        if sealed[:1] != _VERSION:
            raise VaultError(f"The secret of {bound_to} was sealed by a newer version: install that one")
        nonce, data = sealed[1 : 1 + _NONCE_BYTES], sealed[1 + _NONCE_BYTES :]
        try:
            return self._unwrap(wrapped_key).decrypt(nonce, data, bound_to.encode())
        except (InvalidTag, ValueError) as error:
            raise VaultError(f"The secret of {bound_to} does not open: it was changed, or belongs elsewhere") from error

    def derive(self, purpose: str) -> bytes:
        """Return 32 bytes for keyed hashes."""
        return HKDF(algorithm=SHA256(), length=32, salt=None, info=f"relance/{purpose}".encode()).derive(self._key)

    def _unwrap(self, wrapped: bytes) -> AESGCM:
        header, rest = wrapped[: 1 + _NAME_BYTES], wrapped[1 + _NAME_BYTES :]
        if header[:1] != _VERSION:
            raise VaultError("The workspace's key was wrapped by a newer version: install that one")
        if header[1:] != self._name:
            raise VaultError(
                f"The workspace's key was wrapped under key {header[1:].hex()}, and this is key {self._name.hex()}: "
                "name the right file in RELANCE_MASTER_KEY_FILE",
            )
        try:
            return AESGCM(self._wrapping.decrypt(rest[:_NONCE_BYTES], rest[_NONCE_BYTES:], header))
        except (InvalidTag, ValueError) as error:
            raise VaultError("The workspace's key is damaged: restore a backup") from error


def read_key(path: Path) -> bytes:
    """Read a key file. Raises VaultError if it is missing, open to others or not a key."""
    try:
        mode = path.stat().st_mode
        text = path.read_text(encoding="ascii").strip()
    except FileNotFoundError as error:
        raise VaultError(
            f"There is no key file {path}: restore it from its copy; only where there is no database yet, "
            "`relance init` makes one"
        ) from error
    except UnicodeDecodeError as error:
        raise VaultError(f"{path} is not a key file: restore it from its copy") from error
    except OSError as error:
        raise VaultError(
            f"The key file {path} cannot be read ({error.strerror}): mend that, or restore it from its copy"
        ) from error
    if mode & _OTHERS:
        raise VaultError(f"The key file {path} is open to others: chmod 600 {path}")
    try:
        key = bytes.fromhex(text)
    except ValueError as error:
        raise VaultError(f"{path} is not a key file: restore it from its copy") from error
    if len(key) != KEY_BYTES:
        raise VaultError(f"{path} is not a whole key: restore it from its copy")
    return key


def create_key(path: Path) -> bytes:
    """Make the key file if it is missing, and return its key; of two who make it at once, one wins and both have it."""
    fresh = path.with_name(f".{path.name}.{secrets.token_hex(8)}")
    try:
        handle = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        try:
            os.write(handle, secrets.token_bytes(KEY_BYTES).hex().encode() + b"\n")
            os.fsync(handle)
        finally:
            os.close(handle)
        try:
            os.link(fresh, path)  # unlike a rename, never replaces a key
        except FileExistsError:
            return read_key(path)
        finally:
            fresh.unlink()
        sync_folder(path.parent)
    except OSError as error:
        raise VaultError(f"The key file {path} cannot be made: {error.strerror}") from error
    return read_key(path)
