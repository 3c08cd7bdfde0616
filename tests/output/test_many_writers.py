"""Zarr stores whose chunks all servers write: the bytes of a store that one server writes, and the values of the NetCDF
file; kills, readers, jobs with other numbers of servers, and servers that fail."""

import json
import os
import random
import shutil
import signal
import time
from pathlib import Path

import numpy as np
import pytest
import zarr
from support.growing_store import (
    LARGE,
    LONG,
    appended_by_jobs,
    assert_whole,
    check_reader,
    long_run,
    whole_and_in_pieces,
)
from support.harness import Job, attached, block_grid, field, indexed_grid, inline, model, servers, tailrace, try_kill
from support.reading import RUN_ATTRIBUTES, commits, differences
from support.stores import assert_same_as_netcdf, every_bit_of_store
from support.values import varying_times

GRID = block_grid("g", shape=LARGE)
VARIABLES = [
    {"field": "w", "every": "2 s", "name": "w_mean", "operation": "mean", "chunk": [1, 3, 14, 17]},
    {"field": "w", "every": "2 s", "name": "w_plain", "chunk": [2, 3, 14, 17], "compression": "none"},
    {"field": "w", "every": "2 s", "name": "w_short", "type": "float32", "chunk": [3, 2, 45, 20]},
    {"field": "total", "operation": "sum", "every": "2 s"},
    {"field": "orog", "every": "once", "chunk": [1, 3, 20, 22]},
]
MESH = [{"field": "t", "operation": "max", "every": "2 s", "chunk": [1, 2, 1000]}]


def kinds(name: str, **options) -> dict:
    """The same file by all servers, by one, and in NetCDF."""
    store = options | {"format": "zarr"}
    sharding = {"shard_records": 5, "shard_size": "40 KiB"}
    return {
        f"{name}.zarr": store | {"zarr": sharding | {"writers": "all"}},
        f"{name}_home.zarr": store | {"zarr": sharding | {"writers": "home"}},
        f"{name}.nc": options,
    }


CONFIG = {
    "model_time": {"calendar": "noleap", "start": "2001-02-03"},
    "fields": {
        "state": {"every": "1 step", "names": ["w", "t", "total"]},
        "fixed": {"every": "once", "names": ["orog"]},
    },
    "output": {
        **kinds("a", write_every="6 s", compression={"codec": "zlib", "level": 1}, variables=VARIABLES),
        **kinds("mesh", compression="zstd", option_tables={"numbers": {}}, variables=MESH),
    },
}
SCENARIO = {
    "grids": [block_grid(shape=LARGE), indexed_grid(shape=(2, 8219), mesh=True)],
    "fields": [field("w", "les"), field("t", "ico", "float32"), field("total"), field("orog", "les", fixed=True)],
    "options": {"numbers.first": 1},
    "times": varying_times(18, seed=8),
}


def tree(store: Path) -> dict[str, bytes]:
    """Each file of a store, without what describes the run."""
    files = {}
    for path in sorted(store.rglob("*")):
        if path.is_file():
            files[str(path.relative_to(store))] = path.read_bytes()
    for name in [name for name in files if name.endswith("zarr.json")]:
        document = json.loads(files[name])
        for attribute in RUN_ATTRIBUTES:
            document["attributes"].pop(attribute, None)
        files[name] = json.dumps(document).encode()
    return files


def writers_of(folder: Path) -> dict[str, list[int]]:
    report = json.loads((folder / "tailrace_report" / "report.json").read_text())
    return {file["path"]: sorted(file["servers"]) for file in report["files"]}


PLAYERS = [
    (2, servers(1)),
    (3, servers(2)),
    (2, servers(3)),
    (5, servers(3, transport="mpi")),
    (3, attached()),
    (2, inline()),
]


@pytest.mark.parametrize(("ranks", "serving"), PLAYERS, ids=["one", "two", "three", "mpi", "attached", "inline"])
def test_same_bytes_as_one_writer_for_any_ranks_and_servers(job, ranks, serving):
    delays = {"TAILRACE_RANDOM_DELAYS": f"{ranks}:3000", "TAILRACE_FILE_DELAY": "100"}
    result = job(model(ranks, **SCENARIO), serving, config=CONFIG, environment=delays).finished()
    count = serving.ranks or ranks
    writers = writers_of(result.folder)
    promised = commits(result.folder)
    for name in ("a", "mesh"):
        assert_same_as_netcdf(result.path(f"{name}.zarr"), result.path(f"{name}.nc"))
        assert tree(result.path(f"{name}.zarr")) == tree(result.path(f"{name}_home.zarr"))
        assert writers[f"{name}.zarr"] == list(range(count))
        assert len(writers[f"{name}_home.zarr"]) == 1
        assert promised[f"{name}.zarr"] == promised[f"{name}.nc"]
    assert any(array.shards for _, array in zarr.open_group(result.path("a.zarr"), mode="r").arrays())


