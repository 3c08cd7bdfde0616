"""Checkpoints on disk: stock readers open them, and the command line manages them.

The checkpoint in tests/data was written by the version of the format that it states (tests/data/make_checkpoints)."""

import json
import os
import shutil
import subprocess
import sys
import zlib
from pathlib import Path

import h5netcdf
import netCDF4
import numpy as np
import pytest
import xarray as xr
from support.harness import tailrace

DATA = Path(__file__).parent.parent / "data" / "checkpoints_v1"
SET = Path("atmosphere/step_000000000042")
ARRAYS = [  # as in golden_test.cpp of the room checkpoint, by number
    ("streams/step", "int64", {}),
    ("streams/time", "float64", {}),
    ("files/mean.nc/w/sum", "float64", {"z": 3, "y": 4, "x": 5}),
    ("files/mean.nc/w/samples", "int64", {"files/mean.nc/w/samples": 7}),
    ("files/{day}.nc/waiting", "float64", {"files/{day}.nc/waiting": 0}),
    ("files/{day}.nc/w/records", "float32", {"record": 2, "y": 4, "x": 5}),
    ("files/{day}.nc/i/records", "int32", {"record": 3, "y": 4, "x": 5}),
    ("files/{day}.nc/s/records", "int16", {"record": 2, "cell": 11}),
    ("masks/sea", "int8", {"cell": 11}),
    ("masks/land", "uint8", {"cell": 11}),
]


def expected(number: int) -> np.ndarray:
    _, dtype, dims = ARRAYS[number]
    shape = tuple(dims.values())
    cells = np.arange(int(np.prod(shape)), dtype="float64") * (0.25 if dtype.startswith("float") else 1)
    return (3 * number + cells).astype(dtype).reshape(shape)


def with_xarray(path: Path) -> dict:
    with xr.open_dataset(path) as data:
        return {v.attrs["state_name"]: (v.attrs["state_dims"], v.values) for v in data.data_vars.values()}


def with_netcdf4(path: Path) -> dict:
    with netCDF4.Dataset(path) as data:
        return {v.state_name: (v.state_dims, np.asarray(v[...])) for v in data.variables.values()}


def with_h5netcdf(path: Path) -> dict:
    with h5netcdf.File(path) as data:
        return {v.attrs["state_name"]: (v.attrs["state_dims"], v[...]) for v in data.variables.values()}


@pytest.mark.parametrize("read", [with_xarray, with_netcdf4, with_h5netcdf])
def test_stock_readers_open_the_shards(read):
    for server in (0, 1):
        arrays = read(DATA / SET / f"state.{server}.nc")
        numbers = range(server, len(ARRAYS), 2)
        assert set(arrays) == {ARRAYS[i][0] for i in numbers}
        for i in numbers:
            dims, values = arrays[ARRAYS[i][0]]
            assert (dims or "") == ",".join(ARRAYS[i][2])
            want = expected(i)
            assert values.dtype == want.dtype and np.array_equal(values, want), ARRAYS[i][0]


def test_a_shard_describes_itself():
    with xr.open_dataset(DATA / SET / "state.0.nc") as data:
        said = data.attrs
        assert data["files.mean.nc.w.sum"].dims == ("z", "y", "x")
    assert said["component"] == "atmosphere" and said["step"] == 42 and said["time"] == 10.5
    assert said["tailrace_state_version"] == 1 and said["byte_order"] == "little"
    subprocess.run(["ncdump", "-h", DATA / SET / "state.0.nc"], check=True, capture_output=True)


