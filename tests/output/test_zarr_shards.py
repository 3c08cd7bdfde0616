"""Shards of Zarr stores: the values of the NetCDF file of the same run, for each reader, while the run goes on, after
kills, over jobs and from checkpoints."""

import importlib.util
import itertools
import json
import math
import os
import subprocess
import time

import numcodecs
import numpy as np
import pytest
import xarray as xr
import yaml
import zarr
from output.test_zarr import SCENARIO, both
from support.growing_store import (
    LONG,
    TIMES_OF_JOBS,
    appended_by_jobs,
    check_kills,
    check_reader,
    whole_and_in_pieces,
)
from support.harness import (
    BUILD,
    TREE,
    Job,
    attached,
    block_grid,
    field,
    model,
    mpi_environment,
    servers,
    tailrace,
)
from support.reading import differences
from support.stores import assert_same_as_netcdf, assert_same_in_tensorstore, every_bit_of_store, read_store
from support.values import put_values

# The grid has 3 x 7 x 11 cells. Chunks divide neither it nor the commits, and shards neither the run nor the grid.
SHARDED = {"zarr": {"shard_records": 5, "shard_size": "4 KiB"}}
VARIABLES = [
    {"field": "w", "every": "2 s", "name": "w_mean", "operation": "mean", "chunk": [1, 3, 4, 5]},
    {"field": "w", "every": "2 s", "name": "w_plain", "chunk": [2, 3, 4, 5], "compression": "none"},
    {"field": "w", "every": "2 s", "name": "w_rounded", "compression": {"codec": "zstd", "keep": {"absolute": 0.5}}},
    {"field": "gappy", "every": "2 s", "operation": "max", "type": "float32", "chunk": [3, 2, 7, 3]},
    {"field": "gappy", "every": "2 s", "name": "bytes", "type": "uint8", "pack": {"range": [0.0, 900.0]}},
    {"field": "total", "operation": "sum", "every": "2 s"},
    {"field": "orog", "every": "once", "chunk": [1, 3, 2, 5]},
]
MESH = [
    {"field": "t", "operation": "mean", "every": "2 s", "chunk": [1, 2, 10]},
    {"field": "k", "name": "k_max", "operation": "max", "every": "2 s"},
]


def twice(name: str, **options) -> dict:
    """The same file in NetCDF, and in Zarr with shards."""
    files = both(name, **options)
    files[f"{name}.zarr"] = files[f"{name}.zarr"] | SHARDED
    return files


CONFIG = {
    "model_time": {"calendar": "noleap", "start": "2001-02-03"},
    "fields": {
        "state": {"every": "1 step", "names": ["w", "t", "k", "gappy", "total"]},
        "fixed": {"every": "once", "names": ["orog"]},
    },
    "output": {
        **twice("a", write_every="6 s", compression={"codec": "zlib", "level": 1}, variables=VARIABLES),
        **twice("mesh", compression="zstd", option_tables={"numbers": {}}, variables=MESH),
        **twice("part", new_file_every="11 s", variables=[{"field": "w", "every": "3 s", "chunk": [1, 3, 7, 4]}]),
    },
}


def shards_of(store, name: str) -> tuple[int, ...] | None:
    return zarr.open_array(store / name, mode="r").shards


PLAYERS = [(3, servers(2)), (5, servers(3, transport="mpi")), (3, attached())]


@pytest.fixture(scope="module")
def reference(tmp_path_factory):
    """The run of one server."""
    return Job(tmp_path_factory.mktemp("reference"))(model(2, **SCENARIO), servers(1), config=CONFIG).finished()


