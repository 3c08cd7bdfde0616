"""The model forced computes the same whether it reads its 48 files by itself or gets them through Tailrace, linked or
by YAC, and its inputs are those that xarray finds in the files."""

import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
import xarray
from support.coupled_runs import needs_coupling
from support.harness import BUILD, TREE, mpi_environment

EXAMPLE = TREE / "examples" / "forced"
PROGRAMS = BUILD / "examples" / "forced"
CELLS = (23, 10, 7)
HOURS = 7
START = np.datetime64("2001-07-01")
LAST = np.timedelta64(HOURS - 1, "h")  # the inputs are updated every hour, at the begin of a step

sys.path.insert(0, str(EXAMPLE))
make_forcing = pytest.importorskip("make_forcing")
TABLE = make_forcing.table()


def has_netcdf_fortran() -> bool:
    found = subprocess.run(["pkg-config", "--exists", "netcdf-fortran"], check=False)
    return found.returncode == 0


def needs_all_of_yac(test):
    """Where YAC is installed the program is built, or these tests fail."""
    for mark in needs_coupling:
        test = mark(test)
    return test


needs_netcdf_fortran = pytest.mark.skipif(not has_netcdf_fortran(), reason="libnetcdff-dev is not installed")


@dataclass(frozen=True)
class Run:
    results: dict[str, str]
    dump: bytes

    def inputs(self) -> dict[str, np.ndarray]:
        """The inputs of the last update: (lev, lat, lon) or (lat, lon)."""
        values, found = np.frombuffer(self.dump, "f8"), {}
        nx, ny, nz = CELLS
        for line in TABLE:
            shape = (nz, ny, nx) if line.grid == "volume" else (ny, nx)
            found[line.name], values = values[: np.prod(shape)].reshape(shape), values[np.prod(shape) :]
        return found


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("forced")
    cells = [str(length) for length in CELLS]
    command = [str(EXAMPLE / "make_forcing.py"), "forcing", "--cells", *cells, "--hours", str(HOURS)]
    subprocess.run([sys.executable, *command], cwd=folder, check=True, timeout=60)
    (folder / "inputs.yaml").write_text((EXAMPLE / "inputs.yaml").read_text())
    return folder


