"""Files of input whose contents are known, and the libraries that write them: what every process that reads must give.

A case is a list of variables. A writer writes those that its format can hold (`holds`), through a library that is not
the one of Tailrace.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

CLASSIC_TYPES = ("i1", "i2", "i4", "f4", "f8")
NEW_TYPES = ("u1", "u2", "u4", "i8", "u8")
NAMES = {"i1": "byte", "u1": "ubyte", "i2": "short", "u2": "ushort", "i4": "int", "u4": "uint", "i8": "int64"}
NAMES |= {"u8": "uint64", "f4": "float", "f8": "double", "S1": "char"}
UNLIMITED = "time"


@dataclass(frozen=True)
class Var:
    dims: tuple[str, ...]
    values: np.ndarray
    attributes: dict[str, Any] = field(default_factory=dict)
    chunks: tuple[int, ...] = ()
    compressed: bool = False


@dataclass(frozen=True)
class Case:
    variables: dict[str, Var]
    needs: frozenset[str] = frozenset()  # of new types, chunks, groups, characters, no records

    def sizes(self) -> dict[str, int]:
        found: dict[str, int] = {}
        for one in self.variables.values():
            found |= dict(zip(one.dims, one.values.shape, strict=True))
        return found


def random_values(kind: str, shape: tuple[int, ...], seed: int) -> np.ndarray:
    """Over the whole range of the type, with NaN and both infinities."""
    rng = np.random.default_rng(seed)
    if kind[0] in "iu":
        info = np.iinfo(kind)
        return rng.integers(info.min, info.max, shape, dtype=kind, endpoint=True)
    values = rng.normal(size=shape).astype(kind)
    values.flat[:3] = np.nan, np.inf, -np.inf
    return values


def types(kinds: tuple[str, ...]) -> dict[str, Var]:
    return {f"v_{kind}": Var(("time", "lat", "lon"), random_values(kind, (3, 5, 7), n)) for n, kind in enumerate(kinds)}


def characters(texts: list[str]) -> np.ndarray:
    return np.array([list(text) for text in texts], "S1")


def cases() -> dict[str, Case]:
    grid, rng = (3, 5, 7), np.random.default_rng(11)
    packed = rng.integers(-1000, 1000, grid).astype("i2")
    orders = [("lon", "lat"), ("lat", "lon"), ("time", "lon", "lat"), ("time", "lat", "lon")]
    sizes = {"time": 3, "lat": 5, "lon": 7}
    return {
        "types": Case(types(CLASSIC_TYPES)),
        "new types": Case(types(NEW_TYPES), frozenset({"new types"})),
        "packing": Case(
            {
                "t2m": Var(
                    ("time", "lat", "lon"),
                    packed,
                    {
                        "scale_factor": np.float64(0.5),
                        "add_offset": np.float64(273.15),
                        "missing_value": np.int16(-999),
                        "units": "K",
                    },
                )
            }
        ),
        "attributes": Case(
            {
                "v": Var(
                    ("lat",),
                    np.arange(5, dtype="f4"),
                    {
                        "long_name": "grün, 温度",
                        "comment": "two\nlines",
                        "_about": "x",
                        "levels": np.array([1.5, -2.0, 1e300]),
                        "valid_range": np.array([-9.0, np.inf], "f4"),
                        "flags": np.array([1, 2, 4], "i1"),
                        "not_a_number": np.nan,
                    },
                )
            }
        ),
        "scalar": Case({"height": Var((), np.array(2.5)), "count": Var((), np.array(7, "i4"))}),
        "orders of dims": Case(
            {"_".join(dims): Var(dims, rng.normal(size=[sizes[dim] for dim in dims]).astype("f4")) for dims in orders}
        ),
        "coordinates": Case(
            {
                "time": Var(("time",), np.array([0.5, 1.5, 9.0]), {"units": "days since 1850-01-01"}),
                "lat": Var(("lat",), np.linspace(90, -90, 5), {"units": "degrees_north"}),
                "v": Var(("time", "lat"), rng.normal(size=(3, 5))),
            }
        ),
        "chunks": Case(
            {
                "deep": Var(("time", "lat", "lon"), random_values("f4", (9, 10, 11), 3), {}, (2, 4, 11), True),
                "flat": Var(("lat", "lon"), random_values("i4", (10, 11), 4), {}, (3, 5), True),
            },
            frozenset({"chunks"}),
        ),
        "no records": Case(
            {"empty": Var(("time", "lat"), np.empty((0, 5))), "full": Var(("lat",), np.arange(5.0))},
            frozenset({"no records"}),
        ),
        "characters": Case(
            {"Times": Var(("time", "width"), characters(["2000-01-01_00", "2000-01-02_00"]))},
            frozenset({"characters"}),
        ),
        "groups": Case(
            {"forcing/land/runoff": Var(("x",), np.arange(40, dtype="f4")), "top": Var(("x",), np.arange(40.0))},
            frozenset({"groups"}),
        ),
    }


@dataclass(frozen=True)
class Writer:
    write: Callable[[Path, Case], Path]  # the folder, and what is to be opened
    holds: frozenset[str]
    for_netcdf_c: bool = True


def netcdf4(kind: str) -> Callable[[Path, Case], Path]:
    def write(folder: Path, case: Case) -> Path:
        import netCDF4

        with netCDF4.Dataset(folder / "in.nc", "w", format=kind) as data:
            data.set_auto_maskandscale(False)
            for dim, length in case.sizes().items():
                data.createDimension(dim, None if dim == UNLIMITED else length)
            for name, one in case.variables.items():
                options = {"zlib": True, "shuffle": True, "chunksizes": one.chunks} if one.compressed else {}
                variable = data.createVariable(name, one.values.dtype, one.dims, **options)
                variable.set_auto_maskandscale(False)
                variable.setncatts(one.attributes)
                if one.values.size:
                    variable[...] = one.values
        return folder / "in.nc"

    return write


def h5netcdf(folder: Path, case: Case) -> Path:
    import h5netcdf

    with h5netcdf.File(folder / "in.nc", "w") as data:
        data.dimensions = {dim: None if dim == UNLIMITED else length for dim, length in case.sizes().items()}
        for dim, length in case.sizes().items():
            if dim == UNLIMITED:
                data.resize_dimension(dim, length)
        for name, one in case.variables.items():
            options = {"chunks": one.chunks, "compression": "gzip"} if one.compressed else {}
            variable = data.create_variable(name, one.dims, one.values.dtype, **options)
            for key, value in one.attributes.items():
                variable.attrs[key] = value
            if one.values.size:
                variable[...] = one.values
    return folder / "in.nc"


def scipy(folder: Path, case: Case) -> Path:
    from scipy.io import netcdf_file

    with netcdf_file(folder / "in.nc", "w", version=2) as data:
        for dim, length in sorted(case.sizes().items(), key=lambda one: one[0] != UNLIMITED):  # that comes first
            data.createDimension(dim, None if dim == UNLIMITED else length)
        for name, one in case.variables.items():
            variable = data.createVariable(name, one.values.dtype.newbyteorder(">"), one.dims)
            for key, value in one.attributes.items():
                setattr(variable, key, value.encode() if isinstance(value, str) else np.atleast_1d(value))
            if one.dims:
                variable[:] = one.values
            else:
                variable.data[()] = one.values
    return folder / "in.nc"


def as_xarray(case: Case):
    import xarray as xr

    return xr.Dataset({name: (one.dims, one.values, one.attributes) for name, one in case.variables.items()})


def zarr(version: int, consolidated: bool) -> Callable[[Path, Case], Path]:
    def write(folder: Path, case: Case) -> Path:
        encoding = {name: {"chunks": one.chunks} for name, one in case.variables.items() if one.chunks}
        as_xarray(case).drop_encoding().to_zarr(
            folder / "in.zarr", zarr_format=version, consolidated=consolidated, encoding=encoding
        )
        return folder / "in.zarr"

    return write


def kerchunk(folder: Path, case: Case) -> Path:
    """References to the chunks of a NetCDF-4 file."""
    import json

    from kerchunk.hdf import SingleHdf5ToZarr

    path = netcdf4("NETCDF4")(folder, case)
    references = SingleHdf5ToZarr(str(path), inline_threshold=0).translate()
    (folder / "in.json").write_text(json.dumps(references))
    return folder / "in.json"


NEW = frozenset({"new types", "chunks", "no records", "characters"})
WRITERS = {
    "netCDF4 classic": Writer(netcdf4("NETCDF3_CLASSIC"), frozenset({"characters", "no records"})),
    "netCDF4 CDF-2": Writer(netcdf4("NETCDF3_64BIT_OFFSET"), frozenset({"characters", "no records"})),
    "netCDF4 CDF-5": Writer(netcdf4("NETCDF3_64BIT_DATA"), frozenset({"new types", "characters", "no records"})),
    "netCDF4": Writer(netcdf4("NETCDF4"), NEW | {"groups"}),
    "netCDF4 classic model": Writer(netcdf4("NETCDF4_CLASSIC"), NEW - {"new types"}),
    "h5netcdf": Writer(h5netcdf, NEW - {"characters"} | {"groups"}),
    "scipy": Writer(scipy, frozenset({"characters"})),
    "zarr 2": Writer(zarr(2, False), NEW, False),
    "zarr 2 consolidated": Writer(zarr(2, True), NEW, False),
    "zarr 3": Writer(zarr(3, False), NEW - {"characters"}, False),
    "zarr 3 consolidated": Writer(zarr(3, True), NEW - {"characters"}, False),
    "kerchunk": Writer(kerchunk, NEW - {"no records"}, False),
}
