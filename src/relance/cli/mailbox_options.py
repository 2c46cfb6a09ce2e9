"""What `mailbox add` and `mailbox set` take alike: the secret's source, pacing and names, read and checked."""

import os
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import click

from relance.app import Secret, SecretKind
from relance.cli.failures import CouldNotError, unreadable
from relance.core.ceilings import CEILINGS, NO_CEILING
from relance.core.pacing import PRESETS
from relance.mail.signatures import MAX_BYTES, read_signature
from relance.services.mailbox_options import MOST_WEIGHT, NameOptions, PacingOptions

F = TypeVar("F", bound=Callable[..., Any])
NO_SIGNATURE = "none"  #: What `--signature-file` takes to remove it; a file ends in one of these.
SIGNATURE_ENDINGS = {".txt": False, ".html": True, ".htm": True}  #: Whether it is HTML.


@dataclass(frozen=True, slots=True, kw_only=True)
class SecretSource:
    """Where the secret is to be found; at most one is given."""

    password_env: str | None
    password_file: str | None
    password_command: str | None
    oauth_token_command: str | None

    @property
    def given(self) -> bool:
        """Whether any source was named."""
        return any((self.password_env, self.password_file, self.password_command, self.oauth_token_command))

    def read(self, address: str) -> Secret:
        """Return the secret, asking for it where no source was named. Raises UsageError and CouldNotError."""
        named = [
            option
            for option, value in (
                ("--password-env", self.password_env),
                ("--password-file", self.password_file),
                ("--password-command", self.password_command),
                ("--oauth-token-command", self.oauth_token_command),
            )
            if value
        ]
        if len(named) > 1:
            raise click.UsageError(f"{' and '.join(named)} exclude each other: give one")
        if self.password_command:
            return Secret(kind=SecretKind.PASSWORD_COMMAND, value=self.password_command)
        if self.oauth_token_command:
            return Secret(kind=SecretKind.OAUTH_TOKEN_COMMAND, value=self.oauth_token_command)
        return Secret(kind=SecretKind.PASSWORD, value=self._password(address))

    def _password(self, address: str) -> str:
        if self.password_env:
            password = os.environ.get(self.password_env, "")
            where = f"the environment variable {self.password_env}"
        elif self.password_file:
            password, where = _first_line(Path(self.password_file)), f"the file {self.password_file}"
        elif sys.stdin.isatty():
            password, where = click.prompt(f"Password of {address}", hide_input=True, err=True), "what you typed"
        else:
            password, where = sys.stdin.readline().rstrip("\r\n"), "standard input"
        if not password:
            raise click.UsageError(
                f"{where} holds no password; give --password-env VAR, --password-file FILE or --password-command CMD"
            )
        return password


def _first_line(path: Path) -> str:
    try:
        with path.open(encoding="utf-8") as file:
            return file.readline().rstrip("\r\n")
    except OSError as error:
        raise unreadable(path, error, what="the password file") from error
    except UnicodeDecodeError as error:
        raise CouldNotError(f"the password file {path} is not text in UTF-8: save it as such") from error


def flag(name: str) -> str:
    """Say an option as the command line does."""
    return f"--{name.replace('_', '-')}"


def _signature(file: str) -> Mapping[str, object]:
    """Return the columns of a signature in a file."""
    if file == NO_SIGNATURE:
        return {"signature_text": None, "signature_html": None}
    path = Path(file)
    is_html = SIGNATURE_ENDINGS.get(path.suffix.lower())
    if is_html is None:
        raise click.UsageError(f"--signature-file {file}: give a file ending in .txt or .html, or {NO_SIGNATURE}")
    try:
        with path.open("rb") as opened:
            found = read_signature(opened.read(MAX_BYTES + 1), is_html=is_html)
    except OSError as error:
        raise unreadable(path, error, what="the signature file") from error
    except ValueError as error:
        raise click.UsageError(f"--signature-file {file}: {error}") from None
    return {"signature_text": found.text, "signature_html": found.html}


