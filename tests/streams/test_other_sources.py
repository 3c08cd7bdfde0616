"""tailrace.stream on ADIOS2 files and streams written by ADIOS2 itself, and on Zarr stores of xarray."""

import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest
import tailrace
import xarray as xr
from tailrace.streams import StreamError, StreamTimeout

WRITER = """
import sys, time
import adios2, numpy as np

name, engine, steps, pause = sys.argv[1], sys.argv[2], int(sys.argv[3]), float(sys.argv[4])
io = adios2.Adios().declare_io("writer")
io.set_engine(engine)
io.set_parameters({"RendezvousReaderCount": "1", "QueueLimit": "500", "MarshalMethod": "bp"} if engine == "SST" else {})
with adios2.Stream(io, name, "w") as out:
    for k in range(steps):
        out.begin_step()
        if k == 0:
            for variable, dims in {"x": ["x"], "time": ["time"], "h": ["time", "x"]}.items():
                out.write_attribute(f"{variable}/__xarray_dimensions__", dims)
            out.write_attribute("__unlimited_dimensions__", ["time"])
            out.write_attribute("title", "a wave")
            out.write_attribute("h/units", "m")
            out.write_attribute("time/units", "seconds since 2026-01-01")
            out.write("x", np.arange(3.0), [3], [0], [3])
        out.write("time", np.array([k + 1.0]), [1], [0], [1])
        out.write("h", np.arange(3.0).reshape(1, 3) + 10 * k, [1, 3], [0, 0], [1, 3])
        out.end_step()
        time.sleep(pause)
"""


def wave(steps: int) -> xr.Dataset:
    """The dataset of the writer, not decoded."""
    return xr.Dataset(
        {"h": (("time", "x"), np.arange(3.0) + 10 * np.arange(steps)[:, None], {"units": "m"})},
        coords={
            "x": ("x", np.arange(3.0)),
            "time": ("time", np.arange(1.0, steps + 1), {"units": "seconds since 2026-01-01"}),
        },
        attrs={"title": "a wave"},
    )


def write(folder: Path, name: str, engine: str, steps: int, pause: float = 0.0) -> subprocess.Popen:
    command = [sys.executable, "-c", WRITER, name, engine, str(steps), str(pause)]
    return subprocess.Popen(command, cwd=folder)


def check(steps: list[xr.Dataset], count: int) -> None:
    whole = xr.decode_cf(wave(count))
    assert len(steps) == count
    for number, step in enumerate(steps):
        xr.testing.assert_identical(step, whole.isel(time=[number]))


@pytest.mark.parametrize("engine", ["BP4", "BP5"])
def test_a_bp_file_as_it_grows_and_afterwards(tmp_path, engine):
    pytest.importorskip("adios2")
    writer = write(tmp_path, "wave.bp", engine, 20, 0.02)
    check(list(tailrace.stream(tmp_path / "wave.bp", timeout=60.0)), 20)
    assert writer.wait() == 0
    check(list(tailrace.stream(tmp_path / "wave.bp")), 20)
    part = list(tailrace.stream(tmp_path / "wave.bp", fields=["h"], region={"x": slice(1, 2)}, every=3, start=2))
    assert [float(step.h[0, 0]) for step in part] == [21.0 + 30 * k for k in range(6)]
    assert len(list(tailrace.stream(tmp_path / "wave.bp", start="last"))) == 1
    with pytest.raises(StreamError, match=r"there is no field 'hh'\. Did you mean 'h'\?"):
        list(tailrace.stream(tmp_path / "wave.bp", fields=["hh"]))


def test_200_steps_over_sst(tmp_path):
    pytest.importorskip("adios2")
    writer = write(tmp_path, "wave", "SST", 200)
    steps = list(tailrace.stream(tmp_path / "wave.sst", timeout=60.0))
    assert writer.wait() == 0
    check(steps, 200)
    assert [step.encoding["step"] for step in steps] == list(range(200))
    assert steps[-1].encoding["missed"] == 0


def test_a_stream_over_sst_by_its_name_without_the_ending(tmp_path):
    pytest.importorskip("adios2")
    writer = write(tmp_path, "wave.v2", "SST", 20)
    steps = list(tailrace.stream(tmp_path / "wave.v2", engine="sst", timeout=60.0))
    assert writer.wait() == 0
    check(steps, 20)


def test_a_stream_without_a_writer_is_a_timeout(tmp_path):
    pytest.importorskip("adios2")
    with pytest.raises(StreamTimeout, match=r"wave\.sst: waited 0\.2 s for it to be created"):
        next(tailrace.stream(tmp_path / "wave.sst", timeout=0.2))
    with pytest.raises(StreamError, match="expected start='first' or 'last'"):
        tailrace.stream(tmp_path / "wave.sst", start=3)


def test_a_zarr_store(tmp_path):
    pytest.importorskip("zarr")
    wave(7).to_zarr(tmp_path / "wave.zarr", zarr_format=3, consolidated=True)
    check(list(tailrace.stream(tmp_path / "wave.zarr")), 7)


def test_several_streams_in_one_process(tmp_path):
    wave(9).to_netcdf(tmp_path / "wave.nc", unlimited_dims=["time"], engine="h5netcdf")
    got: dict[int, list[xr.Dataset]] = {}
    threads = [
        threading.Thread(target=lambda k=k: got.update({k: list(tailrace.stream(tmp_path / "wave.nc"))}))
        for k in range(2)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    check(got[0], 9)
    check(got[1], 9)