def test_the_manifest_is_json_with_checksums_of_zlib():
    """As described in docs/formats/checkpoint.md, without code of Tailrace."""
    text = (DATA / SET / "manifest.json").read_bytes()
    manifest = json.loads(text)
    signed = text[: text.rindex(b',\n "crc32"')]
    assert manifest["crc32"] == f"{zlib.crc32(signed):08x}"
    for member in manifest["members"]:
        contents = (DATA / SET / member["name"]).read_bytes()
        assert len(contents) == member["bytes"]
        regions = range(0, len(contents), manifest["region_bytes"])
        size = manifest["region_bytes"]
        assert member["checksums"] == [zlib.crc32(contents[at : at + size].ljust(size, b"\0")) for at in regions]
        for array in member["arrays"]:
            values = np.frombuffer(contents, array["type"], int(np.prod(array["shape"])), array["address"])
            number = [name for name, *_ in ARRAYS].index(array["name"])
            assert np.array_equal(values.reshape(array["shape"]), expected(number))


@pytest.fixture
def sets(tmp_path) -> Path:
    """A directory with three checkpoints: step 42, step 43 (damaged) and step 44 (unfinished)."""
    directory = tmp_path / "restart"
    shutil.copytree(DATA, directory)
    damaged = directory / SET.parent / "step_000000000043"
    shutil.copytree(directory / SET, damaged)
    (damaged / "manifest.json").write_text("{}")
    unfinished = directory / SET.parent / "step_000000000044"
    unfinished.mkdir()
    shutil.copy(directory / SET / "state.0.nc", unfinished)
    return directory


def run(*arguments, cwd, status=0) -> tuple[str, str]:
    done = tailrace(*map(str, arguments), cwd=cwd)
    assert done.returncode == status, done.stderr
    return done.stdout, done.stderr


def flip(path: Path, place: int) -> None:
    contents = bytearray(path.read_bytes())
    contents[place] ^= 1
    path.write_bytes(contents)


def test_list_shows_all_checkpoints(sets):
    out, _ = run("checkpoint", "list", "restart", cwd=sets.parent)
    rows = [line.split() for line in out.splitlines() if line.split()[:1] == ["atmosphere"]]
    size = sum((DATA / SET / f"state.{server}.nc").stat().st_size for server in (0, 1))
    assert rows == [
        ["atmosphere", "44", "unfinished"],
        ["atmosphere", "43", "damaged"],
        ["atmosphere", "42", "10.5", "s", f"{size / 1024:.1f}", "KiB", "2", "complete"],
    ]
    assert "restart/atmosphere/step_000000000043: manifest.json is cut off after 2 bytes" in out
    assert "restart/atmosphere/step_000000000044: it has no manifest.json, so it was never finished" in out


def test_verify_reads_every_byte(sets):
    _, error = run("checkpoint", "verify", "restart", cwd=sets.parent, status=1)
    assert error == ("tailrace: error: 1 of 3 checkpoints cannot be used; a restart takes the newest one that can\n")
    out, _ = run("checkpoint", "verify", sets / SET, cwd=sets.parent)
    assert "whole" in out
    flip(sets / SET / "state.1.nc", 5000)
    run("checkpoint", "list", sets / SET, cwd=sets.parent)
    out, _ = run("checkpoint", "verify", ".", cwd=sets / SET, status=1)
    size = (sets / SET / "state.1.nc").stat().st_size
    assert f"shard state.1.nc is damaged: its bytes 0 to {size - 1} do not match their checksum" in out


def test_copy_takes_the_newest_complete_one(sets):
    out, _ = run("checkpoint", "copy", "restart", "other/place", cwd=sets.parent)
    assert out == f"other/place/{SET}\n"
    for name in ("state.0.nc", "state.1.nc", "manifest.json"):
        assert (sets.parent / "other/place" / SET / name).read_bytes() == (DATA / SET / name).read_bytes()
    _, error = run("checkpoint", "copy", "restart", "other/place", cwd=sets.parent, status=1)
    assert error == f"tailrace: error: checkpoint other/place/{SET} already exists\n"
    _, error = run("checkpoint", "copy", "restart", "other", "--step", 43, cwd=sets.parent, status=1)
    assert error == (
        "tailrace: error: restart: component 'atmosphere' has no checkpoint to copy: expected one of step 43; "
        "there are steps 42\n"
    )