_SHARED = (
    click.option("--smtp", metavar="HOST:PORT[:tls|starttls|plain]", help="Server that sends."),
    click.option("--imap", metavar="HOST:PORT[:tls|starttls|plain]", help="Server that is read."),
    click.option("--smtp-username", metavar="U", help="Where the SMTP login differs."),
    click.option("--password-env", metavar="VAR", help="Environment variable with the password; read now."),
    click.option("--password-file", metavar="FILE", help="File with the password on its first line; read now."),
    click.option("--password-command", metavar="CMD", help="Command that prints the password; run at each login."),
    click.option(
        "--oauth-token-command", metavar="CMD", help="Command that prints an access token; run at each login."
    ),
    click.option("--ca-file", metavar="FILE", help="Authority that signed the servers' certificates (PEM)."),
    click.option("--name", "display_name", metavar="NAME", help="Name in From."),
    click.option(
        "--signature-file",
        metavar="FILE",
        help="Text (.txt) or HTML (.html) that a template shows as {{ sender_signature }}; read now. Or none.",
    ),
    click.option("--alias", "aliases", metavar="ADDRESS", multiple=True, help="Another address of the same inbox."),
    click.option("--pool", metavar="NAME", help="Pool that sequences name [default]."),
    click.option("--timezone", metavar="TZ", help="Zone in which its days begin; else the workspace's."),
    click.option("--preset", type=click.Choice(sorted(PRESETS)), help="Pacing to start from."),
    click.option("--daily-cap", type=click.IntRange(min=1), metavar="N", help="Messages a day, at most [40]."),
    click.option("--hourly-cap", type=click.IntRange(min=1), metavar="N", help="Messages an hour, at most [10]."),
    click.option(
        "--min-gap", type=click.FloatRange(min=0, max=86_400), metavar="S", help="Seconds between two, least [90]."
    ),
    click.option(
        "--max-gap", type=click.FloatRange(min=0, max=86_400), metavar="S", help="Seconds, most [twice --min-gap]."
    ),
    click.option("--ramp/--no-ramp", default=None, help="Begin at 10 a day and gain 5 each day [ramp]."),
    click.option(
        "--ramp-start", type=click.IntRange(min=1), metavar="N", help="Messages on the ramp's first day [10]."
    ),
    click.option("--ramp-step", type=click.IntRange(min=1), metavar="N", help="More each day that it sends [5]."),
    click.option(
        "--workday",
        metavar="HOURS",
        help="Hours in which it sends, such as '08:30-17:30 lunch 12:00-13:00 jitter 20', or none.",
    ),
    click.option(
        "--weight",
        type=click.IntRange(min=1, max=MOST_WEIGHT),
        metavar="N",
        help="Which free mailbox opens first where a sequence says rotation: weighted [1].",
    ),
    click.option(
        "--ceiling",
        type=click.Choice([*sorted(CEILINGS), NO_CEILING, "auto"]),
        help="Whose ceiling holds; auto: as the server's name says [auto].",
    ),
)


def mailbox_options(command: F) -> F:
    """Give a command the options that describe a mailbox."""
    for option in reversed(_SHARED):
        command = option(command)
    return command


@dataclass(frozen=True, slots=True, kw_only=True)
class Given:
    """Everything that was said about a mailbox on the command line."""

    servers: Mapping[str, object]  #: `smtp`, `imap` and `ca_file`, as far as given.
    smtp_username: str | None
    source: SecretSource
    pacing: PacingOptions
    names: NameOptions
    signature: Mapping[str, object]  #: Its columns, where one was given.


def gather(options: Mapping[str, Any]) -> Given:
    """Sort the values of `mailbox_options` by what they are about."""

    def of(kind: type[Any]) -> dict[str, Any]:
        return {name: options[name] for name in kind.__dataclass_fields__}

    return Given(
        servers={key: options[key] for key in ("smtp", "imap", "ca_file") if options[key] is not None},
        smtp_username=options["smtp_username"],
        source=SecretSource(**of(SecretSource)),
        pacing=PacingOptions(**of(PacingOptions)),
        names=NameOptions(**of(NameOptions)),
        signature=_signature(options["signature_file"]) if options["signature_file"] is not None else {},
    )
