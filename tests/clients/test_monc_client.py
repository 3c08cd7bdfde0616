"""MONC's two modules that call Tailrace (clients/monc), driven like by MONC (monc_stub). With MONC's own configuration
files, which are not part of this repository, the files equal those of the example with MONC's bridge for the same
values. Fields of every type and rank are compared with NumPy."""

import os
import subprocess
from pathlib import Path

import netCDF4
import numpy as np
import pytest
from support.harness import BUILD, mpi_environment

from analytics import test_monc_style as style

STUB = BUILD / "tests" / "monc_stub"
GRID = {"x": 23, "y": 14, "z": 9}
SETTINGS = """\
&bubble
  case = 'warm_bubble', nx = 23, ny = 14, nz = 9, dx = 250, dy = 300, dz = 200, t_end = {end}
  viscosity = 10, x_boundary = 'periodic', noise = 0.5
/
&monc
  fields = '{fields}'
  options = {options}
/
&stub
  {stub}
/
"""
OPTIONS = {name: value for name, value in style.OPTIONS.items() if not name.endswith("_size")}
OPTIONS |= {f"{dim}_size": str(n) for dim, n in GRID.items()} | {
    "sampling_frequency": "1",
    "3d_sampling_frequency": "3",
}
DEDICATED = "{mode: dedicated, report: false}"
ATTACHED = "{mode: attached, model_uses_hdf5: false, report: false}"


def write_settings(folder, options, end=16, **stub):
    text = ", ".join(f"'{name}={value}'" for name, value in options.items())
    numbers = ", ".join(f"{name} = {value}" for name, value in stub.items()) or "q_fields = 0"
    fields = style.EXAMPLE / "fields.txt"
    (folder / "settings.nml").write_text(SETTINGS.format(end=end, fields=fields, options=text, stub=numbers))


def run_stub(folder, xml, world, options, servers=DEDICATED, more_yaml="", **more):
    """`world`: all ranks, some of which MONC makes servers."""
    include = os.path.relpath(xml, folder)
    (folder / "run.yaml").write_text(f'tailrace: 1\ninclude: ["{include}"]\nservers: {servers}\n{more_yaml}')
    own = "enable_io_server" if servers == DEDICATED else "tailrace_attached"
    switches = {"enable_io_server": ".false.", own: ".true.", "ioserver_configuration_file": "run.yaml"}
    write_settings(folder, options | switches, **more)
    command = ["mpirun", "-n", str(world), str(STUB), "settings.nml"]
    return subprocess.run(command, cwd=folder, env=mpi_environment(), capture_output=True, text=True, timeout=120)


needs_xml = pytest.mark.skipif(not style.XML.exists(), reason="MONC's configuration files are not there")


