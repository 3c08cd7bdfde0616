"""A run that goes back to a checkpoint also removes later files of a series and lines of the log. Also: a disk that
fills up within a checkpoint."""

import json
import resource
import time

import pytest
from support.harness import block_grid, field, inline, model, servers
from support.reading import commits, differences, every_bit, read

TIMES = [float(step) for step in range(1, 41)]
FIELDS = [field("w", "les"), field("energy")]


def config(every: str, **checkpoint) -> dict:
    return {
        "fields": {"state": {"every": "1 step", "names": ["w", "energy"]}},
        "output": {
            "all.nc": {
                "write_every": "2 s",
                "variables": [{"field": "energy", "operation": "snapshot", "every": "1 s"}],
            },
            "part_{end}.nc": {
                "new_file_every": "7 s",
                "write_every": "2 s",
                "variables": [{"field": "w", "operation": "mean", "every": "1 s"}],
            },
        },
        "checkpoint": {"every": every, "fields": ["w"]} | checkpoint,
    }


def play(steps, ranks=2, **scenario):
    grids = [block_grid(shape=scenario.pop("shape", (3, 7, 11)))]
    scenario = {"times": TIMES[:steps], "fields": FIELDS, "checkpoints": True, "got": ["w"]} | scenario
    return model(ranks, grids=grids, report_steps=True, **scenario)


def lines_of(folder) -> list[dict]:
    text = (folder / "tailrace_report" / "commits.jsonl").read_text()
    return [json.loads(line) for line in text.splitlines()]


@pytest.mark.parametrize("serving", [servers(2), inline()], ids=["dedicated", "inline"])
def test_series_and_log_go_back_to_the_cut(job, serving):
    whole = job(play(33), servers(1), config=config("15 s")).finished().folder
    # It begins a file at 35 s, which the next run does not reach.
    folder = job(play(39), serving, config=config("15 s")).finished().folder
    assert (folder / "part_42.0.nc").exists()
    result = job(play(33, ranks=3), serving, config=config("15 s"), folder=folder).finished()
    assert "RESTARTED 30\n" in result.output and "part_42.0.nc is removed" in result.output
    assert sorted(path.name for path in folder.glob("*.nc")) == sorted(path.name for path in whole.glob("*.nc"))
    for path in whole.glob("*.nc"):
        assert differences(every_bit(folder / path.name), every_bit(path)) == [], path.name
    # Each commit once and in order, although two jobs made them.
    ends = [line["lengths"]["time"] for line in lines_of(folder) if line["path"] == "all.nc"]
    assert ends == sorted(set(ends)) and ends[0] == 2 and ends[-1] == 33
    promised = commits(folder)
    assert promised.keys() == commits(whole).keys()
    for name, lengths in promised.items():
        assert read(folder / name).sizes["time"] == lengths["time"], name


def test_a_run_from_the_beginning_has_a_new_log(job):
    folder = job(play(33), servers(1), config=config("15 s")).finished().folder
    job(play(9), servers(1), config=config("15 s", restart="never"), folder=folder).finished()
    assert max(line["model_time"] for line in lines_of(folder)) == 9.0
    assert not (folder / "part_35.0.nc").exists()


@pytest.mark.parametrize("on_error", ["stop", "skip"])
def test_a_disk_that_fills_in_the_middle_of_a_set(job, on_error):
    """From some moment on the size of files is limited, so that writes fail as on a full disk."""
    shape = (20, 161, 183)  # 4.7 MB, more than the limit
    made = config("3 s", on_error=on_error)
    del made["output"]["part_{end}.nc"]
    scenario = {"pace": 0.05, "shape": shape, "asks_stop": True}
    environment = {"TAILRACE_LOG": "info"}
    with job.start(play(40, **scenario), servers(1), config=made, environment=environment) as running:
        running.wait_for("checkpoint of step 3 ")
        server = int((running.folder / "pid.2").read_text())
        resource.prlimit(server, resource.RLIMIT_FSIZE, (4_000_000, resource.RLIM_INFINITY))
        result = running.wait()
    sets = running.folder / "restart" / "model"
    if on_error == "stop":
        result.failed_with(
            "the checkpoint cannot be made", "state.0.nc", "File too large", "earlier checkpoints are kept"
        )
    else:
        result.finished()
        assert "checkpoint.on_error: skip" in result.output and "STEP 40\n" in result.output
    (kept, *rest) = sorted(sets.glob("step_*"), reverse=True)
    assert all((one / "manifest.json").exists() for one in (kept, *rest)), "the failed one was not removed"
    step = int(kept.name.removeprefix("step_"))
    assert 3 <= step < 40
    again = job(play(40, ranks=3, shape=shape), servers(2), config=made, folder=running.folder).finished()
    assert f"RESTARTED {step}\n" in again.output
    assert read(running.folder / "all.nc")["time"].values.tolist() == TIMES


def test_the_status_reports_checkpoints(job):
    with job.start(play(40, pace=0.1), servers(1), config=config("3 s")) as running:
        status = running.folder / "tailrace_report" / "status.json"
        end = time.monotonic() + 30.0
        known = []
        while not (known and known[0]["count"] >= 2):
            assert time.monotonic() < end and running.alive()
            time.sleep(0.05)
            known = json.loads(status.read_text()).get("checkpoints", []) if status.exists() else []
    (one,) = known
    assert one["component"] == "model" and one["step"] % 3 == 0 and one["time"] == one["step"]
    assert one["bytes"] > 3 * 7 * 11 * 8 and one["seconds_to_durable"] > 0 and one["model_seconds"] > 0
    assert one["bytes_per_second"] == pytest.approx(one["bytes"] / one["seconds_to_durable"])
