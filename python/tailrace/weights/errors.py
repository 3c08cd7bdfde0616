"""Errors that a user gets as a message, without a traceback."""

from __future__ import annotations

from importlib import import_module
from types import ModuleType

INSTALL = "pip install 'tailrace[regrid]'"


class WeightsError(Exception):
    """A grid or a file of weights that cannot be used, or a package that is missing; the text is complete."""

    code = "configuration"  # as that of tailrace.Error: the mistake of a user


class MissingPackage(WeightsError):
    code = "resource"


def need(module: str, purpose: str) -> ModuleType:
    """A package of the extra `regrid`."""
    try:
        return import_module(module)
    except ImportError as error:
        raise MissingPackage(
            f"{purpose} needs the Python package {module.partition('.')[0]}, which cannot be "
            f"imported ({error}); {INSTALL}"
        ) from None
