#!/usr/bin/env python3
"""Makes the files that the model forced needs, one for each line of variables.txt: make_forcing.py FOLDER

No two are alike in format, type, packing, chunks, compression, the order of dims, the direction of axes and times. By
default they have 128 x 64 cells, 90 levels and 12 hours, some 200 MB."""

import argparse
import calendar
import datetime
import shlex
from dataclasses import dataclass
from pathlib import Path

import netCDF4
import numpy as np

HERE = Path(__file__).resolve().parent
FORMATS = {
    "classic": "NETCDF3_CLASSIC",
    "offset64": "NETCDF3_64BIT_OFFSET",
    "cdf5": "NETCDF3_64BIT_DATA",
    "netcdf4": "NETCDF4",
}
DEEP = 8  # records in a chunk
FILL = {"int16": -32768, "float32": 1e20, "float64": 1e20}
STEPS = 4096  # different values between the smallest and the largest one: what observations are worth
Times = tuple[str, np.ndarray, np.ndarray | None]  # units, values, bounds


@dataclass(frozen=True)
class Line:
    """One input of variables.txt, and the form of its file."""

    name: str
    grid: str
    units: str
    rule: str
    variable: str
    missing: str
    format: str
    type: str
    dims: str
    times: str
    extras: str

    def has(self, extra: str) -> bool:
        return extra in self.extras.split("+")


def table(path: Path = HERE / "variables.txt") -> list[Line]:
    lines = [shlex.split(line, comments=True) for line in path.read_text().splitlines()]
    return [Line(*words) for words in lines if words]


def axes(cells: list[int]) -> dict[str, np.ndarray]:
    """The model's: longitudes and latitudes in degrees, and pressures of levels in hPa."""
    nx, ny, nz = cells
    return {
        "lon": 360.0 * np.arange(nx) / nx,
        "lat": np.degrees(np.arcsin(np.polynomial.legendre.leggauss(ny)[0])),
        "lev": 1000.0 * ((np.arange(nz) + 0.5) / nz) ** 2,
    }


