"""Blosc within ADIOS2's own library, if it was built with it, keeps each bit, also over jobs and from checkpoints."""

import numpy as np
import pytest
from support.harness import block_grid, field, model, servers
from support.reading import read as read_netcdf
from support.values import varying_times

adios2_reading = pytest.importorskip("support.adios2_reading")

TIMES = varying_times(24, seed=13)
SHAPE = (3, 7, 11)
FIELDS = {"state": {"every": "1 step", "names": ["w", "n", "s"]}}
VARIABLES = [
    {"field": "w", "name": "each", "time": "snapshot", "every": "1 step", "chunk": [3, 2, 4, 11]},
    {"field": "w", "name": "w_mean", "time": "mean", "every": "1 step", "type": "float32"},
    {"field": "n", "time": "snapshot", "every": "1 step", "chunk": [5, 3, 7, 5]},
    {"field": "s", "time": "snapshot", "every": "1 step"},
    {"field": "w", "name": "packed", "time": "snapshot", "every": "1 step"}
    | {"type": "int16", "pack": {"range": [-10.0, 400.0]}},
]
OPTIONS = [
    {"operator": "blosc"},
    {"operator": "blosc", "compressor": "lz4", "level": 5},
    {"operator": "blosc", "compressor": "blosclz", "level": 9},
    {"operator": "blosc", "compressor": "zlib"},
]


pytestmark = pytest.mark.skipif(not adios2_reading.has_blosc(), reason="ADIOS2 was built without Blosc here")


def configuration(options: dict, engine: str = "bp5", **more) -> dict:
    common = {"write_every": "4 steps", "variables": VARIABLES, **more}
    adios2 = {"engine": engine, **options}
    return {"fields": FIELDS, "output": {"out.nc": common, "out.bp": {"format": "adios2", "adios2": adios2, **common}}}


def player(ranks: int, shape=SHAPE, fields=None, **more):
    fields = fields or [field("w", "les"), field("n", "les", type="int32"), field("s")]
    return model(ranks, grids=[block_grid(shape=shape)], fields=fields, times=TIMES, **more)


def assert_kept(folder, records: int) -> None:
    expected = read_netcdf(folder / "out.nc")
    variables, _ = adios2_reading.read(folder / "out.bp")
    assert set(variables) == set(expected.variables)
    assert len(variables["each"]) == records
    for name, values in variables.items():
        assert values.dtype == expected[name].dtype
        np.testing.assert_array_equal(values, expected[name].values, err_msg=name)


@pytest.mark.parametrize("engine", ["bp5", "bp4"])
@pytest.mark.parametrize("options", OPTIONS, ids=lambda options: "-".join(map(str, options.values())))
def test_it_keeps_each_bit(job, options, engine):
    result = job(player(3), servers(2), config=configuration(options, engine)).finished()
    assert_kept(result.folder, len(TIMES))


def test_datasets_are_smaller(job):
    config = configuration(OPTIONS[1])
    config["output"]["raw.bp"] = {"format": "adios2", "write_every": "4 steps", "variables": VARIABLES}
    result = job(player(2, shape=(5, 33, 64)), servers(1), config=config).finished()
    sizes = {name: (result.path(name) / "data.0").stat().st_size for name in ("raw.bp", "out.bp")}
    assert sizes["out.bp"] < 0.7 * sizes["raw.bp"], sizes


def test_it_continues_over_jobs(job):
    """Each job begins before the end of the previous one, within a step of it."""
    folder = None
    for first, last in ((0, 11), (9, 19), (17, 24)):
        part = player(2)
        part.scenario |= {"times": TIMES[first:last], "initial_time": TIMES[first - 1] if first else 0.0}
        config = configuration(OPTIONS[0], if_exists="append")
        folder = job(part, servers(2), config=config, folder=folder).finished().folder
    assert_kept(folder, len(TIMES))


def test_it_continues_from_a_checkpoint_within_a_step(job):
    """The part of that step that is written again is compressed too: a reader of BP5 hangs at a variable that is
    compressed in some steps only."""
    config = configuration(OPTIONS[0]) | {"checkpoint": {"every": "15 s", "fields": ["w"]}}
    folder = None
    for steps in (39, 33):
        run = player(2, checkpoints=True, got=["w"], report_steps=True)
        run.scenario |= {"times": [float(step) for step in range(1, steps + 1)]}
        result = job(run, servers(2), config=config, folder=folder).finished()
        folder = result.folder
    assert "RESTARTED 30\n" in result.output
    assert_kept(folder, 33)


def test_missing_values_are_kept(job):
    gaps = [field("w", "les", fill_value=-9.5), field("n", "les", type="int32"), field("s")]
    result = job(player(2, fields=gaps), servers(1), config=configuration(OPTIONS[0])).finished()
    assert_kept(result.folder, len(TIMES))
