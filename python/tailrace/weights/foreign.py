"""Files of weights by others: SCRIP and CDO, ESMF, YAC, and our own, as links numbered from 0."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from .errors import WeightsError
from .reading import degrees_of, opened, safely, text_of, values_of
from .rows import Ints
from .sphere import Floats


@dataclass
class Side:
    """The source or the target grid, as far as the file tells."""

    cells: int | None = None
    shape: tuple[int, ...] = ()
    centres: tuple[Floats, Floats] | None = None
    area: Floats | None = None
    frac: Floats | None = None


@dataclass
class Foreign:
    path: Path
    layout: str  # SCRIP, CDO, ESMF, YAC or Tailrace
    target_cell: Ints
    source_cell: Ints
    weight: Floats
    source: Side = field(default_factory=Side)
    target: Side = field(default_factory=Side)
    map_method: str = ""
    normalization: str = ""
    made_by: str = ""
    row_start: Ints | None = None  # of our own files

    @property
    def is_conservative(self) -> bool:
        return "conservative" in self.map_method.lower() or "largest" in self.map_method.lower()


def read_weights(path: Path) -> Foreign:
    """Blocks. Raises WeightsError with the path."""
    return safely(path, _read)


def _read(path: Path) -> Foreign:
    with opened(path) as file:
        if {"S", "row", "col"} <= set(file.variables):
            return _esmf(path, file)
        if text_of(file, "version").startswith("yac weight file"):
            return _yac(path, file)
        if {"src_address", "dst_address", "remap_matrix"} <= set(file.variables):
            return _scrip(path, file)
        raise WeightsError(
            "has no weights of SCRIP (src_address, dst_address, remap_matrix), ESMF (S, row, col) or YAC"
        )


def _scrip(path: Path, file: Any) -> Foreign:
    matrix = values_of(file, "remap_matrix", 2)
    map_method = text_of(file, "map_method")
    if matrix.shape[1] != 1 and not (matrix.shape[1] == 3 and "conservative" in map_method.lower()):
        raise WeightsError(
            f"has {matrix.shape[1]} weights a link ({map_method or 'no map_method'}); expected 1, or 3 of a "
            "conservative method, of which the first counts"
        )
    ours = bool(text_of(file, "tailrace_method"))
    cdo = text_of(file, "CDO")
    made = text_of(file, "tailrace_made_by") or (f"CDO {_number_in(cdo)}" if cdo else text_of(file, "title") or "SCRIP")
    return Foreign(
        path,
        "Tailrace" if ours else "CDO" if cdo else "SCRIP",
        _addresses(file, "dst_address"),
        _addresses(file, "src_address"),
        np.ascontiguousarray(matrix[:, 0], np.float64),
        _scrip_side(file, "src"),
        _scrip_side(file, "dst"),
        map_method,
        text_of(file, "normalization"),
        made,
        values_of(file, "row_start", 1).astype(np.int64) if ours else None,
    )


def _number_in(text: str) -> str:
    return next((word for word in text.split() if word[0].isdigit()), "")


def _scrip_side(file: Any, side: str) -> Side:
    cells = _length(file, f"{side}_grid_size")
    shape = (
        tuple(int(length) for length in values_of(file, f"{side}_grid_dims", 1)[::-1])
        if f"{side}_grid_dims" in file.variables
        else ()
    )
    return Side(
        cells,
        shape,
        _pair(file, f"{side}_grid_center_lat", f"{side}_grid_center_lon"),
        _optional(file, f"{side}_grid_area"),
        _optional(file, f"{side}_grid_frac"),
    )


def _esmf(path: Path, file: Any) -> Foreign:
    def side(letter: str, name: str) -> Side:
        shape = (
            tuple(int(length) for length in values_of(file, f"{name}_grid_dims", 1)[::-1])
            if f"{name}_grid_dims" in file.variables
            else ()
        )
        return Side(
            _length(file, f"n_{letter}"),
            shape,
            _pair(file, f"yc_{letter}", f"xc_{letter}"),
            _optional(file, f"area_{letter}"),
            _optional(file, f"frac_{letter}"),
        )

    return Foreign(
        path,
        "ESMF",
        _addresses(file, "row"),
        _addresses(file, "col"),
        values_of(file, "S", 1).astype(np.float64),
        side("a", "src"),
        side("b", "dst"),
        text_of(file, "map_method"),
        text_of(file, "normalization"),
        text_of(file, "ESMF_version") or "ESMF",
    )


def _yac(path: Path, file: Any) -> Foreign:
    if text_of(file, "contains_fixed_dst") == "TRUE":
        raise WeightsError("sets target cells to fixed values, which are no weights")
    if text_of(file, "contains_links") != "TRUE":
        raise WeightsError("has no links")
    counts = values_of(file, "num_links_per_src_field", 1)
    if len(counts) != 1:
        raise WeightsError(f"has links of {len(counts)} source fields; expected one")
    for name in ("src_locations", "dst_location"):
        text = (
            b"".join(np.ravel(file.variables[name][:]).astype("S1")).decode("ascii", "replace").strip("\0 ")
            if name in file.variables
            else "CELL"
        )
        if text != "CELL":
            raise WeightsError(f"has values at {text} ({name}); expected CELL")
    matrix = values_of(file, "remap_matrix", 2)
    return Foreign(
        path,
        "YAC",
        _addresses(file, "dst_address"),
        _addresses(file, "src_address"),
        np.ascontiguousarray(matrix[:, 0], np.float64),
        made_by="YAC",
    )


def _addresses(file: Any, name: str) -> Ints:
    values = values_of(file, name, 1)
    if values.dtype.kind == "f":
        raise WeightsError(f"variable {name} has no whole numbers")
    return values.astype(np.int64) - 1


def _length(file: Any, dim: str) -> int | None:
    return len(file.dimensions[dim]) if dim in file.dimensions else None


def _optional(file: Any, name: str) -> Floats | None:
    return values_of(file, name, 1).astype(np.float64) if name in file.variables else None


def _pair(file: Any, lat: str, lon: str) -> tuple[Floats, Floats] | None:
    if lat not in file.variables or lon not in file.variables:
        return None
    return degrees_of(file, lat, 1), degrees_of(file, lon, 1)
