"""The example sedimentation: its schemes against NumPy, its mass, and the same bits for all ways of output and any
number of ranks."""

import importlib.util
import subprocess
import sys
from pathlib import Path

import netCDF4
import numpy as np
import pytest
from support.harness import BUILD, MPI, TREE, mpi_environment

EXAMPLE = TREE / "examples" / "sedimentation"
PROGRAMS = BUILD / "examples" / "sedimentation"
COLUMNS, LEVELS, STEPS, TOP = 602, 13, 5, 20000.0
DT, SUBSTEPS = 1800.0, 7
TRACERS = ["O3", "CO", "SO2", "NO2", "HNO3", "NH3", "sulphate", "black_carbon", "organic_carbon"]
FALLING = {"dust": (5e-6, 2650), "sea_salt": (8e-6, 2200), "ash": (12e-6, 2400), "pollen": (20e-6, 1000)}
ALL = [*TRACERS, *FALLING]


def needs(way: str) -> pytest.MarkDecorator:
    return pytest.mark.skipif(not (PROGRAMS / f"sedimentation_{way}").exists(), reason=f"built without {way}")


def lay_out(folder: Path, **settings) -> None:
    chosen = {"columns": COLUMNS, "levels": LEVELS, "steps": STEPS, "substeps": SUBSTEPS, "top": TOP, "dt": DT}
    chosen |= settings
    listed = ", ".join(f"{key} = {value}" for key, value in chosen.items())
    (folder / "run.nml").write_text(f"&sedimentation {listed} /\n")
    (folder / "sedimentation.yaml").write_text((EXAMPLE / "sedimentation.yaml").read_text())
    end = np.datetime64("2026-01-01T00:00:00") + np.timedelta64(int(DT * chosen["steps"]), "s")
    coupling = (EXAMPLE / "coupling.yaml").read_text()
    assert "end_date: 2026-01-01T12:00:00" in coupling
    (folder / "coupling.yaml").write_text(coupling.replace("end_date: 2026-01-01T12:00:00", f"end_date: {end}"))


def launched(folder: Path, way: str, ranks: int, *beside: str) -> subprocess.CompletedProcess:
    command = ["mpirun", "-n", str(ranks), str(PROGRAMS / f"sedimentation_{way}"), "run.nml", *beside]
    return subprocess.run(command, cwd=folder, env=mpi_environment(), capture_output=True, text=True, timeout=120)


def alone(folder: Path, way: str) -> subprocess.CompletedProcess:
    """On one rank, without a launcher, which is faster."""
    command = [str(PROGRAMS / f"sedimentation_{way}"), "run.nml"]
    return subprocess.run(command, cwd=folder, env=mpi_environment(), capture_output=True, text=True, timeout=120)


def ran(folder: Path, way: str, ranks: int, *beside: str) -> dict[str, str]:
    done = launched(folder, way, ranks, *beside)
    assert done.returncode == 0, done.stdout + done.stderr
    results = dict(line.split()[1:] for line in done.stdout.splitlines() if line.startswith("result "))
    assert results["way"] == way
    return results


def tracers_of(path: Path) -> dict[str, np.ndarray]:
    with netCDF4.Dataset(path) as file:
        return {name: np.asarray(file[name][:]) for name in ALL}


def assert_equal(path: Path, expected: dict[str, np.ndarray]) -> None:
    for name, values in tracers_of(path).items():
        assert values.tobytes() == expected[name].tobytes(), name


@pytest.fixture(scope="module")
def serial(tmp_path_factory) -> Path:
    """The folder of a run that writes with netCDF, on one rank."""
    if not (PROGRAMS / "sedimentation_netcdf").exists():
        pytest.skip("built without netCDF-Fortran")
    folder = tmp_path_factory.mktemp("serial")
    lay_out(folder)
    assert alone(folder, "netcdf").returncode == 0
    return folder


@pytest.fixture(scope="module")
def expected(serial) -> dict[str, np.ndarray]:
    return tracers_of(serial / "sedimentation.nc")


@needs("netcdf")
def test_netcdf_on_several_ranks(tmp_path, expected):
    lay_out(tmp_path)
    ran(tmp_path, "netcdf", 6)
    assert_equal(tmp_path / "sedimentation.nc", expected)


@needs("pnetcdf")
def test_pnetcdf(tmp_path, expected):
    lay_out(tmp_path)
    ran(tmp_path, "pnetcdf", 4)
    assert_equal(tmp_path / "sedimentation.nc", expected)


@pytest.fixture(scope="module")
def linked(tmp_path_factory) -> Path:
    """The file of a run that writes through Tailrace, on three ranks and a server; it has the mesh."""
    folder = tmp_path_factory.mktemp("linked")
    lay_out(folder)
    ran(folder, "tailrace", 4)
    return folder / "sedimentation.nc"


