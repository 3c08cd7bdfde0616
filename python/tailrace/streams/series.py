"""One file, or the files of a series (`new_file_every`, `file_per_write`), in the order of their records.

A job makes the files of a series one after the other: each one when the one before is closed. So of the files that are
there the next one is that with the earliest record, and none that comes later belongs before it.
"""

from collections.abc import Callable, Sequence
from pathlib import Path

from .errors import StreamError
from .records import ends_of
from .snapshots import NetcdfFile

TRIES = 20  # to open a file that nobody writes, before its error is believed


class Single:
    """One file, which need not be there yet."""

    goes_on = False

    def __init__(self, file: NetcdfFile):
        self.file: NetcdfFile | None = file
        self.name = str(file.path)
        self.first_words = f"this {file.kind}"

    def __str__(self) -> str:
        return self.name

    def next(self, newest: bool, fields: Sequence[str] | None) -> NetcdfFile | None:
        file, self.file = self.file, None
        return file

    def has_later(self) -> bool:
        return False


class Coverage:
    """The ends of the first and the last record along each growing dimension that has records, in their units."""

    def __init__(self, file: NetcdfFile):
        self.is_final = not file.is_written()  # asked first
        self.first: dict[str, float] = {}
        self.last: dict[str, float] = {}
        self.units: dict[str, str] = {}
        with file.open() as records:
            for dim in records.dims:
                ends = ends_of(records.raw, dim)
                if ends.size:
                    self.first[dim], self.last[dim] = float(ends[0]), float(ends[-1])
                    self.units[dim] = str(records.raw[dim].attrs.get("units", ""))
            self.grows = bool(records.dims)
            known = records.raw.variables
            self.fields = {str(name) for name, one in known.items() if self.first.keys() & set(one.dims)}

    def begin(self) -> float:
        return min(self.first.values())


class Series:
    """All files whose names match a pattern of the shell, also those that are yet to come."""

    goes_on = True  # its job may be between two files

    def __init__(self, pattern: Path, file_at: Callable[[Path], NetcdfFile]):
        self.pattern = pattern
        self.file_at = file_at
        self.first_words = "the first file of this series"
        self.waiting: dict[Path, Coverage] = {}
        self.passed: set[Path] = set()
        self.current: NetcdfFile | None = None
        self.covered: Coverage | None = None  # by the current one, as it was before
        self.failures: dict[Path, int] = {}

    def __str__(self) -> str:
        return str(self.pattern)

    def next(self, newest: bool, fields: Sequence[str] | None) -> NetcdfFile | None:
        """The next file that has records. `newest`: leaves out those before the last one with any of the fields."""
        self._look()
        order = sorted(self.waiting, key=lambda path: (self.waiting[path].begin(), path))
        if not order:
            return None
        having = [path for path in order if fields is None or self.waiting[path].fields & set(fields)]
        chosen = (having or order)[-1] if newest else order[0]
        if self.current is not None:
            self._check_behind(chosen)
        for path in order[: order.index(chosen) + 1]:
            self.passed.add(path)
            self.covered = self.waiting.pop(path)
        self.current = self.file_at(chosen)
        return self.current

    def has_later(self) -> bool:
        self._look()
        return bool(self.waiting)

    def _look(self) -> None:
        for path in Path(self.pattern.anchor).glob(str(self.pattern.relative_to(self.pattern.anchor))):
            if path in self.waiting or path in self.passed or path.name.startswith("."):
                continue
            coverage = self._coverage(path)
            if coverage is not None and coverage.first:
                self.waiting[path] = coverage

    def _coverage(self, path: Path) -> Coverage | None:
        """None of a file that is just being made."""
        file = self.file_at(path)
        try:
            coverage = Coverage(file)
        except (OSError, RuntimeError, ValueError, KeyError) as error:
            self.failures[path] = self.failures.get(path, 0) + (not file.is_written())
            if self.failures[path] >= TRIES:
                raise StreamError(f"{path}: cannot be read: {error}") from error
            return None
        if not coverage.grows:
            raise StreamError(f"{path}: no dimension of it grows, so it is no file of a series; open it with xarray")
        return coverage

    def _check_behind(self, path: Path) -> None:
        """Checks that all records of the next file are later than those of the current one."""
        before = self.covered if self.covered.is_final else Coverage(self.current)
        after = self.waiting[path]
        for dim in set(before.last) & set(after.first):
            if before.units[dim] == after.units[dim] and before.last[dim] < after.first[dim]:
                continue
            raise StreamError(
                f"{self.pattern}: {path.name} does not go on where {self.current.path.name} ends: "
                f"along {dim} it begins with {after.first[dim]:g} {after.units[dim]!r} "
                f"behind {before.last[dim]:g} {before.units[dim]!r}; "
                "expected a pattern that only the files of one series match"
            )
