"""How long a NetCDF file of the classic kinds must be: the netCDF-C library gives zeros for what a shorter one lacks.

As src/input/reader/process/classic_length.hpp. Source: NetCDF User's Guide, "File Format Specifications", with CDF-5's
by PnetCDF.
"""

from __future__ import annotations

import io
from math import prod
from pathlib import Path

from .refusal import Refusal

SIZES = dict(enumerate((1, 1, 2, 4, 4, 8, 1, 2, 4, 8, 8), start=1))  # by nc_type


def check_length(path: str) -> None:
    """Refusal with both lengths for a classic file that is shorter than its header says."""
    size = Path(path).stat().st_size
    with Path(path).open("rb") as file:
        expected = _Header(file, size).length() if file.read(3) == b"CDF" else None
    if expected is not None and size < expected:
        raise Refusal(f"it is truncated: it has {size} bytes; expected at least {expected} by its header")


class _Header:
    """Reads on from behind the magic word. None for a length that the library must judge."""

    def __init__(self, file: io.BufferedReader, size: int) -> None:
        self.file = file
        self.left = size - 3  # bytes
        self.dims: list[int] = []
        self.variables: list[tuple[bool, int, int]] = []  # has records, begin, bytes (of one record)

    def length(self) -> int | None:
        try:
            version = self._number(1)
            if version not in (1, 2, 5):
                return None
            self.count_bytes, self.begin_bytes = 8 if version == 5 else 4, 4 if version == 1 else 8
            records = self._count()
            if records == (1 << 8 * self.count_bytes) - 1:
                return None  # not known
            for read in (self._dim, self._attribute, self._variable):
                self._list(read)
        except LookupError:  # a type or a dim that there is not, which the library says better
            return None
        return self._end(records)

    def _end(self, records: int) -> int:
        growing = [size for has_records, _, size in self.variables if has_records]
        of_record = growing[0] if len(growing) == 1 else sum(map(_padded, growing))
        return max(
            (
                begin + (records - 1) * of_record * has_records + size
                for has_records, begin, size in self.variables
                if records or not has_records
            ),
            default=0,
        )

    def _number(self, size: int) -> int:
        self._take(size)
        return int.from_bytes(self.file.read(size), "big")

    def _skip(self, size: int) -> None:
        self._take(size)
        self.file.seek(size, io.SEEK_CUR)

    def _take(self, size: int) -> None:
        """The library takes memory for each length before it looks whether the file has as much."""
        if size > self.left:
            raise Refusal("its header is damaged: it is longer than the file")
        self.left -= size

    def _count(self) -> int:
        return self._number(self.count_bytes)

    def _list(self, read) -> None:
        self._number(4)  # the tag
        for _ in range(self._count()):
            read()

    def _name(self) -> None:
        self._skip(_padded(self._count()))

    def _dim(self) -> None:
        self._name()
        self.dims.append(self._count())

    def _attribute(self) -> None:
        self._name()
        size = SIZES[self._number(4)]
        self._skip(_padded(size * self._count()))

    def _variable(self) -> None:
        self._name()
        lengths = [self.dims[self._count()] for _ in range(self._count())]
        has_records = lengths[:1] == [0]
        self._list(self._attribute)
        size = SIZES[self._number(4)] * prod(lengths[has_records:])
        self._count()  # vsize, which need not be right
        self.variables.append((has_records, self._number(self.begin_bytes), size))


def _padded(size: int) -> int:
    return (size + 3) // 4 * 4
