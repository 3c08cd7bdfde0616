"""WRF's I/O package of Tailrace (clients/wrf), driven as WRF drives it (wrf_stub). Its files equal those that netCDF-C
makes of the same calls, in dimensions, names, types, values and attributes."""

import os
import re
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import netCDF4
import numpy as np
import pytest
from support import wrf_stub
from support.harness import BUILD, TREE, mpi_environment

from output import test_wrf_layout as layout

STUB = BUILD / "tests" / "wrf_stub"
DEDICATED = "tailrace: 1\nservers: {{mode: dedicated, count: {}, report: false}}\n"
ATTACHED = "tailrace: 1\nservers: {mode: attached, report: false}\n"


def run(folder: Path, ranks: int, script, servers=1, config="", table=None, more=()) -> subprocess.CompletedProcess:
    """`ranks` of the model; no servers: they are threads of the model's ranks, which needs MPI_THREAD_MULTIPLE."""
    folder.mkdir(exist_ok=True)
    (folder / "tailrace.yaml").write_text((DEDICATED.format(servers) if servers else ATTACHED) + config)
    wrf_stub.write_job(folder, ranks, script, table)
    environment = {"TAILRACE_CONFIG": "tailrace.yaml"} | mpi_environment() | dict(more)
    command = ["mpirun", "-n", str(ranks + servers), str(STUB), *([] if servers else ["threads"])]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=120)


def succeed(folder: Path, ranks: int, script, **more) -> Path:
    done = run(folder, ranks, script, **more)
    assert done.returncode == 0 and "HEARD" not in done.stdout, done.stdout + done.stderr
    return folder


def fail(folder: Path, ranks: int, script, *words: str, **more) -> None:
    done = run(folder, ranks, script, **more)
    assert done.returncode != 0
    for word in words:
        assert word in done.stdout + done.stderr, done.stdout + done.stderr


