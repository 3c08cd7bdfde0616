"""A model with fields and attributes as WRF's, and the files that netCDF-C makes of the same values.

As a program, `wrf_files.py STEPS [INITIAL_STEP]`, it is a model that Tailrace serves, with the text of its own
configuration.
"""

import sys
from pathlib import Path

import numpy as np

START = "2000-01-24 12:00:00"
STEP = 1800.0  # seconds
NZ, NY, NX = 5, 17, 23
EXTENTS = {"south_north": NY, "west_east": NX, "bottom_top": NZ}
EXTENTS |= {"south_north_stag": NY + 1, "west_east_stag": NX + 1, "bottom_top_stag": NZ + 1, "soil_layers_stag": 4}
PLACE = {"": "XLONG XLAT XTIME", "X": "XLONG_U XLAT_U XTIME", "Y": "XLONG_V XLAT_V XTIME"}
MASS, VOLUME = ("south_north", "west_east"), ("bottom_top", "south_north", "west_east")
# name, dims, type, description, units, stagger
FIELDS = [
    ("XLAT", MASS, "float32", "LATITUDE, SOUTH IS NEGATIVE", "degree_north", ""),
    ("XLONG", MASS, "float32", "LONGITUDE, WEST IS NEGATIVE", "degree_east", ""),
    ("XTIME", (), "float32", f"minutes since {START}", f"minutes since {START}", ""),
    ("ITIMESTEP", (), "int32", "", "", ""),
    ("ZNU", ("bottom_top",), "float32", "eta values on half (mass) levels", "", ""),
    ("U", ("bottom_top", "south_north", "west_east_stag"), "float32", "x-wind component", "m s-1", "X"),
    ("V", ("bottom_top", "south_north_stag", "west_east"), "float32", "y-wind component", "m s-1", "Y"),
    ("W", ("bottom_top_stag", "south_north", "west_east"), "float32", "z-wind component", "m s-1", "Z"),
    ("QVAPOR", VOLUME, "float32", "Water vapor mixing ratio", "kg kg-1", ""),
    ("P_HYD", VOLUME, "float64", "hydrostatic pressure", "Pa", ""),
    ("TSLB", ("soil_layers_stag", *MASS), "float32", "SOIL TEMPERATURE", "K", "Z"),
    ("ISLTYP", MASS, "int32", "DOMINANT SOIL CATEGORY", "", ""),
    ("T2", MASS, "float32", "TEMP at 2 M", "K", ""),
]
ORDERS = {0: "0  ", 1: "Z  ", 2: "XY ", 3: "XYZ"}
# In the order of their names, as files have them.
GLOBALS = {
    "BOTTOM-TOP_GRID_DIMENSION": np.int32(NZ + 1),
    "CEN_LAT": np.float32(39.7),
    "CEN_LON": np.float32(-105.3),
    "DX": np.float32(3000.0),
    "DY": np.float32(3000.0),
    "GRIDTYPE": "C",
    "MAP_PROJ": np.int32(1),
    "MOAD_CEN_LAT": np.float32(39.7),
    "NOTHING": "",
    "POLE_LAT": np.float32(90.0),
    "SIMULATION_START_DATE": "2000-01-24_12:00:00",
    "STAND_LON": np.float32(-105.3),
    "START_DATE": "2000-01-24_12:00:00",
    "TITLE": " OUTPUT FROM A MODEL LIKE WRF V4.7.1 MODEL ",
    "TRUELAT1": np.float32(30.1),
    "TRUELAT2": np.float32(60.2),
    "USE_THETA_M": np.int32(1),
    "WEST-EAST_GRID_DIMENSION": np.int32(NX + 1),
}
TEXT = """
tailrace: 1
model_time: {start: "2000-01-24 12:00:00", calendar: standard}
fields:
  all: {every: 1 step, names: ["*"]}
output:
  wrfout_d01.nc:
    layout: wrf
    write_every: 1 h
    variables: [{fields: "*", every: 1 h}]
"""


def attributes(dims, dtype: str, description: str, units: str, stagger: str) -> dict:
    """In WRF's order."""
    made = {"FieldType": np.int32({"float32": 104, "float64": 105, "int32": 106}[dtype])}
    made |= {"MemoryOrder": ORDERS[len(dims)], "description": description, "units": units, "stagger": stagger}
    if len(dims) >= 2:
        made["coordinates"] = PLACE.get(stagger, PLACE[""])
    return made


