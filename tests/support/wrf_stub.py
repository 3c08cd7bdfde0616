"""The jobs of the stand-in for WRF (tests/clients/wrf_stub): its variables, its script, and the files that netCDF-C
makes of the same calls."""

from dataclasses import dataclass, field
from pathlib import Path

import netCDF4
import numpy as np

START = np.datetime64("2000-01-24T12:00:00")
TYPES = {104: "f4", 105: "f8", 106: "i4", 107: "i4"}
PLACES = {"": "XLONG XLAT XTIME", "X": "XLONG_U XLAT_U XTIME", "Y": "XLONG_V XLAT_V XTIME", "Z": "XLONG XLAT XTIME"}
BOTH, ALL = "HISTORY,RESTART", "HISTORY,AUXHIST3,RESTART"


@dataclass
class Variable:
    name: str
    type: int
    order: str  # of the memory
    stagger: str
    dims: list[str]  # in memory order; "*24": without a name
    description: str
    units: str
    coordinates: str
    streams: str

    def line(self) -> str:
        dims = ",".join(self.dims)
        words = (self.name, self.type, self.order, self.stagger, dims, self.description, self.units, self.coordinates)
        return "|".join(str(word) for word in (*words, self.streams))


def volume(name, streams, stagger="", kind=104, levels="bottom_top"):
    dims = ["west_east", levels, "south_north"]
    index = "XZY".find(stagger) if stagger else -1
    if index >= 0 and not dims[index].endswith("_stag"):
        dims[index] += "_stag"
    return Variable(name, kind, "XZY", stagger, dims, f"the field {name}", "m s-1", PLACES[stagger], streams)


def plane(name, streams, stagger="", kind=104, units="K", coordinates=None):
    dims = ["west_east", "south_north"]
    for place, letter in enumerate("XY"):
        dims[place] += "_stag" if stagger == letter else ""
    where = PLACES[stagger] if coordinates is None else coordinates
    return Variable(name, kind, "XY", stagger, dims, f"THE FIELD {name}", units, where, streams)


def strip(name, order):
    along = "south_north" if order[0] == "X" else "west_east"
    dims = [along, "bottom_top", "bdy_width"] if len(order) == 3 else [along, "bdy_width"]
    return Variable(name, 104, order, "", dims, "bdy", "", "", "RESTART")


def variables() -> list[Variable]:
    made = [plane(name, ALL, units="degree_north", coordinates="XLONG XLAT") for name in ("XLAT", "XLONG")]
    made += [Variable("XTIME", 104, "0", "", [], "minutes", "minutes since 2000-01-24 12:00:00", "", ALL)]
    made += [Variable("ITIMESTEP", 106, "0", "", [], "", "", "", ALL)]
    made += [Variable("ZNU", 104, "Z", "", ["bottom_top"], "eta values on half levels", "", "", BOTH)]
    made += [Variable("ZNW", 104, "Z", "Z", ["bottom_top_stag"], "eta values on full levels", "", "", BOTH)]
    made += [Variable("DZS", 104, "Z", "Z", ["soil_layers_stag"], "THICKNESSES OF SOIL LAYERS", "m", "", BOTH)]
    made += [Variable("TABLE", 104, "C", "", ["*24"], "a table without a name", "", "", BOTH)]
    made += [Variable("TABLE_2", 105, "C", "", ["*24"], "  blanks in front", "", "", BOTH)]
    made += [volume("U", BOTH, "X"), volume("V", BOTH, "Y"), volume("W", ALL, "Z"), volume("QVAPOR", ALL)]
    made += [volume("P_HYD", BOTH, kind=105), volume("TSLB", BOTH, "Z", levels="soil_layers_stag")]
    made += [plane("ISLTYP", BOTH, kind=106, units=""), plane("LANDMASK", BOTH, kind=107, units="Flag")]
    made += [plane("MAPFAC_U", BOTH, "X", units=""), plane("MAPFAC_V", BOTH, "Y", units=""), plane("T2", ALL)]
    made += [plane(name, BOTH) for name in ("RAINNC", "U10", "V10")]
    made += [volume("U_1", "RESTART", "X"), volume("U_2", "RESTART", "X")]
    made += [strip("U_BXS", "XSZ"), strip("U_BXE", "XEZ"), strip("V_BYS", "YSZ"), strip("V_BYE", "YEZ")]
    made += [strip("MU_BXS", "XS"), strip("MU_BYE", "YE")]
    made += [plane(f"DIAGNOSTIC_{i:02}", "HISTORY") for i in range(60)]
    made += [Variable(f"SCALAR_{i:02}", 104, "0", "", [], "a scalar", "", "", "RESTART") for i in range(20)]
    return made


