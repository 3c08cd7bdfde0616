"""Actions: functions get each record while the model runs, and their faults do not affect the run."""

import json
import os
import pickle
import shutil
import sys
import sysconfig
import venv
from pathlib import Path

import numpy as np
import pytest
import tailrace
import xarray as xr
from support.harness import attached, block_grid, field, inline, model, servers
from support.values import put_values

SHAPE = (3, 7, 11)


def wave(steps: int, pace: float = 0.0):
    times = [1.0 * (i + 1) for i in range(steps)]
    return model(3, grids=[block_grid()], fields=[field("w", "les", units="m s-1")], times=times, pace=pace)


def configuration(**actions: dict) -> dict:
    variables = [{"field": "w", "operation": "snapshot", "every": "1 step"}]
    return {
        "model_time": {"calendar": "standard", "start": "2026-01-01"},
        "fields": {"state": {"every": "1 step", "names": ["w"]}},
        "output": {"out.nc": {"write_every": "1 step", "variables": variables}},
        "in_situ": {name: {"variables": variables} | action for name, action in actions.items()},
    }


@pytest.fixture
def folder(tmp_path) -> Path:
    folder = tmp_path / "run"
    (folder / "kept").mkdir(parents=True)
    shutil.copy(Path(__file__).with_name("functions.py"), folder / "functions.py")
    return folder


def run(job, folder: Path, steps: int, config: dict, serving=None, pace: float = 0.0):
    with job.start(wave(steps, pace), serving or servers(2), config=config, folder=folder) as running:
        result = running.wait(120).finished()
    with xr.open_dataset(folder / "out.nc") as file:  # independent of the actions
        assert np.array_equal(file.w, [put_values(0, SHAPE, n + 1.0, n + 1) for n in range(steps)])
    return result


def report_of(folder: Path, name: str) -> dict:
    return json.loads((folder / "tailrace_report" / f"in_situ.{name}.json").read_text())


@pytest.mark.parametrize("serving", [servers(2), attached(), inline()], ids=["dedicated", "attached", "inline"])
def test_each_step_once_in_order_as_in_the_file(job, folder, serving):
    steps = 200 if serving.mode == "dedicated" else 15
    run(job, folder, steps, configuration(keep={"python": "functions.py", "when_full": "wait"}), serving)
    report = report_of(folder, "keep")
    assert (report["done"], report["discarded"], report["outcome"]) == (steps, 0, "complete")
    paths = sorted((folder / "kept").glob("*.pickle"))
    with xr.open_dataset(folder / "out.nc", engine="netcdf4") as whole:
        assert len(paths) == whole.sizes["time"]
        for number, path in enumerate(paths):
            xr.testing.assert_identical(pickle.loads(path.read_bytes()), whole.isel(time=[number]))


@pytest.mark.parametrize("serving", [servers(2), inline()], ids=["dedicated", "inline"])
def test_a_sink_gets_all_steps_in_one_call(job, folder, serving):
    run(job, folder, 12, configuration(gathers={"python": "functions.py", "when_full": "wait"}), serving)
    report = report_of(folder, "gathers")
    assert (report["done"], report["discarded"], report["outcome"]) == (12, 0, "complete")
    first, *sums, last = (folder / "gathered").read_text().splitlines()
    assert (first, last) == ("open", "closed")
    assert [float(each) for each in sums] == [put_values(0, SHAPE, n + 1.0, n + 1).sum() for n in range(12)]


def test_a_slow_function_delays_nothing(job, folder):
    action = {"python": "functions.py:keep_slowly", "queue": 2}
    result = run(job, folder, 60, configuration(slow=action), pace=0.02)
    report = report_of(folder, "slow")
    assert report["discarded"] > 0
    assert report["done"] + report["discarded"] == 60
    assert report["done"] == len(list((folder / "kept").glob("*.pickle")))
    assert "in_situ.slow: 2 steps wait for its function, so further ones are discarded" in result.output


def test_an_exception_of_a_function_is_reported(job, folder):
    result = run(job, folder, 10, configuration(fails={"python": "functions.py", "when_full": "wait"}))
    report = report_of(folder, "fails")
    values = [int(put_values(0, SHAPE, n + 1.0, n + 1)[0, 0, 0]) for n in range(10)]
    raised = sum(value % 2 == 0 for value in values)
    assert report["failed"]["raised"] == raised > 0
    assert report["done"] == 10 - raised
    assert "in_situ.fails: fails raised ValueError: no even number, but" in result.output
    assert 'functions.py", line' in result.output
    line = next(n for n, text in enumerate((folder / "functions.py").read_text().splitlines(), 1) if "no even" in text)
    assert f"functions.py:{line})" in result.output


