"""Optional fields that the model does not put at every step at which they are wanted: the run continues with the
samples that were put, and records without any sample have the fill value."""

import numpy as np
import pytest
from support.harness import attached, block_grid, field, indexed_grid, inline, model, replicated_grid, servers
from support.reading import differences, every_bit, read
from support.values import History, reduce_window, varying_times

TIMES = varying_times(24, seed=11)
EVERY = 5.0
KINDS = ("mean", "min", "max", "sum", "std")
GRIDS = {"block": block_grid("g"), "indexed": indexed_grid("g"), "replicated": replicated_grid("g"), "scalar": None}
MISSING = [1, 4, 5, 6, 7, 8, 9, 10, 11, 17, 23, 24]  # including whole windows, and the last one
STEPS = len(TIMES)


def config(optional=True, **file_options) -> dict:
    variables = [
        {"field": "seldom", "time": "snapshot", "every": "1 step"},
        {"field": "seldom", "name": "timed", "time": "snapshot", "every": f"{EVERY} s", "type": "float32"},
        *({"field": "seldom", "name": kind, "time": kind, "every": f"{EVERY} s"} for kind in KINDS),
        {"field": "always", "time": "mean", "every": f"{EVERY} s"},
    ]
    groups = {
        "state": {"names": ["always"]},
        "extra": {"names": ["seldom"], **({"optional": True} if optional else {})},
    }
    return {"fields": groups, "output": {"out.nc": {"write_every": "4 s", "variables": variables, **file_options}}}


def fields(grid: dict | None, **missing) -> list[dict]:
    on = "g" if grid else ""
    return [field("always", on), field("seldom", on, **missing)]


def seen(variable) -> np.ndarray:
    """With NaN for the fill value, as in a reader."""
    fill = variable.attrs.get("_FillValue", variable.encoding.get("_FillValue"))
    return np.where(variable.values == fill, np.nan, variable.values)


def expected(kind: str, shape: tuple[int, ...]) -> np.ma.MaskedArray:
    history = History.of(1, shape, TIMES)
    here = np.array([step not in MISSING for step in range(1, STEPS + 1)])
    starts, ends = np.array([0.0, *TIMES[:-1]]), np.array(TIMES)
    records = []
    for begin, end in history.windows(EVERY):
        weights = np.minimum(ends, end) - np.maximum(starts, begin)
        inside = (weights > 0) & here
        if inside.any():
            records.append(
                reduce_window(kind, weights[inside], (ends - starts)[inside], np.array(history.values)[inside])
            )
        else:
            records.append(np.full(shape, np.nan))
    return np.ma.masked_invalid(np.array(records))


SERVING = {"two": servers(2), "mpi": servers(1, transport="mpi"), "attached": attached(), "inline": inline()}


@pytest.mark.parametrize("name", GRIDS)
@pytest.mark.parametrize("how", SERVING)
def test_records_use_the_samples_that_were_put(job, name, how):
    grid = GRIDS[name]
    shape = tuple(grid["shape"]) if grid else ()
    player = model(3, grids=[grid] if grid else [], fields=fields(grid, missing_steps=MISSING), times=TIMES)
    result = job(player, SERVING[how], config=config()).finished()

    data = read(result.path("out.nc"))
    always = History.of(0, shape, TIMES).reduced("mean", EVERY)
    np.testing.assert_allclose(data.always.values, always, rtol=1e-12)
    snapshots = np.array(History.of(1, shape, TIMES).values)
    snapshots[[step - 1 for step in MISSING]] = np.nan  # as xarray shows the fill value
    np.testing.assert_array_equal(seen(data.seldom), snapshots)
    assert data.timed.shape[0] == len(History.of(1, shape, TIMES).snapshots(EVERY)[0])
    for kind in KINDS:
        wanted = expected(kind, shape)
        assert wanted.mask.any() and not wanted.mask.all()
        found = np.ma.masked_invalid(seen(data[kind]))
        np.testing.assert_array_equal(np.ma.getmaskarray(found), np.ma.getmaskarray(wanted))
        np.testing.assert_allclose(found.filled(0), wanted.filled(0), rtol=1e-9 if kind == "std" else 1e-12, atol=1e-9)
    told = [line for line in result.output.splitlines() if "was wanted at step 1 " in line]
    assert told and all("tailrace.yaml:" in line and 'field "seldom"' in line for line in told), result.output


def test_one_rank_of_several_that_does_not_put(job):
    grid = block_grid("g", shape=(4, 6), split=("y",), dims=("y", "x"))
    player = model(2, grids=[grid], fields=fields(grid, missing_steps=[2, 3, 24], missing_ranks=[1]), times=TIMES)
    data = read(job(player, servers(2), config=config()).finished().path("out.nc"))
    snapshots = np.array(History.of(1, (4, 6), TIMES).values)
    snapshots[[1, 2, 23], 2:] = np.nan
    np.testing.assert_array_equal(seen(data.seldom), snapshots)


def test_the_same_bits(job):
    grid = block_grid("g")
    reference = None
    for ranks, serving in [(1, inline()), (2, servers(1)), (3, servers(2, transport="mpi")), (5, servers(3))]:
        player = model(ranks, grids=[grid], fields=fields(grid, missing_steps=MISSING), times=TIMES)
        delays = {"TAILRACE_RANDOM_DELAYS": f"{ranks}:2000"}
        result = job(player, serving, config=config(), environment=delays).finished()
        bits = every_bit(result.path("out.nc"))
        reference = reference or bits
        assert differences(bits, reference) == []


def test_without_optional_it_is_an_error(job):
    grid = block_grid("g")
    player = model(2, grids=[grid], fields=fields(grid, missing_steps=[3]), times=TIMES)
    result = job(player, servers(1), config=config(optional=False))
    result.failed_with('field "seldom" was wanted at step 3 but not put', "optional: true")