@dataclass
class Domain:
    extents: tuple[int, int, int]  # e_we, e_sn, e_vert
    first: int
    mesh: tuple[int, int]  # ranks in x and y

    def extent(self, dim: str) -> int:
        if dim.startswith("*"):
            return int(dim[1:])
        known = dict(zip(("west_east", "south_north", "bottom_top"), self.extents, strict=True))
        name = dim.removesuffix("_stag")
        if name in known:
            return known[name] - (name == dim)
        return {"soil_layers": 4, "bdy_width": 5}[name]


def meshes(ranks: int) -> tuple[int, int]:
    return {1: (1, 1), 2: (1, 2), 3: (3, 1), 4: (2, 2), 5: (1, 5), 6: (3, 2)}[ranks]


def domains(ranks: int) -> list[Domain]:
    """A nest on all ranks but the last, and one in it on the last half; on one rank all."""
    second, third = max(1, ranks - 1), max(1, ranks // 2)
    return [
        Domain((24, 19, 8), 0, meshes(ranks)),
        Domain((16, 22, 8), 0, meshes(second)),
        Domain((13, 17, 6), ranks - third, meshes(third)),
    ]


@dataclass
class File:
    dataset: str
    domain: int
    path: str
    frames: list[int] = field(default_factory=list)  # seconds since the start


def date(seconds: int) -> str:
    return str(START + np.timedelta64(seconds, "s")).replace("T", "_")


STREAMS = {"HISTORY": 1, "AUXHIST3": 2, "RESTART": 3, "BOUNDARY": 4}
NAMES = {"HISTORY": "wrfout", "AUXHIST3": "auxhist3", "RESTART": "wrfrst", "BOUNDARY": "wrfbdy"}


class Script:
    """The calls of a run, in their order, and the files that they make."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.files: list[File] = []
        self.is_open: dict[tuple[str, int], File] = {}

    def frame(self, dataset: str, domain: int, seconds: int, closes: bool = False) -> None:
        """The first frame of its file where the stream has none that is open."""
        key = (dataset, domain)
        opens = key not in self.is_open
        if opens:
            self.files.append(File(dataset, domain, f"{NAMES[dataset]}_d{domain:02}_{date(seconds)}"))
            self.is_open[key] = self.files[-1]
        made = self.is_open[key]
        made.frames.append(seconds)
        words = ["frame", STREAMS[dataset], dataset, domain, date(seconds), seconds, made.path]
        self.lines.append(" ".join(str(word) for word in words) + " open" * opens + " close" * closes)
        if closes:
            del self.is_open[key]

    def read(self, file: File) -> None:
        words = ["read", file.dataset, file.domain, date(file.frames[0]), file.frames[0], file.path]
        self.lines.append(" ".join(str(word) for word in words))


def three_domains() -> Script:
    """A nest that starts with its parent and one that starts late, steps that vary, a stream that opens late, restart
    files of all domains at two times, and streams that are never closed."""
    script = Script()
    script.frame("HISTORY", 1, 0)
    script.frame("HISTORY", 2, 0)
    script.frame("HISTORY", 2, 37, closes=True)
    script.frame("HISTORY", 1, 101)
    script.frame("HISTORY", 2, 101)
    script.frame("HISTORY", 3, 101, closes=True)
    for domain in (1, 2, 3):
        script.frame("RESTART", domain, 120, closes=True)
    script.frame("AUXHIST3", 2, 163)
    script.frame("HISTORY", 2, 163, closes=True)
    script.frame("HISTORY", 3, 163, closes=True)
    script.frame("HISTORY", 1, 217, closes=True)
    script.frame("AUXHIST3", 2, 217)
    for domain in (1, 2, 3):
        script.frame("RESTART", domain, 240, closes=True)
    script.frame("HISTORY", 2, 240)
    script.frame("HISTORY", 1, 240)
    return script


def value(variable: Variable, number: int, domain: int, seconds: int, shape) -> np.ndarray:
    """The formula of the stand-in (fields.f90); `shape` is that of the memory."""
    total = np.full(shape, 7919 * number + 17 * domain + 131 * seconds, np.int64)
    strides = (31, 1009, 10007)
    for axis in range(3):
        if axis < len(shape):
            place = [1] * len(shape)
            place[axis] = shape[axis]
            total = total + strides[axis] * np.arange(1, shape[axis] + 1).reshape(place)
        else:
            total = total + strides[axis]
    total %= 65536
    if variable.type == 107:
        return total % 2
    return total + 0.25 if variable.type < 106 else total


def in_file(order: str) -> list[int]:
    """The axes of the memory in the order of the file, slowest first."""
    if set(order) & {"S", "E"}:
        return list(range(len(order)))[::-1]
    return [] if order == "0" else sorted(range(len(order)), key=lambda axis: order[axis], reverse=True)


def stored_order(order: str) -> str:
    if not set(order) & {"S", "E"}:
        order = "".join(sorted(order))
    return f"{order:3}"


def write_globals(data: netCDF4.Dataset, file: File, domain: Domain) -> None:
    given = {
        "TITLE": " OUTPUT FROM A STAND-IN FOR WRF V4.7.1 MODEL",
        "START_DATE": date(file.frames[0]),
        "SIMULATION_START_DATE": date(0),
        "WEST-EAST_GRID_DIMENSION": np.int32(domain.extents[0]),
        "GRID_ID": np.int32(file.domain),
        "WRF_ALARM_SECS_TIL_NEXT_RING_01": np.int32(3600 - file.frames[0]),
        "PARENTS": np.array([1, 2, 3], np.int32),
        "DX": np.float32(np.float32(3000.3) / np.float32(file.domain)),
        "DT": np.float32(18.1),
        "EARTH_RADIUS": 6370000.1,
        "USE_THETA_M": np.int32(1),
        "USE_NOTHING": np.int32(0),
    }
    given |= {f"PHYSICS_{i:03}": np.int32(i * i) for i in range(1, 111)}
    for name, what in given.items():
        data.setncattr(name, what)


def write_reference(path: Path, file: File, domain: Domain) -> None:
    """The file that netCDF-C makes of the calls."""
    extents = ["DateStrLen"]  # a dimension without a name has the number at which it came
    with netCDF4.Dataset(path, "w", format="NETCDF4") as data:
        data.createDimension("Time", None)
        data.createDimension("DateStrLen", 19)
        write_globals(data, file, domain)
        times = data.createVariable("Times", "S1", ("Time", "DateStrLen"))
        for record, seconds in enumerate(file.frames):
            times[record] = np.frombuffer(date(seconds).encode(), "S1")
        for number, variable in enumerate(variables(), start=1):
            if file.dataset not in variable.streams.split(","):
                continue
            shape = [domain.extent(dim) for dim in variable.dims]
            axes = in_file(variable.order)
            dims: list[str] = []
            for axis in reversed(axes):
                name = variable.dims[axis]
                if name.startswith("*"):
                    same = [one for one in extents if len(data.dimensions[one]) == shape[axis]]
                    name = same[0] if same else f"DIM{len(extents) + 1:04}"
                if name not in extents:
                    extents.append(name)
                    data.createDimension(name, shape[axis])
                dims.insert(0, name)
            made = data.createVariable(variable.name, TYPES[variable.type], ("Time", *dims))
            made.setncattr("FieldType", np.int32(variable.type))
            made.setncattr("MemoryOrder", stored_order(variable.order))
            for key in ("description", "units", "stagger"):
                made.setncattr(key, getattr(variable, key))
            if variable.coordinates:
                made.setncattr("coordinates", variable.coordinates)
            for record, seconds in enumerate(file.frames):
                made[record] = value(variable, number, file.domain, seconds, shape).transpose(axes)


def write_job(folder: Path, ranks: int, script: Script, table: list[Variable] | None = None) -> None:
    made = domains(ranks)
    columns = {
        "e_we": [one.extents[0] for one in made],
        "e_sn": [one.extents[1] for one in made],
        "e_vert": [one.extents[2] for one in made],
        "first": [one.first for one in made],
        "mesh_x": [one.mesh[0] for one in made],
        "mesh_y": [one.mesh[1] for one in made],
    }
    text = "".join(f"  {name} = {', '.join(map(str, numbers))}\n" for name, numbers in columns.items())
    (folder / "wrf.nml").write_text(f"&wrf\n  domains = {len(made)}\n{text}/\n")
    (folder / "fields.txt").write_text("".join(f"{one.line()}\n" for one in table or variables()))
    (folder / "script.txt").write_text("".join(f"{line}\n" for line in script.lines))
