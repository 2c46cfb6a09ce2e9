"""Public holidays, looked up once at publish and frozen into the plan: a later version of the table changes nothing."""

import difflib
from datetime import date

YEARS = 3  #: This year's and the next two's from the day of publishing, plus what is left of this one.


def holiday_dates(place: str, *, today: date) -> frozenset[date]:
    """Return the public holidays of a country (`DE`) or subdivision (`DE-BY`) from `today` for the next three years.

    Raises ValueError in the form `what is wrong; what to write instead`.
    """
    import holidays  # noqa: PLC0415 - it takes half a second, which no other command should wait for

    country, _, subdivision = place.strip().upper().partition("-")
    supported = holidays.list_supported_countries(include_aliases=True)
    if country not in supported:
        near = difflib.get_close_matches(country, supported, n=3, cutoff=0.5)
        hint = f"did you mean {' or '.join(near)}?" if near else "write a country code such as DE, or DE-BY"
        raise ValueError(f"no holidays are known for {place!r}; {hint}")
    years = range(today.year, today.year + YEARS + 1)
    try:
        found = holidays.country_holidays(country, subdiv=subdivision or None, years=years)
    except (NotImplementedError, ValueError) as error:
        known = ", ".join(supported[country][:20])
        raise ValueError(f"{country} has no region {subdivision!r}; known are {known}") from error
    last = date(today.year + YEARS, 12, 31)
    return frozenset(day for day in found if today <= day <= last)
