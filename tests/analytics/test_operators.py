"""Each operator, compared with NumPy, SciPy or xarray on whole arrays, for several decompositions."""

import warnings
from types import SimpleNamespace

import numpy as np
import pytest
import tailrace._core
from analytics.support.jobs import Case, worst
from analytics.support.operator_checks import all_checks, checked_expressions
from support.harness import inline, servers

STEPS = 3


def fields(shape: tuple[int, int, int], seed: int = 5) -> dict[str, np.ndarray]:
    """Steps first. a: any, b: positive, h: increases with z, m: some NaN, n: NaN, infinities, zeros; p(z), s(y, x)."""
    rng = np.random.default_rng(seed)
    whole = (STEPS, *shape)
    b = rng.gamma(2.0, 0.6, whole)
    m = np.where(rng.random(whole) < 0.2, np.nan, rng.normal(size=whole))
    m[..., 0] = 0.75
    n = rng.choice([np.nan, np.inf, -np.inf, 0.0, -0.0, 0.5, -1.5, 2.5, 1.0, -700.0], whole)
    made = {"a": rng.normal(size=whole), "b": b, "h": np.cumsum(rng.gamma(2.0, 0.6, whole), axis=1), "m": m, "n": n}
    return made | {"p": rng.gamma(3.0, 1.0, (STEPS, shape[0])), "s": rng.normal(size=(STEPS, *shape[1:]))}


def heights(levels: int) -> np.ndarray:
    return 10.0 + 10.0 * np.arange(levels) + np.arange(levels) ** 2


def case_of(shape, ranks: int, serving, parts: dict, values: dict) -> Case:
    extents = dict(zip("zyx", shape, strict=True))
    case = Case(ranks, serving, STEPS)
    case.grid("whole", "zyx", shape, parts=parts, coordinates={"z": heights(shape[0])})
    flat = {dim: count for dim, count in parts.items() if dim in "yx"}
    case.grid("flat", "yx", shape[1:], parts=flat)
    case.grid("column", "z", [extents["z"]], kind="replicated", coordinates={"z": heights(shape[0])})
    grids = {"p": "column", "s": "flat"}
    for name, given in values.items():
        case.field(name, given, grid=grids.get(name, "whole"), units="1")
    return case


CUTS = {
    "one rank": ((5, 6, 8), 1, servers(1), {}),
    "rows": ((5, 6, 8), 3, servers(2), {"y": 3}),
    "blocks, and a rank without cells": ((4, 7, 10), 5, servers(3), {"y": 2, "x": 2}),
    "one level, more ranks than rows": ((1, 3, 9), 5, servers(2), {"y": 5}),
    "one row, levels inline": ((6, 1, 8), 2, inline(), {"x": 2}),
    "one column": ((3, 8, 1), 3, servers(1), {"y": 3}),
}


def allowed(check, extents: dict[str, int]) -> bool:
    return all(extents[dim] >= least for dim, least in (check.least or {}).items())


def differing(check, got: np.ndarray, steps: list[SimpleNamespace]) -> list[str]:
    found = []
    for number, step in enumerate(steps):
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")  # NumPy's of slices that are all NaN
            expected = check.expected(step)
        if problem := worst(got[number], expected, check.relative):
            found.append(f"{check.expression} at step {number + 1}: {problem}")
    return found


@pytest.mark.parametrize("cut", CUTS)
def test_operators(job, cut):
    shape, ranks, serving, parts = CUTS[cut]
    values = fields(shape)
    extents = dict(zip("zyx", shape, strict=True))
    checks = [check for check in all_checks() if allowed(check, extents)]
    diagnostics = {f"d{i}": check.expression for i, check in enumerate(checks)}
    data = case_of(shape, ranks, serving, parts, values).compute(job.root, diagnostics)
    steps = []
    for step in range(STEPS):
        steps.append(SimpleNamespace(z=heights(shape[0]), **{name: given[step] for name, given in values.items()}))
        steps[-1].so_far = steps[: step + 1]
    wrong = [text for i, check in enumerate(checks) for text in differing(check, data[f"d{i}"].values, steps)]
    assert len(checks) > 150
    assert wrong == []


def test_every_operator_is_checked():
    called = {}
    for one in tailrace._core.expression_functions():
        called.setdefault((one.signature, one.kind), set()).add(one.name)
    checked = set(checked_expressions())
    assert [names for names in called.values() if not names & checked] == []
    assert checked <= set().union(*called.values())
