"""A checkpoint in MONC's form, written through its two modules (clients/monc), and read like in MONC's restart: by
name, with start and count in Fortran's order, and without the interpretation of attributes or fill values by
libraries."""

import netCDF4
import numpy as np
import pytest
from clients.test_monc_client import GRID, cells, run_stub

Q_NAMES = ["vapour", "cloud_liquid_mass"]
VOLUMES = ("u_nogal", "v_nogal", "w", "th", "zu", "zv", "zw", "zth", "p", "sth_lw", "sth_sw")
PROFILES = ("thref", "olubar", "olzubar", "olvbar", "olzvbar", "olthbar", "olzthbar")
NUMBERS = ("ugal", "vgal", "dtm", "dtm_new", "absolute_new_dtm", "time", "rad_last_time")
WHOLE_NUMBERS = ("timestep", "nqfields")


def checkpoint_xml() -> str:
    def array(name, size):
        collective = "collective=true" if "y" in size else ""
        return f'<field name="{name}" type="array" data_type="double" size="{size}" {collective} optional=true/>\n'

    fields = "".join(array(name, "z,y,x") for name in VOLUMES) + "".join(array(name, "z") for name in PROFILES)
    fields += array("q", "z,y,x,qfields") + array("zq", "z,y,x,qfields")
    fields += "".join(f'<field name="{name}" type="scalar" data_type="double"/>\n' for name in NUMBERS)
    fields += "".join(f'<field name="{name}" type="scalar" data_type="integer"/>\n' for name in WHOLE_NUMBERS)
    fields += '<field name="q_indicies" type="map" data_type="string" size="active_q_indicies" optional=true/>\n'
    names = (*VOLUMES, *PROFILES, "q", "zq", *NUMBERS, *WHOLE_NUMBERS, "q_indicies")
    return f"""<data-definition name="state" frequency="0" namespace="checkpoint" send_on_terminate=true>
{fields}</data-definition>
<group name="all" namespace="checkpoint">{"".join(f'<member name="{name}"/>' for name in names)}</group>
<data-writing>
<file name="checkpoint.nc" write_timestep_frequency="0" write_on_terminate="true" title="Checkpoint">
<include group="all" time_manipulation="none"/>
</file>
</data-writing>
"""


class Restart:
    """The queries of MONC's readcheckpoint."""

    TEXT = 150  # the length of its character variables

    def __init__(self, path):
        self.file = netCDF4.Dataset(path)
        self.file.set_auto_maskandscale(False)
        self.sizes = {dim: len(self.file.dimensions[dim]) for dim in "xyz"}

    def of_dim(self, name):
        """A whole coordinate; for x and y one value suffices."""
        return self.file[name][:]

    def number(self, name):
        """A vector of one."""
        values = self.file[name][:]
        assert values.shape == (1,), name
        return values[0]

    def field(self, name, start, count):
        """start (from 1) and count over z, y, x and the record, in Fortran's order."""
        variable = self.file[name]
        assert variable.ndim in (3, 4), name
        part = tuple(slice(s - 1, s - 1 + n) for s, n in zip(start, count, strict=True))[: variable.ndim]
        for dim, along in zip(variable.dimensions[::-1], "zyx", strict=False):
            assert dim == along and not self.file.dimensions[dim].isunlimited(), name
        values = variable[part[::-1]]
        return values.reshape(values.shape[-3:])

    def profile(self, name):
        values = self.file[name][:]
        return values.reshape(values.shape[-1])

    def table(self, name, dimension):
        """Pairs of key and value."""
        variable = self.file[name]
        entries, pair, width = (len(self.file.dimensions[dim]) for dim in variable.dimensions)
        assert variable.dimensions == (dimension, "kvp", "string") and pair == 2 and width >= self.TEXT
        text = variable[:, :, : self.TEXT]
        words = [[b"".join(one).rstrip(b"\0 ").decode() for one in both] for both in text]
        assert len(words) == entries
        return dict(words)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("checkpoint")
    (folder / "checkpoint.xml").write_text(checkpoint_xml())
    stub = {"moncs_per_io_server": 3, "q_fields": 2, "ugal": 1.5, "vgal": -0.5}
    done = run_stub(folder, folder / "checkpoint.xml", 4, {"checkpoint_frequency": "0"}, end=2, **stub)
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


def test_a_restart_finds_all_that_it_needs(folder):
    (path,) = folder.glob("checkpoint_*.nc")
    read = Restart(path)
    assert isinstance(read.file.getncattr("created"), str) and read.file.getncattr("created")
    assert read.sizes == GRID
    last = int(path.stem.split("_")[1])
    assert last > 1
    np.testing.assert_array_equal(read.of_dim("x"), 250.0 * np.arange(GRID["x"]))
    np.testing.assert_array_equal(read.of_dim("y"), 300.0 * np.arange(GRID["y"]))
    np.testing.assert_array_equal(read.of_dim("z"), 200.0 * np.arange(1, GRID["z"] + 1))
    np.testing.assert_array_equal(read.of_dim("zn"), 200.0 * (np.arange(GRID["z"]) + 0.5))
    assert read.number("timestep") == last
    assert read.file["timestep"].dtype == np.int32
    assert (read.number("ugal"), read.number("vgal"), read.number("nqfields")) == (1.5, -0.5, 2)
    assert read.number("time") == 2.0
    assert read.number("dtm_new") == read.number("absolute_new_dtm") == read.number("dtm") > 0
    assert read.number("rad_last_time") == pytest.approx(2.0)


def test_each_rank_reads_its_part(folder):
    (path,) = folder.glob("checkpoint_*.nc")
    read = Restart(path)
    last = int(path.stem.split("_")[1])
    start, count = (1, 3, 6, 1), (GRID["z"], 7, 11, 1)
    part = (slice(5, 16), slice(2, 9), slice(None))
    for name in VOLUMES:
        values = read.field(name, start, count)
        assert values.shape == (11, 7, GRID["z"]) and np.all(np.abs(values) < 1e6), name
    assert np.ptp(read.field("u_nogal", start, count)) > 0
    for number, name in enumerate(Q_NAMES, start=1):
        right = cells(number, last)[part]
        np.testing.assert_array_equal(read.field(f"q_{name}", start, count), right)
        np.testing.assert_array_equal(read.field(f"zq_{name}", start, count), -right)
    for name in PROFILES:
        assert read.profile(name).shape == (GRID["z"],)
    np.testing.assert_array_equal(read.profile("thref"), np.full(GRID["z"], 300.0))


def test_its_maps_are_tables(folder):
    (path,) = folder.glob("checkpoint_*.nc")
    read = Restart(path)
    assert read.table("q_indicies", "active_q_indicies") == {"vapour": "1", "cloud liquid mass": "2"}
    options = read.table("options_database", "number_options")
    assert options["checkpoint_frequency"] == "0" and options["enable_io_server"] == "true"
