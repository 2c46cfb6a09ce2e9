"""Keeping secrets: credentials under envelope encryption, and keyed hashes that nobody can reverse."""

from typing import Protocol


class VaultError(Exception):
    """The key is missing or does not fit the data; the sentence says what to do."""


class Vault(Protocol):
    """Holds the installation's key. A data key per workspace is made here, wrapped, and stored by the caller."""

    def new_workspace_key(self) -> bytes:
        """Return a fresh data key, wrapped; store it with the workspace."""
        ...

    def seal(self, wrapped_key: bytes, plaintext: bytes, *, bound_to: str) -> bytes:
        """Encrypt for one workspace; `bound_to` (such as `mailbox:a@example.com`) must be given again to open."""
        ...

    def open(self, wrapped_key: bytes, sealed: bytes, *, bound_to: str) -> bytes:
        """Decrypt. Raises VaultError if key, data or `bound_to` differ."""
        ...

    def derive(self, purpose: str) -> bytes:
        """Return 32 bytes for keyed hashes, the same for the same purpose as long as the key lives."""
        ...
