"""The log, as the person or the collector that reads it sees it."""

import json
from datetime import UTC, datetime, timedelta, timezone

import pytest

from relance.app.log import make_log
from relance.config import Config, LogFormat, LogLevel

AT = datetime(2026, 11, 30, 9, 2, 11, tzinfo=UTC)


@pytest.mark.parametrize("shape", list(LogFormat))
def test_a_time_is_written_as_a_time(capsys: pytest.CaptureFixture[str], shape: LogFormat):
    """Nobody reads `datetime.datetime(…)`, and no collector sorts by it."""
    make_log(Config(log_format=shape)).warning("mailbox.not_read", until=AT.astimezone(timezone(timedelta(hours=2))))

    assert "2026-11-30T09:02:11Z" in capsys.readouterr().err


def test_a_line_for_a_collector_is_one_object(capsys: pytest.CaptureFixture[str]):
    """Event, weight and timestamp stand beside what the line is about."""
    make_log(Config(log_format=LogFormat.JSON)).info("step.accepted", enrollment=1)
    line = json.loads(capsys.readouterr().err)

    assert ("step.accepted", "info", 1) == (line["event"], line["level"], line["enrollment"])
    assert line["timestamp"].endswith("Z")


def test_what_weighs_too_little_is_not_written(capsys: pytest.CaptureFixture[str]):
    """`log_level` says from where on."""
    make_log(Config(log_level=LogLevel.WARNING)).info("step.accepted")

    assert "" == capsys.readouterr().err
