"""Compression that was asked for is what is stored, however a file ends: no chunk lies raw in a compressed variable.
Readers that take chunks out of the file by themselves find the same values as HDF5 does."""

import json
import signal
import subprocess
import sys
from pathlib import Path

import h5py
import hdf5plugin  # noqa: F401 (registers zstd with h5py)
import numpy as np
import pytest
import xarray as xr
from support.harness import (
    attached,
    block_grid,
    field,
    indexed_grid,
    inline,
    model,
    mpi_environment,
    needs_survivors_of_signals,
    servers,
    tailrace,
)
from support.reading import read
from support.values import put_values, varying_times

TIMES = varying_times(37, seed=21)
SHAPE = (3, 7, 11)
CELLS = (2, 43)
FIELDS = [field("w", "les"), field("t", "ico", "float32"), field("n", "les", "int32"), field("s")]
SCENARIO = {"grids": [block_grid(shape=SHAPE), indexed_grid(shape=CELLS)], "fields": FIELDS}
NAMES = [one["name"] for one in FIELDS]
SHAPES = {"w": SHAPE, "t": CELLS, "n": SHAPE, "s": ()}
CHUNKS = {"w": [5, 2, 7, 4], "t": [4, 2, 20], "n": [16, 3, 7, 11], "s": [64]}


def file(codec="zlib", every="1 step", chunks=True, **options) -> dict:
    variables = [{"field": name, "every": "1 step"} | ({"chunk": CHUNKS[name]} if chunks else {}) for name in NAMES]
    return {"compression": codec, "write_every": every, "variables": variables} | options


def config(output: dict, **more) -> dict:
    return {"fields": {"state": {"every": "1 step", "names": NAMES}}, "output": output} | more


def masks(path: Path) -> dict[str, set[int]]:
    """The filter masks that occur in each variable in chunks."""
    found = {}
    with h5py.File(path, locking=False) as data:
        for name, one in data.items():
            if one.chunks:
                found[name] = {one.id.get_chunk_info(i).filter_mask for i in range(one.id.get_num_chunks())}
    return found


def has_raw_chunk(path: Path) -> bool:
    return any(mask != 0 for found in masks(path).values() for mask in found)


def assert_whole(path: Path, first: int, end: int) -> None:
    """The records of the steps `first` + 1 to `end`, all compressed."""
    assert not has_raw_chunk(path), masks(path)
    with h5py.File(path, locking=False) as data:
        np.testing.assert_array_equal(data["time"][:], TIMES[first:end])
        for number, (name, shape) in enumerate(SHAPES.items()):
            put = [put_values(number, shape, TIMES[step], step + 1) for step in range(first, end)]
            np.testing.assert_array_equal(data[name][:], np.array(put, data[name].dtype))
            assert data[name].compression or data[name].id.get_create_plist().get_nfilters() > 0


def by_kerchunk(path: Path) -> xr.Dataset:
    hdf = pytest.importorskip("kerchunk.hdf")
    references = hdf.SingleHdf5ToZarr(str(path), inline_threshold=0).translate()
    return xr.open_dataset(references, engine="kerchunk", decode_times=False, mask_and_scale=False).load()


def by_virtualizarr(path: Path) -> xr.Dataset:
    parsers = pytest.importorskip("virtualizarr.parsers")
    from obspec_utils.registry import ObjectStoreRegistry
    from obstore.store import LocalStore

    store = parsers.HDFParser()(url=f"file://{path}", registry=ObjectStoreRegistry({"file://": LocalStore()}))
    data = xr.open_zarr(store, consolidated=False, zarr_format=3, decode_times=False, mask_and_scale=False)
    return data.load()


def by_h5netcdf(path: Path) -> xr.Dataset:
    with xr.open_dataset(path, engine="h5netcdf", decode_times=False, mask_and_scale=False) as data:
        return data.load()


OUTPUT = {
    "each.nc": file(),
    "chosen.nc": file(chunks=False),
    "four.nc": file(every="4 steps"),
    "end.nc": file(every="1000 steps"),
    "gathered.nc": {key: value for key, value in file().items() if key != "write_every"},
}