def test_tailrace(linked, expected):
    assert_equal(linked, expected)
    with netCDF4.Dataset(linked) as file:
        assert np.array_equal(file["time"][:], DT * np.arange(STEPS + 1))
        assert file["mesh"].cf_role == "mesh_topology"


@needs("yac")
def test_yac(tmp_path, serial, expected):
    lay_out(tmp_path)
    receiver = [str(Path(__file__).with_name("receive.py")), str(serial / "sedimentation.nc"), "got.npz"]
    ran(tmp_path, "yac", 5, ":", "-n", "1", sys.executable, *receiver)
    got = np.load(tmp_path / "got.npz")
    for name in ALL:
        assert got[name].tobytes() == expected[name].tobytes(), name


@needs("yac")
def test_yac_takes_whole_seconds(tmp_path):
    lay_out(tmp_path, dt=900.5)
    done = alone(tmp_path, "yac")
    assert done.returncode != 0 and "dt must be a whole number of seconds" in done.stderr


@needs("yac")
@pytest.mark.parametrize(("ranks", "servers"), [(6, 1), (2, 3)])
def test_tailrace_through_yac(tmp_path, linked, expected, ranks, servers):
    """The model makes no call of Tailrace. The mesh is that of the file of a run that does."""
    lay_out(tmp_path)
    (tmp_path / "mesh.nc").write_bytes(linked.read_bytes())
    (tmp_path / "coupled.yaml").write_text((EXAMPLE / "coupled.yaml").read_text())
    serve = [sys.executable, "-m", "tailrace.cli", "serve", "--yac", "coupling.yaml", "coupled.yaml"]
    ran(tmp_path, "yac", ranks, ":", "-n", str(servers), *serve)
    assert_equal(tmp_path / "sedimentation.nc", expected)
    with netCDF4.Dataset(tmp_path / "sedimentation.nc") as file:
        assert np.array_equal(file["time"][:], DT * np.arange(STEPS + 1))
        assert {(file[name].units, file[name].long_name) for name in ("CO", "ash")} == {
            ("kg kg-1", "carbon monoxide"),
            ("kg kg-1", "volcanic ash"),
        }


def test_without_output(tmp_path):
    lay_out(tmp_path)
    assert float(ran(tmp_path, "none", 6)["mass_change"]) < 1e-13
    assert {path.name for path in tmp_path.iterdir()} == {"run.nml", "sedimentation.yaml", "coupling.yaml"}


