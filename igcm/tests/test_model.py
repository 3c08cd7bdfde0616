"""The model of igcm: against NumPy, conservation, the same bits on any number of ranks and over a restart."""

import os
import re
import subprocess
import sys
from pathlib import Path

import netCDF4
import numpy as np
import pytest
import yaml
from grids import IGCM, made
from numpy_shallow_water import Hexagons, Triangles
from scipy.spatial import KDTree
from support.checkers import BIN, cfchecks, quick_complaints
from support.harness import TREE, mpi_environment

PROGRAM = IGCM / "model" / "shallow_water"
FIELDS = {
    "fields": {
        "state": {"every": "1 step", "names": ["h", "surface", "zonal_wind", "meridional_wind", "vorticity", "u"]},
        "fixed": {"every": "once", "names": ["area", "bottom"]},
    },
    "diagnostics": {"mass": {"is": "sum(h * area, cell)", "units": "m3"}},
}
OUTPUT = {
    f"{place}.nc": {"write_every": "1 h", "variables": [{"field": name, "operation": "snapshot", "every": "1 step"}
                                                        for name in names]}
    for place, names in {"cells": ["h", "surface", "zonal_wind", "meridional_wind"], "edges": ["u"],
                         "corners": ["vorticity"], "numbers": ["mass"]}.items()
}  # fmt: skip


def run(
    folder: Path, ranks: int, settings: dict, output: dict | None = None, status: int = 0, threads: int = 1, **more
) -> str:
    """A run with so many ranks of the model, and a server if there is output."""
    folder.mkdir(exist_ok=True)
    values = {"configuration": "igcm.yaml"} | settings
    lines = [f"  {name} = {value!r}" for name, value in values.items()]
    (folder / "igcm.nml").write_text("\n".join(["&shallow_water", *lines, "/\n"]))
    servers = {"mode": "dedicated", "count": 1} if output else {"mode": "off"}
    config = {"tailrace": 1, "servers": servers, "output": OUTPUT if output is None else output} | FIELDS | more
    (folder / "igcm.yaml").write_text(yaml.safe_dump(config))
    command = ["mpirun", "-n", str(ranks + bool(output)), str(PROGRAM), "igcm.nml"]
    environment = mpi_environment(OMP_NUM_THREADS=str(threads), OMP_WAIT_POLICY="passive")
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=120)
    assert (done.returncode != 0) == status, done.stdout + done.stderr
    return done.stdout + done.stderr


def arrays(folder: Path) -> dict[str, np.ndarray]:
    found = {}
    for path in folder.glob("*.nc"):
        with netCDF4.Dataset(path) as data:
            data.set_auto_mask(False)
            found |= {f"{path.stem}/{name}": data[name][...] for name in data.variables}
    return found


def number(text: str, name: str) -> float:
    return float(re.findall(rf"{name} +([-+.e\d]+)", text)[-1])


WAVE = {"case": "williamson6", "root": 3, "level": 1, "time_step": 900.0, "days": 6 / 96}


MESHES = ("hexagons", "triangles")


@pytest.fixture(scope="module", params=MESHES)
def mesh(request) -> str:
    return request.param


