"""Contributions of ranks, cells in any order, replicated values, and the metadata of diagnostics."""

import numpy as np
import pytest
from analytics.support.jobs import Case, worst
from support.harness import servers
from support.reading import read

STEPS = 3


@pytest.mark.parametrize(("ranks", "count"), [(1, 1), (3, 2), (5, 3)])
def test_contributions_of_ranks(job, ranks, count):
    """Whole numbers, so that the ranks' own sums are exact; one contribution is so large that order would matter."""
    rng = np.random.default_rng(3)
    parts = rng.integers(-1000, 1000, (STEPS, 5, 4, 3)).astype(float)
    case = Case(ranks, servers(count), STEPS)
    case.grid("profile", ["k", "j"], [4, 3], kind="partial").field("part", parts, grid="profile", units="1")
    whole = parts.sum(axis=1)
    shares = np.array([[one[rank::ranks].sum(axis=0) for rank in range(ranks)] for one in parts])
    data = case.compute(
        job.root,
        {
            "total": "sum(part, rank)",
            "largest": "max(part, rank)",
            "profile": "sum(part, rank, j) / 3",
            "all_of_it": "sum(part)",
            "root": "sqrt(abs(sum(part, rank)))",
            "each": "2 * part",
        },
    )
    expected = {
        "total": whole,
        "largest": shares.max(axis=1),
        "profile": whole.sum(axis=2) / 3,
        "all_of_it": whole.sum(axis=(1, 2)),
        "root": np.sqrt(np.abs(whole)),
        "each": 2 * shares,
    }
    assert {name: worst(data[name].values, value, 0) for name, value in expected.items()} == dict.fromkeys(expected, "")


@pytest.mark.parametrize(("ranks", "count"), [(1, 1), (4, 3)])
def test_cells_in_any_order(job, ranks, count):
    rng = np.random.default_rng(4)
    t, area = rng.normal(280, 5, (STEPS, 3, 41)), rng.gamma(2, 1, (STEPS, 41))
    case = Case(ranks, servers(count), STEPS)
    case.grid("ico", ["level", "cell"], [3, 41], kind="indexed", indexed_dim="cell")
    case.grid("flat", ["cell"], [41], kind="indexed", indexed_dim="cell")
    case.field("t", t, grid="ico", units="1").field("area", area, grid="flat", units="1")
    data = case.compute(
        job.root,
        {
            "mean": "mean(t, cell, weights=area)",
            "column": "max(t, level)",
            "anomaly": "t - mean(t, cell)",
            "running": "cumsum(t, cell)",
            "hottest": 'argmax(t, along="cell")',
            "difference": "diff(t, level)",
            "product": "area * t",
        },
    )
    expected = {
        "mean": np.array([np.average(one, axis=1, weights=area[i]) for i, one in enumerate(t)]),
        "column": t.max(axis=1),
        "anomaly": t - t.mean(axis=2, keepdims=True),
        "running": t.cumsum(axis=2),
        "hottest": np.array([np.unravel_index(one.argmax(), one.shape)[1] for one in t]),
        "difference": np.diff(t, axis=1),
        "product": area[:, None] * t,
    }
    wrong = {name: worst(data[name].values, value, 1e-13) for name, value in expected.items()}
    assert wrong == dict.fromkeys(expected, "")


@pytest.mark.parametrize(("ranks", "count"), [(1, 1), (4, 3)])
def test_coordinates_in_parts(job, ranks, count):
    rng = np.random.default_rng(6)
    t, lat = rng.normal(280, 5, (STEPS, 3, 41)), rng.uniform(-89, 89, 41)
    case = Case(ranks, servers(count), STEPS)
    latitudes = {"lat": (lat, "degrees_north", {"dims": ["cell"], "part": True})}
    case.grid("ico", ["level", "cell"], [3, 41], kind="indexed", indexed_dim="cell", coordinates=latitudes)
    case.field("t", t, grid="ico", units="1")
    config = case.configuration(
        {"weighted": "mean(t, cell, weights=cos(lat))", "plain": "mean(t, cell)", "north": "where(lat > 0, t, 0)"}
    )
    result = case.run(job.root, config).finished()
    data = read(result.path("out.nc"))
    expected = {
        "weighted": np.array([np.average(one, axis=1, weights=np.cos(np.deg2rad(lat))) for one in t]),
        "plain": t.mean(axis=2),
        "north": np.where(lat > 0, t, 0),
    }
    wrong = {name: worst(data[name].values, value, 1e-13) for name, value in expected.items()}
    assert wrong == dict.fromkeys(expected, "")
    np.testing.assert_array_equal(data.lat.values, lat)
    warning = 'diagnostics.plain.is: mean gives all cells along "cell" equal weight'
    assert result.output.count(warning) == 1 and result.output.count("equal weight") == 1, result.output


def test_cells_of_one_and_none_of_the_other(job):
    """A coordinate that only some ranks have: no rank could compute the cells of the others."""
    case = Case(4, servers(2), STEPS)
    rows = {"y": (np.arange(4.0), "m", {"part": True})}
    case.grid("g", "yx", (4, 6), parts={"y": 2, "x": 2}, coordinates=rows)
    case.field("a", np.ones((STEPS, 4, 6)), grid="g", units="1")
    result = case.run(job.root, case.configuration({"d": "a * y"}))
    result.failed_with('"a" and "y" are combined in an expression, but rank 1 holds cells of the first and none of the')


def test_windows_of_diagnostics(job):
    """A record of a diagnostic is the mean of its values over the window, not its value for mean fields."""
    values = np.random.default_rng(5).normal(size=(6, 4, 6))
    case = Case(2, servers(2), 6).grid("g", "yx", (4, 6), parts={"y": 2}).field("a", values, grid="g", units="1")
    output = [
        {"field": "square", "name": f"square_{kind}", "time": kind, "every": "3 s"} for kind in ("mean", "max", "sum")
    ]
    data = case.compute(job.root, {"square": "mean(a ** 2)"}, output=output)
    squares = np.mean(values**2, axis=(1, 2)).reshape(2, 3)
    for kind in ("mean", "max", "sum"):
        np.testing.assert_allclose(data[f"square_{kind}"].values, getattr(squares, kind)(axis=1), rtol=1e-13)


def test_files_describe_diagnostics(job):
    values = np.ones((STEPS, 2, 3))
    case = Case(2, servers(1), STEPS).grid("g", "yx", (2, 3), parts={"x": 2}, coordinates={"y": ([1, 2], "km")})
    case.field("p", values, grid="g", units="Pa")
    described = {"is": "mean(p, x)", "units": "hPa", "long_name": "zonal mean", "standard_name": "air_pressure"}
    config = case.configuration({"zonal": described, "whole": "p * p"})
    data = read(case.run(job.root, config).finished().path("out.nc"))
    assert data.zonal.dims == ("time", "y")
    assert data.whole.dims == ("time", "y", "x")
    named = {name: data.zonal.attrs[name] for name in ("units", "long_name", "standard_name", "expression")}
    assert named == {name: described[name] for name in ("units", "long_name", "standard_name")} | {
        "expression": "mean(p, x)"
    }
    assert data.whole.attrs["units"] in ("Pa2", "Pa^2", "kg2 m-2 s-4")
    np.testing.assert_allclose(data.zonal.values, 0.01, rtol=1e-15)
    np.testing.assert_array_equal(data.y.values, [1, 2])
