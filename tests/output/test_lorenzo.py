"""The codec `lorenzo`: files and stores are read by HDF5 of h5py and of netCDF-C, by zarr-python, and by a decoder in
NumPy that shares no code with it; each value is compared with the exact variable of the same file."""

import json
import os
import subprocess
import sys

import h5py
import numpy as np
import pytest
from support.harness import Job, block_grid, field, inline, model, servers, tailrace
from support.values import varying_times
from tailrace.plugins import plugin_folder

FILL = -999.0
ABSOLUTE, RELATIVE = 0.3, 0.01
KEPT = {"absolute": {"absolute": ABSOLUTE}, "relative": {"relative": "1 %"}, "exact_again": None}
READ_WITH_NETCDF = """
import sys, netCDF4, numpy
with netCDF4.Dataset(sys.argv[1]) as data:
    data.set_auto_maskandscale(False)
    numpy.savez(sys.argv[2], **{name: data[name][:] for name in data.variables if data[name].ndim == 4})
"""


def variables() -> list[dict]:
    entries = []
    for of in ("gappy", "single"):
        mean = {"field": of, "operation": "mean", "every": "2 s", "chunk": [3, 2, 4, 11]}
        entries.append(mean | {"name": f"{of}_exact", "compression": "none"})
        for name, keep in KEPT.items():
            compression = {"codec": "lorenzo", "level": 3} | ({"keep": keep} if keep else {})
            entries.append(mean | {"name": f"{of}_{name}", "compression": compression})
    whole = {"field": "whole", "every": "2 s", "chunk": [3, 2, 4, 11]}
    entries.append(whole | {"name": "whole_exact", "compression": "none"})
    entries.append(whole | {"name": "whole_exact_again", "compression": "lorenzo"})
    return entries


CONFIG = {
    "fields": {"state": {"every": "1 step", "names": ["gappy", "single", "whole"]}},
    "output": {
        "a.nc": {"write_every": "5 s", "if_exists": "append", "variables": variables()},
        "a.zarr": {"write_every": "5 s", "if_exists": "append", "format": "zarr", "variables": variables()},
        "shards.zarr": {
            "write_every": "5 s",
            "if_exists": "append",
            "format": "zarr",
            "zarr": {"shard_records": 6},
            "variables": variables(),
        },
    },
}
SCENARIO = {
    "grids": [block_grid()],
    "fields": [
        field("gappy", "les", fill_value=FILL),
        field("single", "les", "float32"),
        field("whole", "les", "int32"),
    ],
}
TIMES = varying_times(29, seed=5)


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    """Two jobs: the second appends, and joins its records with those of the first in one chunk."""
    folder = tmp_path_factory.mktemp("lorenzo")
    for (first, last), serving in (((0, 13), servers(2)), ((13, 29), inline())):
        scenario = SCENARIO | {"times": TIMES[first:last], "initial_time": TIMES[first - 1] if first else 0.0}
        ranks = 3 if first == 0 else 1
        result = Job(folder)(model(ranks, **scenario), serving, config=CONFIG, folder=folder).finished()
    return result


def check_values(read: dict[str, np.ndarray]) -> None:
    for of in ("gappy", "single", "whole"):
        x = read[f"{of}_exact"]
        assert len(x) > 5
        assert read[f"{of}_exact_again"].tobytes() == x.tobytes()
        if of == "whole":
            continue
        missing = x == FILL
        wide = x.astype(np.longdouble)
        for kind, bound in (("absolute", ABSOLUTE), ("relative", RELATIVE * np.abs(wide))):
            y = read[f"{of}_{kind}"]
            assert y.dtype == x.dtype
            np.testing.assert_array_equal(y == FILL, missing)
            error = np.abs(y.astype(np.longdouble) - wide)
            assert (error <= bound)[~missing].all() and error[~missing].max() > 0.0


def test_h5py_reads_it(finished):
    h5py.h5pl.append(str(plugin_folder()).encode())
    with h5py.File(finished.path("a.nc")) as data:
        names = [name for name in data if data[name].ndim == 4]
        assert len(names) == 10
        check_values({name: data[name][...] for name in names})
        error = np.abs(data["single_absolute"][...].astype("f8") - data["single_exact"][...]).max()
        assert data["single_absolute"].attrs["tailrace_largest_absolute_error"] >= error


def test_tools_without_the_plugin_say_what_helps(finished, tmp_path):
    for words in (("convert", "a.nc", str(tmp_path / "b.zarr")), ("advise", "a.nc")):
        done = tailrace(*words, cwd=finished.folder)
        assert done.returncode != 0
        assert "lorenzo need `export HDF5_PLUGIN_PATH=$(tailrace plugins)`" in done.stderr, done.stderr


def test_netcdf_c_reads_it(finished, tmp_path):
    def read_with(folder: str) -> subprocess.CompletedProcess:
        command = [sys.executable, "-c", READ_WITH_NETCDF, str(finished.path("a.nc")), str(tmp_path / "read.npz")]
        environment = os.environ | {"HDF5_PLUGIN_PATH": folder}
        return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120, check=False)

    without = read_with(str(tmp_path))
    assert without.returncode != 0 and "ilter" in without.stderr, "it must not read anything else without the plugin"
    done = read_with(tailrace("plugins").stdout.strip())
    assert done.returncode == 0, done.stderr
    check_values(dict(np.load(tmp_path / "read.npz")))


