"""Plots drawn by the server: values in, the places of an SVG's shapes out. Nothing here knows what is counted."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta

WIDTH, HEIGHT = 720, 200
_LEFT, _RIGHT, _TOP, _BOTTOM = 44, 8, 10, 24
_MOST_LABELS = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """A word at a place."""

    x: float
    y: float
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Bar:
    """One day's bar of one series; `title` says it in words."""

    x: float
    y: float
    width: float
    height: float
    title: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Plot:
    """Bars of the first series, and one line for each other, over days; grid lines with their values."""

    bars: tuple[Bar, ...]
    lines: tuple[str, ...]  #: The `points` of a polyline for each further series.
    grid: tuple[Mark, ...]
    days: tuple[Mark, ...]
    top: int  #: The value at the top.


def by_day(first: date, last: date, bars: dict[date, int], lines: Sequence[dict[date, int]], *, word: str) -> Plot:
    """Return the plot of some counts by day; days without one count as nought. `word` names what the bars count."""
    days = [first + timedelta(days=n) for n in range((last - first).days + 1)]
    top = _nice(max((*bars.values(), *(value for line in lines for value in line.values())), default=0))
    step = (WIDTH - _LEFT - _RIGHT) / max(1, len(days))
    every = -(-len(days) // _MOST_LABELS)
    return Plot(
        bars=tuple(
            Bar(
                x=round(_LEFT + step * n + step * 0.12, 2),
                y=round(_y(bars.get(day, 0), top), 2),
                width=round(step * 0.76, 2),
                height=round(_y(0, top) - _y(bars.get(day, 0), top), 2),
                title=f"{day.day} {day:%b}: {bars.get(day, 0):,} {word}",
            )
            for n, day in enumerate(days)
            if bars.get(day, 0)
        ),
        lines=tuple(
            " ".join(f"{_LEFT + step * (n + 0.5):.2f},{_y(line.get(day, 0), top):.2f}" for n, day in enumerate(days))
            for line in lines
        ),
        grid=tuple(
            Mark(x=_LEFT, y=round(_y(value, top), 2), text=f"{value:,}") for value in sorted({0, top // 2, top})
        ),
        days=tuple(
            Mark(x=round(_LEFT + step * (n + 0.5), 2), y=HEIGHT - 6, text=f"{day.day} {day:%b}")
            for n, day in enumerate(days)
            if n % every == 0
        ),
        top=top,
    )


def _y(value: int, top: int) -> float:
    return HEIGHT - _BOTTOM - (HEIGHT - _BOTTOM - _TOP) * max(0, value) / top


def _nice(most: int) -> int:
    """Return a round value at or above the highest: one of 2, 4, 10, 20, 40, 100 and so on."""
    size = 1
    while True:
        for factor in (2, 4, 10):
            if most <= factor * size:
                return factor * size
        size *= 10
