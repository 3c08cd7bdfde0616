"""Orography, areas and masks: put once, written once, and available in the expressions of every step."""

import numpy as np
import pytest
from analytics.support.jobs import Case, worst
from support.harness import attached, block_grid, field, inline, model, servers
from support.reading import differences, every_bit, read

STEPS, SHAPE = 5, (3, 7, 10)
RNG = np.random.default_rng(11)
SST = RNG.normal(280, 8, (STEPS, *SHAPE))
AREA = RNG.gamma(2, 1e6, SHAPE[1:])
LAND = RNG.integers(0, 2, SHAPE[1:]).astype(np.int32)
COLUMN = RNG.uniform(0.5, 2, SHAPE[0]).astype(np.float32)
DIAGNOSTICS = {
    "global_mean": "mean(sst, y, x, weights=area)",
    "sea_mean": "mean(sst, weights=area * (1 - land) * depth)",
    "over_land": "where(land, sst, 0)",
    "heavy": "sum(sst * depth, z)",
}


ONCE = {"field": "w", "every": "once"}
SPLIT = [
    {"field": "area", "name": "column", "split": "x", "every": "once"},
    {"field": "land", "name": "row", "split": "y", "every": "once", "compression": "zlib", "chunk": [1, 1, 4]},
]


def every_step(value: np.ndarray) -> np.ndarray:
    """A Case has a value for each step, so that a second put would change the result."""
    return np.stack([value + step for step in range(STEPS)])


def case(ranks: int, serving, parts: dict, early: bool = True, steps: int = STEPS) -> Case:
    flat = {dim: count for dim, count in parts.items() if dim != "z"}
    made = Case(ranks, serving, steps).grid("g", "zyx", SHAPE, parts=parts).grid("flat", "yx", SHAPE[1:], parts=flat)
    made.grid("column", "z", SHAPE[:1], kind="replicated")
    made.field("sst", SST, grid="g", units="K")
    made.field("area", every_step(AREA), grid="flat", units="m2", early=early, standard_name="cell_area")
    made.field("land", every_step(LAND), grid="flat", units="1")
    return made.field("depth", every_step(COLUMN), grid="column", units="1", early=early)


def configuration(made: Case) -> dict:
    fixed = [{"field": name, "every": "once"} for name in ("area", "land", "depth")]
    moving = [{"field": name, "every": "1 step"} for name in ("sst", *DIAGNOSTICS)]
    whole = {"compression": "none", "variables": [*moving, *fixed]}
    whole["variables"].append({"field": "area", "name": "area32", "type": "float32", "every": "1 s"})
    whole["variables"].append(
        {"field": "area", "name": "cut", "chunk": [1, 3, 4], "compression": "zlib", "every": "once"}
    )
    return made.configuration(
        DIAGNOSTICS,
        output={
            "out.nc": whole,
            "fixed.nc": {"variables": fixed},
            "part.nc": {"series": True, "write_every": "2 steps", "variables": [moving[1], *fixed, *SPLIT]},
        },
        fields={
            "state": {"every": "1 step", "names": ["sst"]},
            "fixed": {"every": "once", "names": ["area", "land", "depth"]},
        },
    )


def expected() -> dict[str, np.ndarray]:
    sea = AREA * (1 - LAND) * COLUMN.astype(float)[:, None, None]
    return {
        "global_mean": np.array([[np.average(level, weights=AREA) for level in one] for one in SST]),
        "sea_mean": np.array([np.average(one, weights=sea) for one in SST]),
        "over_land": np.where(LAND, SST, 0),
        "heavy": (SST * COLUMN.astype(float)[:, None, None]).sum(axis=1),
    }


