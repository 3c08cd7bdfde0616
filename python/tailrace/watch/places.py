"""The files of a run that may be opened: those that it lists itself, and only inside its directories."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from tailrace.streams.errors import StreamError
from tailrace.streams.open import engine_of

DRAWN = ("netcdf", "zarr")


class Refused(Exception):
    """A file that is not shown; the text says why, and what would help."""


@dataclass(frozen=True)
class Places:
    """`folders`: that of the job, in which the paths of the configuration begin, and those that the user adds."""

    folders: tuple[Path, ...]

    @staticmethod
    def of(report: Path, more: Iterable[Path] = ()) -> Places:
        return Places(tuple(Path(os.path.realpath(one)) for one in (report.resolve().parent, *more)))

    def find(self, path: str) -> Path:
        """The real place of a file that the run lists. Raises Refused."""
        for folder in self.folders:
            place = Path(os.path.realpath(folder / path))
            if place.exists():
                return self._checked(path, place)
        raise Refused(f"{path}: is not there yet, or is relative to another directory: add it by --data DIR")

    def _checked(self, path: str, place: Path) -> Path:
        if not self._is_inside(place):
            raise Refused(f"{path}: is outside the run's directories; allow its directory by --data DIR")
        try:
            engine = engine_of(place)
        except StreamError:
            engine = "unknown"
        if engine not in DRAWN:
            raise Refused(f"{path}: only NetCDF files and Zarr stores are drawn")
        if not (place.is_dir() if engine == "zarr" else place.is_file()):
            raise Refused(f"{path}: is no {'store' if engine == 'zarr' else 'file'}")
        if engine == "zarr":
            self._check_store(path, place)
        return place

    def _is_inside(self, place: Path) -> bool:
        return any(place.is_relative_to(folder) for folder in self.folders)

    def _check_store(self, path: str, store: Path) -> None:
        """No array, and no folder of its chunks, may lead elsewhere. Chunks are too many to be looked at."""
        arrays = [Path(entry.path) for entry in os.scandir(store) if entry.is_dir() or entry.is_symlink()]
        for one in (*arrays, *(array / part for array in arrays for part in ("zarr.json", "c"))):
            if not Path(os.path.realpath(one)).is_relative_to(store):
                raise Refused(f"{path}: its part {one.relative_to(store)} is a link that leads out of the store")
