"""The mistakes of a user that this package reports."""


class SizingError(Exception):
    """The message is complete, with place and remedy."""

    code = "usage"
