"""A store whose first write also says in the audit log who did it: in one transaction, for every page unasked."""

from collections.abc import Callable
from datetime import datetime
from typing import Concatenate, ParamSpec, TypeVar

from relance.ports.store import Reader, Store, Transaction
from relance.services import audit_log

T = TypeVar("T")
P = ParamSpec("P")


class AuditedStore:
    """Implements `ports.store.Store` for one request."""

    def __init__(  # the facts of one line
        self, store: Store, *, workspace_id: int, actor: str, action: str, subject: str, now: datetime
    ) -> None:
        self._store = store
        self._workspace_id = workspace_id
        self._actor = actor
        self._action = action
        self._subject = subject
        self._now = now
        self._noted = False

    async def write(self, fn: Callable[Concatenate[Transaction, P], T], /, *args: P.args, **kwargs: P.kwargs) -> T:
        """Write, and note who did it if that was not noted for this request."""
        if self._noted:
            return await self._store.write(fn, *args, **kwargs)

        def noted(tx: Transaction) -> T:
            result = fn(tx, *args, **kwargs)
            audit_log.note(
                tx,
                workspace_id=self._workspace_id,
                actor=self._actor,
                action=self._action,
                subject=self._subject,
                now=self._now,
            )
            return result

        done = await self._store.write(noted)
        self._noted = True
        return done

    async def read(self, fn: Callable[Concatenate[Reader, P], T], /, *args: P.args, **kwargs: P.kwargs) -> T:
        """Read one snapshot."""
        return await self._store.read(fn, *args, **kwargs)

    async def close(self) -> None:
        """Let the store go."""
        await self._store.close()
