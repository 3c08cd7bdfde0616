"""ADIOS2 datasets have the same contents as the NetCDF file, bit for bit, compressed or not, over one job or several;
and complete steps after a kill."""

import os
import random
import subprocess
import sys
import time

import numpy as np
import pytest
from support.harness import attached, block_grid, field, inline, model, servers, tailrace
from support.reading import RUN_ATTRIBUTES, commits
from support.reading import read as read_netcdf
from support.values import put_values, varying_times

adios2_reading = pytest.importorskip("support.adios2_reading")
adios2 = pytest.importorskip("adios2", reason="ADIOS2 is not installed")

TIMES = varying_times(23, seed=11)  # four steps per commit: the last one is shorter
SHAPE = (3, 7, 11)
VARIABLES = [
    {"field": "w", "name": "each", "time": "snapshot", "every": "1 step", "chunk": [3, 2, 4, 11]},
    {"field": "w", "name": "w_mean", "time": "mean", "every": "1 step", "type": "float32"},
    {"field": "n", "time": "snapshot", "every": "1 step", "chunk": [5, 3, 7, 5]},
    {"field": "w", "name": "packed", "time": "snapshot", "every": "1 step"}
    | {"type": "int16", "pack": {"range": [-10.0, 400.0]}},
]
OF_FILES = {"attributes": {"title": "a title", "numbers": [1, 2, 3], "half": 0.5}}
KILLS = 200 if os.environ.get("TAILRACE_TEST_FAULTS") else 6


def configuration(engine: str, **more) -> dict:
    common = {"write_every": "4 steps", "variables": VARIABLES, **OF_FILES}
    return {
        "fields": {"state": {"every": "1 step", "names": ["w", "n"]}},
        "output": {
            "out.nc": dict(common),
            "out.bp": {"format": "adios2", "adios2": {"engine": engine}, **common, **more},
        },
    }


def player(ranks: int, **more):
    fields = [field("w", "les"), field("n", "les", type="int32")]
    return model(ranks, grids=[block_grid(shape=SHAPE)], fields=fields, times=TIMES, **more)


def plugin_folder() -> str:
    """The folder in which a reader finds it."""
    code = "from tailrace._adios2 import plugin_folder; print(plugin_folder())"
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip()


def assert_same(netcdf, variables: dict, attributes: dict) -> None:
    assert set(variables) == set(netcdf.variables)
    for name, values in variables.items():
        expected = netcdf[name]
        assert values.dtype == expected.dtype, name
        np.testing.assert_array_equal(values, expected.values, err_msg=name)
        dims = attributes.get(f"{name}/{adios2_reading.NAMES}", [])
        assert tuple([dims] if isinstance(dims, str) else dims) == expected.dims
        assert_attributes(expected.attrs, attributes, f"{name}/")
    assert_attributes(netcdf.attrs, attributes, "")


def assert_attributes(expected: dict, attributes: dict, prefix: str) -> None:
    for name, value in expected.items():
        if name not in RUN_ATTRIBUTES | {"_NCProperties"}:
            np.testing.assert_array_equal(attributes[prefix + name], value, err_msg=prefix + name)


@pytest.mark.parametrize(
    ("engine", "ranks", "serving"),
    [
        ("bp5", 1, servers(1)),
        ("bp5", 4, servers(3)),
        ("bp4", 3, servers(2)),
        ("bp5", 2, inline()),
        ("bp5", 3, attached()),
    ],
    ids=["one", "many", "bp4", "inline", "attached"],
)
def test_has_the_contents_of_the_netcdf_file(job, engine, ranks, serving):
    environment = {"TAILRACE_RANDOM_DELAYS": "3"} if ranks == 4 else None
    result = job(player(ranks), serving, config=configuration(engine), environment=environment).finished()
    variables, attributes = adios2_reading.read(result.path("out.bp"))
    assert variables["each"].shape == (len(TIMES), *SHAPE)
    assert_same(read_netcdf(result.path("out.nc")), variables, attributes)
    np.testing.assert_array_equal(variables["each"][5], put_values(0, SHAPE, TIMES[5], 6))


COMPRESSED = {"compression": {"codec": "zstd", "level": 3}, "variables": VARIABLES[1:]}
COMPRESSED["variables"] = [VARIABLES[0] | {"compression": "zlib"}, *COMPRESSED["variables"]]
LOOK = "import adios2, sys\nwith adios2.FileReader(sys.argv[1]) as f: print(f.read(sys.argv[2]).sum())"