@pytest.fixture(scope="module")
def wave(mesh, tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("wave")
    run(folder, 2, WAVE | {"mesh": mesh}, OUTPUT)
    return folder


def compare_with_numpy(found: dict, numpy: Hexagons | Triangles, steps: int) -> tuple[np.ndarray, np.ndarray]:
    h, u = numpy.initial()
    for step in range(steps):
        h, u = numpy.step(h, u, 900.0)
        assert np.allclose(found["cells/h"][step], h, rtol=1e-12)
        assert np.abs(found["edges/u"][step] - u).max() < 1e-12 * np.abs(u).max()
    return h, u


def test_it_is_numpys_model(wave, mesh, tmp_path):
    grid = made(tmp_path, "R3B1")
    numpy = {"hexagons": Hexagons, "triangles": Triangles}[mesh](grid)
    found = arrays(wave)
    h, u = compare_with_numpy(found, numpy, 6)
    vorticity = numpy.vorticity(u)
    assert np.abs(found["corners/vorticity"][-1] - vorticity).max() < 1e-11 * np.abs(vorticity).max()
    area = {"hexagons": grid.dual_area, "triangles": grid.cell_area}[mesh]
    assert found["numbers/mass"] == pytest.approx([np.sum(h * area)] * 6, rel=1e-13)
    corners = {"hexagons": grid.cells_of_vertex, "triangles": grid.vertex_of_cell}[mesh]
    assert np.array_equal(found["cells/mesh_face_nodes"], corners)
    nodes = {"hexagons": grid.clon, "triangles": grid.vlon}[mesh]
    assert np.array_equal(found["cells/mesh_node_x"], nodes)


def test_upwinding_and_viscosity_are_numpys(tmp_path):
    mixing = {"upwinding": 0.5, "viscosity": 1e5}
    run(tmp_path, 3, WAVE | mixing | {"days": 3 / 96}, OUTPUT)
    compare_with_numpy(arrays(tmp_path), Hexagons(made(tmp_path, "R3B1"), **mixing), 3)


GENERATED = {"tendencies": "stencils"}
MOUNTAIN = {"case": "williamson5", "root": 3, "level": 1, "time_step": 900.0}


def same_files(one: Path, other: Path) -> bool:
    found, expected = arrays(one), arrays(other)
    assert found.keys() == expected.keys() and "cells/h" in found
    return [name for name in found if found[name].tobytes() != expected[name].tobytes()] == []


@pytest.mark.parametrize("mixing", [{}, {"upwinding": 0.5, "viscosity": 1e5}])
def test_generated_tendencies_have_the_bits_of_those_by_hand(tmp_path, mixing):
    settings = MOUNTAIN | mixing | {"days": 8 / 96}
    run(tmp_path / "hand", 1, settings, OUTPUT)
    for ranks, threads in ((1, 2), (3, 1)):
        run(tmp_path / "stencils", ranks, settings | GENERATED, OUTPUT, threads=threads)
        assert same_files(tmp_path / "stencils", tmp_path / "hand")


@pytest.mark.skipif(not os.environ.get("TAILRACE_TEST_FAULTS"), reason="ten days on 1 to 8 ranks take minutes")
def test_ten_days_of_generated_tendencies(tmp_path):
    settings = MOUNTAIN | {"days": 10}
    every_day = yaml.safe_load(yaml.safe_dump(OUTPUT).replace("every: 1 step", "every: 1 d"))
    run(tmp_path / "hand", 1, settings, every_day)
    for ranks in range(1, 9):
        for threads in (1, 4) if ranks > 2 else (1, 2, 3, 4):
            run(tmp_path / "stencils", ranks, settings | GENERATED, every_day, threads=threads)
            assert same_files(tmp_path / "stencils", tmp_path / "hand"), (ranks, threads)


def test_the_weights_have_their_property(tmp_path):
    """The turned flux circulates around a triangle as the flux leaves the hexagons there, by their shares."""
    model = Hexagons(made(tmp_path, "R2B1"))
    assert abs(model.circulation @ model.turned + model.shares @ model.outflow).max() < 1e-14
    assert abs(model.turned + model.turned.T).max() < 1e-14


def test_the_average_takes_what_alternates(tmp_path):
    """A triangle that points up has only neighbours that point down, but for those along cuts of the icosahedron."""
    model = Triangles(made(tmp_path, "R2B3"))
    up = np.arange(len(model.g.cell_area)) % 2 * 2.0 - 1
    alternates = abs(model.difference) @ up == 0
    inside = model.inside @ alternates == 3
    inside &= model.inside @ (model.mean @ inside) == 3
    assert np.mean(inside) > 0.8
    assert np.abs(model.averaged(up)[inside]).max() < 0.05
    z = model.g.cell_centre[:, 2]  # a smooth field stays
    assert np.abs(model.averaged(z) - z).max() < 0.01


def test_the_bits_do_not_depend_on_ranks(wave, mesh, tmp_path):
    every = os.environ.get("TAILRACE_TEST_FAULTS")
    for ranks in (1, 3, 4, 5, 6, 7, 8) if every else (5,):
        run(tmp_path / "others", ranks, WAVE | {"mesh": mesh}, OUTPUT)
        assert same_files(tmp_path / "others", wave), ranks


def test_a_run_in_pieces_is_the_run_in_one(wave, mesh, tmp_path):
    checkpoint = {"directory": "restart", "fields": ["h", "u"]}
    folder = tmp_path / "pieces"
    settings = WAVE | {"mesh": mesh}
    run(folder, 3, settings | {"days": 3 / 96}, OUTPUT, checkpoint=checkpoint | {"every": "3 steps"})
    # A restart continues the files.
    run(folder, 1, settings, OUTPUT, checkpoint=checkpoint | {"every": "never", "restart": "require"})
    whole, pieces = arrays(wave), arrays(folder)
    assert [name for name in whole if whole[name].tobytes() != pieces[name].tobytes()] == []


def test_checkers_find_nothing(wave):
    if not (BIN / "ugrid-checker").exists():
        pytest.skip("ugrid-checker is not installed")
    for name in ("cells", "edges", "corners"):
        done = subprocess.run([BIN / "ugrid-checker", wave / f"{name}.nc"], capture_output=True, text=True)
        assert "No problems found" in done.stdout, done.stdout
        assert quick_complaints(wave / f"{name}.nc") == []
    assert cfchecks(wave / "cells.nc") == []


def test_solid_rotation_stays(mesh, tmp_path):
    settings = {"case": "williamson2", "days": 5.0, "mesh": mesh}
    errors = [number(run(tmp_path, 1, settings | {"level": level}), "height") for level in (2, 3)]
    # Between first and second order, as the operators.
    assert errors[1] < 1.5e-3
    assert 1.3 < np.log2(errors[0] / errors[1]) < 2.2
    tilted = number(run(tmp_path, 1, settings | {"level": 3, "tilt": 0.7}), "height")
    assert tilted == pytest.approx(errors[1], rel=0.5)


def test_a_jet_stays(mesh, tmp_path):
    """Galewsky's jet without its bump: its balance is that of the model, the better the finer the grid."""
    settings = {"case": "galewsky", "perturbation": 0.0, "days": 0.5, "mesh": mesh}
    errors = [number(run(tmp_path, 1, settings | {"level": level}), "height") for level in (2, 3)]
    assert errors[0] > 1.8 * errors[1]
    assert errors[1] < 4e-3


COLUMNS = {
    "fields": {
        "state": {"every": "1 step", "names": ["h", "u"]},
        "columns": {"every": "1 step", "names": ["tracer", "tracer_state", "air_state"]},
    },
    "diagnostics": {},
}
CARRIED = {
    "columns.nc": {"variables": [{"field": "tracer", "operation": "snapshot", "every": "1 step"},
                                 {"field": "tracer", "name": "mean", "operation": "mean", "every": "4 steps"}]},
    "states.nc": {"variables": [{"field": name, "operation": "snapshot", "every": "1 step"}
                                for name in ("tracer_state", "air_state")]},
}  # fmt: skip
OVER_A_POLE = {
    "case": "williamson2",
    "tilt": 1.4,
    "root": 3,
    "level": 2,
    "time_step": 1800.0,
    "days": 8 / 48,
    "tracer_levels": 3,
}


@pytest.fixture(scope="module")
def carried(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("carried")
    run(folder, 2, OVER_A_POLE | {"region_level": 1}, CARRIED, **COLUMNS)
    return folder


def test_tracers_are_conserved_and_stay_in_range(carried):
    found = arrays(carried)
    ratio, air, area = (found[f"states/{name}"] for name in ("tracer_state", "air_state", "column_area"))
    assert ratio.shape == (8, 3, 1442)
    for sums in ((air * area).sum(-1), (ratio * air * area).sum(-1)):
        assert np.ptp(sums, axis=0).max() < 1e-14 * sums.max()
    assert ratio.min() > 10 - 1e-12  # the ground on which the bells stand
    assert (np.diff(ratio.max(-1), axis=0) < 1e-12).all()
    assert np.abs(air - 1).max() < 0.05
    assert np.array_equal(found["columns/tracer"], ratio.astype(np.float32))
    means = found["columns/tracer"].reshape(2, 4, 3, 1442).mean(1, dtype=np.float64)
    assert np.allclose(found["columns/mean"], means, rtol=1e-6)


def expect_bells_to_go_with_the_wind(found: dict) -> None:
    """The centre of mass of a bell turns around the axis of the flow, more slowly at higher levels."""
    lon, lat = (np.radians(found[f"states/column_{name}"]) for name in ("lon", "lat"))
    x = np.stack([np.cos(lat) * np.cos(lon), np.cos(lat) * np.sin(lon), np.sin(lat)])
    axis = np.array([-np.sin(1.4), 0, np.cos(1.4)])
    for level, factor in enumerate((1, 5 / 6, 2 / 3)):
        longitude = 2 * np.pi * level / 3
        start = np.array([np.cos(longitude), np.sin(longitude), 1]) / np.sqrt(2)
        angle = factor * 2 * np.pi / 12 * OVER_A_POLE["days"]
        along = np.dot(axis, start) * axis  # Rodrigues
        end = along + np.cos(angle) * (start - along) + np.sin(angle) * np.cross(axis, start)
        mass = (found["states/tracer_state"][-1, level] - 10) * found["states/column_area"]
        centre = x @ mass / np.linalg.norm(x @ mass)
        assert np.linalg.norm(centre - end) < 0.1 * np.linalg.norm(end - start)


def test_pictures(carried, tmp_path):
    """A field whose times are not called `time` is drawn at one of its levels; what is not in cells is refused."""
    picture = tmp_path / "mean.png"
    for name, told in (("mean", ""), ("column_lon", "column_lon is not in the cells of a mesh; expected a field that")):
        command = [sys.executable, TREE / "igcm/model/plot.py", carried / "columns.nc", name, picture, "3"]
        done = subprocess.run(command, capture_output=True, text=True, timeout=60)
        assert (done.returncode != 0) == bool(told) and told in done.stderr, done.stderr
    assert picture.read_bytes().startswith(b"\x89PNG")


def test_tracers_go_with_the_wind(carried):
    expect_bells_to_go_with_the_wind(arrays(carried))


def test_tracers_on_a_smaller_planet(tmp_path):
    """There the wind of this case is weaker by the radius, so it passes the same angle in a day."""
    run(tmp_path, 1, OVER_A_POLE | {"radius": 4e6}, CARRIED, **COLUMNS)
    found = arrays(tmp_path)
    expect_bells_to_go_with_the_wind(found)
    assert found["states/column_area"].sum() == pytest.approx(4 * np.pi * 4e6**2)


def test_a_constant_stays(tmp_path):
    run(tmp_path, 1, OVER_A_POLE | {"tracer": "constant", "mesh": "triangles", "days": 4 / 48}, CARRIED, **COLUMNS)
    assert np.abs(arrays(tmp_path)["states/tracer_state"] - 70).max() < 1e-12


def test_tracers_on_other_ranks_and_in_pieces(carried, tmp_path):
    """The same bits on five ranks, of which the last ones go on from a checkpoint."""
    settings = OVER_A_POLE | {"region_level": 1}
    checkpoint = {"directory": "restart", "fields": ["h", "u", "tracer_state", "air_state"]}
    run(tmp_path, 3, settings | {"days": 4 / 48}, CARRIED, checkpoint=checkpoint | {"every": "4 steps"}, **COLUMNS)
    run(tmp_path, 5, settings, CARRIED, checkpoint=checkpoint | {"every": "never", "restart": "require"}, **COLUMNS)
    whole, pieces = arrays(carried), arrays(tmp_path)
    assert [name for name in whole if whole[name].tobytes() != pieces[name].tobytes()] == []


def test_mistakes_with_tracers(tmp_path):
    fast = {"time_step": 43200.0, "days": 1.0, "case": "williamson6", "tilt": 0.0, "level": 1, "root": 1}
    for settings, ranks, told in (
        ({"region_level": 3}, 1, "region_level: 2^3 does not divide the side of the diamonds, 12"),
        ({}, 11, "region_level: 10 regions for 11 ranks of the model; expected a larger region_level, or fewer ranks"),
        (fast, 1, "a shorter time_step"),
        ({"tracer": "bell"}, 1, "tracer: 'bell' is unknown (known: bells, constant)"),
    ):
        assert told in run(tmp_path, ranks, OVER_A_POLE | settings, status=1)


def test_conservation(mesh, tmp_path):
    """Mass to rounding. The scheme in space conserves energy: the loss falls with the step as the method in time."""
    settings = {"case": "williamson5", "level": 2, "days": 2.0, "mesh": mesh, "divergence_damping": 0.0}
    steps = (1440.0, 720.0) if mesh == "hexagons" else (720.0, 360.0)
    coarse, fine = (run(tmp_path, 1, settings | {"time_step": step}) for step in steps)
    for text in (coarse, fine):
        assert abs(number(text, "mass")) < 1e-14
    assert abs(number(coarse, "energy")) < 2e-6
    assert abs(number(fine, "energy")) < abs(number(coarse, "energy")) / 16


def test_mistakes_in_the_namelist(tmp_path):
    text = run(tmp_path, 1, {"days": 1.0, "levels": 3}, status=1)
    assert "shallow_water: igcm.nml:4: 'levels' is unknown (known: case, configuration, days, " in text
    assert "igcm.nml:3: days: expected a number, not ''long''" in run(tmp_path, 1, {"days": "long"}, status=1)
    assert "case: 'williamson9' is unknown (known: galewsky, " in run(tmp_path, 1, {"case": "williamson9"}, status=1)
    for settings, told in (
        ({"days": -1.0}, "igcm.nml:3: days: expected a number above 0, not -1.0"),
        ({"time_step": -5}, "igcm.nml:3: time_step: expected 0 or more, not -5"),
        ({"mesh": "squares"}, "igcm.nml:3: mesh: 'squares' is unknown (known: hexagons, triangles)"),
        ({"relaxation": "springs"}, "relaxation: 'springs' is unknown (known: centroidal, none, spring)"),
        ({"mesh": "triangles", "upwinding": 0.5}, "upwinding: is for hexagons; expected 0 with mesh = 'triangles'"),
        ({"tendencies": "dsl"}, "igcm.nml:3: tendencies: 'dsl' is unknown (known: hand, stencils)"),
        ({"mesh": "triangles", "tendencies": "stencils"}, "tendencies: 'stencils' are for hexagons; expected 'hand'"),
        ({"tilt": 0.5}, "igcm.nml:4: tilt: is for williamson2; expected 0 with case = 'williamson6'"),
        ({"configuration": "a!b.yaml"}, "a!b.yaml"),
        ({"gravity": 0}, "igcm.nml:3: gravity: expected a number above 0, not 0"),
        ({"days": 1e-9, "root": 1, "level": 1}, "are less than half a step"),
    ):
        assert told in run(tmp_path, 1, settings, status=1)
    (tmp_path / "igcm.nml").write_text('&shallow_water days = 1.0 days = 2.0, case="williamson2" /')
    done = subprocess.run([PROGRAM, "igcm.nml"], cwd=tmp_path, env=mpi_environment(), capture_output=True, text=True)
    assert done.returncode != 0 and "igcm.nml:1: days: is given twice" in done.stderr


def test_more_ranks_than_hexagons(tmp_path):
    said = run(tmp_path, 11, {"root": 1, "level": 0, "days": 0.1}, status=1)
    assert "11 ranks of the model for 12 hexagons; expected at most 10 ranks, or a finer grid" in said


def test_an_unstable_run_says_so(tmp_path):
    said = run(tmp_path, 1, {"root": 2, "level": 1, "days": 5.0, "time_step": 20000}, status=1)
    assert "the model has become unstable before day" in said


def test_a_wave_converges(tmp_path):
    """The height of the Rossby-Haurwitz wave after half a day, at the points that all grids share, against R2B4."""
    found = {}
    for level in (1, 2, 4):
        settings = {"case": "williamson6", "level": level, "days": 0.5, "time_step": 450.0}
        folder = tmp_path / str(level)
        last = {"h.nc": {"variables": [{"field": "h", "operation": "snapshot", "every": "12 h"}]}}
        run(folder, 1, settings, last)
        values, grid = arrays(folder), made(folder, f"R2B{level}")
        at = KDTree(grid.vertex).query(found["points"] if found else grid.vertex)[1]
        found.setdefault("points", grid.vertex)
        found[level] = values["h/h"][-1][at]
    errors = [np.linalg.norm(found[level] - found[4]) for level in (1, 2)]
    assert errors[0] > 2.5 * errors[1]