@pytest.mark.parametrize(("ranks", "serving"), PLAYERS, ids=["two", "three", "attached"])
def test_same_bits_as_netcdf_for_any_ranks_and_servers(job, reference, ranks, serving):
    delays = {"TAILRACE_RANDOM_DELAYS": f"{ranks}:3000", "TAILRACE_FILE_DELAY": "100"}
    result = job(model(ranks, **SCENARIO), serving, config=CONFIG, environment=delays).finished()
    stores = sorted(result.folder.glob("*.zarr"))
    assert [store.name for store in stores] == sorted(store.name for store in reference.folder.glob("*.zarr"))
    for store in stores:
        assert_same_as_netcdf(store, store.with_suffix(".nc"))
        assert differences(every_bit_of_store(store), every_bit_of_store(reference.path(store.name))) == []


def test_shards_have_the_size_that_was_asked_for(reference):
    assert shards_of(reference.path("a.zarr"), "w_mean") == (5, 3, 4, 5)  # 2400 of 4096 B, no room for five more chunks
    assert shards_of(reference.path("a.zarr"), "w_plain") == (6, 3, 4, 5)
    assert shards_of(reference.path("a.zarr"), "orog") == (3, 8, 15)
    times = read_store(reference.path("a.zarr")).w_mean.dims[0]
    assert shards_of(reference.path("a.zarr"), times) is None
    assert shards_of(reference.path("mesh.zarr"), "t") == (5, 2, 50)


def test_zarr_python_reads_the_shards_without_consolidated_metadata(reference):
    ours = zarr.open_group(reference.path("a.zarr"), mode="r", use_consolidated=False)
    data = read_store(reference.path("a.zarr"))
    for name, array in ours.arrays():
        np.testing.assert_array_equal(array[...], data[name].values)
    lazy = xr.open_zarr(reference.path("a.zarr"), decode_times=False, mask_and_scale=False, chunks=None)
    np.testing.assert_array_equal(lazy.w_mean[3:6, 1, ::2, 4].values, data.w_mean.values[3:6, 1, ::2, 4])


def test_tensorstore_reads_the_shards(reference):
    pytest.importorskip("tensorstore")
    stores = sorted(reference.folder.glob("*.zarr"))
    assert {"a.zarr", "mesh.zarr"} < {store.name for store in stores}, stores
    for store in stores:
        assert_same_in_tensorstore(store)


def test_a_shard_holds_the_records_of_a_commit(job):
    """By default; so that each is written once."""
    config = {
        "model_time": {"calendar": "noleap", "start": "2001-01-01"},
        "fields": {"state": {"every": "1 step", "names": ["w"]}},
        "output": {
            "day.zarr": {
                "format": "zarr",
                "write_every": "5 h",
                "zarr": {"shard_size": "1 MiB"},
                "variables": [
                    {"field": "w", "name": f"w{i}", "every": "30 min", "chunk": [1, 2, 4, 6]} for i in range(5)
                ],
            }
        },
    }
    times = [1800.0 * i for i in range(1, 41)]
    scenario = {"grids": [block_grid("g")], "fields": [field("w", "g")], "times": times}
    result = job(model(2, **scenario), servers(1), config=config).finished()
    store = result.path("day.zarr")
    assert shards_of(store, "w3") == (10, 4, 8, 12)
    assert all(len(list((store / f"w{i}/c").glob("*/0/0/0"))) == 4 for i in range(5))
    report = tailrace("inspect", "day.zarr", cwd=result.folder)
    assert report.returncode == 0, report.stderr
    assert "w3: 4 shards of 10 x 4 x 8 x 12 with chunks of 1 x 2 x 4 x 6; 320 chunks, " in report.stdout