def test_prune_keeps_usable_checkpoints(sets):
    out, _ = run("checkpoint", "prune", "restart", "--keep", 1, cwd=sets.parent)
    assert out == "removed restart/atmosphere/step_000000000044\n"
    assert (sets / SET / "manifest.json").exists()
    _, error = run("checkpoint", "prune", "restart", "--keep", 0, cwd=sets.parent, status=2)
    assert "0 is not in the range x>=1" in error


@pytest.mark.parametrize("where", ["restart", "restart/atmosphere", "."])
def test_inspect_repairs_only_on_request(sets, where):
    cwd, path = (sets / SET.parent, ".") if where == "." else (sets.parent, where)
    out, error = run("inspect", path, cwd=cwd, status=1)
    assert "step_000000000042: complete; step 42, 10.5 s of model time, 2 files, " in out
    assert "step_000000000043: damaged: manifest.json is cut off after 2 bytes" in out
    assert "step_000000000044: unfinished: it has no manifest.json" in out
    assert error == ("tailrace: error: 1 of 1 paths cannot be read; tailrace inspect --repair may repair this\n")
    assert len(list((sets / SET.parent).glob("step_*"))) == 3
    out, _ = run("inspect", "--repair", path, cwd=cwd)
    assert out.count("removed: it could not be used") == 2
    assert [p.name for p in (sets / SET.parent).glob("step_*")] == ["step_000000000042"]
    run("checkpoint", "verify", sets, cwd=sets.parent)


def test_inspect_takes_a_directory_of_output(tmp_path):
    for name in ("a.nc", "b.nc"):
        shutil.copy(DATA / SET / "state.0.nc", tmp_path / name)
    out, _ = run("inspect", ".", cwd=tmp_path)
    assert out == "".join(f"{name}: complete; no unlimited dimension\n" for name in ("a.nc", "b.nc"))
    (tmp_path / "b.nc").write_bytes((tmp_path / "b.nc").read_bytes()[:5000])
    out, error = run("inspect", ".", cwd=tmp_path, status=1)
    assert "b.nc: is truncated: 5000 of " in out
    assert "1 of 2 paths cannot be read" in error


def test_a_directory_without_checkpoints_is_named(tmp_path):
    (tmp_path / "empty").mkdir()
    for command in (["checkpoint", "list"], ["checkpoint", "verify"], ["inspect"]):
        _, error = run(*command, "empty", cwd=tmp_path, status=1)
        assert error == (
            "tailrace: error: empty: contains no checkpoints; expected DIRECTORY/COMPONENT/step_..., DIRECTORY being "
            "checkpoint.directory of the configuration\n"
        )
    _, error = run("checkpoint", "list", "nowhere", cwd=tmp_path, status=2)
    assert "Directory 'nowhere' does not exist" in error


HOLD = """
import fcntl, struct, sys
lock = open(sys.argv[1], "r+b")
mark = struct.pack("hhqqi4x", fcntl.F_WRLCK, 0, 2**63 - 2, 1, 0)
fcntl.fcntl(lock, 37, mark)  # F_OFD_SETLK
print("held", flush=True)
sys.stdin.read()
"""


def test_a_running_job_is_left_alone(sets):
    lock = sets / "atmosphere" / "lock"
    lock.write_text("node17 (process 4711)\n")
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLD, lock], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=os.environ
    )
    try:
        assert holder.stdout.readline() == b"held\n"
        refusal = (
            'tailrace: error: the checkpoints of component "atmosphere" in restart/atmosphere are in use by '
            "another job that still runs, on node17 (process 4711); wait for its end, or end it\n"
        )
        for command in (["checkpoint", "prune", "--keep", "1"], ["inspect", "--repair"]):
            _, error = run(*command, "restart", cwd=sets.parent, status=1)
            assert error == refusal
        out, _ = run("checkpoint", "list", "restart", cwd=sets.parent)
        assert "so it was never finished; a job is running, on node17 (process 4711)" in out
    finally:
        holder.communicate()
    run("checkpoint", "prune", "--keep", "1", "restart", cwd=sets.parent)
