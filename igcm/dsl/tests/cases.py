"""Meshes of any size and numbers for all kernels, for programs that compare targets or measure them."""

import numpy as np
from meshes import Region, Rhombus
from stencilc.cost import cost
from stencilc.places import Branches, Facts, Loop
from stencilc.runtime import Grid


def torus(width, height, levels):
    """Triangles: each square of a periodic grid has a lower cell, an upper cell, and its left edge, its lower edge and
    its diagonal."""
    i, j = np.meshgrid(np.arange(width), np.arange(height))
    n = width * height

    def at(di, dj, section):
        return section * n + ((j + dj) % height * width + (i + di) % width).ravel()

    lower, upper, left, bottom, diagonal = 0, 1, 0, 1, 2
    cell_edge = [
        [at(0, 0, left), at(0, 0, bottom), at(0, 0, diagonal)],
        [at(1, 0, left), at(0, 1, bottom), at(0, 0, diagonal)],
    ]
    neighbour = [
        [at(-1, 0, upper), at(0, -1, upper), at(0, 0, upper)],
        [at(1, 0, lower), at(0, 1, lower), at(0, 0, lower)],
    ]
    edge_cell = [
        [at(0, 0, lower), at(-1, 0, upper)],
        [at(0, 0, lower), at(0, -1, upper)],
        [at(0, 0, lower), at(0, 0, upper)],
    ]
    tables = {"cell.edge": cell_edge, "cell.neighbour": neighbour, "edge.cell": edge_cell}
    tables = {name: np.concatenate(rows, axis=1) for name, rows in tables.items()}
    return Grid("triangles", levels, {"cell": 2 * n, "edge": 3 * n, "vertex": n}, tables)


def rhombus(width, height, levels):
    """A patch of DYNAMICO, whose rim of two rows is no one's interior."""

    def flat(row, column):
        return row * width + column + 1

    interior = [flat(2, 2), flat(height - 3, width - 3)]
    extended = [flat(1, 1), flat(height - 2, width - 2)]
    return Rhombus([width, height, levels, *interior, *extended]).grid


def region(side, levels, singular=True):
    return Region(side, levels, singular).grid


def values(functions, kernel, grid, switch):
    """Numbers of one size, so that all results are finite; int parameters are all the switch."""
    random, result = np.random.default_rng(7), {}
    for argument in functions[kernel]:
        if argument.location in ("real", "int"):
            result[argument.name] = 1.5 if argument.location == "real" else switch
            continue
        shape = [grid.levels_of(argument.kind)] if argument.kind else []
        if argument.location != "column":
            shape.append(grid.counts[argument.location])
        if argument.relation:
            shape.insert(0, len(grid.mesh.relations[argument.relation].slots))
        result[argument.name] = random.uniform(0.5, 1.5, shape)
        if argument.name == "cmask":  # which way a flow goes
            result["cmask"] = np.floor(result["cmask"] + 0.5)
    return result


def moved(facts: Facts, grid: Grid) -> float:
    """Bytes of a call, as `stencilc explain` counts them, where conditions on parameters hold (a switch of 1)."""

    def of(order) -> float:
        total = 0.0
        for step in order:
            if isinstance(step, Branches):
                total += of(step.yes)
            elif isinstance(step, Loop):
                found, node = cost(step, grid.mesh), step.foreach
                points = sum(end - first for first, end in grid.ranges[f"{node.location}.{node.point.set}"].tolist())
                levels = grid.levels_of(node.kind) - sum(node.bounds) if node.level else 1
                total += points * (levels * found.bytes + found.column_bytes)
        return total

    return of(facts.order)
