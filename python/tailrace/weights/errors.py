"""Errors that a user gets as a message, without a traceback."""

from __future__ import annotations

from importlib import import_module
from types import ModuleType

INSTALL = "pip install 'tailrace[regrid]'"


class WeightsError(Exception):
    """A grid or a file of weights that cannot be used, or a package that is missing; the text is complete."""


class WrongWords(WeightsError):
    """A word of a command line that is not known."""

    code = "usage"  # as that of tailrace.Error


class MissingPackage(WeightsError):
    """A package of the extra `regrid` is not installed."""


def need(module: str, purpose: str) -> ModuleType:
    """A package of the extra `regrid`."""
    try:
        return import_module(module)
    except ImportError as error:
        raise MissingPackage(
            f"{purpose} needs the Python package {module.partition('.')[0]}, which cannot be "
            f"imported ({error}); {INSTALL}"
        ) from None