def values(name: str, step: int) -> np.ndarray:
    """At a step, of the whole domain."""
    dims, dtype = next((one[1], one[2]) for one in FIELDS if one[0] == name)
    shape = tuple(EXTENTS[dim] for dim in dims)
    if name == "XTIME":
        return np.array(step * STEP / 60.0, dtype)
    if name == "ITIMESTEP":
        return np.array(step, dtype)
    if name in ("XLAT", "XLONG"):  # of a domain that moves
        y, x = np.indices(shape)
        return (39.0 + 0.03 * y if name == "XLAT" else -106.0 + 0.04 * x + 0.01 * step).astype(dtype)
    seed = [step, *name.encode()]
    drawn = np.random.default_rng(seed).normal(250.0, 40.0, shape)
    return drawn.astype(dtype)


def date(step: int) -> str:
    return str(np.datetime64("2000-01-24T12:00:00") + np.timedelta64(int(step * STEP), "s")).replace("T", "_")


def write_reference(path: Path, steps: list[int]) -> None:
    """The file of these steps as netCDF-C writes it."""
    import netCDF4

    with netCDF4.Dataset(path, "w", format="NETCDF4") as data:
        data.createDimension("Time", None)
        data.createDimension("DateStrLen", 19)
        for name, value in GLOBALS.items():
            data.setncattr(name, value)
        times = data.createVariable("Times", "S1", ("Time", "DateStrLen"))
        for _, dims, *_ in FIELDS:
            for dim in dims:
                if dim not in data.dimensions:
                    data.createDimension(dim, EXTENTS[dim])
        for name, dims, dtype, *words in FIELDS:
            variable = data.createVariable(name, dtype, ("Time", *dims))
            for key, value in attributes(dims, dtype, *words).items():
                variable.setncattr(key, value)
        for record, step in enumerate(steps):
            times[record] = np.frombuffer(date(step).encode(), "S1")
            for name, *_ in FIELDS:
                data[name][record] = values(name, step)


def part(extent: int, rank: int, ranks: int, staggered: bool) -> tuple[int, int]:
    """First cell and number of cells of a rank, of which the last one has one more along a staggered dimension."""
    mass = extent - staggered
    first, last = mass * rank // ranks, mass * (rank + 1) // ranks
    return first, last - first + (staggered and rank == ranks - 1)


def main() -> None:
    import tailrace
    from mpi4py import MPI

    steps, initial = int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 0
    text = Path("model.yaml").read_text() if Path("model.yaml").exists() else ""
    io = tailrace.Session.start(
        MPI.COMM_WORLD, "tailrace.yaml", component="wrf", initial_time=initial * STEP, initial_step=initial, text=text
    )
    if io.is_server():
        return
    mine = io.model_comm()
    boxes = {}
    for name, dims, dtype, *words in FIELDS:
        grid, box = "_".join(dims), []
        for dim in dims:
            split = dim.startswith("south_north")
            whole = (0, EXTENTS[dim])
            box.append(part(EXTENTS[dim], mine.rank, mine.size, dim.endswith("_stag")) if split else whole)
        if grid and grid not in boxes:
            shape, (offset, count) = [EXTENTS[dim] for dim in dims], zip(*box, strict=True)
            if "south_north" in grid:
                io.grid(grid, dims=list(dims), shape=shape, offset=list(offset), count=list(count))
            else:
                io.grid(grid, dims=list(dims), shape=shape)
        boxes[grid] = box
        io.field(name, grid=grid, dtype=dtype, attributes={"coordinates": "XLONG"} if len(dims) > 1 else {})
        for key, value in attributes(dims, dtype, *words).items():
            io.set_attribute(key, value, field=name)
    io.set_attribute("TRUELAT1", 1)  # the last value counts
    for key, value in GLOBALS.items():
        io.set_attribute(key, value)
    io.ready()
    for step in range(initial + 1, steps + 1):
        io.step(step, step * STEP)
        for name, dims, *_ in FIELDS:
            cut = tuple(slice(first, first + count) for first, count in boxes["_".join(dims)])
            io.put(name, values(name, step)[cut])
    io.finish()


if __name__ == "__main__":
    main()