def test_jobs_of_unequal_length_append(job):
    options = {"write_every": "4 s", "compression": "zlib", "if_exists": "append"}
    options["variables"] = [
        {"field": "w", "every": "2 s", "operation": "mean", "chunk": [3, 2, 7, 5]},
        {"field": "w", "every": "2 s", "name": "now", "chunk": [1, 3, 7, 11]},
        {"field": "w", "every": "2 s", "name": "plain", "chunk": [2, 3, 7, 11], "compression": "none"},
    ]
    output = twice("grown", **options)
    folder = appended_by_jobs(job, output)
    assert_same_as_netcdf(folder / "grown.zarr", folder / "grown.nc")
    shape = shards_of(folder / "grown.zarr", "w")
    kept = every_bit_of_store(folder / "grown.zarr")
    scenario = {"times": [TIMES_OF_JOBS[-1] + 2.0], "initial_time": TIMES_OF_JOBS[-1]}
    player = model(1, grids=[block_grid("g")], fields=[field("w", "g")], **scenario)

    def continued(sharding: dict | None):
        store = {k: v for k, v in output["grown.zarr"].items() if k != "zarr"}
        files = {"grown.zarr": store | ({} if sharding is None else {"zarr": sharding})}
        config = {"fields": {"state": {"every": "1 step", "names": ["w"]}}, "output": files}
        return job(player, servers(1), config=config, folder=folder)

    words = 'grown.zarr: cannot be continued: its variable "w" has shards of 6 x 2 x 7 x 5, and this run writes '
    continued({"shard_records": 9}).failed_with(words, "output.grown.zarr", "expected no `zarr` with options of shards")
    continued({"shards": False}).failed_with(words + "a file for each chunk")
    assert every_bit_of_store(folder / "grown.zarr") == kept
    continued(None).finished()
    assert shards_of(folder / "grown.zarr", "w") == shape


def test_a_run_in_pieces_goes_back_to_its_checkpoint(job):
    options = {"write_every": "3 s", "compression": "zlib", "format": "zarr", "zarr": {"shard_records": 4}}
    options["variables"] = [
        {"field": "w", "every": "1 s", "chunk": [3, 2, 7, 5]},
        {"field": "w", "name": "w_mean", "operation": "mean", "every": "1 s", "chunk": [1, 3, 7, 11]},
    ]
    whole, pieces = whole_and_in_pieces(job, {"whole.zarr": options})
    assert differences(every_bit_of_store(pieces / "whole.zarr"), every_bit_of_store(whole / "whole.zarr")) == []


# Each commit of two records extends the last shard, of five.
NOW = {
    "fields": {"state": {"every": "1 step", "names": ["w"]}},
    "output": {
        "now.zarr": {
            "format": "zarr",
            "write_every": "2 steps",
            "compression": "zlib",
            "zarr": {"shard_records": 5},
            "variables": [{"field": "w", "every": "1 step", "chunk": [1, 2, 5, 17]}],
        },
    },
}
KILLS = 1000 if os.environ.get("TAILRACE_TEST_FAULTS") else 3


def test_every_committed_record_survives_kills(tmp_path):
    check_kills(tmp_path, NOW, KILLS, seed=11)


