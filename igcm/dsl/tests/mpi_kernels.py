"""Run by mpirun for test_mpi.py: mpi_kernels.py FOLDER LIBRARY THREADS TARGET...

Each kernel runs on the parts of the ranks, and the results at own points must have the bits of the serial code on the
whole mesh, which each rank computes for itself. FOLDER has a folder for each source and target, and triangles.nc.
"""

import ctypes
import sys
from pathlib import Path

import kernel_inputs
import netCDF4
import numpy as np
from cases import region, values
from meshes import Rhombus
from mpi4py import MPI
from stencilc.parts import Part
from stencilc.runtime import Grid
from stencils import call, module_of

LEVELS = 5


def sphere(path):
    with netCDF4.Dataset(path) as file:
        file.set_auto_mask(False)
        names = ("edge_of_cell", "neighbor_cell_index", "vertex_of_cell", "adjacent_cell_of_edge", "edge_vertices")
        cell_edge, neighbour, cell_vertex, edge_cell, edge_vertex = (file[name][:].T for name in names)
        vertices = len(file.dimensions["vertex"])
    counts = {"cell": cell_edge.shape[1], "edge": edge_cell.shape[1], "vertex": vertices}
    tables = {"cell.edge": cell_edge, "cell.neighbour": neighbour, "cell.vertex": cell_vertex}
    return Grid("triangles", LEVELS, counts, tables | {"edge.cell": edge_cell, "edge.vertex": edge_vertex})


def patch(program, size, extra):
    _, attributes = kernel_inputs.dynamico(program, size, extra, dict(g=9.8))
    return Rhombus([int(i) for i in attributes["indices"]]).grid


def owners(grid, ranks):
    """On the sphere those of igcm/model (part.hpp); on a patch rows of unequal numbers, where edges and vertices belong
    to the cell that has them in the numbering of the mesh."""
    if grid.mesh.name == "triangles":
        rhombi = grid.counts["vertex"] - 2
        first = rhombi * np.arange(1, ranks) // ranks
        return {
            name: np.searchsorted(first, np.arange(grid.counts[name]) // each, side="right")
            for name, each in (("cell", 2), ("edge", 3), ("vertex", 1))
        }
    cells = grid.counts["cell"]
    first = np.linspace(0, 1, ranks + 1)[1:-1] ** 1.3 * cells
    return {name: np.searchsorted(first, np.arange(count) % cells, side="right") for name, count in grid.counts.items()}


def at_own_points(part, argument, whole):
    return whole if argument.location == "column" else whole[..., part.own_points(argument.location)]


def differing(kernels, serial, kernel, grid, part, arrays):
    expected = call(serial, kernel, grid, arrays)
    local, wrong = {}, []
    arguments = {argument.name: argument for argument in kernels.functions[kernel]}
    for name, argument in arguments.items():
        given = arrays[name]
        if argument.location in ("real", "int", "column"):
            local[name] = given
            continue
        local[name] = part.take(argument.location, given)
        if not argument.geometry:  # the halo must come from the exchange
            local[name][..., part.own[argument.location] :] = np.nan
    got = call(kernels, kernel, part.grid, local)
    assert any((whole != arrays[name]).any() for name, whole in expected.items()), f"{kernel} changes nothing"
    for name, whole in expected.items():
        assert np.isfinite(whole).all(), f"{kernel}: {name} is not finite"
        argument = arguments[name]
        theirs = at_own_points(part, argument, whole)
        ours = got[name][..., : part.own[argument.location]]
        if not np.array_equal(np.ascontiguousarray(ours).view(np.uint64), np.ascontiguousarray(theirs).view(np.uint64)):
            wrong.append(name)
    return wrong


def main(folder, library, threads, targets):
    comm, folder = MPI.COMM_WORLD, Path(folder)
    grids = {
        "icon": [sphere(folder / "triangles.nc")],
        "dynamico": [patch("comp_pvort", "a", [1]), patch("comp_caldyn_vert", "b", [24, 131, 2, 4])],
        "nicam": [region(10, LEVELS), region(8, LEVELS, singular=False)],
    }
    count, wrong = 0, []
    for source, on in grids.items():
        loaded = {}
        for target in ("serial", *targets):
            where = folder / f"{source}_{target}"
            loaded[target] = module_of(where / f"{source}_stencils.py").load(where / "libstencils.so")
        for grid in on:
            part = Part(grid, owners(grid, comm.size), comm.rank, steps=loaded["serial"].steps)
            part.connect(comm, library)
            for target in targets:
                for number in threads:
                    ctypes.CDLL("libgomp.so.1").omp_set_num_threads(number)
                    for kernel in loaded[target].functions:
                        for switch in (0, 1) if source == "dynamico" else (1,):
                            arrays = values(loaded["serial"].functions, kernel, grid, switch)
                            found = differing(loaded[target], loaded["serial"], kernel, grid, part, arrays)
                            wrong += [f"{kernel} {name} {target} {number}" for name in found]
                            count += 1
    everywhere = comm.gather(wrong)
    if comm.rank == 0:
        print(f"{count} runs, differing: {sorted({name for names in everywhere for name in names})}")


main(sys.argv[1], sys.argv[2], [int(number) for number in sys.argv[3].split(",")], sys.argv[4:])
