"""Mistakes and failures of a coupled run, in words that are ready for the user."""

from __future__ import annotations

from dataclasses import dataclass, field

INSTALL = "pip install 'tailrace[yac]'"


class CouplingError(Exception):
    """Mistakes in the terms of YAC and of the configuration; a line for each."""

    code = "configuration"  # as that of tailrace.Error


class PartnerError(CouplingError):
    """Another component did not do in time what the coupling needs."""

    code = "lost"


class MissingPackage(Exception):
    pass


@dataclass
class Findings:
    """About a coupled run, of which the user gets all at once."""

    problems: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)

    def stop_at_problems(self) -> None:
        if self.problems:
            raise CouplingError("\n".join(dict.fromkeys(self.problems)))
