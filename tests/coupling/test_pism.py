"""`tailrace serve --pism` in the place of PISM's own writer; support/pism_calls.py makes PISM's calls."""

import json
import os
import sys
import time
from pathlib import Path

import netCDF4
import numpy as np
import pytest
import xarray as xr
import zarr
from support import pism_contents
from support.coupled_runs import needs_coupling
from support.harness import Running, mpi_environment
from tailrace.yac.running import GRACE

pytestmark = needs_coupling
CALLS = Path(pism_contents.__file__).with_name("pism_calls.py")
FAULTS = os.environ.get("TAILRACE_TEST_FAULTS")
SERVE = [sys.executable, "-m", "tailrace.cli", "serve", "--pism", "run.yaml"]
PLAIN = "tailrace: 1\nservers: {watchdog: 1 s}\nyac: {wait_for: 8 s}\n"


def start(folder, options=(), models=1, servers=1, config=PLAIN, witness=False, is_last=True):
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "run.yaml").write_text(config)
    component = [sys.executable, str(CALLS)]
    parts = [["-n", str(models), *component, *options], ["-n", str(servers), *SERVE]]
    if witness:
        parts.insert(1, ["-n", "1", *component, "witness"])
    command = [word for part in (parts if is_last else parts[::-1]) for word in (":", *part)][1:]
    return Running(["mpirun", *command], folder, mpi_environment())


def run(folder, *options, **keywords):
    with start(folder, options, **keywords) as running:
        return running.wait()


def opened(path):
    data = netCDF4.Dataset(path)
    data.set_auto_mask(False)
    return data


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """A run with a witness; one process makes the files."""
    result = run(tmp_path_factory.mktemp("whole"), models=3, witness=True).finished()
    assert "error" not in result.output
    return result.folder


def in_file(received, name):
    """(time, y, x, level) of what YAC gave, in the type of the file."""
    dims, of_time, kind, _ = pism_contents.VARIABLES[name]
    values = np.moveaxis(received.reshape(*received.shape[:2], *pism_contents.GRIDS[dims[:2]]), 1, -1)
    values = values if len(dims) == 3 else values[..., 0]
    return (values if of_time else values[0]).astype(kind)


def test_fields_are_what_a_target_of_a_few_lines_receives(whole):
    """Each put goes to one file: those of a time come one after the other."""
    received = np.load(whole / "witness.npz")
    files = {"spatial": [0, 2, 4], "snapshots": [1, 3]}
    for stem, puts in files.items():
        with opened(whole / f"{stem}.nc") as data:
            for name in pism_contents.IN_FILE[stem]:
                _, of_time, kind, _ = pism_contents.VARIABLES[name]
                in_both = name in pism_contents.IN_FILE["snapshots"]
                expected = received[name][puts if in_both else slice(None)]
                assert np.ptp(expected) > 0.5 and data[name].dtype == kind
                assert data[name][:].tobytes() == in_file(expected, name).tobytes(), name
                assert data[name].dimensions == ("time",) * of_time + pism_contents.VARIABLES[name][0]


def test_times_are_those_of_pism(whole):
    for stem, times in pism_contents.TIMES.items():
        with opened(whole / f"{stem}.nc") as data:
            assert data["time"][:].tolist() == times
            assert data["time"].calendar == "noleap" and data["time"].units == "seconds since 0001-01-01 00:00:00"
            assert data["step_counter"][:].tolist() == [100 * at for at in range(len(times))]
    with opened(whole / "spatial.nc") as data:
        assert data["time"].bounds == "time_bounds" and data["time_bounds"].ncattrs() == []
        bounds = data["time_bounds"][:]
        assert np.allclose(bounds.mean(axis=1), data["time"][:], rtol=1e-15) and (bounds[1:, 0] == bounds[:-1, 1]).all()
    with xr.open_dataset(whole / "spatial.nc") as data:  # decodes the dates
        assert str(data["time"].values[0]).startswith("0001-07-02")
    with opened(whole / "snapshots.nc") as data:
        assert "bounds" not in data["time"].ncattrs()