def ran(folder: Path, ranks: int, way: str, configuration: str = "forced.yaml", beside: tuple[str, ...] = ()) -> Run:
    """`beside`: arguments of the launcher, after a colon."""
    nx, ny, nz = CELLS
    (folder / "forced.nml").write_text(
        f"&forced variables = '{EXAMPLE / 'variables.txt'}', configuration = '{configuration}',\n"
        f"nx = {nx}, ny = {ny}, nz = {nz}, hours = {HOURS}, substeps = 1, dump = 'dump' /\n"
    )
    (folder / "dump").unlink(missing_ok=True)
    command = ["mpirun", "-n", str(ranks), str(PROGRAMS / f"forced_{way}"), "forced.nml", *beside]
    done = subprocess.run(command, cwd=folder, env=mpi_environment(), capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr
    results = dict(line.split()[1:] for line in done.stdout.splitlines() if line.startswith("result "))
    return Run(results, (folder / "dump").read_bytes())


@pytest.fixture(scope="module")
def by_itself(folder) -> Run:
    if not has_netcdf_fortran():
        pytest.skip("libnetcdff-dev is not installed")
    return ran(folder, 1, "own")


def expected(folder: Path, line: make_forcing.Line) -> np.ndarray:
    """The input at the last update, from the file by xarray."""
    with xarray.open_dataset(folder / "forcing" / f"{line.name}.nc", mask_and_scale=False) as data:
        raw = data[line.variable].load()
        values = raw.astype("f8")
        if "_FillValue" in raw.attrs:
            values = values.where(raw != raw.attrs["_FillValue"])
        values = values * raw.attrs.get("scale_factor", 1.0) + raw.attrs.get("add_offset", 0.0)
        values = values.assign_coords(lon=data["lon"] % 360.0).sortby(["lat", "lon"])
        if "lev" in values.dims:
            values = values.sortby("lev")
        if line.times != "const":
            values = at_last(values, data, line)
        if line.missing != "-":
            values = values.fillna(float(line.missing))
        dims = ["lev", "lat", "lon"] if line.grid == "volume" else ["lat", "lon"]
        return values.transpose(*dims).values


def at_last(values: xarray.DataArray, data: xarray.Dataset, line: make_forcing.Line) -> xarray.DataArray:
    if line.times == "monthly":
        months = np.arange("2001-01", "2002-02", dtype="datetime64[M]").astype("datetime64[ns]")
        values = values.assign_coords(time=months[:-1] + (months[1:] - months[:-1]) / 2)
    elif "bounds" in data["time"].attrs:
        bounds = data["time_bnds"].values
        middles = bounds[:, 0] + (bounds[:, 1] - bounds[:, 0]) / 2
        values = values.assign_coords(time=bounds[:, 0] if line.rule == "previous" else middles)
    if line.rule == "previous":
        return values.sel(time=START + LAST, method="ffill")
    return values.interp(time=START + LAST)


@pytest.mark.parametrize("line", TABLE, ids=lambda line: line.name)
def test_each_input_is_what_xarray_finds(line, by_itself, folder):
    np.testing.assert_allclose(by_itself.inputs()[line.name], expected(folder, line), rtol=1e-12)


def test_no_two_inputs_are_alike(by_itself):
    digests = {values.tobytes() for values in by_itself.inputs().values()}
    assert len(digests) == len(TABLE) == 48


@needs_netcdf_fortran
@pytest.mark.parametrize("ranks", [2, 3, 7])
def test_the_number_of_ranks_changes_nothing(ranks, by_itself, folder):
    assert ran(folder, ranks, "own").dump == by_itself.dump


SERVERS = {
    "dedicated": (4, "{mode: dedicated, count: 1}"),
    "attached": (3, "{mode: attached}"),
}


@pytest.mark.parametrize("mode", SERVERS)
def test_tailrace_gives_the_same_bits(mode, by_itself, folder):
    ranks, servers = SERVERS[mode]
    text = (EXAMPLE / "forced.yaml").read_text()
    assert "{mode: dedicated, count: 1}" in text
    (folder / f"{mode}.yaml").write_text(text.replace("{mode: dedicated, count: 1}", servers))
    through = ran(folder, ranks, "tailrace", f"{mode}.yaml")
    assert through.results["checksum"] == by_itself.results["checksum"]
    assert through.dump == by_itself.dump


@pytest.fixture
def coupled(folder):
    """A run in which YAC couples the model with Tailrace, whose configuration is `text`."""
    here = {"level_90": f"level_{CELLS[2]}", "T11:00:00": f"T{HOURS - 1:02}:00:00"}
    coupling = (EXAMPLE / "coupling.yaml").read_text()
    assert "end_date: 2001-07-01T11:00:00" in coupling
    (folder / "coupling.yaml").write_text(coupling.replace("T11:00:00", here["T11:00:00"]))

    def run(ranks: int, servers: int, text: str) -> Run:
        (folder / "coupled.yaml").write_text(text.replace("level_90", here["level_90"]))
        serve = [sys.executable, "-m", "tailrace.cli", "serve", "--yac", "coupling.yaml", "coupled.yaml"]
        return ran(folder, ranks, "yac", beside=(":", "-n", str(servers), *serve))

    return run


@needs_all_of_yac
@pytest.mark.parametrize(("ranks", "servers"), [(1, 1), (3, 2)])
def test_yac_gives_the_same_bits(ranks, servers, by_itself, coupled):
    """The model makes no call of Tailrace."""
    through = coupled(ranks, servers, (EXAMPLE / "coupled.yaml").read_text())
    assert through.results["input"] == "yac"
    assert through.results["checksum"] == by_itself.results["checksum"]
    assert through.dump == by_itself.dump


@needs_all_of_yac
def test_levels_of_another_number_are_refused(coupled):
    """`yac.levels` with the coordinate of rows."""
    text = (EXAMPLE / "coupled.yaml").read_text()
    with pytest.raises(AssertionError) as raised:
        coupled(1, 1, text.replace("variable: lev", "variable: lat"))
    told = f"yac.levels.level_{CELLS[2]}: lat of forcing/layers.nc has {CELLS[1]} values, but YAC couples fields with"
    assert "coupled.yaml:7:12" in str(raised.value) and told in str(raised.value)


@needs_all_of_yac
def test_levels_without_a_coordinate_are_not_guessed(coupled):
    """Those of a file may be upside down."""
    text = (EXAMPLE / "coupled.yaml").read_text()
    with pytest.raises(AssertionError, match=f"level_{CELLS[2]} of the grid a coordinate with its units or axis"):
        coupled(1, 1, "".join(line for line in text.splitlines(True) if "levels:" not in line))


def test_an_input_that_nothing_provides_is_named(folder):
    inputs = (EXAMPLE / "inputs.yaml").read_text()
    (folder / "few_inputs.yaml").write_text("".join(line for line in inputs.splitlines(True) if " ozone:" not in line))
    text = (EXAMPLE / "forced.yaml").read_text()
    (folder / "less.yaml").write_text(text.replace("inputs.yaml", "few_inputs.yaml"))
    with pytest.raises(AssertionError, match="ozone"):
        ran(folder, 2, "tailrace", "less.yaml")