def test_the_report_counts_a_store_once(job):
    result = job(model(2, **SCENARIO), servers(2), config=CONFIG).finished()
    report = json.loads((result.folder / "tailrace_report" / "report.json").read_text())
    files = {file["path"]: file for file in report["files"]}
    many, one = files["a.zarr"], files["a_home.zarr"]
    for key in ("raw_bytes", "encoded_bytes", "records", "commits", "last_model_time"):
        assert many[key] == one[key], key
    size = sum(path.stat().st_size for path in result.path("a.zarr").rglob("*") if path.is_file())
    assert many["disk_bytes"] == size


def test_servers_without_chunks_leave_no_marks(job):
    """Records of few bytes are all assembled on one server."""
    config = {
        "fields": {"state": {"every": "1 step", "names": ["w"]}},
        "output": {
            f"{name}.zarr": {
                "format": "zarr",
                "compression": "none",
                "zarr": {"writers": name, "shards": False},
                "variables": [{"field": "w", "every": "2 s"}],
            }
            for name in ("all", "home")
        },
    }
    play = model(2, grids=[block_grid("g", shape=(2, 5, 7))], fields=[field("w", "g")], times=varying_times(6, seed=3))
    result = job(play, servers(3), config=config).finished()
    assert not list(result.path("all.zarr").rglob(".writers"))
    report = json.loads((result.folder / "tailrace_report" / "report.json").read_text())
    files = {file["path"]: file for file in report["files"]}
    assert files["all.zarr"]["encoded_bytes"] == files["home.zarr"]["encoded_bytes"]


def test_jobs_with_other_numbers_of_servers_append(job):
    options = {"write_every": "4 s", "compression": "zlib", "if_exists": "append"}
    options["variables"] = [
        {"field": "w", "every": "2 s", "operation": "mean", "chunk": [3, 2, 45, 20]},
        {"field": "w", "every": "2 s", "name": "now", "chunk": [1, 3, 14, 17]},
        {"field": "w", "every": "2 s", "name": "plain", "chunk": [2, 3, 45, 53], "compression": "none"},
    ]
    folder = appended_by_jobs(job, kinds("grown", **options), GRID, serving=(2, 3, 2))
    assert_same_as_netcdf(folder / "grown.zarr", folder / "grown.nc")
    assert tree(folder / "grown.zarr").keys() == tree(folder / "grown_home.zarr").keys()


def test_a_store_of_one_writer_goes_on_by_many_with_its_shards(job):
    """The shards are those of the store, whatever the configuration would choose now. Then back to one."""
    times = varying_times(30, seed=4)
    folder = None
    variables = [{"field": "w", "every": "1 step", "chunk": [1, 3, 14, 17]}]
    for i, sharding in enumerate([{"shard_records": 4}, {"writers": "all"}, {}]):
        store = {"format": "zarr", "write_every": "2 steps", "if_exists": "append", "zarr": sharding}
        store["variables"] = variables
        config = {"fields": {"state": {"every": "1 step", "names": ["w"]}}, "output": {"on.zarr": store}}
        scenario = {"times": times[10 * i : 10 * i + 10], "initial_time": times[10 * i - 1] if i else 0.0}
        player = model(2, grids=[GRID], fields=[field("w", "g")], **scenario)
        folder = job(player, servers(3), config=config, folder=folder).finished().folder
        assert len(writers_of(folder)["on.zarr"]) == (3 if i == 1 else 1)
        assert zarr.open_array(folder / "on.zarr" / "w", mode="r").shards[0] == 4
    whole = store | {"zarr": {"shard_records": 4}, "if_exists": "replace"}
    config = {"fields": {"state": {"every": "1 step", "names": ["w"]}}, "output": {"on.zarr": whole}}
    at_once = []
    for i in range(3):  # the numbers of steps begin anew in each job, and so do the values
        scenario = {"times": times[10 * i : 10 * i + 10], "initial_time": times[10 * i - 1] if i else 0.0}
        player = model(1, grids=[GRID], fields=[field("w", "g")], **scenario)
        result = job(player, servers(1), config=config).finished()
        at_once.append(zarr.open_array(result.path("on.zarr") / "w", mode="r")[...])
    np.testing.assert_array_equal(zarr.open_array(folder / "on.zarr" / "w", mode="r")[...], np.concatenate(at_once))


