"""Zarr stores have the contents of the NetCDF files of the same run, for any servers, and grow over jobs like them."""

import itertools
import json
import os
import random
import subprocess
import sys
import time

import numpy as np
import pytest
import zarr
from support.harness import attached, block_grid, field, indexed_grid, inline, model, replicated_grid, servers, tailrace
from support.reading import commits, differences
from support.stores import assert_same_as_netcdf, every_bit_of_store, read_store
from support.values import put_values, varying_times

VARIABLES = [
    {"field": "w", "name": "w_mean", "operation": "mean", "every": "5 s", "chunk": [1, 2, 4, 4]},
    {"field": "w", "every": "5 s", "name": "w_now", "chunk": [3, 2, 4, 11], "compression": "zstd"},
    {"field": "w", "every": "5 s", "name": "w_plain", "chunk": [4, 3, 5, 4], "compression": "none"},
    {
        "field": "w",
        "every": "5 s",
        "name": "unshuffled",
        "compression": {"codec": "zlib", "level": 4, "shuffle": False},
    },
    {"field": "w", "every": "5 s", "name": "packed", "pack": {"range": [0.0, 900.0]}},
    {"field": "gappy", "every": "5 s", "operation": "max", "type": "float32"},
    {"field": "gappy", "every": "5 s", "name": "bytes", "type": "uint8", "pack": {"range": [0.0, 900.0]}},
    {"field": "total", "operation": "sum", "every": "5 s"},
    {"field": "orog", "every": "once"},
]
MESH = [
    {"field": "t", "operation": "mean", "every": "4 s", "chunk": [2, 2, 10]},
    {"field": "k", "name": "k_max", "operation": "max", "every": "4 s"},
]


def both(name: str, **options) -> dict:
    """The same file in both formats."""
    return {f"{name}.nc": options, f"{name}.zarr": options | {"format": "zarr"}}


CONFIG = {
    "model_time": {"calendar": "noleap", "start": "2001-02-03"},
    "fields": {
        "state": {"every": "1 step", "names": ["w", "t", "k", "gappy", "total"]},
        "fixed": {"every": "once", "names": ["orog"]},
    },
    "output": {
        **both("a", write_every="6 s", compression={"codec": "zlib", "level": 1}, variables=VARIABLES),
        **both("series", access="series", compression="zstd", option_tables={"numbers": {}}, variables=MESH),
        **both("part", new_file_every="11 s", variables=[{"field": "w", "every": "3 s", "compression": "zlib"}]),
    },
}
SCENARIO = {
    "grids": [block_grid(), indexed_grid(mesh=True), replicated_grid()],
    "fields": [
        field("w", "les", how="strided"),
        field("t", "ico", "float32"),
        field("k", "column", "int32"),
        field("gappy", "les", fill_value=-999.0),
        field("total", how="acquire"),
        field("orog", "les", fixed=True),
    ],
    "options": {"numbers.first": 1, "numbers.second": -22},
    "times": varying_times(18, seed=8),
}


def pairs(folder):
    return [(store, store.with_suffix(".nc")) for store in sorted(folder.glob("*.zarr"))]


@pytest.fixture(scope="module")
def reference(tmp_path_factory):
    """One rank that does everything itself, without delays."""
    from support.harness import Job

    result = Job(tmp_path_factory.mktemp("reference"))(model(1, **SCENARIO), inline(), config=CONFIG).finished()
    return {store.name: every_bit_of_store(store) for store, _ in pairs(result.folder)}


PLAYERS = [(2, servers(1)), (3, servers(2)), (5, servers(3, transport="mpi")), (3, attached()), (2, inline())]


@pytest.mark.parametrize(("ranks", "serving"), PLAYERS, ids=["one", "two", "three", "attached", "inline"])
def test_same_bits_as_netcdf_for_any_ranks_and_servers(job, reference, ranks, serving):
    delays = {"TAILRACE_RANDOM_DELAYS": f"{ranks}:3000", "TAILRACE_FILE_DELAY": "100"}
    result = job(model(ranks, **SCENARIO), serving, config=CONFIG, environment=delays).finished()
    stores = pairs(result.folder)
    assert len(stores) == len(reference) > 3
    for store, file in stores:
        assert_same_as_netcdf(store, file)
        assert differences(every_bit_of_store(store), reference[store.name]) == []
    promised = commits(result.folder)
    assert promised["a.zarr"] == promised["a.nc"]
    report = json.loads((result.folder / "tailrace_report" / "report.json").read_text())
    assert "a.zarr" in json.dumps(report)


