"""The state of operators (user-defined ones in C++, Fortran and Python, and `track`) is part of checkpoints: a run in
pieces, on other ranks and servers, gives the same bits as an uninterrupted one."""

import sys

import numpy as np
import pytest
import xarray as xr
from analytics.support.user_operators import EXAMPLES, compile_library, expected_at
from support.harness import Job, attached, block_grid, field, indexed_grid, inline, model, servers, tailrace
from support.reading import differences, every_bit, read
from support.values import varying_times

STEPS = 17
TIMES = varying_times(STEPS, seed=3)
SHAPE = (3, 7, 11)
PAST = {"dims": [{"lag": 2}, "z", "y", "x"]}
OPERATORS = {
    "peak": {"library": "libpeak.so", "state": {"highest": {"dims": "same"}}, "result": {"units": "same"}},
    "relaxed": {"library": "librelaxed.so", "state": {"level": {}}, "result": {"units": "same"}},
    "change": {"python": "memory.py", "state": {"past": PAST}, "result": {"units": "same"}},
    "rises": {
        "python": "memory.py",
        "state": {"total": {"dims": []}, "count": {"dims": [], "start": 0}},
        "result": {"dims": [], "units": "1"},
    },
}
DIAGNOSTICS = {
    "highest": "peak(w)",
    "mean_level": "mean(relaxed(w), y, x)",
    "change": "change(w)",
    "rises": "rises(w)",
    "columns": "peak(q)",
    "cells": "track(w > mean(w), y, x)",
    "peak_of_all": "peak(mean(w))",
}


def config(**changes) -> dict:
    variables = [{"field": name, "operation": "snapshot", "every": "1 step"} for name in DIAGNOSTICS]
    made = {
        "fields": {"state": {"every": "1 step", "names": ["w", "q"]}},
        "operators": OPERATORS,
        "diagnostics": {name: {"is": text} for name, text in DIAGNOSTICS.items()},
        "output": {
            "all.nc": {"write_every": "3 steps", "variables": variables},
            "some.nc": {"variables": [{"field": "change", "operation": "mean", "every": "4 steps"}]},
        },
        "checkpoint": {"every": "never", "fields": ["w"]},
    }
    return made | changes


def play(ranks: int, last: int = STEPS):
    return model(
        ranks,
        grids=[block_grid("les", shape=SHAPE), indexed_grid("ico")],
        fields=[field("w", "les"), field("q", "ico")],
        times=TIMES[:last],
        checkpoints=True,
        got=["w"],
        requests=[last],
    )


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    folder = tmp_path_factory.mktemp("operators")
    for name in ("peak.cpp", "relaxed.f90"):
        compile_library(folder, EXAMPLES / name)
    return folder


def make_folder(folder, built):
    folder.mkdir()
    for path in (*built.glob("*.so"), EXAMPLES / "memory.py"):
        (folder / path.name).symlink_to(path)
    return folder


def run(folder, player, serving, made=None):
    return Job(folder)(player, serving, config=made or config(), folder=folder, environment={"VIRTUAL_ENV": sys.prefix})


@pytest.fixture(scope="module")
def whole(tmp_path_factory, built):
    folder = make_folder(tmp_path_factory.mktemp("whole") / "run", built)
    run(folder, play(3), servers(2)).finished()
    return folder


@pytest.fixture
def begun(tmp_path, built):
    """The folder of a run that ended at step 6, with a checkpoint."""
    folder = make_folder(tmp_path / "run", built)
    run(folder, play(3, last=6), servers(2)).finished()
    return folder


def test_numpy_has_the_same_state(whole):
    data = read(whole / "all.nc")
    w = expected_at(0, SHAPE, TIMES)
    highest = np.maximum.accumulate(w, axis=0)
    np.testing.assert_array_equal(data.highest.values, highest)
    level, levels = w[0], [w[0]]
    for values in w[1:]:
        level = level + (values - level) / 4
        levels.append(level)
    np.testing.assert_allclose(data.mean_level.values, np.mean(levels, axis=(2, 3)), rtol=1e-12)
    np.testing.assert_array_equal(data.change.values[2:], w[2:] - w[:-2])
    assert np.isnan(data.change.values[:2]).all()
    risen = np.diff(w.sum(axis=(1, 2, 3))) > 0
    np.testing.assert_array_equal(data.rises.values, [0, *np.cumsum(risen)])
    np.testing.assert_allclose(data.peak_of_all.values, np.maximum.accumulate(w.mean(axis=(1, 2, 3))), rtol=1e-12)
    assert data.cells.values.max() > 3


@pytest.mark.parametrize(
    "pieces",
    [
        [(3, servers(2), 5), (1, servers(1), 6), (4, servers(3, threads=2), STEPS)],
        [(2, attached(), 8), (3, inline(), 11), (2, servers(3, transport="mpi"), STEPS)],
    ],
    ids=["dedicated", "modes"],
)
def test_pieces_give_the_bits_of_an_uninterrupted_run(tmp_path, built, whole, pieces):
    folder = make_folder(tmp_path / "run", built)
    for ranks, serving, last in pieces:
        run(folder, play(ranks, last=last), serving).finished()
    for name in ("all.nc", "some.nc"):
        assert differences(every_bit(folder / name), every_bit(whole / name)) == [], name