def air_of(lat: np.ndarray, levels: int, top: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Temperature (K), pressure (Pa) and density (kg m-3) of the model's air, (level, cell), from the top down."""
    dz = top / levels
    heights = (levels - 0.5 - np.arange(levels)) * dz
    surface = 300 - 45 * np.sin(np.deg2rad(lat)) ** 2
    temperature = np.maximum(210, surface - 6.5e-3 * heights[:, None])
    thin = 9.80665 * dz / (287.05 * temperature)  # of a whole layer, in scale heights
    above_ground = np.cumsum(thin[::-1], axis=0)[::-1]
    pressure = 101325 * np.exp(-(above_ground - thin / 2))
    return temperature, pressure, pressure / (287.05 * temperature)


def stokes(diameter: float, density: float, temperature: np.ndarray, pressure: np.ndarray) -> np.ndarray:
    """The terminal velocity of a sphere (m s-1): Seinfeld and Pandis (2016), equations 9.6, 9.34 and 9.42."""
    viscosity = 1.458e-6 * temperature**1.5 / (temperature + 110.4)
    free_path = 2 * viscosity / (pressure * np.sqrt(8 * 0.0289647 / (np.pi * 8.314463 * temperature)))
    slip = 1 + 2 * free_path / diameter * (1.257 + 0.4 * np.exp(-0.55 * diameter / free_path))
    return diameter**2 * density * 9.80665 * slip / (18 * viscosity)


def discrete(q: np.ndarray, rho: np.ndarray, velocity: np.ndarray | float, diffusivity: float, dz: float) -> np.ndarray:
    """A step of the model, from the matrices of the schemes instead of loops over fluxes."""
    levels, dt = len(q), DT / SUBSTEPS
    mass = rho * dz
    courant = velocity * dt / dz * np.ones_like(q)
    swapped = np.zeros_like(q)
    swapped[:-1] = diffusivity * dt / dz * (rho[:-1] + rho[1:]) / 2
    result = np.empty_like(q)
    for cell in range(q.shape[1]):
        m, c, s = mass[:, cell], courant[:, cell], swapped[:, cell]
        fall = np.diag(1 - c) + np.diag((m * c)[:-1] / m[1:], -1)
        loss = s / m + np.concatenate([[0], s[:-1]]) / m
        mix = np.diag(1 - loss) + np.diag(s[:-1] / m[:-1], 1) + np.diag(s[:-1] / m[1:], -1)
        result[:, cell] = np.linalg.matrix_power(fall @ mix, SUBSTEPS) @ q[:, cell]
    assert levels == LEVELS
    return result


@pytest.mark.parametrize("name", ["CO", *FALLING])
def test_the_schemes_are_those_of_numpy(serial, expected, name):
    with netCDF4.Dataset(serial / "sedimentation.nc") as file:
        lat = np.asarray(file["lat"][:])
    temperature, pressure, rho = air_of(lat, LEVELS, TOP)
    velocity = stokes(*FALLING[name], temperature, pressure) if name in FALLING else 0.0
    q = expected[name]
    for step in range(STEPS):
        found = discrete(q[step], rho, velocity, 5.0, TOP / LEVELS)
        np.testing.assert_allclose(q[step + 1], found, rtol=1e-11, atol=1e-11 * q[0].max())
    assert not np.allclose(q[STEPS], q[0], rtol=1e-3, atol=0)


@needs("netcdf")
def test_a_tracer_falls_at_its_velocity(tmp_path):
    """The centre of mass of a layer that has not reached the ground, in air that does not mix."""
    levels, velocity, steps = 200, 0.11, 6
    lay_out(tmp_path, columns=60, levels=levels, top=40000, steps=steps, velocity=velocity, diffusivity=0)
    assert alone(tmp_path, "netcdf").returncode == 0
    with netCDF4.Dataset(tmp_path / "sedimentation.nc") as file:
        lat, heights = np.asarray(file["lat"][:]), np.asarray(file["height"][:])
    rho, q = air_of(lat, levels, 40000)[2], tracers_of(tmp_path / "sedimentation.nc")
    expected = velocity * DT * np.arange(1, steps + 1)[:, None] * np.ones(60)
    for name in FALLING:
        mass = q[name] * rho
        centre = (mass * heights[:, None]).sum(axis=1) / mass.sum(axis=1)
        np.testing.assert_allclose(centre[0] - centre[1:], expected, rtol=1e-6)
    assert all(np.array_equal(q[name][0], q[name][-1]) for name in TRACERS)


def test_the_triangles_cover_the_sphere(linked):
    """Each edge has two triangles, and the areas sum to that of a sphere."""
    with netCDF4.Dataset(linked) as file:
        corners = np.asarray(file["mesh_face_nodes"][:])
        lon, lat = np.deg2rad(file["mesh_node_x"][:]), np.deg2rad(file["mesh_node_y"][:])
        corners = corners - file["mesh_face_nodes"].start_index
    assert corners.shape == (COLUMNS, 3) and len(lon) == COLUMNS // 2 + 2
    edges = np.concatenate([corners[:, [0, 1]], corners[:, [1, 2]], corners[:, [2, 0]]])
    assert len(np.unique(edges, axis=0)) == len(edges)  # each once in each direction
    assert np.array_equal(np.unique(edges, axis=0), np.unique(edges[:, ::-1], axis=0))
    places = np.stack([np.cos(lat) * np.cos(lon), np.cos(lat) * np.sin(lon), np.sin(lat)], axis=-1)[corners]
    a, b, c = (places[:, i] for i in range(3))
    turned = np.einsum("ij,ij->i", a, np.cross(b, c))
    assert (turned > 0).all()  # counterclockwise from outside
    below = 1 + sum(np.einsum("ij,ij->i", p, q) for p, q in ((a, b), (b, c), (c, a)))
    assert 2 * np.arctan2(turned, below).sum() == pytest.approx(4 * np.pi, rel=1e-12)


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        ({"columns": 601}, "run.nml: columns must be an even number of at least 60"),
        ({"steps": 0}, "run.nml: levels, steps and substeps must be at least 1"),
        ({"velocity": 50.0}, "substeps must be at least 59"),
        ({"colums": 602}, "run.nml: "),
    ],
)
def test_mistakes_of_the_settings(tmp_path, settings, told):
    lay_out(tmp_path, **settings)
    done = alone(tmp_path, "none")
    assert done.returncode != 0 and told in done.stderr


@pytest.mark.parametrize("way", [pytest.param(way, marks=needs(way)) for way in ("netcdf", "pnetcdf")])
def test_a_file_that_is_there_is_kept(tmp_path, way):
    lay_out(tmp_path, steps=1)
    (tmp_path / "sedimentation.nc").write_text("of somebody else")
    done = alone(tmp_path, way)
    assert done.returncode != 0 and "sedimentation.nc: " in done.stderr
    assert (tmp_path / "sedimentation.nc").read_text() == "of somebody else"


def test_yac_is_tested_where_it_is_installed():
    """So that a change of its package, or of how it is found, does not switch the tests off."""
    if importlib.util.find_spec("yac") is None or MPI != "openmpi":
        pytest.skip("YAC is not installed")
    assert (PROGRAMS / "sedimentation_yac").exists()
