"""Each row of the guide's tables for users of CDO, XIOS, CMOR, MAPL and FMS is executed."""

import re
import shutil
import subprocess
from pathlib import Path

import netCDF4
import numpy as np
import pytest
import yaml
from support import mip_tables
from support.harness import TREE, Job, block_grid, field, model, servers, tailrace

PAGE = (TREE / "docs/guide/coming_from.md").read_text()
SHAPE = (2, 5, 7)
STEP = 10800.0
STEPS = 365 * 8
COORDINATES = [
    {"name": "z", "units": "m", "standard_name": "height", "first": 2.0, "spacing": 8.0},
    {"name": "lat", "units": "degrees_north", "standard_name": "latitude", "first": -72.0, "spacing": 36.0},
    {"name": "lon", "units": "degrees_east", "standard_name": "longitude", "first": 0.0, "spacing": 360.0 / 7},
]
COORDINATES[0]["attributes"] = {"axis": "Z", "positive": "up"}
GRID = block_grid("globe", SHAPE, ("lat",), COORDINATES, ("z", "lat", "lon"))
TIME = {"calendar": "standard", "start": "2001-12-01"}


def rows(title: str) -> list[list[str]]:
    """The cells of the table under a heading, without its head."""
    section = PAGE.split(f"\n## {title}", 1)[1].split("\n## ", 1)[0]
    table = [line for line in section.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in table[2:]]


def piece(cell: str) -> dict:
    return yaml.safe_load(cell.strip("`")) if cell else {}


CDO = rows("CDO")
OTHERS = [row for title in ("XIOS", "CMOR", "MAPL ExtData", "FMS", "YAC") for row in rows(title)]


@pytest.fixture(scope="module")
def year(tmp_path_factory) -> Path:
    step = {"field": "ta", "operation": "mean", "every": "1 step"}
    told = [piece(row[2]) for row in CDO]
    files = {f"row{i}.nc": one if "variables" in one else {"variables": [one]} for i, one in enumerate(told)}
    config = {
        "model_time": TIME,
        "fields": {"air": {"every": "1 step", "names": ["ta"]}},
        "diagnostics": {name: spec for row in CDO for name, spec in piece(row[1]).items()},
        "defaults": {"write_every": "60 d"},
        "output": files | {"steps.nc": {"variables": [step]}},
    }
    times = [STEP * (step + 1) for step in range(STEPS)]
    player = model(2, grids=[GRID], fields=[field("ta", "globe", units="K")], times=times, exchange_values=0)
    return Job(tmp_path_factory.mktemp("year"))(player, servers(1), config=config).finished().folder


def values(path: Path) -> np.ndarray:
    with netCDF4.Dataset(path) as data:
        (name,) = (name for name, one in data.variables.items() if "cell_methods" in one.ncattrs())
        return np.squeeze(data[name][:])


@pytest.mark.skipif(not shutil.which("cdo"), reason="cdo is not installed")
@pytest.mark.parametrize("number", range(len(CDO)), ids=[row[0].strip("`") for row in CDO])
def test_cdo_gives_the_same_from_every_step(year, tmp_path, number):
    *commands, last = CDO[number][0].strip("`").split()
    command = ["cdo", "-s", *commands, last, str(year / "steps.nc"), str(tmp_path / "out.nc")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    ours = values(year / f"row{number}.nc")
    by_area = "-fldmean" in (*commands, last)  # with cells whose edges are great circles
    tolerance = 1e-6 if by_area else 1e-10
    np.testing.assert_allclose(ours, values(tmp_path / "out.nc")[: len(ours)], rtol=tolerance)


def write_forcing(folder: Path) -> None:
    """The files that the rows about input and YAC name: months of 2001 and 2002, a year, a day, and a grid."""
    days = np.arange(0.0, 365.0, 5.0)
    for name, times in {
        "sst.nc": days,
        "air.nc": days,
        "clim.nc": days,
        "grid.nc": days,
        "day.nc": np.arange(8) / 8.0,
        "sst_200112.nc": np.arange(334.0, 365.0),
        "sst_200201.nc": np.arange(365.0, 396.0),
        "sst_200202.nc": np.arange(396.0, 424.0),
    }.items():
        with netCDF4.Dataset(folder / name, "w") as data:
            for dim, length in zip(("time", "z", "lat", "lon"), (len(times), *SHAPE), strict=True):
                data.createDimension(dim, length)
            axis = data.createVariable("time", "f8", ("time",))
            axis.setncatts({"units": "days since 2001-01-01", "calendar": "standard"})
            axis[:] = times
            for name, units, step in (("lat", "degrees_north", 20.0), ("lon", "degrees_east", 30.0)):
                centres = data.createVariable(name, "f8", (name,))
                centres.units = units
                centres[:] = step * np.arange(len(centres))
            data.createVariable("tos", "f4", ("time", "lat", "lon")).units = "K"
            data.createVariable("hus", "f4", ("time", "z", "lat", "lon")).units = "1"
            for variable in ("tos", "hus"):
                data[variable][:] = 1.0


@pytest.mark.parametrize("row", OTHERS, ids=[re.sub(r"[^\w=]+", " ", row[0]).strip() for row in OTHERS])
def test_the_words_of_other_programs(tmp_path, row):
    config = {
        "tailrace": 1,
        "model_time": TIME,
        "fields": {"air": {"every": "1 step", "names": ["ta", "hus"]}},
        "groups": {"wind": ["ta", "hus"]},
        "output": {"b.nc": {"variables": [{"field": "hus", "every": "1 d"}]}},
    } | piece(row[1])
    mip_tables.write(tmp_path)
    write_forcing(tmp_path)
    (tmp_path / "more.yaml").write_text("groups: {all: [ta]}\n")
    (tmp_path / "run.yaml").write_text(yaml.safe_dump(config, sort_keys=False))
    done = tailrace("check", "run.yaml", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