def test_a_checkpoint_describes_itself(begun):
    arrays = {}
    for path in begun.glob("restart/model/step_*/state.*.nc"):
        with xr.open_dataset(path, decode_cf=False) as data:
            for each in data.values():
                if each.attrs["state_name"].startswith("operators/"):
                    arrays[each.attrs["state_name"]] = each.attrs["state_dims"], each.values
    calls = {name: "".join(map(chr, values)) for name, (_, values) in arrays.items() if name.endswith("/call")}
    assert calls["operators/change/0/call"] == "change(w)"
    place = next(name for name, call in calls.items() if call == "peak(w)").replace("call", "highest")
    dims, values = arrays[place]
    assert dims == "z,y,x"
    np.testing.assert_array_equal(values, expected_at(0, SHAPE, TIMES[:6]).max(axis=0))
    dims, values = arrays["operators/change/0/past"]
    assert dims == "lag,z,y,x"
    np.testing.assert_array_equal(values, expected_at(0, SHAPE, TIMES[:6])[4:])
    assert arrays["operators/rises/0/count"][1].shape == ()


@pytest.mark.parametrize(
    "changed, gone",
    [
        ({"state": {"past": {"dims": [{"lag": 3}, "z", "y", "x"]}}}, "past float64(lag=2, z=3, y=7, x=11)"),
        ({"state": {"history": PAST}}, "past float64(lag=2, z=3, y=7, x=11)"),
        ({"state": {"past": PAST, "more": {}}}, "change(w) remembers past float64"),
    ],
    ids=["shape", "name", "one more"],
)
def test_another_state_is_refused(begun, changed, gone):
    operators = OPERATORS | {"change": OPERATORS["change"] | changed}
    result = run(begun, play(2), servers(1), config(operators=operators))
    result.failed_with("tailrace.yaml:", "output.all.nc: the file is to go on from the checkpoint", gone)


def test_a_missing_operator_is_refused(begun):
    """A continued file has a diagnostic of the same name by another operator; `check` reports it before the run."""
    diagnostics = {name: {"is": text} for name, text in DIAGNOSTICS.items()} | {"change": {"is": "2 * w"}}
    made = config(diagnostics=diagnostics)
    result = run(begun, play(2), servers(1), made)
    said = 'it had "change: snapshot of change'
    result.failed_with("output.all.nc: the file is to go on", said, "; change(w) remembers past float64(lag=2")
    checked = tailrace(
        *("check", "tailrace.yaml", "--declared", "tailrace_report/declared.model.json", "--restart", "restart"),
        cwd=begun,
    )
    assert checked.returncode != 0
    assert said in checked.stdout + checked.stderr


def test_new_output_starts_without_a_state(begun, whole):
    """Its operator starts without a state, unlike those of continued files."""
    made = config()
    made["diagnostics"] = made["diagnostics"] | {"later": {"is": "peak(2 * w)"}}
    later = {"variables": [{"field": "later", "operation": "snapshot", "every": "1 step"}]}
    made["output"] = made["output"] | {"later.nc": later}
    run(begun, play(2), servers(1), made).finished()
    assert differences(every_bit(begun / "all.nc"), every_bit(whole / "all.nc")) == []
    later = read(begun / "later.nc").later.values
    np.testing.assert_array_equal(later, 2 * np.maximum.accumulate(expected_at(0, SHAPE, TIMES)[6:], axis=0))


def test_a_library_without_the_state_is_refused(begun):
    declared = {"library": "libpeak.so", "result": {"units": "same"}}
    result = run(begun, play(2), servers(1), config(operators=OPERATORS | {"peak": declared}))
    result.failed_with(
        "operators.peak.library",
        'has no function "peak", but "peak_with_state", which needs a declaration of its `state`',
    )


def test_a_state_that_is_not_declared(begun):
    """The operator requests a state that the configuration does not declare: the message names both."""
    for name, state, asked in (("peak", "higest", "highest"), ("rises", "sum", "count")):
        changed = OPERATORS[name] | {"state": {state: OPERATORS[name]["state"].get("total", {})}}
        variables = [{"field": "bad", "operation": "snapshot", "every": "1 step"}]
        made = config(operators=OPERATORS | {name: changed}, diagnostics={"bad": {"is": f"{name}(w)"}})
        made["output"] = {"bad.nc": {"on_error": "stop", "variables": variables}}
        made["checkpoint"] = {"every": "never", "restart": "never", "fields": ["w"]}
        result = run(begun, play(1), servers(1), made)
        result.failed_with(f'the configuration declares no state "{asked}" (known: {state})')