@pytest.fixture(scope="module")
def expected(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("netcdf")
    for file in wrf_stub.three_domains().files:
        wrf_stub.write_reference(folder / file.path, file, wrf_stub.domains(1)[file.domain - 1])
    return folder


# Model ranks and servers; 0: attached.
CASTS = [(1, 1), (4, 2), (6, 3), (3, 0)]
if "TAILRACE_TEST_ALL" in os.environ:
    CASTS += [(2, 1), (3, 1), (5, 2), (4, 3), (1, 0), (2, 0), (5, 0), (6, 0)]


@pytest.mark.parametrize("cast", CASTS, ids=lambda cast: f"{cast[0]}on{cast[1]}")
def test_files_are_those_of_netcdf_c(tmp_path, expected, cast):
    succeed(tmp_path, cast[0], wrf_stub.three_domains(), servers=cast[1])
    names = sorted(path.name for path in expected.iterdir())
    assert sorted(path.name for path in tmp_path.glob("*_d0*")) == names and len(names) == 14
    for name in names:
        layout.assert_same(tmp_path / name, expected / name)


def test_files_are_read_on_any_ranks(tmp_path, expected):
    """Those of netCDF-C, which are those of the package."""
    script = wrf_stub.Script()
    for file in wrf_stub.three_domains().files:
        if len(file.frames) == 1:
            script.read(replace(file, path=str(expected / file.path)))
    assert len(script.lines) == 10
    succeed(tmp_path, 3, script, servers=1)


def test_what_a_file_does_not_have_is_told_by_the_status(tmp_path, expected):
    script, table = wrf_stub.Script(), wrf_stub.variables()
    file = next(one for one in wrf_stub.three_domains().files if len(one.frames) == 1)
    script.read(replace(file, path=str(expected / file.path)))
    table.append(wrf_stub.plane("NOT_THERE", file.dataset))
    fail(tmp_path, 1, script, "get_var_info: status -5", table=table)
    script.lines = [script.lines[0] + "_not_there"]
    fail(tmp_path, 1, script, "open_for_read: status -1", f'HEARD io_tailrace: file "{expected / file.path}_not_there"')


def history(frames=(0, 60, 120), closes=False) -> wrf_stub.Script:
    script = wrf_stub.Script()
    for seconds in frames:
        script.frame("HISTORY", 1, seconds, closes)
    return script


def test_the_example_of_the_readme(tmp_path):
    """Means of days, compressed files, and a nest of which another file is made."""
    text = (TREE / "clients" / "wrf" / "README.md").read_text(encoding="utf-8")
    (example,) = re.findall(r"```yaml fragment\n(streams:\n.*?)```", text, re.DOTALL)
    script, hour = wrf_stub.Script(), 3600
    for at in range(0, 54, 6):
        script.frame("HISTORY", 1, at * hour)
        script.frame("HISTORY", 2, at * hour, closes=True)
    replaced = tmp_path / f"wrfout_d01_{wrf_stub.date(0)}"
    replaced.write_text("of an earlier run")
    succeed(tmp_path, 2, script, config=example)
    table = wrf_stub.variables()

    def frames(name: str, domain: int, hours) -> list[np.ndarray]:
        number = next(i for i, one in enumerate(table, start=1) if one.name == name)
        shape = [wrf_stub.domains(2)[domain - 1].extent(dim) for dim in table[number - 1].dims]
        return [wrf_stub.value(table[number - 1], number, domain, at * hour, shape).T for at in hours]

    days = ((6, 12), (18, 24, 30, 36), (42, 48))  # of the calendar; the run begins at noon
    with netCDF4.Dataset(tmp_path / "daily.nc") as data:
        for name, operation in (("T2", np.mean), ("RAINNC", np.max)):
            wanted = [operation(frames(name, 1, day), axis=0) for day in days]
            np.testing.assert_allclose(data[name][:], wanted, rtol=1e-6)
    with netCDF4.Dataset(replaced) as data:
        assert data["T2"].filters()["zlib"]
        np.testing.assert_array_equal(data["T2"][:], frames("T2", 1, range(0, 54, 6)))
    nests = sorted(tmp_path.glob("wrfout_d02_*"))
    assert len(nests) == 9
    with netCDF4.Dataset(nests[-1]) as data:
        assert set(data.variables) == {"Times", "T2", "U10", "V10"}
        np.testing.assert_array_equal(data["U10"][:], frames("U10", 2, range(48, 49)))
    with netCDF4.Dataset(tmp_path / "nest.nc") as data:
        records = [at for at in range(0, 54, 6) if wrf_stub.date(at * hour).encode() in data["Times"][:].tobytes()]
        assert records[-4:] == [12, 24, 36, 48]
        np.testing.assert_array_equal(data["U10"][:], frames("U10", 2, records))


def test_an_existing_file_is_replaced_on_request_only(tmp_path):
    path = tmp_path / f"wrfout_d01_{wrf_stub.date(0)}"
    path.write_text("of others")
    fail(tmp_path, 2, history(), "FATAL io_tailrace: ", path.name)
    assert path.read_text() == "of others"
    replaced = 'streams: {history_d01: {output: {"{file}": {if_exists: replace}}}}\n'
    succeed(tmp_path, 2, history(), config=replaced)
    with netCDF4.Dataset(path) as data:
        assert len(data.dimensions["Time"]) == 3


def test_without_a_configuration_nothing_is_split_off(tmp_path):
    without = {"servers": 0, "more": {"TAILRACE_CONFIG": ""}.items()}
    fail(tmp_path, 2, history(), "io_form 15 needs a configuration of Tailrace", **without)
    done = run(tmp_path, 2, wrf_stub.Script(), **without)
    assert done.returncode == 0, done.stdout + done.stderr


def test_boundary_files_are_refused(tmp_path):
    script = wrf_stub.Script()
    script.frame("BOUNDARY", 1, 0)
    fail(tmp_path, 1, script, "wrfbdy_d01_", "write it with io_form_boundary = 2")


def test_a_configuration_that_is_not_there_ends_the_run(tmp_path):
    more = {"TAILRACE_CONFIG": "missing.yaml"}.items()
    fail(tmp_path, 1, history(), 'io_tailrace: TAILRACE_CONFIG "missing.yaml"', more=more)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"order": "XZQ"}, 'variable "U": the memory order " XZQ" is not known'),
        ({"type": 108}, 'variable "U": its type, 108, is none of 104 to 107'),
        ({"dims": ["west_east_stag", "bottom_top", "bottom_top"]}, "names the dim bottom_top twice"),
        ({"name": "XLAT"}, 'variable "XLAT" comes twice'),
    ],
    ids=["order", "type", "dimension", "name"],
)
def test_what_is_wrong_with_a_variable_is_told_with_its_name(tmp_path, changes, words):
    table = [replace(one, **changes) if one.name == "U" else one for one in wrf_stub.variables()]
    fail(tmp_path, 1, history(), words, table=table)


def test_a_stream_without_variables_is_refused(tmp_path):
    table = [one for one in wrf_stub.variables() if "AUXHIST3" not in one.streams]
    script = wrf_stub.Script()
    script.frame("AUXHIST3", 1, 0)
    fail(tmp_path, 1, script, 'stream "auxhist3_d01" has no variables', table=table)


