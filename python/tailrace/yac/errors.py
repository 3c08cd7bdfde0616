"""Mistakes and failures of a coupled run, in words that are ready for the user."""

from __future__ import annotations

INSTALL = "pip install 'tailrace[yac]'"


class CouplingError(Exception):
    """Mistakes in the terms of YAC and of the configuration; a line for each."""

    code = "configuration"  # as that of tailrace.Error


class PartnerError(CouplingError):
    """Another component did not do in time what the coupling needs."""

    code = "lost"


class MissingPackage(Exception):
    pass
