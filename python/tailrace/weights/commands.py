"""The work of `tailrace weights make`, `show` and `check`."""

from __future__ import annotations

import difflib
import hashlib
import json
import os
import sys
from pathlib import Path
from typing import Any

import numpy as np

from .checks import rows_of_file
from .children import Children, children
from .errors import WeightsError, WrongWords
from .foreign import Foreign, read_weights
from .grid_checks import check_convex, check_sides
from .grid_files import read_grid
from .grids import Grid, Healpix
from .methods import METHODS, with_yac
from .placing import check_place, folder_beside, put
from .polygons import polygons_of
from .requests import grid_of
from .summary import Summary, summarise
from .targets import is_file, spec_of


def make(source: Path, target: str, method: str, output: Path, jobs: int = 1, force: bool = False) -> Summary:
    """Makes the file of weights `output`; `jobs` processes make slices of it."""
    check_place(output, force, (source, target, method))
    if method not in METHODS and not is_file(method):
        known = ", ".join(METHODS)
        near = difflib.get_close_matches(method, METHODS, 1)
        hint = f". Did you mean {near[0]!r}?" if near else ""
        raise WrongWords(
            f"--method {method}: expected {known}, or the path of a file with weights; there is no such file{hint}"
        )
    request: dict[str, Any] = {
        "source": {"kind": "file", "path": str(source)},
        "target": spec_of(target),
        "method": method if method in METHODS else "file",
        "weights": None if method in METHODS else method,
    }
    request["digest"] = _digest(grid_of(request["source"], "source"), grid_of(request["target"], "target"), method)
    with children() as makers, folder_beside(output) as folder:
        slices = [folder / f"{k}.nc" for k in range(jobs)]
        requests = [
            {**request, "do": "make", "slice": [k, jobs], "out": str(path), "error": str(folder / f"{k}.txt")}
            for k, path in enumerate(slices)
        ]
        _run(makers, folder, requests, output)
        whole = slices[0]
        if jobs > 1:
            whole = folder / "all.nc"
            join = {"do": "join", "slices": [str(path) for path in slices], "out": str(whole)}
            join |= {"digest": request["digest"], "error": str(folder / "join.txt")}
            _run(makers, folder, [join], output)
        put(whole, output, force)
    return show(output)


def _run(makers: Children, folder: Path, requests: list[dict[str, Any]], output: Path) -> None:
    """Each in a process of its own, all at once. Messages name `output`, not what is in `folder` for a while."""
    commands = []
    for k, request in enumerate(requests):
        path = folder / f"request-{request['do']}-{k}.json"
        try:
            path.write_text(json.dumps({**request, "parent": os.getpid()}), encoding="utf-8")
        except OSError as error:
            raise WeightsError(f"{output}: cannot be written: {error.strerror or error}") from None
        commands.append([sys.executable, "-P", "-m", "tailrace.weights.maker", str(path)])
    for status, request in zip(makers.run(commands), requests, strict=True):
        error = Path(request["error"])
        if error.exists():
            raise WeightsError(error.read_text(encoding="utf-8").replace(request["out"], str(output)))
        if status:
            raise WeightsError(f"the process that makes weights ended with exit status {status}")


def _digest(source: Grid, target: Grid, method: str) -> str:
    digest = hashlib.sha256(f"{method} {source.shape} {target.shape}".encode())
    for grid in (source, target):
        if isinstance(grid, Healpix):
            digest.update(grid.name.encode())
            continue
        for values in (*grid.centres(), *(grid.corners() or ())):
            digest.update(np.ascontiguousarray(values).tobytes())
    return digest.hexdigest()[:32]


def show(path: Path, picture: Path | None = None, force: bool = False) -> Summary:
    """The figures of a file of weights; `picture`: a map of a test function on both grids is drawn there."""
    if picture is not None:
        check_place(picture, force, [path])
    weights = read_weights(path)
    rows = rows_of_file(weights)
    if picture is not None:
        from .picture import draw

        with folder_beside(picture) as folder:
            draw(weights, rows, folder / picture.name, picture)
            put(folder / picture.name, picture, force)
    return summarise(weights, rows)


def check(path: Path, source: Path | None = None, target: str | None = None) -> str:
    """A line that says that a file of weights, or of a grid, is right. Raises WeightsError with what is wrong."""
    weights = _weights_in(path)
    if weights is None:
        if source or target:
            raise WeightsError(f"{path}: has no weights")
        return _check_grid(path)
    of_source = None if source is None else read_grid(source)
    of_target = None if target is None else grid_of(spec_of(target), "target")
    rows = rows_of_file(weights, of_source, of_target)
    grids = [name for name, grid in (("source", of_source), ("target", of_target)) if grid is None]
    return f"{path}: {weights.layout}, {rows.count} rows with {rows.links} links are right" + (
        f" (not compared with a grid: {' and '.join(grids)})" if grids else ""
    )


def _weights_in(path: Path) -> Foreign | None:
    try:
        return read_weights(path)
    except WeightsError as error:
        if "has no weights" in str(error):
            return None
        raise


def _check_grid(path: Path) -> str:
    """A grid from itself shows cells that overlap."""
    grid = read_grid(path)
    if isinstance(grid, Healpix):
        return f"{path}: {grid.name}"
    if grid.corners(0, 1) is None:
        return f"{path}: {grid.cells} cells without bounds: no source or target of a conservative method"
    cells = np.arange(grid.cells)
    polygons = polygons_of(grid, cells, "a check")
    check_convex(grid, cells, polygons)
    check_sides(grid, cells, polygons)
    if not with_yac.is_there():
        return f"{path}: {grid.cells} cells (whether they overlap was not checked: {with_yac.MISSING})"
    with_yac.rows(grid, grid, "conservative", 0, grid.cells)  # refuses cells that overlap
    return f"{path}: {grid.cells} cells are right"