def test_what_is_compressed_is_read_by_any_reader_with_the_operator(job, monkeypatch):
    result = job(player(3), servers(2), config=configuration("bp5", **COMPRESSED)).finished()
    path = result.path("out.bp")
    bare = {name: value for name, value in os.environ.items() if name != "ADIOS2_PLUGIN_PATH"}
    look = [sys.executable, "-c", LOOK, str(path)]
    assert subprocess.run([*look, "time_1step"], env=bare).returncode == 0
    refused = subprocess.run([*look, "each"], env=bare, capture_output=True, text=True)
    assert refused.returncode != 0 and "Failed to load library" in refused.stderr
    monkeypatch.setenv("ADIOS2_PLUGIN_PATH", plugin_folder())
    variables, attributes = adios2_reading.read(path)
    assert_same(read_netcdf(result.path("out.nc")), variables, attributes)
    done = tailrace("convert", "out.bp", "back.nc", cwd=result.folder)
    assert done.returncode == 0, done.stderr
    np.testing.assert_array_equal(read_netcdf(result.path("back.nc")).each, variables["each"])


def test_compressed_datasets_are_smaller(job):
    calm = {"grids": [block_grid(shape=(8, 32, 64))], "fields": [field("n", "les", type="int32")]}
    config = {"fields": {"state": {"every": "1 step", "names": ["n"]}}, "output": {}}
    common = {"format": "adios2", "variables": [{"field": "n", "time": "max", "every": "4 steps"}]}
    config["output"] = {"raw.bp": common, "small.bp": common | {"compression": "zstd"}}
    result = job(model(2, times=TIMES, **calm), servers(1), config=config).finished()
    sizes = {name: (result.path(name) / "data.0").stat().st_size for name in config["output"]}
    assert sizes["small.bp"] < 0.8 * sizes["raw.bp"], sizes


def test_missing_operators_are_an_error_of_ready(job):
    elsewhere = {"ADIOS2_PLUGIN_PATH": "/nowhere"}
    job(player(1), servers(1), config=configuration("bp5", **COMPRESSED), environment=elsewhere).failed_with(
        "out.bp", "libtailrace_adios2_codecs.so, and it is in no folder of ADIOS2_PLUGIN_PATH, /nowhere"
    )
    if adios2_reading.has_blosc():
        return
    config = configuration("bp5")
    config["output"]["out.bp"]["adios2"] = {"engine": "bp5", "operator": "blosc", "compressor": "lz4", "level": 5}
    job(player(1), servers(1), config=config).failed_with(
        "out.bp", "the library of ADIOS2 was built without the operator `blosc`", "expected one that has it"
    )


def test_a_burst_buffer_is_drained(job, tmp_path):
    config = configuration("bp4")
    config["output"]["out.bp"]["adios2"] = {"engine": "bp4", "burst_buffer": str(tmp_path / "fast")}
    with job.start(player(2), servers(2), config=config) as running:
        while running.alive() and not list((tmp_path / "fast").rglob("data.0")):
            time.sleep(0.001)
        seen = [path.parent.name for path in (tmp_path / "fast").rglob("data.0")]
        result = running.wait(60).finished()
    assert seen == ["out.bp"]
    assert not [path for path in (tmp_path / "fast").rglob("*") if path.is_file()]
    variables, attributes = adios2_reading.read(result.path("out.bp"))
    assert_same(read_netcdf(result.path("out.nc")), variables, attributes)


def test_grows_over_jobs(job, monkeypatch):
    """Each job begins before the end of the previous one, within a step of it. Another compression is refused: a reader
    of BP5 hangs at a variable that is compressed in some steps only."""
    folder = None
    for first, last in ((0, 11), (9, 19), (17, 23)):
        config = configuration("bp5", compression="zstd")
        for file in config["output"].values():
            file["if_exists"] = "append"
        part = player(2)
        part.scenario |= {"times": TIMES[first:last], "initial_time": TIMES[first - 1] if first else 0.0}
        folder = job(part, servers(2), config=config, folder=folder).finished().folder
    monkeypatch.setenv("ADIOS2_PLUGIN_PATH", plugin_folder())
    variables, attributes = adios2_reading.read(folder / "out.bp")
    expected = read_netcdf(folder / "out.nc")
    assert len(expected.each) == len(TIMES)
    assert_same(expected, variables, attributes)
    assert [path.name for path in folder.glob("out.bp*")] == ["out.bp"]
    config["output"]["out.bp"]["compression"] = "none"
    job(part, servers(2), config=config, folder=folder).failed_with(
        "out.bp", "has another compression than in this run, none"
    )


def test_goes_back_to_a_checkpoint(job):
    config = configuration("bp5") | {"checkpoint": {"every": "15 s", "fields": ["w"]}}
    folder = None
    for steps in (39, 33):
        run = player(2, checkpoints=True, got=["w"], report_steps=True)
        run.scenario |= {"times": [float(step) for step in range(1, steps + 1)]}
        result = job(run, servers(2), config=config, folder=folder).finished()
        folder = result.folder
    assert "RESTARTED 30\n" in result.output
    variables, attributes = adios2_reading.read(folder / "out.bp")
    assert len(variables["each"]) == 33
    assert_same(read_netcdf(folder / "out.nc"), variables, attributes)


