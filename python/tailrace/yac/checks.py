"""The part of `tailrace check` that looks at the section `yac`."""

from __future__ import annotations

from pathlib import Path

from .grids import OwnGrid
from .levels import Levels
from .request import read_request_with


def check_files(config: Path) -> None:
    """Opens the files that the section names, if there is one. Raises tailrace.Error and CouplingError."""
    request = read_request_with(config, "")
    for name, entry in request.grids.items():
        OwnGrid(name, entry, rank=0, size=1)
    for dim, entry in request.levels.items():
        Levels(dim, entry)