@pytest.mark.parametrize(
    "codec, ranks, serving",
    [
        ("zlib", 3, servers(2)),
        ({"codec": "zlib", "level": 6, "shuffle": False}, 2, inline()),
        ("zstd", 4, attached()),
        ("zstd", 1, servers(1, transport="mpi")),
    ],
    ids=str,
)
def test_all_chunks_are_compressed_at_the_end(job, codec, ranks, serving):
    output = {name: one | {"compression": codec} for name, one in OUTPUT.items()}
    folder = job(model(ranks, times=TIMES, **SCENARIO), serving, config=config(output)).finished().folder
    for name in output:
        assert_whole(folder / name, 0, len(TIMES))


def test_readers_that_take_chunks_by_themselves_agree(job):
    folder = job(model(2, times=TIMES, **SCENARIO), servers(1), config=config(OUTPUT)).finished().folder
    for name in OUTPUT:
        expected = read(folder / name)
        header = subprocess.run(["ncdump", "-hs", name], cwd=folder, capture_output=True, text=True, check=True).stdout
        assert "w:_DeflateLevel = 1" in header
        for reader in by_h5netcdf, by_kerchunk, by_virtualizarr:
            data = reader(folder / name)
            for variable in [*NAMES, "time"]:
                np.testing.assert_array_equal(data[variable].values, expected[variable].values, f"{reader} {name}")


@needs_survivors_of_signals
@pytest.mark.parametrize("serving", [servers(2), attached(signals="all"), inline(signals="all")], ids=str)
def test_after_a_signal(job, serving):
    """A model that asks finishes its files; the servers of one that does not end them."""
    asks = serving.mode != "dedicated"
    scenario = SCENARIO | {"times": TIMES, "report_steps": True, "asks_stop": asks, "in_step": True, "pace": 0.05}
    patient = {"OMPI_MCA_odls_base_sigkill_timeout": "5"}
    with job.start(model(2, **scenario), serving, config=config(OUTPUT), environment=patient) as running:
        running.wait_for("STEP 7\n")
        running.process.send_signal(signal.SIGTERM)
        folder = running.wait().folder
    for name in OUTPUT:
        with h5py.File(folder / name, locking=False) as data:
            end = len(data["time"])
        assert end >= 6
        assert_whole(folder / name, 0, end)


def test_a_repair_compresses_what_a_killed_run_left(job):
    output = {"each.nc": file(), "four.nc": file(every="4 steps")}
    scenario = SCENARIO | {"times": TIMES, "report_steps": True, "pace": 0.05}
    with job.start(model(2, **scenario), servers(1), config=config(output)) as running:
        running.wait_for("STEP 11\n")
        running.kill()
    for name in output:
        path = running.folder / name
        assert has_raw_chunk(path)
        before = read(path)
        looked = tailrace("inspect", name, cwd=running.folder)
        assert looked.returncode == 0 and "`tailrace inspect --repair` compresses them" in looked.stdout
        repaired = tailrace("inspect", "--repair", name, cwd=running.folder)
        assert repaired.returncode == 0 and "were compressed" in repaired.stdout, repaired.stderr
        assert_whole(path, 0, before.sizes["time"])
        for reader in by_kerchunk, by_virtualizarr:
            np.testing.assert_array_equal(reader(path).w.values, before.w.values)
        assert "repaired" not in tailrace("inspect", "--repair", name, cwd=running.folder).stdout, "once"


def test_files_that_grow_over_jobs(job):
    """The next job continues compressed chunks, and files with chunks of their own length."""
    output = {name: one | {"if_exists": "append"} for name, one in OUTPUT.items()}
    output["plain.nc"] = file("none", if_exists="append")
    folder = None
    for first, end in (0, 3), (3, 14), (14, 15), (15, 37):
        scenario = SCENARIO | {"times": TIMES[first:end], "initial_time": TIMES[first - 1] if first else 0.0}
        result = job(model(2, **scenario), servers(2), config=config(output), folder=folder).finished()
        folder = result.folder
        for name in OUTPUT:
            assert not has_raw_chunk(folder / name)
    for name in output:
        with h5py.File(folder / name) as data:
            steps = [(0, 3), (3, 14), (14, 15), (15, 37)]
            put = [put_values(0, SHAPE, TIMES[i], i - first + 1) for first, end in steps for i in range(first, end)]
            np.testing.assert_array_equal(data["w"][:], put)