def test_steps_are_whole_or_absent_after_a_kill(job):
    moments = random.Random(7)
    committed = 0
    for kill in range(KILLS):
        times = varying_times(4000, seed=5)
        slow = model(2, grids=[block_grid(shape=SHAPE)], fields=[field("w", "les"), field("n", "les", type="int32")])
        slow.scenario |= {"times": times, "pace": 0.002, "report_steps": True}
        config = configuration("bp4" if kill % 3 == 2 else "bp5")
        config["output"]["out.bp"]["write_every"] = "2 steps"
        with job.start(slow, servers(2), config=config) as running:
            running.wait_for("STEP 1\n")
            end = time.monotonic() + 20
            while kill % 2 and not commits(running.folder).get("out.bp") and time.monotonic() < end:
                time.sleep(0.01)
            time.sleep(moments.uniform(0.0, 0.8))
            assert running.alive()
            running.kill()
        promised = commits(running.folder).get("out.bp", {})
        if not (running.folder / "out.bp").exists():
            assert not promised
            continue
        variables, attributes = adios2_reading.read(running.folder / "out.bp")
        assert attributes["title"] == "a title"
        records = {dim: len(variables.get(dim, ())) for dim in attributes[adios2_reading.GROWING]}
        assert all(records[dim] >= length for dim, length in promised.items())
        for name in ("each", "n", "w_mean", "packed"):
            dim = attributes[f"{name}/{adios2_reading.NAMES}"][0]
            assert len(variables.get(name, ())) == records[dim], "a step is incomplete"
        for record, values in enumerate(variables.get("each", ())):
            np.testing.assert_array_equal(values, put_values(0, SHAPE, times[record], record + 1))
        committed += sum(promised.values())
    assert committed > 0, "no run was killed after a commit; the test is void"


def test_replaces_only_a_dataset(job, tmp_path):
    folder = tmp_path / "twice"
    for _ in range(2):
        job(player(1), servers(1), config=configuration("bp5"), folder=folder).finished()
    assert len(adios2_reading.read(folder / "out.bp")[0]["each"]) == len(TIMES)
    job(player(1), servers(1), config=configuration("bp5", if_exists="fail"), folder=folder).failed_with(
        "out.bp", "exists"
    )
    other = tmp_path / "other"
    (other / "out.bp").mkdir(parents=True)
    (other / "out.bp" / "mine.txt").write_text("mine")
    job(player(1), servers(1), config=configuration("bp5"), folder=other).failed_with(
        "out.bp", "exists, and is not a dataset of ADIOS2"
    )
    assert (other / "out.bp" / "mine.txt").read_text() == "mine"
    job(player(1), servers(1), config=configuration("bp5", on_error="skip"), folder=other).finished()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"adios2": {"engine": "bp6"}}, '"bp6"'),
        ({"adios2": {"engin": "bp5"}}, "engine"),
        ({"format": "netcdf"}, "expected `format: adios2`"),
        ({"compression": "zlib", "adios2": {"engine": "bp4"}}, "expected no `compression`, or engine `bp5`"),
        ({"compression": "zlib", "adios2": {"operator": "blosc"}}, "expected either that or `operator`"),
        ({"adios2": {"operator": "bzip2"}}, "ends the file where bzip2 makes values no smaller; expected `blosc`"),
        ({"adios2": {"operator": "zfp"}}, "writes behind its own buffer where zfp makes"),
        ({"if_exists": "append", "adios2": {"engine": "bp4"}}, "`bp5` alone goes on with a dataset"),
        ({"adios2": {"level": 3}}, "stands beside `operator: blosc` only"),
        ({"adios2": {"burst_buffer": "fast"}}, "expected engine `bp4`, or `servers.when_full: spill`"),
        ({"adios2": {"aggregators": 2}}, "expected 1, or several files"),
        ({"adios2": {"engine": "sst", "queue": 0}}, "queue"),
    ],
)
def test_unsupported_options_are_reported_with_the_place(job, change, message):
    config = configuration("bp5", **change)
    job(player(1), servers(1), config=config).failed_with("output.out.bp", message, code=2)


@pytest.mark.parametrize("engine", ["bp5", "bp4"])
def test_inspect_knows_bp(job, engine):
    """It took a BP dataset for a folder without files."""
    folder = job(player(2), servers(1), config=configuration(engine)).finished().folder
    inspected = tailrace("inspect", "out.bp", "out.nc", cwd=folder)
    assert inspected.returncode == 0, inspected.stderr
    with adios2.FileReader(str(folder / "out.bp")) as reader:
        steps = reader.num_steps()
    records = f"records: time_1step {len(TIMES)}, time_instant_1step {len(TIMES)}"
    assert inspected.stdout.splitlines() == [
        f"out.bp: complete; {records if engine == 'bp5' else f'steps: {steps}'}",
        f"out.nc: complete; {records}",
    ]
    assert "out.bp: complete; " in tailrace("inspect", ".", cwd=folder).stdout
    (folder / "out.bp" / "md.0").write_bytes(b"")
    damaged = tailrace("inspect", "out.bp", cwd=folder)
    assert damaged.returncode == 1 and damaged.stdout.startswith("out.bp: ADIOS2 cannot "), damaged.stdout