def test_read_by_zarr_python_without_consolidated_metadata(job):
    result = job(model(2, **SCENARIO), servers(2), config=CONFIG).finished()
    ours = zarr.open_group(result.path("a.zarr"), mode="r", use_consolidated=False)
    data = read_store(result.path("a.zarr"))
    assert sorted(ours.array_keys()) == sorted(data.variables)
    for name, array in ours.arrays():
        np.testing.assert_array_equal(array[...], data[name].values)
        assert array.metadata.dimension_names == data[name].dims
    assert zarr.open_array(result.path("a.zarr") / "w_now", mode="r").compressors[0].cname.value == "zstd"


def test_jobs_of_unequal_length_append(job):
    times, cuts = varying_times(40, seed=3), (0, 11, 29, 40)
    options = {"write_every": "4 s", "compression": "zlib", "if_exists": "append"}
    options["variables"] = [
        {"field": "w", "every": "2 s", "operation": "mean", "chunk": [7, 2, 7, 5]},
        {
            "field": "w",
            "every": "2 s",
            "operation": "max",
            "name": "high",
            "chunk": [3, 3, 7, 11],
            "compression": "none",
        },
    ]
    config = {"fields": {"state": {"every": "1 step", "names": ["w"]}}, "output": both("grown", **options)}
    folder = None
    for i, (first, last) in enumerate(itertools.pairwise(cuts)):
        scenario = {"times": times[first:last], "initial_time": times[first - 1] if first else 0.0}
        player = model((3, 1, 2)[i], grids=[block_grid("g")], fields=[field("w", "g")], **scenario)
        folder = job(player, servers(1 + i % 2), config=config, folder=folder).finished().folder
    assert_same_as_netcdf(folder / "grown.zarr", folder / "grown.nc")


def test_a_run_in_pieces_goes_back_to_its_checkpoint(job):
    """Records after the checkpoint are removed from a store, which finally equals that of an uninterrupted run."""
    options = {"write_every": "3 s", "compression": "zlib"}
    options["variables"] = [
        {"field": "w", "every": "1 s", "chunk": [5, 2, 7, 5]},
        {"field": "w", "name": "w_mean", "operation": "mean", "every": "1 s"},
    ]
    config = {
        "fields": {"state": {"every": "1 step", "names": ["w"]}},
        "output": {
            "whole.zarr": options | {"format": "zarr"},
            "part.zarr": options | {"format": "zarr", "new_file_every": "10 s"},
        },
        "checkpoint": {"every": "7 s", "fields": ["w"]},
    }
    times = varying_times(43, seed=5, shortest=0.4, longest=1.7)

    def play(ranks, steps=None):
        scenario = {"times": times[:steps], "checkpoints": True, "got": ["w"]}
        return model(ranks, grids=[block_grid("g")], fields=[field("w", "g")], **scenario)

    whole = job(play(3), servers(2), config=config).finished()
    first = job(play(3, 33), servers(2), config=config).finished()
    second = job(play(2), servers(1), config=config, folder=first.folder).finished()
    assert "RESTARTED" in second.output
    stores = sorted(path.name for path in whole.folder.glob("*.zarr"))
    assert stores == sorted(path.name for path in first.folder.glob("*.zarr"))
    for name in stores:
        assert differences(every_bit_of_store(first.folder / name), every_bit_of_store(whole.path(name))) == [], name


SHAPE = (4, 9, 17)
LONG = {
    "grids": [block_grid(shape=SHAPE)],
    "fields": [field("w", "les")],
    "times": varying_times(3000, seed=5),
    "pace": 0.002,
    "report_steps": True,
}
NOW = {
    "fields": {"state": {"every": "1 step", "names": ["w"]}},
    "output": {
        "now.zarr": {
            "format": "zarr",
            "write_every": "2 steps",
            "compression": "zlib",
            "variables": [{"field": "w", "every": "1 step", "chunk": [3, 2, 5, 17]}],
        },
    },
}


def assert_whole(store, at_least: int = 0) -> int:
    data = read_store(store)
    assert data.sizes["time"] == data.w.shape[0] >= at_least
    for i, stamp in enumerate(data.time.values):
        assert stamp == LONG["times"][i]
        np.testing.assert_array_equal(data.w.values[i], put_values(0, SHAPE, LONG["times"][i], i + 1))
    return data.sizes["time"]


