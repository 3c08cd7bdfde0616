"""NICAM's regions and DYNAMICO's rhombi hold the points, triangles and edges that their neighbours say."""

from collections.abc import Iterator

import numpy as np
import pytest
from grids import Grid, made, run

NICAM_STEPS = [(1, 0), (1, 1), (0, 1), (-1, 0), (-1, -1), (0, -1)]
DYNAMICO_STEPS = [(1, 0), (0, 1), (-1, 1), (-1, 0), (0, -1), (1, -1)]  # right rup lup left ldown rdown


def maps(text: str, begin: str) -> Iterator[dict[str, np.ndarray]]:
    """The lines from each that begins with the word to the next, by their first words."""
    found: dict[str, np.ndarray] = {}
    for line in text.splitlines():
        name, *numbers = line.split()
        if name == begin and found:
            yield found
            found = {}
        found[name] = np.array(numbers, dtype=int)
    yield found


@pytest.fixture(scope="module")
def grid(tmp_path_factory):
    return made(tmp_path_factory.mktemp("grid"), "R3B1")


def ring(grid: Grid, v: int) -> list[int]:
    return grid.vertices_of_vertex[v, : grid.degree[v]].tolist()


def assert_same_ring(grid: Grid, v: int, neighbours: list[int]) -> None:
    """Counter-clockwise, from any; where there are five one may be there twice, beside itself."""
    kept = [one for k, one in enumerate(neighbours) if one != neighbours[k - 1]]
    own = ring(grid, v)
    assert len(kept) == len(own)
    at = own.index(kept[0])
    assert own[at:] + own[:at] == kept


def assert_triangle(grid: Grid, number: int, corners: list[int]) -> None:
    if len(set(corners)) < 3:
        assert number == -1
    else:
        own = grid.vertex_of_cell[number].tolist()
        at = own.index(corners[0])
        assert own[at:] + own[:at] == corners


def assert_edge(grid: Grid, number: int, sign: int, ends: list[int]) -> None:
    if ends[0] == ends[1]:
        assert (number, sign) == (-1, 0)
    else:
        assert grid.edge_vertices[number].tolist() == ends[::sign]


@pytest.mark.parametrize("level", [0, 1])
def test_regions_of_nicam(grid, level):
    owned, singular = [], 0
    for one in maps(run("layouts", 3, 1, "nicam", level), "region"):
        n1, is_singular = one["region"]
        assert n1 == 6 // 2**level + 2
        vertex = one["vertex"].reshape(n1, n1)  # [j, i]
        owned += vertex[1:-1, 1:-1].ravel().tolist()
        singular += is_singular
        assert (vertex[0, 0] == vertex[0, 1]) == bool(is_singular)
        for j, i in np.ndindex(n1 - 2, n1 - 2):
            around = [vertex[j + 1 + dj, i + 1 + di] for di, dj in NICAM_STEPS]
            assert_same_ring(grid, vertex[j + 1, i + 1], around)
        get = {name: one[name].reshape(n1, n1) for name in one if name != "region" and len(one[name]) == n1 * n1}
        for j, i in np.ndindex(n1 - 1, n1 - 1):
            if (i, j) in ((0, n1 - 2), (n1 - 2, 0)):
                continue  # corners of the halo, where a triangle of the frame may not exist
            p, right, across, up = vertex[j, i], vertex[j, i + 1], vertex[j + 1, i + 1], vertex[j + 1, i]
            assert_triangle(grid, get["triangle_i"][j, i], [p, right, across])
            assert_triangle(grid, get["triangle_j"][j, i], [p, across, up])
            for kind, end in (("i", right), ("ij", across), ("j", up)):
                assert_edge(grid, get[f"arc_{kind}"][j, i], get[f"sign_{kind}"][j, i], [p, end])
    assert singular == 10
    assert sorted(owned) == list(range(len(grid.degree) - 2))


def test_poles_of_nicam(grid):
    for name, z in (("north", 1), ("south", -1)):
        pole, *around = next(maps(run("layouts", 3, 1, "nicam", 0), "no region"))[name]
        assert grid.vertex[pole].tolist() == [0, 0, z]
        assert_same_ring(grid, pole, around[::-1])  # clockwise


def test_patches_of_dynamico(grid):
    owned = []
    for one in maps(run("layouts", 3, 1, "dynamico", 6, 4), "patch"):
        iim, jjm = one["patch"]
        cell = one["cell"].reshape(jjm, iim)
        edge, sign = (one[name].reshape(3, jjm, iim) for name in ("edge", "sign"))
        vertex = one["vertex"].reshape(2, jjm, iim)
        owned += cell[2:-2, 1:-1].ravel().tolist()
        for j in range(2, jjm - 2):
            for i in range(1, iim - 1):
                around = [int(cell[j + dj, i + di]) for di, dj in DYNAMICO_STEPS]
                right, rup, lup, _, ldown, rdown = around
                p = cell[j, i]
                assert_same_ring(grid, p, around)
                for section, end in enumerate((right, lup, ldown)):
                    assert_edge(grid, edge[section, j, i], sign[section, j, i], [p, end])
                assert_triangle(grid, vertex[0, j, i], [p, rup, lup])
                assert_triangle(grid, vertex[1, j, i], [p, ldown, rdown])
    assert sorted(owned) == list(range(len(grid.degree) - 2))
