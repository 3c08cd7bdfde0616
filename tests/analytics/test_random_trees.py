"""A thousand random expressions have the same bits as in NumPy."""

import numpy as np
import pytest
from analytics.support.jobs import Case, worst
from analytics.support.random_trees import Gardener, Tree
from support.harness import servers

SHAPE = {"z": 3, "y": 4, "x": 5}
STEPS = 2
TREES = 250
# r and p are whole on every rank; the others are split.
DIMS = {"a": "zyx", "b": "zyx", "n": "zyx", "s": "yx", "r": "zx", "p": "z", "k": ""}
CUTS = [
    (1, 1, {}),
    (3, 2, {"y": 3}),
    (4, 3, {"y": 2, "x": 2}),
    (3, 2, {"x": 2}),  # the last rank has no cells
]


def fields(seed: int) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(seed)
    made = {}
    for name, dims in DIMS.items():
        made[name] = rng.normal(1.0, 3.0, (STEPS, *(SHAPE[dim] for dim in dims)))
    made["n"] = rng.choice([0.0, 1.0, -2.0, 0.25, np.nan], made["n"].shape, p=[0.2, 0.3, 0.3, 0.19, 0.01])
    return made


def case_of(ranks: int, count: int, parts: dict, values: dict) -> Case:
    case = Case(ranks, servers(count), STEPS)
    for name, dims in DIMS.items():
        shape = [SHAPE[dim] for dim in dims]
        split = {dim: number for dim, number in parts.items() if dim in dims}
        grid = f"grid_{dims}" if dims else ""
        if dims and grid not in case.grids:
            case.grid(grid, dims, shape, kind="block" if "yx" in dims else "replicated", parts=split)
        case.field(name, values[name], grid=grid, units="1")
    return case


def grown(seed: int, values: dict, step: int) -> list[Tree]:
    leaves = [Tree(name, tuple(dims), np.array(values[name][step])) for name, dims in DIMS.items()]
    gardener = Gardener(seed, leaves)
    return [gardener.grow(gardener.random.randint(1, 5)) for _ in range(TREES)]


@pytest.mark.parametrize("seed", range(len(CUTS)))
def test_random_trees(job, seed):
    values = fields(seed)
    with np.errstate(all="ignore"):
        steps = [grown(seed, values, step) for step in range(STEPS)]
    diagnostics = {f"d{i}": tree.text for i, tree in enumerate(steps[0])}
    data = case_of(*CUTS[seed], values).compute(job.root, diagnostics)
    wrong = []
    for step, trees in enumerate(steps):
        for i, tree in enumerate(trees):
            got = data[f"d{i}"]
            if problem := worst(got.values[step], tree.value, 0.0):
                wrong.append(f"{tree.text} at step {step + 1}: {problem}")
            if got.dims[1:] != tree.dims:
                wrong.append(f"{tree.text}: dims {got.dims[1:]}, expected {tree.dims}")
    assert wrong == []