def test_files_of_a_restarted_run(job):
    names = ["w", "s"]
    checkpoint = {"checkpoint": {"every": "10 steps", "fields": names}}
    scenario = SCENARIO | {"checkpoints": True, "got": names}
    output = {"each.nc": file(), "end.nc": file(every="1000 steps")}
    folder = None
    for steps in 14, 37:
        played = model(2, times=TIMES[:steps], **scenario)
        folder = job(played, servers(2), config=config(output, **checkpoint), folder=folder).finished().folder
        for name in output:
            assert_whole(folder / name, 0, steps)


def test_each_file_of_a_series(job):
    output = {"part_{start}.nc": file(new_file_every="7 steps")}
    folder = job(model(2, times=TIMES, **SCENARIO), servers(2), config=config(output)).finished().folder
    paths = sorted(folder.glob("part_*.nc"), key=lambda path: read(path).time.values[0])
    assert len(paths) > 4
    first = 0
    for path in paths:
        end = first + read(path).sizes["time"]
        assert_whole(path, first, end)
        first = end
    assert first == len(TIMES)


@pytest.mark.parametrize("every", [{}, {"write_every": "1 step"}], ids=["gathered", "each"])
@pytest.mark.parametrize("shape, count, steps", [((90, 180), 1, 60), ((), 6, 400), ((5,), 3, 90)], ids=str)
def test_sizes_are_those_of_nccopy(job, shape, count, steps, every):
    fields = [field(f"f{i}", "map" if shape else "", "float32") for i in range(count)]
    dims = ("z", "y", "x")[-len(shape) :] if shape else ()
    grids = [block_grid("map", shape, (), dims=dims)] if shape else []
    names = [one["name"] for one in fields]
    output = {
        "out.nc": {"compression": {"codec": "zlib", "level": 1}, "variables": [{"fields": "*", "every": "1 step"}]}
    }
    output["out.nc"] |= every
    configuration = {"fields": {"all": {"every": "1 step", "names": names}}, "output": output}
    played = model(1, grids=grids, fields=fields, times=varying_times(steps, seed=4))
    path = job(played, servers(1), config=configuration).finished().path("out.nc")
    assert not has_raw_chunk(path)
    copy = path.with_name("copy.nc")
    subprocess.run(["nccopy", "-d1", "-s", str(path), str(copy)], check=True)
    assert path.stat().st_size <= 1.05 * copy.stat().st_size, (path.stat().st_size, copy.stat().st_size)


def test_reports_of_bytes_have_no_padding(job):
    """One number a step for 90 steps: 720 bytes of values a variable."""
    names = ["a", "b"]
    output = {
        "s.nc": {"compression": "zlib", "write_every": "1 step", "variables": [{"fields": "*", "every": "1 step"}]}
    }
    configuration = {"fields": {"all": {"every": "1 step", "names": names}}, "output": output}
    played = model(2, fields=[field(name) for name in names], times=varying_times(90, seed=3))
    result = job(played, servers(1, report=True), config=configuration).finished()
    report = json.loads((result.folder / "tailrace_report" / "report.json").read_text())
    (of_file,) = report["files"]
    assert of_file["raw_bytes"] == 2 * 90 * 8
    assert of_file["disk_bytes"] == result.path("s.nc").stat().st_size
    assert of_file["encoded_bytes"] <= of_file["disk_bytes"]


SCRIPT = Path(__file__).resolve().parents[3] / "shared" / "reports" / "filter_mask.py"


@pytest.mark.skipif(not SCRIPT.exists(), reason="the script of the report is not here")
def test_the_script_of_the_report(tmp_path):
    environment = mpi_environment(TMPDIR=str(tmp_path))
    done = subprocess.run([sys.executable, str(SCRIPT)], env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
