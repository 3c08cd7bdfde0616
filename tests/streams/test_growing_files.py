"""tailrace.stream on the files of running jobs: each record once, in order, with values, coordinates and attributes."""

import pickle
import random
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
import tailrace
import xarray as xr
from support.harness import block_grid, field, model, servers
from support.values import put_values
from tailrace.streams import JobEnded, StreamError, StreamTimeout

STEPS = 200
TIME, MEANS = "time_instant_1step", "time_4s"
CONFIG = {
    "model_time": {"calendar": "standard", "start": "2026-01-01"},
    "fields": {"state": {"every": "1 step", "names": ["w"]}},
    "output": {
        "out.nc": {
            "write_every": "1 step",
            "compression": {"codec": "zlib"},
            "variables": [
                {"field": "w", "operation": "snapshot", "every": "1 step"},
                {"field": "w", "name": "w_mean", "operation": "mean", "every": "4 s"},
            ],
        }
    },
}


def wave(steps: int, pace: float = 0.01):
    times = [1.0 * (i + 1) for i in range(steps)]
    return model(3, grids=[block_grid()], fields=[field("w", "les", units="m s-1")], times=times, pace=pace)


def consume(source: Path, folder: Path, start: int = 0, pause: float = 0.0) -> subprocess.Popen:
    folder.mkdir(exist_ok=True)
    command = [sys.executable, str(Path(__file__).with_name("consumer.py")), source, folder, str(start), str(pause)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def got(folder: Path) -> list[xr.Dataset]:
    paths = sorted(folder.glob("*.pickle"))
    assert [path.stem for path in paths] == [f"{number:04}" for number in range(len(paths))]
    return [pickle.loads(path.read_bytes()) for path in paths]


def check(steps: list[xr.Dataset], path: Path) -> None:
    """Compares steps with the finished file, read by another library, and with the values of the model."""
    with xr.open_dataset(path, engine="netcdf4") as whole:
        assert len(steps) == whole.sizes[TIME] == STEPS
        for number, step in enumerate(steps):
            expected = whole.drop_dims(MEANS).isel({TIME: [number]})
            if (number + 1) % 4 == 0:
                means = whole.drop_dims(TIME).isel({MEANS: [(number + 1) // 4 - 1]})
                expected = xr.merge([expected, means], compat="identical", join="exact", combine_attrs="identical")
            xr.testing.assert_identical(step, expected)
            assert np.array_equal(step.w[0], put_values(0, (3, 7, 11), number + 1.0, number + 1))


def end_of(consumer: subprocess.Popen) -> str:
    out, _ = consumer.communicate(timeout=60)
    assert out.splitlines()[-1:] == ["END"], out
    return out


def test_two_consumers_get_each_step_once_in_order(job, tmp_path):
    folder = tmp_path / "run"
    folder.mkdir()
    quick = consume(folder / "out.nc", tmp_path / "quick")
    slow = consume(folder / "out.nc", tmp_path / "slow", pause=0.03)
    with job.start(wave(STEPS), servers(2), config=CONFIG, folder=folder) as running:
        running.wait().finished()
    for one, name in ((quick, "quick"), (slow, "slow")):
        end_of(one)
        check(got(tmp_path / name), folder / "out.nc")


def test_a_killed_consumer_continues_where_it_was(job, tmp_path):
    folder = tmp_path / "run"
    dice = random.Random(5)
    with job.start(wave(STEPS, pace=0.03), servers(1), config=CONFIG, folder=folder) as running:
        for _ in range(4):
            one = consume(folder / "out.nc", tmp_path / "got", start=len(list((tmp_path / "got").glob("*.pickle"))))
            time.sleep(dice.uniform(0.5, 2.0))
            one.kill()
            one.wait()
        running.wait().finished()
    end_of(consume(folder / "out.nc", tmp_path / "got", start=len(list((tmp_path / "got").glob("*.pickle")))))
    check(got(tmp_path / "got"), folder / "out.nc")


def test_fields_region_every_and_start(job):
    result = job(wave(12, pace=0.0), servers(1), config=CONFIG).finished()
    path = result.path("out.nc")
    steps = list(tailrace.stream(path, fields=["w"], region={"x": slice(100, 300), "z": 31.0}, every=5))
    assert [set(map(str, step.variables)) for step in steps] == [{"w", TIME, "x", "y", "z"}] * 3
    for number, step in zip((0, 5, 10), steps, strict=True):
        whole = put_values(0, (3, 7, 11), number + 1.0, number + 1)
        assert np.array_equal(step.w[0], whole[1, :, 2:7])
    means = list(tailrace.stream(path, fields=["w_mean"]))
    assert len(means) == 3 and "time_4s_bnds" in means[0].variables
    assert len(list(tailrace.stream(path, start="last"))) == 1
    assert len(list(tailrace.stream(path, start=9))) == 3


def test_a_killed_job_ends_the_loop_after_all_complete_records(job):
    with job.start(wave(STEPS, pace=0.05), servers(1), config=CONFIG) as running:
        path = running.folder / "out.nc"
        count = 0
        with pytest.raises(
            JobEnded, match=r"out\.nc: its job ended early: it was killed.*time_instant_1step: "
        ) as ended:
            for step in tailrace.stream(path, timeout=30.0):
                assert float(step.w[0, 0, 0, 0]) == put_values(0, (3, 7, 11), count + 1.0, count + 1)[0, 0, 0]
                count += 1
                if count == 20:
                    running.kill()
    assert "killed" in ended.value.outcome
    with xr.open_dataset(path) as file:
        assert count == file.sizes[TIME]


def test_an_error_of_the_job_is_reported(job):
    player = wave(30)
    player.scenario["fault"] = {"kind": "leave", "rank": 1, "step": 20}
    with job.start(player, servers(1), config=CONFIG) as running:
        steps = []
        with pytest.raises(JobEnded) as ended:
            steps.extend(tailrace.stream(running.folder / "out.nc", timeout=30.0))
        running.wait()
    assert ended.value.outcome != "complete" and ended.value.outcome in str(ended.value)


def test_timeouts_name_the_missing_step(job, tmp_path):
    with pytest.raises(StreamTimeout, match=r"never\.nc: waited 0\.2 s for this NetCDF to be created"):
        next(tailrace.stream(tmp_path / "never.nc", timeout=0.2))
    with job.start(wave(400, pace=1.0), servers(1), config=CONFIG) as running:
        steps = tailrace.stream(running.folder / "out.nc", timeout=20.0)
        next(steps)
        with pytest.raises(
            StreamTimeout,
            match=r"waited 0\.1 s for a record behind .*time_instant_1step: \d.*a job writes it .*status\.json",
        ):
            list(tailrace.stream(running.folder / "out.nc", timeout=0.1))


def test_mistakes_name_the_nearest(job):
    result = job(wave(4, pace=0.0), servers(1), config=CONFIG).finished()
    path = result.path("out.nc")
    with pytest.raises(StreamError, match=r"out\.nc: there is no field 'w_meen'\. Did you mean 'w_mean'\?"):
        list(tailrace.stream(path, fields=["w_meen"]))
    with pytest.raises(StreamError, match=r"there is no dimension 'lat' to cut"):
        list(tailrace.stream(path, region={"lat": slice(0, 1)}))
    with pytest.raises(TypeError, match=r"expected \['w'\]"):
        tailrace.stream(path, fields="w")
    with pytest.raises(ValueError, match="every is a whole number from 1, but got 0"):
        tailrace.stream(path, every=0)
    with pytest.raises(ValueError, match="start is 'first', 'last' or a number of steps, but got 'frist'"):
        tailrace.stream(path, start="frist")
    with pytest.raises(StreamError, match="the name does not tell what it is"):
        tailrace.stream(path.with_suffix(".data"))
