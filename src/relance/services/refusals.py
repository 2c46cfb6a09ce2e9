"""What a service may refuse with; each message is one sentence that says what to do."""


class RefusedError(Exception):
    """What was asked for is not possible; nothing was changed."""


class WrongInputError(RefusedError):
    """What was given is never right, whatever the state: no address, no time zone, no column of the file."""


class NotFoundError(RefusedError):
    """What was named does not exist in this workspace."""


class LostRaceError(Exception):
    """Someone else wrote the row since it was read. Nothing was changed: read again and decide again."""