@pytest.mark.parametrize("serving", [(2, 2, 3), (1, 3, 1)], ids=str)
def test_a_run_in_pieces_goes_back_to_its_checkpoint(job, serving):
    options = {"write_every": "3 s", "compression": "zlib", "format": "zarr"}
    options["zarr"] = {"shard_records": 4, "writers": "all"}
    options["variables"] = [
        {"field": "w", "every": "1 s", "chunk": [3, 2, 45, 20]},
        {"field": "w", "name": "w_mean", "operation": "mean", "every": "1 s", "chunk": [1, 3, 14, 17]},
    ]
    whole, pieces = whole_and_in_pieces(job, {"whole.zarr": options}, GRID, serving)
    assert differences(every_bit_of_store(pieces / "whole.zarr"), every_bit_of_store(whole / "whole.zarr")) == []
    assert not list(pieces.rglob(".writers"))


NOW = {
    "fields": {"state": {"every": "1 step", "names": ["w"]}},
    "output": {
        "now.zarr": {
            "format": "zarr",
            "write_every": "2 steps",
            "compression": "zlib",
            "zarr": {"shard_records": 5, "shard_size": "60 KiB", "writers": "all"},
            "variables": [{"field": "w", "every": "1 step", "chunk": [1, 2, 15, 53]}],
        },
    },
}
APPENDED = {"output": {"now.zarr": NOW["output"]["now.zarr"] | {"if_exists": "append"}}}
KILLS = int(os.environ.get("TAILRACE_TEST_MANY_KILLS", 400 if os.environ.get("TAILRACE_TEST_FAULTS") else 3))


def kill_somebody(running, chance: random.Random) -> str:
    """All processes, or a rank of the model or a server, after which the launcher ends the others."""
    pids = {int(path.suffix[1:]): int(path.read_text()) for path in running.folder.glob("pid.*") if path.read_text()}
    if chance.random() < 0.5 or not pids:
        running.kill()
        return "all"
    victim = chance.choice(sorted(pids))
    try_kill(pids[victim])
    running.wait()
    return f"rank {victim}"


def test_every_committed_record_survives_kills(tmp_path):
    """Then another job, with another number of servers, appends to what is left."""
    chance, promised_in_all, job = random.Random(37), 0, Job(tmp_path)
    for number in range(KILLS):
        count = chance.choice([2, 3])
        with job.start(model(2, **long_run(LARGE)), servers(count), config=NOW) as running:
            running.wait_for("STEP 1\n")
            time.sleep(chance.uniform(0.0, 1.0))
            who = kill_somebody(running, chance)
        folder, said = running.folder, f"kill {number} of {who}"
        promised = commits(folder).get("now.zarr", {}).get("time", 0)
        found = assert_whole(folder / "now.zarr", promised)
        promised_in_all += promised
        inspected = tailrace("inspect", ".", cwd=folder)
        assert f"records: time {found}" in inspected.stdout, said + inspected.stdout + inspected.stderr
        before = zarr.open_array(folder / "now.zarr" / "w", mode="r")[:found]
        begin = LONG["times"][found]
        goes_on = {"times": [begin + 10.0 * i for i in range(1, 8)], "initial_time": begin}
        player = model(1, **long_run(LARGE) | goes_on)
        job(player, servers(chance.choice([1, 2, 3])), config=NOW | APPENDED, folder=folder).finished()
        data = zarr.open_group(folder / "now.zarr", mode="r")
        assert data["w"].shape[0] == data["time"].shape[0] == found + 7, said
        assert data["w"][:found].tobytes() == before.tobytes(), said
        assert list((folder / "now.zarr").rglob(".*")) == [], said
        shutil.rmtree(folder)
    assert promised_in_all > 0


def test_readers_see_whole_records_at_any_moment(job, tmp_path):
    check_reader(
        job, tmp_path / "run", NOW, "output.test_zarr_shards:assert_slowly_read", shape=LARGE, serving=servers(3)
    )


def in_the_way(running, shard: int) -> Path:
    """A file where the folder of a later shard of w will be: the server that owns the shard cannot write it."""
    store = running.folder / "now.zarr"
    while not (store / "w").is_dir():
        assert running.alive(), running.log.read_text()
        time.sleep(0.01)
    (store / "w" / "c").mkdir(exist_ok=True)
    obstacle = store / "w" / "c" / str(shard)
    obstacle.write_text("in the way")
    return obstacle


