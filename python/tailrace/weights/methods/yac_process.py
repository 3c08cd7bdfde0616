"""Lets YAC make weights, in a process of its own: `python -m tailrace.weights.methods.yac_process FOLDER PARENT`.

YAC ends its process when it dislikes something, and brings an HDF5 library of its own. The folder has the grids
(source.npz, target.npz) and the method (text); YAC's weight file and its version are put there. PARENT is
the number of the process that starts this one.
"""

from __future__ import annotations

import sys
from importlib.metadata import version
from pathlib import Path

import numpy as np

from ..lifetime import end_with_parent
from .with_yac import DOES_NOT_LOAD


def grid_in(folder: Path, name: str):
    """The grid and its field at the centres of cells. Global ids: the cells' own numbers, or YAC invents others."""
    from yac import core

    values = np.load(folder / f"{name}.npz")
    grid = core.BasicGrid.unstruct_new(
        name, values["count"], values["lon"], values["lat"], values["vertex"], lonlat_edges=bool(values["parallels"])
    )
    location = core.yac_location
    grid.set_global_index(location.YAC_LOC_CELL, np.arange(len(values["count"])))
    grid.set_global_index(location.YAC_LOC_CORNER, np.arange(len(values["lat"])))
    centres = grid.add_coordinates(location.YAC_LOC_CELL, values["centre_lon"], values["centre_lat"])
    return core.InterpField(centres)


def stack_for(method: str):
    from yac import core

    stack = core.InterpolationStack()
    if method == "conservative":
        # First order, rows of partly covered cells too, shares of the whole target cell.
        stack.add_conservative(1, False, True, "YAC_INTERP_CONSERV_DESTAREA")
    elif method == "bilinear":
        stack.add_average("YAC_INTERP_AVG_BARY", False)
    else:
        stack.add_average("YAC_INTERP_AVG_ARITHMETIC", False)
    return stack


def main(folder: Path) -> None:
    try:
        from yac import core
    except ImportError as error:  # its MPI library is not there
        print(error, file=sys.stderr)
        sys.exit(DOES_NOT_LOAD)
    (folder / "version").write_text(version("yac"))
    source, target = grid_in(folder, "source"), grid_in(folder, "target")
    weights = core.compute_weights(stack_for((folder / "method").read_text()), source, target)
    weights.write_to_file(str(folder / "weights.nc"))


if __name__ == "__main__":
    end_with_parent(int(sys.argv[2]))
    main(Path(sys.argv[1]))