def test_zarr_python_reads_it_by_its_entry_point(finished):
    zarr = pytest.importorskip("zarr", minversion="3.0.8")
    store = zarr.open(finished.path("a.zarr"), mode="r")
    check_values({name: array[...] for name, array in store.arrays() if array.ndim == 4})
    metadata = json.loads(finished.path("a.zarr/single_absolute/zarr.json").read_text())
    assert metadata["codecs"][1] == {"name": "tailrace.lorenzo", "configuration": {}}


def test_shards_hold_the_same_values(finished):
    """Commits extend shards whose last chunks are not full, and the second job joins such chunks with its records."""
    zarr = pytest.importorskip("zarr", minversion="3.0.8")
    plain, sharded = (zarr.open(finished.path(name), mode="r") for name in ("a.zarr", "shards.zarr"))
    arrays = {name: array for name, array in sharded.arrays() if array.ndim == 4}
    assert len(arrays) == 10
    check_values({name: array[...] for name, array in arrays.items()})
    for name, array in arrays.items():
        assert array.shards is not None and array.shards[0] == 6 and plain[name].shards is None
        assert array[...].tobytes() == plain[name][...].tobytes(), name


def test_damaged_chunks_are_errors_of_zarr_python(finished):
    pytest.importorskip("zarr", minversion="3.0.8")
    from tailrace.zarr_codec import decode as decode_chunk

    chunk = finished.path("a.zarr/single_absolute/c/0/0/0/0").read_bytes()
    assert chunk[:3] == b"TLZ" and len(decode_chunk(chunk)) > 0
    promises_too_much = chunk[:8] + b"\xff" * 8 + chunk[16:]
    for damaged in (b"", chunk[:39], chunk[:-1], b"X" + chunk[1:], promises_too_much):
        with pytest.raises(ValueError, match=r"tailrace\.lorenzo is damaged"):
            decode_chunk(damaged)


def decoded(chunk: bytes, dtype: np.dtype) -> np.ndarray:
    """As docs/formats/lorenzo.md says."""
    numcodecs = pytest.importorskip("numcodecs")
    assert chunk[:4] == b"TLZ\x01"
    mode, size, planes, shift = chunk[4:8]
    count, row, rows, step, exceptions = np.frombuffer(chunk[8:40], np.dtype("<u8,<u4,<u4,<f8,<u8"))[0].item()
    if mode == 0:
        return np.frombuffer(chunk[40:], dtype)
    payload = np.frombuffer(numcodecs.Zstd().decode(chunk[40:]), "u1")
    width = 4 if mode == 1 else size
    numbers = np.zeros(count, f"u{width}")
    for plane in range(planes):
        numbers |= payload[plane * count : (plane + 1) * count].astype(numbers.dtype) << 8 * plane
    numbers = (numbers >> 1) ^ (np.zeros_like(numbers) - (numbers & 1))
    cells = numbers.view(f"i{width}").reshape(-1, rows, row)
    cells = cells.cumsum(2, dtype=cells.dtype).cumsum(1, dtype=cells.dtype).ravel()
    if mode == 1:
        values = (cells.astype("f8") * step).astype(dtype)
    elif mode == 2:
        sign = cells < 0
        patterns = (cells << shift) | np.where(sign, (1 << shift) - 1, 0).astype(cells.dtype)
        values = np.where(sign, patterns ^ np.iinfo(cells.dtype).max, patterns).view(dtype)
    else:
        values = cells.view(dtype)
    if exceptions:
        rest = payload[planes * count :]
        marks = np.unpackbits(rest[: -(-count // 8)], bitorder="little")[:count].astype(bool)
        values[marks] = rest[-(-count // 8) :].view(dtype)
    return values


def test_the_format_is_as_its_page_says(finished):
    h5py.h5pl.append(str(plugin_folder()).encode())
    modes = set()
    with h5py.File(finished.path("a.nc")) as data:
        for name in ("gappy_absolute", "single_absolute", "gappy_relative", "single_relative", "whole_exact_again"):
            array = data[name]
            for number in range(array.id.get_num_chunks()):
                offset = array.id.get_chunk_info(number).chunk_offset
                mask, chunk = array.id.read_direct_chunk(offset)
                if mask:
                    continue
                modes.add(chunk[4])
                cells = decoded(chunk, array.dtype).reshape(array.chunks)
                region = tuple(slice(at, at + size) for at, size in zip(offset, array.chunks, strict=True))
                there = array[region]
                assert cells[tuple(slice(0, extent) for extent in there.shape)].tobytes() == there.tobytes()
    assert modes == {1, 2, 3}


def test_check_says_what_readers_need_and_refuses_formats_without_it(tmp_path):
    def checked(output: dict) -> str:
        fields = {"s": {"every": "1 step", "names": ["single"]}}
        config = {"tailrace": 1, "servers": {"mode": "inline"}, "fields": fields, "output": output}
        (tmp_path / "run.yaml").write_text(json.dumps(config))
        done = tailrace("check", "run.yaml", cwd=tmp_path)
        return done.stdout + done.stderr

    variables = [{"field": "single", "every": "2 s"}]
    entry = {"compression": {"codec": "lorenzo", "keep": {"absolute": 1}}, "variables": variables}
    told = checked({"a.nc": entry, "b.zarr": entry | {"format": "zarr"}})
    assert "readers of lorenzo need: netCDF-C and h5py: HDF5_PLUGIN_PATH" in told
    assert "readers of lorenzo need: zarr-python: the package tailrace" in told
    entry = {"compression": "lorenzo", "format": "adios2", "variables": variables}
    assert 'its readers do not decode codec "lorenzo"; expected `netcdf` or `zarr`' in checked({"a.bp": entry})