def axes_of(line: Line, model: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """As they are in the file."""
    lon, lat, lev = model["lon"], model["lat"], model["lev"]
    if line.has("west"):
        lon = np.sort((lon + 180.0) % 360.0 - 180.0)
    return {"lon": lon, "lat": lat[::-1] if line.has("south") else lat, "lev": lev[::-1] if line.has("up") else lev}


def times_of(line: Line, start: datetime.date, hours: int) -> Times | None:
    """They cover the run, and what is needed on both sides of it."""

    def days_since(year: int) -> int:
        return (start - datetime.date(year, 1, 1)).days

    def means(length: int) -> np.ndarray:
        begin = length * np.arange(-1, -(-hours // length) + 1)
        return np.stack([begin, begin + length], axis=1)

    match line.times:
        case "const":
            return None
        case "hourly":
            return f"hours since {start}", np.arange(hours + 2.0), None
        case "6hourly":
            return "days since 2000-01-01", days_since(2000) + 0.25 * np.arange(hours // 6 + 2), None
        case "daily":
            return "days since 1900-01-01 00:00:00", days_since(1900) + np.arange(hours // 24 + 2.0), None
        case "3hourly_means":
            bounds = 60.0 * means(3)
            return f"minutes since {start} 00:00", bounds.mean(axis=1), bounds
        case "daily_means":
            bounds = days_since(1950) + means(24) / 24.0
            return "days since 1950-01-01", bounds.mean(axis=1), bounds
        case "monthly":
            return monthly()
    raise SystemExit(f"variables.txt: {line.name}: times {line.times} are unknown")


def monthly() -> Times:
    """The means of the months over the years 1981 to 2010."""

    def day(year: int, month: int) -> float:
        return (datetime.date(year + month // 12, month % 12 + 1, 1) - datetime.date(1981, 1, 1)).days

    values = [day(1995, month) + calendar.monthrange(1995, month + 1)[1] / 2 for month in range(12)]
    bounds = [[day(1981, month), day(2010, month + 1)] for month in range(12)]
    return "days since 1981-01-01", np.array(values), np.array(bounds, dtype=float)


def record(number: int, time: int, where: dict[str, np.ndarray], is_volume: bool) -> np.ndarray:
    """Waves that move, and some noise, between -1 and 1: (lev, lat, lon) or (lat, lon)."""
    lon, lat = np.radians(where["lon"]), np.radians(where["lat"])[:, None]
    depth = np.radians(where["lev"] / 5.0)[:, None, None] if is_volume else 0.0
    wave = np.cos(lat) * np.sin((number % 5 + 1) * lon + 0.3 * time + number + depth)
    noise = np.random.default_rng([number, time]).random(wave.shape) - 0.5
    values = 0.9 * wave + 0.02 * noise
    return np.round(values * STEPS / 2) / (STEPS / 2)


def scales(line: Line) -> tuple[float, float]:
    """The middle and half the range of the values."""
    if line.units == "K":
        return 270.0, 40.0
    if line.units == "m s-1":
        return 0.0, 20.0
    return 1.0, 0.5


def chunks(line: Line, lengths: dict[str, int]) -> list[int]:
    def along(dim: str) -> int:
        if dim == "time":
            return {"deep": min(DEEP, lengths[dim]), "levels": lengths[dim]}.get(line.extras.split("+")[-1], 1)
        if dim == "lev":
            return 1 if line.has("levels") else max(1, lengths[dim] // 9)
        return lengths[dim]

    return [along(dim) for dim in line.dims.split(":")]


def add_axes(data: netCDF4.Dataset, line: Line, where: dict[str, np.ndarray], times: Times | None) -> None:
    words = {
        "lon": {"units": "degrees_east", "standard_name": "longitude"},
        "lat": {"units": "degrees_north", "standard_name": "latitude"},
        "lev": {"units": "hPa", "standard_name": "air_pressure", "positive": "down", "axis": "Z"},
    }
    for dim in [dim for dim in line.dims.split(":") if dim != "time"]:
        data.createDimension(dim, len(where[dim]))
        variable = data.createVariable(dim, "f8", (dim,))
        variable.setncatts(words[dim])
        variable[:] = where[dim]
    if times is None:
        return
    units, values, bounds = times
    data.createDimension("time", len(values) if line.has("fixed") else None)
    variable = data.createVariable("time", "f8", ("time",))
    variable.setncatts({"units": units, "calendar": "standard", "standard_name": "time", "axis": "T"})
    if bounds is not None:
        name = "climatology_bounds" if line.times == "monthly" else "time_bnds"
        variable.setncattr("climatology" if line.times == "monthly" else "bounds", name)
        data.createDimension("nv", 2)
        data.createVariable(name, "f8", ("time", "nv"))[:] = bounds
    variable[:] = values


def packed(line: Line, values: np.ndarray, variable: netCDF4.Variable) -> np.ndarray:
    """From -1 to 1 to the numbers of the file, with the attributes that say how."""
    middle, half = scales(line)
    if line.type != "int16":
        return middle + half * values
    if line.rule == "none":  # whole numbers, such as a mask
        return np.round(2 * values) + 2
    variable.setncatts({"scale_factor": half / 16000, "add_offset": middle})
    return np.round(16000 * values)


def write(folder: Path, number: int, line: Line, model: dict[str, np.ndarray], times: Times | None) -> None:
    where = axes_of(line, model)
    is_volume = line.grid == "volume"
    inner = [dim for dim in ("lev", "lat", "lon") if is_volume or dim != "lev"]
    dims = line.dims.split(":")
    lengths = {dim: len(where[dim]) for dim in inner} | ({"time": len(times[1])} if times else {})
    storage = {}
    if line.format == "netcdf4" and not line.has("fixed"):
        storage = {"chunksizes": chunks(line, lengths)}
    if line.has("zlib"):
        storage |= {"zlib": True, "complevel": 1, "shuffle": True}
    with netCDF4.Dataset(folder / f"{line.name}.nc", "w", format=FORMATS[line.format]) as data:
        add_axes(data, line, where, times)
        fill = FILL[line.type] if line.has("gaps") else None
        variable = data.createVariable(line.variable, line.type, dims, fill_value=fill, **storage)
        variable.setncatts({"units": line.units, "long_name": line.name.replace("_", " ")})
        variable.set_auto_maskandscale(False)
        count = lengths.get("time", 1)
        whole = np.empty([count, *(lengths[dim] for dim in inner)], dtype=line.type)
        for time in range(count):
            values = record(number, time, where, is_volume)
            whole[time] = packed(line, values, variable)
            if fill is not None:
                whole[time][values > 0.5] = fill
        here = ["time", *inner] if times else inner
        variable[:] = (whole if times else whole[0]).transpose([here.index(dim) for dim in dims])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="where the files go; those of the same names are replaced")
    parser.add_argument("--cells", type=int, nargs=3, default=[128, 64, 90], metavar=("NX", "NY", "NZ"))
    parser.add_argument("--hours", type=int, default=12, help="of the run")
    parser.add_argument("--start", type=datetime.date.fromisoformat, default=datetime.date(2001, 7, 1))
    asked = parser.parse_args()
    asked.folder.mkdir(parents=True, exist_ok=True)
    model = axes(asked.cells)
    for number, line in enumerate(table()):
        write(asked.folder, number, line, model, times_of(line, asked.start, asked.hours))


if __name__ == "__main__":
    main()
