"""A variable for each cell along a dimension: the values of the whole variable, with names from the model."""

import numpy as np
import pytest
import xarray
from support.harness import attached, block_grid, field, model, servers

TIMES = [2.0, 4.0, 7.0, 11.0, 12.0, 20.0]


def grid(split, meanings=None, dims=("z", "y", "x")):
    attributes = {}
    if meanings:
        attributes = {"flag_meanings": meanings, "flag_values": [float(i) for i in range(len(meanings.split()))]}
    coordinates = [{"name": "z", "units": "1", "spacing": 1.0, "attributes": attributes}]
    return block_grid(shape=(3, 7, 11), split=split, coordinates=coordinates, dims=dims)


def run(job, serving, on, variables, **options):
    config = {
        "fields": {"state": {"names": ["u"]}},
        "output": {"out.nc": {"write_every": "6 s", "variables": variables, **options}},
    }
    scenario = {"grids": [on], "fields": [field("u", "les")], "times": TIMES}
    return job(model(3, **scenario), serving, config=config)


def check(path, dim, names):
    with xarray.open_dataset(path, decode_times=False) as file:
        for kind in ("u", "u_mean"):
            whole = file[f"whole_{kind}"]
            assert whole.size > 0
            for cell, name in enumerate(names):
                part = file[f"{kind}_{name}"]
                assert part.dims == tuple(one for one in whole.dims if one != dim)
                assert np.array_equal(part.values, whole.isel({dim: cell}).values)
                assert part.attrs == whole.attrs


def variables(dim):
    options = [{}, {"time": "mean", "suffix": "_mean"}]
    wholes = [{"name": "whole_u"}, {"time": "mean", "name": "whole_u_mean"}]
    parts = [{"field": "u", "every": "3 s", "split": dim, **option} for option in options]
    return parts + [{"field": "u", "every": "3 s", **whole} for whole in wholes]


@pytest.mark.parametrize("serving", [servers(1), servers(3), attached()], ids=["1", "3", "attached"])
@pytest.mark.parametrize("compression", [{"codec": "none"}, {"codec": "zlib"}], ids=["none", "zlib"])
def test_parts_equal_the_whole(job, serving, compression):
    result = run(job, serving, grid(["y", "x"], "vapour liquid rain"), variables("z"), compression=compression)
    check(result.finished().path("out.nc"), "z", ["vapour", "liquid", "rain"])


def test_along_a_dimension_that_ranks_share_by_number(job):
    result = run(job, servers(2), grid(["y", "x"]), variables("y")).finished()
    check(result.path("out.nc"), "y", [str(number) for number in range(1, 8)])


def test_in_a_series(job):
    result = run(job, servers(2), grid(["y"], "vapour liquid rain"), variables("z"), file_per_write=True).finished()
    for end in (6.0, 12.0, 18.0):
        check(result.path(f"out_{end}.nc"), "z", ["vapour", "liquid", "rain"])


def test_meanings_that_do_not_fit_are_not_used(job):
    result = run(job, servers(1), grid(["y"], "vapour liquid"), variables("z")).finished()
    check(result.path("out.nc"), "z", ["1", "2", "3"])


def test_mistakes(job):
    wrong = [{"field": "u", "every": "3 s", "split": "zz"}]
    run(job, servers(1), grid(["y"]), wrong).failed_with('field "u" has no dimension "zz"', 'Did you mean "z"?')
    twice = [{"field": "u", "every": "3 s", "split": "z"}, {"field": "u", "every": "3 s", "name": "u_2"}]
    run(job, servers(1), grid(["y"]), twice).failed_with('the file already has a variable "u_2"')