def test_attributes_coordinates_and_the_configuration_are_there(whole):
    with opened(whole / "spatial.nc") as data:
        thk, mask, enthalpy, uplift = (data[name] for name in ("thk", "mask", "enthalpy", "uplift"))
        assert (thk.units, thk.standard_name, thk.valid_min, thk.grid_mapping) == (
            "m",
            "land_ice_thickness",
            0.0,
            "mapping",
        )
        assert mask.flag_values.tolist() == [0, 2, 3] and mask.flag_values.dtype == np.int32
        assert "units" not in mask.ncattrs() and "output_units" not in enthalpy.ncattrs()
        assert enthalpy.getncattr("_FillValue") == np.float32(-2e9) and enthalpy[0, 0, 0, 0] == np.float32(-2e9)
        assert uplift.cell_methods == "time: mean" and uplift.pism_intent == "model"
        assert data["topg"].coordinates == "lat"  # lon is not in this file
        assert "bounds" not in data["lat"].ncattrs()  # nor lat_bnds
        assert data["mapping"].straight_vertical_longitude_from_pole == -39.0
        for dim in ("x", "y", "z", "x2", "y2"):
            assert data[dim][:].tolist() == pism_contents.coordinate(dim).tolist() and data[dim].spacing == 1000.0
        assert (data.history, data.Conventions, data.test.tolist()) == ("some history", "CF-1.6", [1.0, 2.0])
        table = dict(netCDF4.chartostring(data["pism_config"][:]).tolist())
        assert table["run_info.title"] == 'a "test"' and table["geometry.update.enabled"] == "true"
        assert json.loads(table["constants.ice.density"]) == [910.0, "kg m-3"]


def test_two_processes_give_the_same_files(whole, tmp_path):
    """In whatever order the programs are started."""
    config = PLAIN.replace("{watchdog: 1 s}", "{watchdog: 1 s, mode: attached}")
    run(tmp_path, models=2, servers=2, config=config, is_last=False).finished()
    for name in ("spatial.nc", "snapshots.nc"):
        with xr.open_dataset(whole / name) as one, xr.open_dataset(tmp_path / name) as other:
            without = ["tailrace_configuration"]
            for data in (one, other):
                for attribute in without:
                    del data.attrs[attribute]
            xr.testing.assert_identical(one, other)


def test_the_pipeline_does_with_the_fields_what_the_configuration_asks(whole, tmp_path):
    config = PLAIN + (
        "defaults: {compression: zlib}\n"
        "diagnostics: {volume: {is: 'sum(thk, y, x)', units: m, optional: true}}\n"
        "output:\n"
        "  '{file}': {variables: [{field: thk, every: 1 step}, {field: volume, every: 1 step}]}\n"
        "  '{stem}.zarr': {format: zarr, variables: [{field: thk, operation: mean, every: 73000 d}]}\n"
    )
    run(tmp_path, config=config).finished()
    with opened(whole / "spatial.nc") as all_of_it, opened(tmp_path / "spatial.nc") as data:
        thk = all_of_it["thk"][:]
        assert np.array_equal(data["thk"][:], thk) and data["thk"].filters()["zlib"]
        assert "enthalpy" not in data.variables
        assert np.allclose(data["volume"][:], thk.sum(axis=(1, 2)), rtol=1e-12)
    mean = zarr.open(tmp_path / "spatial.zarr", mode="r")["thk"][...]
    assert mean.shape == (1, 7, 5) and np.isfinite(mean).all()


# ---- what goes wrong


def errors_of(result):
    assert result.status != 0
    return [line for line in result.output.splitlines() if line.startswith("tailrace: error: ")]


def times_in(path):
    with opened(path) as data:
        return data["time"][:].tolist()


def test_an_order_that_cannot_be_followed_ends_the_job(tmp_path):
    """test_pism_orders.py has the others."""
    errors = errors_of(run(tmp_path, 'order={"action": 15, "info": {}}', servers=2))
    assert len(errors) == 1 and "PISM gave the order number 15, which is unknown; expected 1 to 14" in errors[0]


def test_what_the_first_process_finds_ends_the_files_of_all(tmp_path):
    (tmp_path / "snapshots.nc").mkdir()
    begin = time.monotonic()
    errors = errors_of(run(tmp_path, servers=2))
    assert len(errors) == 1 and "snapshots.nc is a folder, and PISM makes a file of this name" in errors[0]
    assert times_in(tmp_path / "spatial.nc") == pism_contents.TIMES["spatial"][:1]
    assert time.monotonic() - begin < GRACE, "a process waited for the others to end their files"


