"""The log: structured lines on stderr, for people who operate the engine."""

import logging
import sys
from datetime import UTC, datetime
from typing import cast

import structlog

from relance.config import Config, LogFormat
from relance.ports.telemetry import Log


def make_log(config: Config) -> Log:
    """Return the log: structured lines on stderr, so that stdout stays for facts."""
    console = config.log_format is LogFormat.CONSOLE
    renderer: structlog.typing.Processor = (
        structlog.dev.ConsoleRenderer(colors=sys.stderr.isatty()) if console else structlog.processors.JSONRenderer()
    )
    return cast(
        "Log",
        structlog.wrap_logger(
            structlog.WriteLogger(sys.stderr),
            processors=[
                structlog.processors.add_log_level,
                structlog.processors.TimeStamper(fmt="iso", utc=True),
                structlog.processors.format_exc_info,
                _readable_times,
                renderer,
            ],
            wrapper_class=structlog.make_filtering_bound_logger(logging.getLevelName(config.log_level.upper())),
        ),
    )


def _readable_times(_logger: object, _method: str, line: structlog.typing.EventDict) -> structlog.typing.EventDict:
    """Write instants as the line's own timestamp is written, not as Python would repeat them."""
    return {name: _instant(value) if isinstance(value, datetime) else value for name, value in line.items()}


def _instant(at: datetime) -> str:
    return at.astimezone(UTC).isoformat().replace("+00:00", "Z")
