"""Zarr stores have the contents of the NetCDF files of the same run, for any servers, and grow over jobs like them."""

import json
import os

import numpy as np
import pytest
import xarray as xr
import zarr
from support.growing_store import LONG, appended_by_jobs, check_kills, check_reader, whole_and_in_pieces
from support.harness import attached, block_grid, field, indexed_grid, inline, model, replicated_grid, servers, tailrace
from support.reading import commits, differences
from support.stores import assert_same_as_netcdf, every_bit_of_store, read_store
from support.values import varying_times

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


@pytest.mark.parametrize("shards", [True, False])
def test_virtualizarr_reads_stores(job, shards):
    parsers = pytest.importorskip("virtualizarr.parsers")
    pytest.importorskip("arro3.core")  # VirtualiZarr lists chunks by it
    from obspec_utils.registry import ObjectStoreRegistry
    from obstore.store import LocalStore

    output = {"a.zarr": CONFIG["output"]["a.zarr"] | {"zarr": {"shards": shards}}}
    store = job(model(2, **SCENARIO), servers(1), config=CONFIG | {"output": output}).finished().path("a.zarr")
    with_shards = [name for name, array in zarr.open_group(store, mode="r").arrays() if array.shards]
    assert bool(with_shards) == shards
    chunks = parsers.ZarrParser()(url=f"file://{store}", registry=ObjectStoreRegistry({"file://": LocalStore()}))
    found = xr.open_zarr(chunks, consolidated=False, zarr_format=3, decode_times=False, mask_and_scale=False)
    expected = read_store(store)
    assert set(found.data_vars) >= {entry.get("name", entry["field"]) for entry in VARIABLES}
    for name in found.variables:
        np.testing.assert_array_equal(found[name].values, expected[name].values, name)


def test_jobs_of_unequal_length_append(job):
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
    folder = appended_by_jobs(job, both("grown", **options))
    assert_same_as_netcdf(folder / "grown.zarr", folder / "grown.nc")


def test_a_run_in_pieces_goes_back_to_its_checkpoint(job):
    """Records after the checkpoint are removed from a store, which finally equals that of an uninterrupted run."""
    options = {"write_every": "3 s", "compression": "zlib", "format": "zarr"}
    options["variables"] = [
        {"field": "w", "every": "1 s", "chunk": [5, 2, 7, 5]},
        {"field": "w", "name": "w_mean", "operation": "mean", "every": "1 s"},
    ]
    output = {"whole.zarr": options, "part.zarr": options | {"new_file_every": "10 s"}}
    whole, pieces = whole_and_in_pieces(job, output)
    stores = sorted(path.name for path in whole.glob("*.zarr"))
    assert stores == sorted(path.name for path in pieces.glob("*.zarr"))
    for name in stores:
        assert differences(every_bit_of_store(pieces / name), every_bit_of_store(whole / name)) == [], name


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


KILLS = 200 if os.environ.get("TAILRACE_TEST_FAULTS") else 4


def test_every_committed_record_survives_kills(tmp_path):
    check_kills(tmp_path, NOW, KILLS, seed=7)


def test_readers_see_whole_records_at_any_moment(job, tmp_path):
    check_reader(job, tmp_path / "run", NOW, "support.growing_store:assert_whole")


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