def test_a_job_without_pism_says_how_it_is_started(tmp_path):
    (tmp_path / "run.yaml").write_text(PLAIN)
    with Running(["mpirun", "-n", "1", *SERVE], tmp_path, mpi_environment()) as running:
        errors = errors_of(running.wait())
    assert "no component pism" in errors[0] and ": -n 1 tailrace serve --pism run.yaml" in errors[0]


def test_files_are_ended_when_pism_dies(tmp_path):
    result = run(tmp_path, "kill=2", models=2)
    assert result.status != 0
    times = pism_contents.TIMES["spatial"]
    assert times_in(tmp_path / "spatial.nc") in (times[:1], times[:2])  # the last step may not be over


@pytest.mark.skipif(not FAULTS, reason="TAILRACE_TEST_FAULTS is not set")
def test_files_are_ended_when_pism_exits(tmp_path):
    result = run(tmp_path, "exit=2")
    assert result.status != 0
    times = pism_contents.TIMES["spatial"]
    assert times_in(tmp_path / "spatial.nc") in (times[:1], times[:2])


@pytest.mark.skipif(not FAULTS, reason="TAILRACE_TEST_FAULTS is not set")
def test_a_pism_that_ends_without_its_last_order_is_reported(tmp_path):
    """It has called MPI_Finalize, which waits for all processes, so nothing else tells of it."""
    with start(tmp_path, ["end=2"], config=PLAIN.replace("8 s", "2 s")) as running:
        running.wait_for("PISM has given no order for 2 s: it computes, or has ended without its last order")


@pytest.mark.skipif(not FAULTS, reason="TAILRACE_TEST_FAULTS is not set")
def test_a_pism_without_an_output_writer_ends_the_job(tmp_path):
    result = run(tmp_path, "stall=1", config=PLAIN.replace("8 s", "3 s"))
    assert result.status != 0
    told = "tailrace serve --pism waits until PISM makes its output writer; it has waited for "
    assert f"tailrace: warning: {told}1 s" in result.output and f"tailrace: error: {told}3 s" in result.output


def test_nothing_that_is_there_is_lost(tmp_path):
    """Files of others are moved, as PISM does it, and so is one of this run that PISM begins anew. A variable that is
    never written has fill values."""
    (tmp_path / "spatial.nc").write_text("of another\n")
    (tmp_path / "spatial.nc~").write_text("of a third\n")
    (tmp_path / "elsewhere").write_text("of a fourth\n")
    (tmp_path / "snapshots.nc").symlink_to("elsewhere")
    result = run(tmp_path, "again=1", "never=enthalpy").finished()
    assert "spatial.nc was there before; it is spatial.nc~2 now" in result.output
    assert (tmp_path / "spatial.nc~").read_text() == "of a third\n"
    assert (tmp_path / "spatial.nc~2").read_text() == "of another\n"
    assert (tmp_path / "snapshots.nc~").read_text() == (tmp_path / "elsewhere").read_text() == "of a fourth\n"
    assert times_in(tmp_path / "snapshots.nc~2") == pism_contents.TIMES["snapshots"]
    assert times_in(tmp_path / "snapshots.nc") == [3 * pism_contents.YEAR]
    assert 'field "enthalpy" was wanted at step 1' in result.output
    with opened(tmp_path / "spatial.nc") as data:
        assert (data["enthalpy"][:] == np.float32(-2e9)).all() and np.ptp(data["thk"][:]) > 1


def test_the_configuration_decides_about_existing_files(tmp_path):
    (tmp_path / "spatial.nc").write_text("of another\n")
    result = run(tmp_path, config=PLAIN + "output: {'{file}': {if_exists: fail}}\n")
    assert any("spatial.nc" in error for error in errors_of(result))
    assert (tmp_path / "spatial.nc").read_text() == "of another\n"


@pytest.mark.parametrize(
    "mistake",
    [
        "output: {'{file}': {variables: [{field: thc, every: 1 step}]}}\n",
        "output: {'{file}': {variables: [{field: thk, every: 1 stap}]}}\n",
    ],
    ids=["unknown field", "unknown word"],
)
def test_a_mistake_in_the_configuration_moves_nothing(tmp_path, mistake):
    (tmp_path / "spatial.nc").write_text("of another\n")
    errors_of(run(tmp_path, config=PLAIN + mistake))
    assert (tmp_path / "spatial.nc").read_text() == "of another\n"
    assert not (tmp_path / "spatial.nc~").exists()
