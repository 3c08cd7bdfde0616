"""Errors that a user gets as a message, without a traceback."""

from __future__ import annotations


class AdviceError(Exception):
    """A file or a bound that cannot be used; the text is complete."""

    code = "usage"  # as that of tailrace.Error
