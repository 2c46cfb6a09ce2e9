"""Numbers in sentences."""


def counted(number: int, one: str, many: str = "") -> str:
    """Return a number with its noun: `1 row`, `3 rows`, `1 person`, `2 people`."""
    return f"{number} {one if number == 1 else many or f'{one}s'}"
