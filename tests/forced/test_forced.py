"""The model forced computes the same whether it reads its 48 files by itself or through Tailrace, and its inputs are
those that xarray finds in the files."""

import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
import xarray
from support.harness import BUILD, TREE, mpi_environment

EXAMPLE = TREE / "examples" / "forced"
FORCED = BUILD / "examples" / "forced" / "forced"
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
    return folder


def ran(folder: Path, ranks: int, way: str, configuration: str = "forced.yaml") -> Run:
    nx, ny, nz = CELLS
    (folder / "forced.nml").write_text(
        f"&forced input = '{way}', variables = '{EXAMPLE / 'variables.txt'}', configuration = '{configuration}',\n"
        f"nx = {nx}, ny = {ny}, nz = {nz}, hours = {HOURS}, substeps = 1, dump = 'dump' /\n"
    )
    command = ["mpirun", "-n", str(ranks), str(FORCED), "forced.nml"]
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


def test_an_input_that_nothing_provides_is_named(folder):
    text = (EXAMPLE / "forced.yaml").read_text()
    (folder / "less.yaml").write_text("".join(line for line in text.splitlines(True) if " ozone:" not in line))
    with pytest.raises(AssertionError, match="ozone"):
        ran(folder, 2, "tailrace", "less.yaml")