def test_written_once_and_used_at_every_step(job):
    made = case(3, servers(2), {"y": 3})
    result = made.run(job.root, configuration(made)).finished()
    data = read(result.path("out.nc"))
    right = {"area": AREA, "land": LAND, "depth": COLUMN, "area32": AREA.astype(np.float32), "cut": AREA}
    for name, value in right.items():
        assert "time" not in data[name].dims, name
        assert data[name].dtype == value.dtype, name
        np.testing.assert_array_equal(data[name].values, value, err_msg=name)
        assert "cell_methods" not in data[name].attrs
    assert data.area.attrs["standard_name"] == "cell_area"
    wrong = {name: worst(data[name].values, value, 1e-13) for name, value in expected().items()}
    assert wrong == dict.fromkeys(wrong, "")
    alone = read(result.path("fixed.nc"))
    assert set(alone.sizes) == {"y", "x", "z"}
    np.testing.assert_array_equal(alone.area.values, AREA)
    parts = sorted(result.folder.glob("part_*.nc"))
    assert len(parts) == 3
    for part in parts:
        one = read(part)
        np.testing.assert_array_equal(one.area.values, AREA)
        np.testing.assert_array_equal(one.land.values, LAND)
        for x in range(SHAPE[2]):
            np.testing.assert_array_equal(one[f"column_{x + 1}"].values, AREA[:, x])
        for y in range(SHAPE[1]):
            assert one[f"row_{y + 1}"].dims == ("x",) and one[f"row_{y + 1}"].dtype == np.int32
            np.testing.assert_array_equal(one[f"row_{y + 1}"].values, LAND[y])


def test_the_bits_do_not_depend_on_the_decomposition(job):
    layouts = {
        "one": case(1, servers(1), {}),
        "five": case(5, servers(2), {"y": 5}, early=False),
        "columns": case(4, servers(3), {"x": 2, "y": 2}),
        "empty ranks": case(3, servers(2), {"y": 2}),
        "inline": case(2, inline(), {"x": 2}, early=False),
        "attached": case(2, attached(), {"y": 2}),
    }
    found = {}
    for name, made in layouts.items():
        folder = job.root / name.replace(" ", "_")
        result = made.run(folder, configuration(made), environment={"TAILRACE_RANDOM_DELAYS": "3:300"}).finished()
        found[name] = {path.name: every_bit(path) for path in folder.glob("*.nc")}
        assert len(found[name]) == 5, result.output
    for name, files in found.items():
        for path, bits in files.items():
            assert differences(found["one"][path], bits) == [], (name, path)


@pytest.mark.parametrize("optional", [False, True])
def test_one_that_is_not_put(job, optional):
    made = case(2, servers(1), {"y": 2})
    made.fields[2]["absent_from"] = 0
    config = configuration(made)
    config["fields"]["fixed"]["optional"] = optional
    if not optional:
        made.run(job.root, config).failed_with('field "land" was wanted at step 1 but not put')
        return
    result = made.run(job.root, config).finished()
    assert 'field "land" is put once, in the first step or before it (`every: once`), but rank 0' in result.output
    assert "did not put it up to the end of step 1 (1 s); it holds the fill value" in result.output
    data = read(result.path("out.nc"))
    assert (data.land.values == data.land.attrs["_FillValue"]).all()
    np.testing.assert_array_equal(data.area.values, AREA)
    assert worst(data.global_mean.values, expected()["global_mean"], 1e-13) == ""
    assert (data.over_land.values == data.over_land.attrs["_FillValue"]).all()


def test_one_that_is_not_put_in_a_run_without_a_step(job):
    config = {"fields": {"fixed": {"every": "once", "names": ["w"]}}, "output": {"out.nc": {"variables": [ONCE]}}}
    silent = model(2, grids=[block_grid("g", shape=(3, 4, 6))], fields=[field("w", "g")], times=[])
    result = job(silent, servers(1), config=config).failed_with("finish was called without any step")
    assert 'field "w" is put once, in the first step or before it (`every: once`), but rank 0' in result.output
    assert "did not put it before the run ended without a step; it holds the fill value" in result.output
    assert str(-(2**63)) not in result.output


def test_what_cannot_be_split(job):
    made = case(1, inline(), {})
    files = {"fixed.nc": {"variables": [{"field": "depth", "split": "z", "every": "once"}]}}
    config = configuration(made) | {"output": files}
    made.run(job.root, config).failed_with(
        'variables[0].split: "depth" is sent only once and has only one dimension, so it cannot be split'
    )


def test_a_run_without_steps_ends(job):
    made = case(2, servers(1), {"y": 2}, steps=0)
    made.run(job.root, configuration(made)).failed_with("finish was called without any step")