KILLS = 200 if os.environ.get("TAILRACE_TEST_FAULTS") else 4


def test_every_committed_record_survives_kills(tmp_path):
    from support.harness import Job

    moments, committed = random.Random(7), 0
    for _ in range(KILLS):
        with Job(tmp_path).start(model(2, **LONG), servers(2), config=NOW) as running:
            running.wait_for("STEP 1\n")
            time.sleep(moments.uniform(0.0, 0.8))
            running.kill()
        folder = running.folder
        promised = commits(folder).get("now.zarr", {}).get("time", 0)
        found = assert_whole(folder / "now.zarr", promised)
        committed += promised
        inspected = tailrace("inspect", "--repair", ".", cwd=folder)
        assert inspected.returncode == 0, inspected.stderr
        assert f"records: time {found}" in inspected.stdout
        alone = zarr.open_group(folder / "now.zarr", mode="r", use_consolidated=False)
        assert {array.shape[0] for name, array in alone.arrays() if name in ("w", "time")} == {found}
    assert committed > 0


READING = """
import sys
from pathlib import Path
from output.test_zarr import assert_whole
print("ready", flush=True)
seen, store = [], Path(sys.argv[1])
while not (store.parent / "stop").exists():
    if store.exists():
        seen.append(assert_whole(store))
assert seen == sorted(seen)
print(len(seen), len(set(seen)))
"""


def test_readers_see_whole_records_at_any_moment(job, tmp_path):
    folder = tmp_path / "run"
    folder.mkdir()
    reader = subprocess.Popen(
        [sys.executable, "-W", "ignore", "-c", READING, str(folder / "now.zarr")],
        env={"PYTHONPATH": str(__file__).rsplit("/output/", 1)[0]},
        stdout=subprocess.PIPE,
        text=True,
    )
    scenario = LONG | {"times": LONG["times"][:120], "pace": 0.03}
    environment = {"TAILRACE_FILE_DELAY": "500"}
    assert reader.stdout.readline() == "ready\n"
    try:
        job(model(2, **scenario), servers(1), config=NOW, folder=folder, environment=environment).finished()
        (folder / "stop").touch()
        out, _ = reader.communicate(timeout=60)
    finally:
        reader.kill()
    assert reader.returncode == 0
    looks, states = map(int, out.split())
    assert looks > 5 and states > 3, out


@pytest.mark.parametrize(
    ("options", "pieces"),
    [
        ({"format": "zar"}, ['"zar"', 'Did you mean "zarr"?']),
        ({"format": "netcdf"}, ["output.now.zarr: the name is that of a Zarr store", "`format: zarr`"]),
        (
            {"compression": "blosc"},
            ['output.now.zarr.compression: "blosc" is unknown', "known: auto, lorenzo, none, zlib, zstd"],
        ),
    ],
)
def test_invalid_options(tmp_path, options, pieces):
    config = NOW | {"output": {"now.zarr": NOW["output"]["now.zarr"] | options}}
    (tmp_path / "run.yaml").write_text(json.dumps({"tailrace": 1, **config}))
    said = tailrace("check", "run.yaml", cwd=tmp_path)
    assert said.returncode == 2
    assert all(piece in said.stderr for piece in ["run.yaml:1:", *pieces]), said.stderr


def test_stores_that_are_in_the_way(job):
    def run(name, folder=None, **options):
        config = NOW | {"output": {name: NOW["output"]["now.zarr"] | options}}
        scenario = LONG | {"times": [3.0], "initial_time": 1.0, "pace": 0.0}
        return job(model(1, **scenario), servers(1), config=config, folder=folder)

    folder = run("now.zarr").finished().folder
    kept = every_bit_of_store(folder / "now.zarr")
    again = run("now.zarr", folder, if_exists="fail")
    again.failed_with("the file now.zarr exists, and `if_exists: fail` does not allow")
    again = run("now.zarr", folder, if_exists="append", compression="zstd")
    again.failed_with('cannot be continued: its variable "w" has another compression than in this run, zstd')
    assert every_bit_of_store(folder / "now.zarr") == kept
    (folder / "other").mkdir()
    again = run("other", folder, if_exists="replace")
    again.failed_with("other: exists, and is not replaced, as it is not a Zarr store")