@pytest.mark.parametrize(
    ("function", "kind", "told"),
    [
        ("hangs", "timeout", "a call lasted longer than 1 s (`timeout`) and was ended"),
        ("crashes", "crashed", "its process ended with signal 11"),
        ("leaks", "memory", "MiB; 256 MiB are allowed (`memory`)"),
    ],
)
def test_a_function_that_crashes_is_abandoned(job, folder, function, kind, told):
    timeout = "1 s" if kind == "timeout" else "60 s"
    action = {"python": f"functions.py:{function}", "timeout": timeout, "memory": "256 MiB", "when_full": "wait"}
    result = run(job, folder, 8, configuration(bad=action))
    report = report_of(folder, "bad")
    assert report["failed"][kind] == 3
    assert report["not_tried"] == 5 and report["done"] == 0
    assert report["outcome"].startswith("given up: 3 processes failed one after the other")
    assert told in result.output


@pytest.mark.parametrize(
    ("python", "told"),
    [
        ("functions.py:kepe", "AttributeError: .*functions.py has no function 'kepe'. Did you mean 'keep'?"),
        ("broken.py:draw", "broken.py cannot be loaded: ModuleNotFoundError: No module named 'nowhere'"),
    ],
)
def test_a_script_that_cannot_be_loaded_is_reported(job, folder, python, told):
    (folder / "broken.py").write_text("import nowhere\n")
    result = run(job, folder, 5, configuration(bad={"python": python}))
    assert told.removeprefix("AttributeError: .*") in result.output
    assert report_of(folder, "bad")["outcome"].startswith("given up: ")


SLOW_SCRIPT = """
import time
from pathlib import Path
while not Path("open").exists():
    time.sleep(0.01)
from functions import keep
"""


def slow_to_load(folder: Path, **options) -> dict:
    """Its script is loaded when the file `open` is there."""
    (folder / "slow.py").write_text(SLOW_SCRIPT)
    return configuration(keep={"python": "slow.py:keep", "when_full": "wait", **options})


def test_a_script_that_is_never_loaded_is_given_up(job, folder):
    result = run(job, folder, 12, slow_to_load(folder, start_within="500 ms"))
    report = report_of(folder, "keep")
    assert (report["done"], report["not_tried"], report["failed"]["loading"]) == (0, 12, 3)
    assert report["outcome"].startswith("given up: 3 processes failed one after the other, the last one so: its script")
    assert "it gets no further steps, and the run goes on" in result.output


@pytest.mark.skipif(not os.environ.get("TAILRACE_TEST_FAULTS"), reason="takes over a minute: with --faults")
def test_when_full_wait_waits_for_the_script(job, folder):
    """Longer than the minute after which it was given up."""
    with job.start(wave(12), servers(2), config=slow_to_load(folder), folder=folder) as running:
        running.wait_for("its script is not loaded after 60 s; steps wait for it (`start_within`)", 120)
        assert running.alive()
        (folder / "open").touch()
        running.wait(120).finished()
    report = report_of(folder, "keep")
    assert (report["done"], report["outcome"]) == (12, "complete")


def test_mistakes_of_the_configuration(job, folder):
    missing = configuration(plot={"python": "plot.py"})
    with job.start(wave(3), servers(1), config=missing, folder=folder) as running:
        running.wait().failed_with(
            "in_situ.plot", "plot.py is not a file; expected a Python file with the function plot"
        )
    (folder / "plot.py").write_text("")
    nobody = configuration(plot={"python": "plot.py", "interpreter": "/nowhere/python"})
    with job.start(wave(3), servers(1), config=nobody, folder=folder) as running:
        running.wait().failed_with("in_situ.plot", "cannot start /nowhere/python")
    wrong = configuration(plot={"python": "plot.py", "when_ful": "wait"})
    with job.start(wave(3), servers(1), config=wrong, folder=folder) as running:
        running.wait().failed_with("in_situ.plot", "when_ful", 'Did you mean "when_full"?')


def test_the_interpreter_of_another_environment(job, folder, tmp_path):
    """It has the readers and the Python part of Tailrace."""
    other = tmp_path / "other"
    venv.create(other, symlinks=True)
    packages = Path(sysconfig.get_path("purelib", "venv", vars={"base": str(other)}))
    shutil.copytree(Path(tailrace.__file__).parent, packages / "tailrace", ignore=shutil.ignore_patterns("*.so"))
    (packages / "readers.pth").write_text("\n".join(path for path in sys.path if path.endswith("-packages")))
    action = {"python": "functions.py:keep_interpreter", "interpreter": str(other / "bin" / "python")}
    run(job, folder, 1, configuration(abroad=action))
    assert report_of(folder, "abroad")["done"] == 1
    prefix, compiled, value = (folder / "interpreter").read_text().splitlines()
    assert prefix == str(other) != sys.prefix
    assert compiled == "None"
    assert float(value) == put_values(0, SHAPE, 1.0, 1)[0, 0, 0]
