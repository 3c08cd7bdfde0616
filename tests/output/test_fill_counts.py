"""Values that equal the fill value are counted, whichever servers and ranks hold them; default fill values."""

import json
import subprocess
import sys

import h5py
import netCDF4
import numpy as np
import pytest
from support.harness import Running, mpi_environment

CELLS = 24
MODEL = """
import numpy as np
import tailrace
from mpi4py import MPI

with tailrace.Session.start(MPI.COMM_WORLD, "run.yaml", component="m") as io:
    if not io.is_server():
        comm = io.model_comm()
        first, last = 24 * comm.rank // comm.size, 24 * (comm.rank + 1) // comm.size
        io.grid("g", dims=["x"], shape=[24], offset=[first], count=[last - first])
        io.field("t", grid="g", fill_value=-9999.0)
        io.field("n", grid="g", dtype="int32", fill_value=0)
        io.ready()
        x = np.arange(first, last)
        for step in range(1, 5):
            io.step(step, float(step))
            sign = 1 if step % 2 else -1
            io.put("t", np.where(x % 5 == 0, -9999.0 + sign * 0.5, 280.0 + x))
            io.put("n", np.where(x % 3 == 0, sign, x + 1).astype(np.int32))
"""
CONFIG = """
tailrace: 1
servers: {mode: dedicated, count: 2}
fields: {s: {every: 1 step, names: [t, n]}}
output:
  o.nc:
    variables:
      - {field: t, operation: mean, every: 2 s}
      - {field: n, operation: mean, every: 2 s}
      - {field: t, name: t32, operation: mean, every: 2 s, type: float32}
      - {field: n, name: lowest, operation: min, every: 2 s}
"""


def test_means_that_equal_the_fill_value_are_reported(tmp_path):
    (tmp_path / "model.py").write_text(MODEL)
    (tmp_path / "run.yaml").write_text(CONFIG)
    with Running(["mpirun", "-n", "5", sys.executable, "model.py"], tmp_path, mpi_environment()) as running:
        result = running.wait(120)
    assert result.status == 0, result.output
    x = np.arange(CELLS)
    expected = {"t": 2 * np.sum(x % 5 == 0), "t32": 2 * np.sum(x % 5 == 0), "n": 2 * np.sum(x % 3 == 0)}
    report = json.loads((tmp_path / "tailrace_report" / "report.json").read_text())
    (file,) = report["files"]
    counted = {one["variable"]: one for one in file["out_of_range"]}
    assert {name: one["values"] for name, one in counted.items()} == {name: int(n) for name, n in expected.items()}
    assert all(one["first_time"] == 2.0 for one in counted.values())
    with netCDF4.Dataset(tmp_path / "o.nc") as data:
        for name, count in expected.items():
            assert np.ma.count_masked(data[name][:]) == count, "readers take them for missing"
    warnings = [line for line in result.output.splitlines() if "warning" in line and "o.nc" in line]
    for name, fill in (("t", "-9999"), ("n", "0")):
        told = [line for line in warnings if f'"{name}" has' in line]
        assert 1 <= len(told) <= 2, result.output  # each server reports its own
        assert all(
            f"such as {fill}, that equal the fill value, so readers take them for missing" in one for one in told
        )
        (end,) = [line for line in warnings if f'{expected[name]} values of "{name}" did not fit' in line]
        assert "or equalled the fill value" in end


DEFAULTS = """
import numpy as np
import sys
import tailrace
from mpi4py import MPI

with tailrace.Session.start(MPI.COMM_WORLD, "run.yaml", component="m", initial_time=float(sys.argv[1])) as io:
    io.grid("g", dims=["x"], shape=[3])
    for dtype in ("float32", "float64", "int32", "int64"):
        io.field(dtype, grid="g", dtype=dtype)
    io.ready()
    for step in (1, 2):
        io.step(step, float(sys.argv[1]) + step)
        for dtype in ("float32", "float64", "int32", "int64"):
            if step == 1 or dtype != "int64":
                io.put(dtype, np.ones(3, dtype))
"""
DEFAULTS_CONFIG = """
tailrace: 1
servers: {mode: inline, report: false}
fields: {s: {every: 1 step, names: [float32, float64, int32, int64], optional: true}}
output:
  o.PATH:
    format: FORMAT
    if_exists: append
    variables:
      - {fields: "*", every: 1 s}
      - {field: float64, name: int8, every: 1 s, type: int8}
      - {field: float64, name: uint8, every: 1 s, type: uint8}
      - {field: float64, name: int16, every: 1 s, type: int16}
"""
NETCDF_NAMES = {
    "float32": "f4",
    "float64": "f8",
    "int32": "i4",
    "int64": "i8",
    "int8": "i1",
    "uint8": "u1",
    "int16": "i2",
}


def run_defaults(folder, suffix: str, begin: float) -> None:
    form = {"nc": "netcdf", "zarr": "zarr"}[suffix]
    (folder / "model.py").write_text(DEFAULTS)
    (folder / "run.yaml").write_text(DEFAULTS_CONFIG.replace("PATH", suffix).replace("FORMAT", form))
    command = [sys.executable, "model.py", str(begin)]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr


def test_default_fill_values_are_those_of_netcdf(tmp_path):
    run_defaults(tmp_path, "nc", 0.0)
    with netCDF4.Dataset(tmp_path / "o.nc") as data:
        for name, short in NETCDF_NAMES.items():
            fill = data[name].getncattr("_FillValue")
            assert fill == np.array(netCDF4.default_fillvals[short], data[name].dtype), name
        assert data["int64"][:].tolist() == [[1, 1, 1], [None, None, None]], "int64 was not put at the second step"


def test_default_fill_values_of_zarr_are_those_of_netcdf(tmp_path):
    run_defaults(tmp_path, "zarr", 0.0)
    for name, short in NETCDF_NAMES.items():
        described = json.loads((tmp_path / "o.zarr" / name / "zarr.json").read_text())
        expected = np.array(netCDF4.default_fillvals[short], short)
        assert np.array(described["fill_value"], short) == expected, name


@pytest.mark.parametrize("suffix", ["nc", "zarr"])
def test_appending_keeps_the_fill_value_of_the_file(tmp_path, suffix):
    former = -(2**63)
    run_defaults(tmp_path, suffix, 0.0)
    if suffix == "nc":
        with h5py.File(tmp_path / "o.nc", "r+") as data:
            data["int64"].attrs.modify("_FillValue", np.array([former]))
            data["int64"][1] = former
    else:
        for place in ("o.zarr/zarr.json", "o.zarr/int64/zarr.json"):
            text = (tmp_path / place).read_text()
            assert "-9223372036854775806" in text
            (tmp_path / place).write_text(text.replace("-9223372036854775806", str(former)))
    run_defaults(tmp_path, suffix, 2.0)
    if suffix == "nc":
        with netCDF4.Dataset(tmp_path / "o.nc") as data:
            assert data["int64"].getncattr("_FillValue") == former
            data.set_auto_mask(False)
            assert data["int64"][:, 0].tolist() == [1, former, 1, former]
    else:
        import zarr

        array = zarr.open_group(tmp_path / "o.zarr", mode="r")["int64"]
        assert array.metadata.fill_value == former
        assert array[2:, 0].tolist() == [1, former]
