"""`relance thread answer` and what can be said of an answer afterwards."""

import getpass
import sys
from collections.abc import Callable
from datetime import datetime
from secrets import token_urlsafe

import click

from relance.app import Installation
from relance.cli.session import Command, session
from relance.core.answer import UNDO, Answer
from relance.core.workspace import Workspace
from relance.ports.store import Transaction
from relance.services import ingestion
from relance.services.answering import writing
from relance.services.situations import Keys

#: What becomes of an answer of a workspace: transaction, workspace, answer, the keys, now.
_Service = Callable[[Transaction, int, int, Keys, datetime], object]
_answer_id = click.argument("answer_id", metavar="ANSWER", type=int)


def author() -> str:
    """Return who runs the command, as the record names them."""
    try:
        return f"{getpass.getuser()} on the command line"
    except (OSError, KeyError):
        return "the command line"


@click.command("answer", cls=Command)
@click.argument("thread_id", metavar="ID", type=int)
@click.option("--text", metavar="TEXT", help="What to write; without it, standard input is read.")
@click.option("--quote/--no-quote", default=True, show_default=True, help="Quote what they wrote below.")
def answer(thread_id: int, text: str | None, quote: bool) -> None:  # click hands it over
    """Answer from the mailbox of the conversation; it leaves after ten seconds, once an engine runs."""
    words = text if text is not None else sys.stdin.read()
    current = session()

    async def write(installation: Installation, workspace: Workspace) -> Answer:
        return await installation.write(
            writing.write,
            workspace_id=workspace.id,
            thread_id=thread_id,
            text=words,
            by=author(),
            uid=token_urlsafe(12),
            keys=installation.keys,
            now=installation.clock.now(),
            quote=quote,
        )

    made = current.run(write)
    seconds = int(UNDO.total_seconds())
    back = f"`relance thread withdraw {made.id}` takes it back"
    said = f"Answer {made.id} to {made.recipient} leaves in {seconds} s; {back}."
    current.printer.facts({"id": made.id, "recipient": made.recipient, "due_at": made.due_at}, said)


@click.command("withdraw", cls=Command)
@_answer_id
def withdraw(answer_id: int) -> None:
    """Take an answer back that has not begun to leave."""

    def service(tx: Transaction, workspace_id: int, answer: int, _: Keys, now: datetime) -> object:
        return writing.withdraw(tx, workspace_id=workspace_id, answer_id=answer, by=author(), now=now)

    _decide(service, answer_id, "is taken back")


@click.command("send-again", cls=Command)
@_answer_id
def send_again(answer_id: int) -> None:
    """Let an answer that was given up go out once more."""

    def service(tx: Transaction, workspace_id: int, answer: int, _: Keys, now: datetime) -> object:
        return writing.send_again(tx, workspace_id=workspace_id, answer_id=answer, by=author(), now=now)

    _decide(service, answer_id, "goes out once more")


@click.command("settle", cls=Command)
@_answer_id
@click.argument("outcome", type=click.Choice(["sent", "failed"]))
def settle(answer_id: int, outcome: str) -> None:
    """Say of an answer that was lost whether it left: `failed` sends it again."""

    def service(tx: Transaction, workspace_id: int, answer: int, keys: Keys, now: datetime) -> object:
        sent = outcome == "sent"
        ids = {"workspace_id": workspace_id, "answer_id": answer}
        ingestion.settle_answer(tx, **ids, sent=sent, by=author(), keys=keys, now=now)
        return answer

    _decide(service, answer_id, f"is settled as {outcome}")


def _decide(service: _Service, answer_id: int, said: str) -> None:
    current = session()

    async def write(installation: Installation, workspace: Workspace) -> object:
        return await installation.write(service, workspace.id, answer_id, installation.keys, installation.clock.now())

    current.run(write)
    current.printer.facts({"id": answer_id}, f"Answer {answer_id} {said}.")
