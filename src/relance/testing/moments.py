"""Instants that tests agree on."""

from datetime import UTC, datetime

MONDAY = datetime(2026, 11, 30, 9, 0, tzinfo=UTC)  #: An ordinary working day; its morning in Europe.