@pytest.fixture(scope="module")
def expected(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("style")
    write_settings(folder, {name: value for name, value in OPTIONS.items() if not name.endswith("_size")})
    include = os.path.relpath(style.XML, folder)
    servers = "servers: {mode: dedicated, count: 1, report: false}"
    (folder / "run.yaml").write_text(f'tailrace: 1\ninclude: ["{include}"]\n{servers}\n')
    command = ["mpirun", "-n", "2", str(style.PROGRAM), "settings.nml", "run.yaml"]
    done = subprocess.run(command, cwd=folder, env=mpi_environment(), capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


def compare(path: Path, right: Path) -> None:
    with netCDF4.Dataset(path) as file, netCDF4.Dataset(right) as wanted:
        file.set_auto_mask(False)
        wanted.set_auto_mask(False)
        assert set(file.variables) - set(wanted.variables) <= {"x", "y"}
        for name, variable in wanted.variables.items():
            if name == "options_database":
                continue  # numbers have MONC's format, and some options exist only in MONC
            assert file[name].dimensions == variable.dimensions, name
            np.testing.assert_array_equal(file[name][:], variable[:], err_msg=name)


# Model ranks, servers, and ranks of each server in MONC; 0: attached.
CASTS = [(1, 1, 1), (5, 2, 3), (6, 3, 2), (3, 0, 1)]
if "TAILRACE_TEST_ALL" in os.environ:
    CASTS += [(2, 1, 2), (3, 1, 3), (4, 2, 2), (4, 3, 1), (6, 2, 3), (1, 0, 1), (2, 0, 1), (4, 0, 1), (6, 0, 1)]


@needs_xml
@pytest.mark.parametrize("cast", CASTS, ids=lambda cast: f"{cast[0]}on{cast[1]}")
def test_the_files_are_those_of_the_example(tmp_path, expected, cast):
    ranks, servers, each = cast
    mode = DEDICATED if servers else ATTACHED
    done = run_stub(tmp_path, style.XML, ranks + servers, OPTIONS, mode, moncs_per_io_server=each)
    log = [line for line in (done.stdout + done.stderr).splitlines() if line.strip()]
    assert done.returncode == 0, "\n".join(log)
    assert len([line for line in log if "warning" in line]) <= 2, "\n".join(log)
    assert len(log) < 15, "\n".join(log)
    names = sorted(path.name for path in expected.glob("*.nc"))
    assert sorted(path.name for path in tmp_path.glob("*.nc")) == names
    assert len(names) == 3
    for name in names:
        compare(tmp_path / name, expected / name)


@needs_xml
def test_diagnostics_have_the_dimensions_of_the_xml(tmp_path, expected):
    with netCDF4.Dataset(next(expected.glob("diagnostics_*.nc"))) as file:
        levels = [name for name, variable in file.variables.items() if "level" in variable.dimensions]
        assert [name for name in levels if not name.startswith("q_flux")] == []  # q_flux_*: only with moisture
        assert file["u_wind_mean"].dimensions[1:] == ("zn",)
        assert file["w_wind_mean"].dimensions[1:] == ("z",)
        np.testing.assert_array_equal(file["zn"][:], [200 * (k + 0.5) for k in range(9)])
        np.testing.assert_array_equal(file["z"][:], [200.0 * (k + 1) for k in range(9)])


FIELDS = {  # attributes; whether it is written unchanged
    "q": ('size="z,y,x,qfields" collective=true', True),
    "zq": ('size="z,y,x,qfields" collective=true', True),
    "q_flux": ('size="z,y,x,qfields" collective=true', True),
    "u": ('size="z,y,x" collective=true', True),
    "u_nogal": ('size="z,y,x" collective=true', True),
    "olqbar": ('size="z,qfields"', True),
    "th": ('size="z,y,x" collective=true', True),
    "rank_number": ("", False),
    "half": ("", False),
    "pairs": ("", False),
    "box": ("", False),
    "tesseract": ("", False),
    "switched_off": ("optional=true", False),
}


def xml_of_everything() -> str:
    def field(name, attributes):
        kind = "scalar" if name in ("rank_number", "half") else "array"
        number = "integer" if name == "rank_number" else "double"
        return f'<field name="{name}" type="{kind}" data_type="{number}" {attributes}/>\n'

    sums = ""
    for name in ("rank_number", "half", "pairs", "box", "tesseract"):
        kind = 'type="scalar"' if name in ("rank_number", "half") else 'type="array" size="z-auto"'
        sums += f"""<diagnostic field="{name}_sum" {kind} data_type="double">
<communication name="reduction" operator="sum" result="{name}_sum" field="{name}" root="auto"/></diagnostic>\n"""
    written = [name for name, (_, is_written) in FIELDS.items() if is_written]
    members = [*written, *(f"{name}_sum" for name in ("rank_number", "half", "pairs", "box", "tesseract"))]
    return f"""<data-definition name="all" frequency="1" namespace="all">
{"".join(field(name, attributes) for name, (attributes, _) in FIELDS.items())}</data-definition>
<data-definition name="again" frequency="2" namespace="again">
{field("th", 'size="zn,y,x" collective=true')}</data-definition>
<data-handling namespace="all">
{sums}</data-handling>
<group name="all" namespace="all">{"".join(f'<member name="{name}"/>' for name in members)}</group>
<group name="again" namespace="again"><member name="th"/></group>
<data-writing>
<file name="all.nc" write_time_frequency="1000.0"><include group="all" time_manipulation="none"/></file>
<file name="again.nc" write_time_frequency="1000.0"><include group="again" time_manipulation="none"/></file>
</data-writing>
"""


def cells(field: int, step: int) -> np.ndarray:
    """The values of the stub's components."""
    x, y, z = np.meshgrid(*(np.arange(GRID[dim]) for dim in "xyz"), indexing="ij")
    return (z + 100 * y + 10000 * x + 1000000 * field).astype(float) + 0.001 * step


def test_fields_of_every_type_and_rank(tmp_path):
    (tmp_path / "all.xml").write_text(xml_of_everything())
    ranks, q_names = 3, ["vapour", "cloud_liquid_mass"]
    stub = {"moncs_per_io_server": 3, "q_fields": 2, "ugal": 1.5}
    done = run_stub(tmp_path, tmp_path / "all.xml", ranks + 1, {"note": "of text", "switch": ".true."}, end=2, **stub)
    assert done.returncode == 0, done.stdout + done.stderr
    with netCDF4.Dataset(tmp_path / "all_1000.0.nc") as file:
        steps = len(file.dimensions["time_series_1"])
        assert steps > 2
        for number, name in enumerate(q_names, start=1):
            right = np.array([cells(number, step) for step in range(1, steps + 1)])
            for variable, factor in (("q", 1), ("zq", -1), ("q_flux", 2)):
                got = file[f"{variable}_{name}"]
                assert got.dimensions == ("time_series_1", "x", "y", "z")
                np.testing.assert_array_equal(got[:], factor * right, err_msg=f"{variable}_{name}")
            np.testing.assert_array_equal(file[f"olqbar_{name}"][0], 10.0 * number + np.arange(1, GRID["z"] + 1))
        np.testing.assert_array_equal(file["u"][:], file["u_nogal"][:] + 1.5)
        assert np.ptp(file["u_nogal"][:]) > 0
        shares = ranks * (ranks + 1) // 2
        np.testing.assert_array_equal(file["rank_number_sum"][:], np.full(steps, shares))
        np.testing.assert_array_equal(file["half_sum"][:], np.full(steps, 0.5 * shares))
        for name, shape in (("pairs", (2, 5)), ("box", (3, 2, 5)), ("tesseract", (7, 3, 2, 5))):
            right = shares * np.arange(1, np.prod(shape) + 1, dtype=float).reshape(shape)
            np.testing.assert_array_equal(file[f"{name}_sum"][:], np.broadcast_to(right, (steps, *shape)), err_msg=name)
        table = dict(netCDF4.chartostring(file["options_database"][:]))
        assert table["note"] == "of text" and table["switch"] == "true"
        assert not [name for name in table if name.startswith("q_indicies")]  # it is a map of its own
        th = file["th"][:]
    with netCDF4.Dataset(tmp_path / "again_1000.0.nc") as file:  # declared once, requested in two namespaces
        assert file["th"].dimensions == ("time_series_2", "x", "y", "zn")
        np.testing.assert_array_equal(file["th"][:], th[1::2])


def as_monc_reads(text: str) -> np.float32:
    """A real number among the options of a file: with an exponent all of it, otherwise eleven characters.

    Where these have no point, they are hundredths.
    """
    if "E" in text or "e" in text:
        return np.float32(text)
    first = text[:11]
    return np.float32(float(first) / (1 if "." in first else 100))


def test_reals_among_the_options_survive_a_restart_of_monc(tmp_path):
    (tmp_path / "all.xml").write_text(xml_of_everything())
    given = [
        "0.0002",
        "300.0",
        "0.1",
        "61.5",
        "-0.33333334",
        "1.5e-12",
        "1.0e10",
        "-1.0e9",
        "12345678.0",
        "6.02e23",
        "0.0",
    ]
    options = {f"real_{i}": text for i, text in enumerate(given)}
    done = run_stub(tmp_path, tmp_path / "all.xml", 2, options, end=1, moncs_per_io_server=1, q_fields=1)
    assert done.returncode == 0, done.stdout + done.stderr
    with netCDF4.Dataset(tmp_path / "all_1000.0.nc") as file:
        table = dict(netCDF4.chartostring(file["options_database"][:]))
    written = [table[f"real_{i}"] for i in range(len(given))]
    assert written[:4] == ["0.00020", "300.0", "0.1000000015", "61.50"]  # as MONC writes them
    assert [as_monc_reads(text) for text in written] == [np.float32(text) for text in given]


def test_a_component_that_aborts_ends_the_job(tmp_path):
    """Committed records can be read."""
    text = xml_of_everything().replace('write_time_frequency="1000.0"', 'write_time_frequency="4.0"')
    (tmp_path / "all.xml").write_text(text)
    stub = {"moncs_per_io_server": 2, "q_fields": 1, "abort_at": 40}
    done = run_stub(tmp_path, tmp_path / "all.xml", 3, {}, end=1000, **stub)
    assert done.returncode != 0
    files = sorted(tmp_path.glob("*_4.0.nc"))
    assert len(files) == 2
    for path in files:
        with netCDF4.Dataset(path) as file:
            assert np.all(np.isfinite(file["th"][:]))


def test_without_servers_nothing_is_written(tmp_path):
    (tmp_path / "all.xml").write_text(xml_of_everything())
    (tmp_path / "run.yaml").write_text("tailrace: 1\n")
    write_settings(tmp_path, {"enable_io_server": ".false.", "ioserver_configuration_file": "run.yaml"}, end=2)
    command = ["mpirun", "-n", "2", str(STUB), "settings.nml"]
    done = subprocess.run(command, cwd=tmp_path, env=mpi_environment(), capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stdout + done.stderr
    assert list(tmp_path.glob("*.nc")) == []
