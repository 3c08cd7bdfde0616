"""The files of a series together have the contents of a single file."""

import numpy as np
import pytest
import xarray
from support.harness import attached, block_grid, field, model, servers
from support.values import varying_times

TIMES = varying_times(40, seed=5)
VARIABLES = [
    {"field": "u", "every": "3 s"},
    {"field": "u", "name": "mean", "time": "mean", "every": "5 s"},
    {"field": "total", "name": "largest", "time": "max", "every": "5 s", "edges": "samples"},
]
FIELDS = [field("u", "les"), field("total")]


def config(series, **options):
    file = {"write_every": "20 s", "variables": VARIABLES, "file_per_write": series, **options}
    return {"fields": {"state": {"names": ["u", "total"]}}, "output": {"out.nc": file}}


def run(job, serving, series, **options):
    scenario = {"grids": [block_grid()], "fields": FIELDS, "times": TIMES}
    return job(model(3, **scenario), serving, config=config(series, **options))


@pytest.mark.parametrize("serving", [servers(1), servers(3), attached()], ids=["1", "3", "attached"])
def test_parts_together_equal_a_single_file(job, serving):
    result = run(job, serving, series=False).finished()
    with xarray.open_dataset(result.path("out.nc"), decode_times=False) as file:
        whole = file.load()
    result.path("out.nc").unlink()
    result = run(job, serving, series=True).finished()
    parts = sorted(result.folder.glob("out*.nc"), key=lambda path: float(path.stem.split("_")[1]))
    last = float(np.ceil(TIMES[-1] / 20.0) * 20.0)
    assert [path.name for path in parts] == [f"out_{end}.nc" for end in np.arange(20.0, last + 1.0, 20.0)]
    datasets = [xarray.open_dataset(path, decode_times=False).load() for path in parts]
    for name, variable in whole.variables.items():
        if not set(variable.dims) & {dim for dim in whole.dims if str(dim).startswith("time")}:
            assert all(np.array_equal(part[name].values, variable.values) for part in datasets), name
            continue
        together = np.concatenate([part[name].values for part in datasets])
        assert np.array_equal(together, variable.values), name
        assert all(part[name].attrs == variable.attrs for part in datasets), name
    edges = [min(time for time in [*TIMES, np.inf] if time >= end) for end in np.arange(0.0, last + 1.0, 20.0)]
    for part, begin, end in zip(datasets, [-np.inf, *edges[1:]], edges[1:], strict=False):
        for dim in part.dims:
            if str(dim).startswith("time"):
                assert np.all((part[dim].values > begin) & (part[dim].values <= end)), dim


def test_a_file_that_cannot_be_created_stops_the_run(job):
    once = config(True, if_exists="fail")
    scenario = {"grids": [block_grid()], "fields": FIELDS, "times": TIMES}
    folder = job(model(1, **scenario), servers(1), config=once).finished().folder
    job(model(1, **scenario), servers(1), config=once, folder=folder).failed_with("out_20.0.nc")


def test_attributes_tell_of_the_write_and_of_the_one_before(job):
    names = {"time": "time of write", "step": "step_of_write", "previous_time": "previous_write"}
    result = run(job, servers(2), series=True, write_attributes=names).finished()
    before, ends = 0.0, np.arange(20.0, np.ceil(TIMES[-1] / 20.0) * 20.0 + 1.0, 20.0)
    for end in ends:
        step = next((n for n, time in enumerate(TIMES, start=1) if time >= end), len(TIMES))
        time = TIMES[step - 1]
        with xarray.open_dataset(result.path(f"out_{end}.nc"), decode_times=False) as part:
            told = {key: part.attrs[name] for key, name in names.items()}
        assert all(isinstance(text, str) for text in told.values())
        assert (float(told["time"]), told["step"]) == (pytest.approx(time, abs=1e-10), str(step))
        assert float(told["previous_time"]) == pytest.approx(before, abs=1e-10)
        before = time


def test_a_file_that_would_have_no_records_is_not_made(job):
    """The run ends where a file ends, or before its first record; fields that are put once need no file either."""
    scenario = {
        "grids": [block_grid()],
        "fields": [*FIELDS, field("mask", "les", fixed=True)],
        "times": [1.0, 2.0, 3.0, 4.0],
    }
    file = {"write_every": "2 s", "file_per_write": True, "variables": [{"field": "u", "every": "1 s"}]}
    late = file | {"variables": [{"field": "u", "every": "5 s"}, {"field": "mask", "every": "once"}]}
    fields = {"state": {"names": ["u", "total"]}, "fixed": {"every": "once", "names": ["mask"]}}
    settings = {"fields": fields, "output": {"out.nc": file, "late.nc": late}}
    result = job(model(2, **scenario), servers(1), config=settings).finished()
    assert sorted(path.name for path in result.folder.glob("*.nc")) == ["out_2.0.nc", "out_4.0.nc"]


def test_chunks_hold_one_record(job):
    variables = [{"field": "u", "every": "3 s", "chunk": [4, 3, 7, 11]}]
    scenario = {"grids": [block_grid()], "fields": FIELDS, "times": TIMES}
    wrong = config(True, variables=variables)
    job(model(2, **scenario), servers(1), config=wrong).failed_with("with `file_per_write` a chunk holds one record")