def test_a_date_that_is_none_is_told(tmp_path):
    script = history(frames=(0,))
    script.lines = [script.lines[0].replace("2000-01-24_12:00:00", "2000-13-24_12:00:00", 1)]
    fail(tmp_path, 1, script, "expected dates as 2000-01-24_12:00:00", '"2000-13-24_12:00:00"')


# Lines of our own in which the script finds its places, in the files that it changes in a tree without CMake.
REGISTRY = "package   io_pnetcdf  io_form_restart==11   -  -\n"
CASE = "#ifdef PNETCDF\n  CASE ( IO_PNETCDF )\n    CALL ext_pnc_ioclose( Hndl, Status )\n#endif\n"
SUFFIX = "  ELSE IF ( use_package(io_form) .EQ. IO_PNETCDF ) THEN\n    ext = '.nc '\n"
PLACES = {
    "Registry/Registry.EM_COMMON": REGISTRY,
    "Registry/Registry.EM_COMMON.var": REGISTRY,
    "Registry/Registry.CONVERT": REGISTRY,
    "frame/module_io.F": CASE * 19,
    "frame/md_calls.m4": CASE,
    "share/output_wrf.F": "   ( use_package( io_form ) == IO_PNETCDF ) ) THEN\n",
    "share/wrf_ext_write_field.F": "  IF ( use_package(io_form) .EQ. IO_PNETCDF ) THEN\n",
    "share/module_io_domain.F": SUFFIX * 2,
    "external/RSL_LITE/module_dm.F": "  CALL wrf_set_dm_communicator( mpi_comm_here )\n  CALL wrf_termio_dup\n",
    "arch/preamble": "LIBS = CONFIGURE_ADIOS2_LIB_PATH\n#NOWIN LIB_EXTERNAL = \\\n",
    "arch/postamble": "all : CONFIGURE_WRFIO_ADIOS2 \n   -DINTIO \\\nwrfio_grib_share :\n",
}
SCRIPT = TREE / "clients" / "wrf" / "add_to_wrf.py"


def add_to_wrf(folder: Path, script: Path = SCRIPT) -> subprocess.CompletedProcess:
    return subprocess.run([sys.executable, script, folder], capture_output=True, text=True)


def lay_out(folder: Path) -> None:
    for name, text in PLACES.items():
        (folder / name).parent.mkdir(exist_ok=True, parents=True)
        (folder / name).write_text(text)


def contents(folder: Path) -> dict[str, str]:
    return {str(path.relative_to(folder)): path.read_text() for path in folder.rglob("*") if path.is_file()}


def test_the_source_of_wrf_is_changed_as_a_whole_and_once(tmp_path):
    lay_out(tmp_path)
    done = add_to_wrf(tmp_path)
    assert done.returncode == 0, done.stderr
    made = contents(tmp_path)
    assert made["frame/module_io.F"] == (CASE + CASE.replace("PNETCDF", "TAILRACE").replace("_pnc_", "_tailrace_")) * 19
    assert made["external/RSL_LITE/module_dm.F"].count("ext_tailrace_split") == 1
    assert (tmp_path / "external" / "io_tailrace" / "package.h").exists()
    assert set(made) == set(PLACES) | {name for name in made if name.startswith("external/io_tailrace/")}
    again = add_to_wrf(tmp_path)
    assert again.returncode == 1 and "added before" in again.stderr
    shutil.rmtree(tmp_path / "external" / "io_tailrace")  # as a user who wants to begin anew may do
    again = add_to_wrf(tmp_path)
    assert again.returncode == 1 and "names Tailrace already" in again.stderr and "nothing was changed" in again.stderr
    assert contents(tmp_path) == {name: made[name] for name in PLACES}


@pytest.mark.parametrize("missing", ["Registry/Registry.EM_COMMON.var", "the package"])
def test_the_source_of_wrf_stays_as_it_is_where_something_is_missing(tmp_path, missing):
    lay_out(tmp_path / "WRF")
    script = SCRIPT
    if missing == "the package":
        script = Path(shutil.copy(SCRIPT, tmp_path))
    else:
        (tmp_path / "WRF" / missing).unlink()
    before = contents(tmp_path / "WRF")
    done = add_to_wrf(tmp_path / "WRF", script)
    assert done.returncode == 1 and "nothing was changed" in done.stderr
    assert "io_tailrace" in done.stderr if missing == "the package" else missing in done.stderr
    assert contents(tmp_path / "WRF") == before