def paced(on_error: str) -> tuple[dict, dict]:
    entry = NOW["output"]["now.zarr"] | {"on_error": on_error}
    good = {"write_every": "2 steps", "variables": [{"field": "w", "every": "1 step"}]}
    return long_run(LARGE) | {"times": LONG["times"][:90], "pace": 0.01}, NOW | {
        "output": {"now.zarr": entry, "good.nc": good}
    }


def test_a_server_that_cannot_write_stops_the_run(job):
    scenario, config = paced("stop")
    with job.start(model(2, **scenario), servers(3), config=config) as running:
        in_the_way(running, 9)
        result = running.wait()
    result.failed_with("output.now.zarr: ", "server ", "/w/c/9", "what was committed until", code=3)
    promised = commits(result.folder)["now.zarr"]["time"]
    assert 0 < promised <= 45
    assert assert_whole(result.path("now.zarr"), promised) == promised


def test_with_skip_one_server_costs_the_store_only(job):
    scenario, config = paced("skip")
    with job.start(model(2, **scenario), servers(3), config=config) as running:
        in_the_way(running, 9)
        result = running.wait().finished()
    assert "(on_error: skip: the file is given up, the run continues)" in result.output
    assert result.output.count("on_error: skip") == 1, "one server speaks"
    promised = commits(result.folder)["now.zarr"]["time"]
    assert assert_whole(result.path("now.zarr"), promised) == promised <= 45
    assert commits(result.folder)["good.nc"]["time"] == 90
    report = json.loads((result.folder / "tailrace_report" / "report.json").read_text())
    assert "/w/c/9" in {file["path"]: file["skipped"] for file in report["files"]}["now.zarr"]


def test_with_retry_the_server_tries_again(job):
    scenario, config = paced("retry")
    with job.start(model(2, **scenario), servers(3), config=config) as running:
        obstacle = in_the_way(running, 9)
        running.wait_for("trying again (on_error: retry)")
        assert_whole(running.folder / "now.zarr")
        obstacle.unlink()
        result = running.wait().finished()
    assert assert_whole(result.path("now.zarr")) == 90


def test_a_server_that_stands_still_holds_back_the_metadata(job):
    scenario = long_run(LARGE) | {"times": LONG["times"][:150], "pace": 0.01}
    with job.start(model(2, **scenario), servers(3), config=NOW) as running:
        running.wait_for("STEP 5\n")
        server = int((running.folder / "pid.4").read_text())
        os.kill(server, signal.SIGSTOP)
        found, ends = -1, time.monotonic() + 2.0
        while time.monotonic() < ends:  # readers see whole records meanwhile, and no more of them in the end
            before, found = found, assert_whole(running.folder / "now.zarr")
            time.sleep(0.2)
        assert before == found < 150
        os.kill(server, signal.SIGCONT)
        running.wait().finished()
        assert assert_whole(running.folder / "now.zarr") == 150


def test_a_directory_that_servers_do_not_share(job):
    """A store that another program puts in the place before a server has begun with it."""
    scenario, config = paced("stop")
    player = model(2, **scenario | {"fault": {"kind": "wait", "rank": 0, "step": 1}})
    with job.start(player, servers(3), config=config) as running:
        while not (running.folder / "now.zarr" / "zarr.json").exists():
            assert running.alive(), running.log.read_text()
            time.sleep(0.01)
        marks = next((running.folder / "now.zarr").rglob(".writers"))
        assert sorted(path.name for path in marks.iterdir()) == ["0", "1", "2"]
        for mark in marks.iterdir():
            mark.write_text("another store")
        (running.folder / "go").touch()
        result = running.wait()
    result.failed_with("is not the store that the home of the file writes", "expected such a directory", code=3)
    assert assert_whole(result.path("now.zarr")) == 0
    assert not list(result.path("now.zarr").glob("w/c/*"))


@pytest.mark.parametrize(
    ("entry", "words"),
    [
        ({"new_file_every": "10 s"}, "`all` is for one store; one server writes each store of a series"),
        ({"compression": {"codec": "zstd", "keep": {"absolute": 0.5}}}, "`all` does not go with `keep`"),
        ({"zarr": {"writers": "some"}}, "output.now.zarr.zarr.writers"),
    ],
)
def test_what_many_do_not_write_is_refused(tmp_path, entry, words):
    config = NOW | {"output": {"now.zarr": NOW["output"]["now.zarr"] | entry}}
    (tmp_path / "run.yaml").write_text(json.dumps({"tailrace": 1, **config}))
    said = tailrace("check", "run.yaml", cwd=tmp_path)
    assert said.returncode == 2
    assert words in said.stderr and "run.yaml:1:" in said.stderr, said.stderr