def assert_slowly_read(store) -> int:
    """Fetches metadata, the index of each shard, and the chunks by separate calls of the system, as zarr-python does,
    with time in between; returns how many records there are."""
    array = json.loads((store / "zarr.json").read_text())["consolidated_metadata"]["metadata"]["w"]
    records, shape = array["shape"][0], tuple(array["shape"][1:])
    shard = array["chunk_grid"]["configuration"]["chunk_shape"]
    inner = array["codecs"][0]["configuration"]["chunk_shape"]
    counts = [outer // of for outer, of in zip(shard, inner, strict=True)]
    indices = {}
    for number in itertools.product(*(range(-(-e // n)) for e, n in zip((records, *shape), shard, strict=True))):
        with (store / "w/c" / "/".join(map(str, number))).open("rb") as file:
            file.seek(-16 * math.prod(counts) - 4, os.SEEK_END)
            indices[number] = np.frombuffer(file.read()[:-4], "<u8").reshape(*counts, 2)
    time.sleep(0.02)
    values = np.empty((records, *shape))
    for chunk in itertools.product(range(records), *(range(-(-e // n)) for e, n in zip(shape, inner[1:], strict=True))):
        number, within = zip(*map(divmod, chunk, counts), strict=True)
        offset, size = map(int, indices[number][within])
        with (store / "w/c" / "/".join(map(str, number))).open("rb") as file:
            file.seek(offset)
            cells = np.frombuffer(numcodecs.Blosc().decode(file.read(size)), "<f8").reshape(inner[1:])
        place = tuple(slice(c * n, min((c + 1) * n, e)) for c, n, e in zip(chunk[1:], inner[1:], shape, strict=True))
        values[chunk[0]][place] = cells[tuple(slice(0, p.stop - p.start) for p in place)]
    for record in range(records):
        np.testing.assert_array_equal(values[record], put_values(0, shape, LONG["times"][record], record + 1))
    return records


def test_readers_see_whole_records_at_any_moment(job, tmp_path):
    check_reader(job, tmp_path / "run", NOW, "output.test_zarr_shards:assert_slowly_read")


def test_inspect_names_a_damaged_shard(job):
    scenario = LONG | {"times": LONG["times"][:11], "pace": 0.0, "report_steps": False}
    folder = job(model(1, **scenario), servers(1), config=NOW).finished().folder
    shard = folder / "now.zarr/w/c/1/0/0/0"
    whole = shard.read_bytes()
    shard.write_bytes(whole[:-3] + bytes([whole[-3] ^ 1]) + whole[-2:])
    inspected = tailrace("inspect", "now.zarr", cwd=folder)
    said = inspected.stdout + inspected.stderr
    assert inspected.returncode != 0
    assert "now.zarr: has 1 damaged shard: " in said and "w/c/1/0/0/0: the index of the shard" in said, said
    shard.write_bytes(whole)
    assert tailrace("inspect", "now.zarr", cwd=folder).returncode == 0


@pytest.mark.parametrize(
    ("options", "pieces"),
    [
        ({"shard_records": 0}, ["output.now.zarr.zarr.shard_records"]),
        ({"shard_size": "10 B"}, ["output.now.zarr.zarr.shard_size", "1 KiB"]),
        ({"shards": False, "shard_records": 3}, ["zarr.shard_records: there are no shards"]),
        ({"shard": 3}, ['Did you mean "shards"?']),
    ],
)
def test_invalid_options(tmp_path, options, pieces):
    config = NOW | {"output": {"now.zarr": NOW["output"]["now.zarr"] | {"zarr": options}}}
    (tmp_path / "run.yaml").write_text(json.dumps({"tailrace": 1, **config}))
    said = tailrace("check", "run.yaml", cwd=tmp_path)
    assert said.returncode == 2
    assert all(piece in said.stderr for piece in ["run.yaml:1:", *pieces]), said.stderr


BUBBLE = BUILD / "examples" / "bubble" / "bubble"


@pytest.mark.skipif(not BUBBLE.exists(), reason="the example is not built")
def test_the_bubble_example_in_both_formats(tmp_path):
    config = yaml.safe_load((TREE / "examples" / "bubble" / "density_current.yaml").read_text())
    stores = {}
    for name, entry in config["output"].items():
        stores[name.replace(".nc", ".zarr")] = entry | {"format": "zarr", "zarr": {"shard_records": 3}}
    config["output"] |= stores
    (tmp_path / "density_current.yaml").write_text(json.dumps(config))
    small = "case = 'density_current', nx = 32, ny = 2, nz = 16, dx = 400, dy = 800, dz = 300"
    (tmp_path / "density_current.nml").write_text(f"&bubble\n  {small}, viscosity = 75, t_end = 250\n/\n")
    command = ["mpirun", "-n", "3", str(BUBBLE), "density_current.nml"]
    done = subprocess.run(command, cwd=tmp_path, env=mpi_environment(), capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr
    files = sorted(tmp_path.glob("*.zarr"))
    assert len(files) >= 4
    for store in files:
        assert_same_as_netcdf(store, store.with_suffix(".nc"))
        if importlib.util.find_spec("tensorstore"):
            assert_same_in_tensorstore(store)
    assert any(array.shards for store in files for _, array in zarr.open_group(store, mode="r").arrays())
