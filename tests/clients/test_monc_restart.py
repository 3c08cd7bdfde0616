"""Runs of MONC in pieces: MONC continues after the step of its own checkpoint, and Tailrace's servers with the state
that they saved with it. The files of both pieces equal those of one run."""

from pathlib import Path

import netCDF4
import numpy as np
import pytest
from clients.test_monc_client import ATTACHED, DEDICATED, run_stub

LAST = 47
CHECKPOINTS = (
    "{directory: state, every: '{checkpoint_frequency} steps', keep: 9, restart: at_initial_step, also_at_end: true}"
)
XML = """\
<data-definition name="all" frequency="1" namespace="all">
<field name="th" type="array" data_type="double" size="z,y,x" collective=true/>
<field name="half" type="scalar" data_type="double"/>
</data-definition>
<data-definition name="state" frequency="{checkpoint_frequency}" namespace="checkpoint" send_on_terminate=true>
<field name="th" type="array" data_type="double" size="z,y,x" collective=true/>
<field name="q" type="array" data_type="double" size="z,y,x,qfields" collective=true optional=true/>
<field name="timestep" type="scalar" data_type="integer"/>
<field name="time" type="scalar" data_type="double"/>
</data-definition>
<data-handling namespace="all">
<diagnostic field="warmest" type="scalar" data_type="double">
<operator name="localreduce" operator="max" result="warmest_loc" field="th"/>
<communication name="reduction" operator="max" result="warmest" field="warmest_loc" root="auto"/>
</diagnostic>
<diagnostic field="half_sum" type="scalar" data_type="double">
<communication name="reduction" operator="sum" result="half_sum" field="half" root="auto"/></diagnostic>
</data-handling>
<group name="fields" namespace="all"><member name="th"/><member name="warmest"/></group>
<group name="numbers" namespace="all"><member name="warmest"/></group>
<group name="checkpoint" namespace="checkpoint">
<member name="th"/><member name="q"/><member name="timestep"/><member name="time"/>
</group>
<data-writing>
<file name="means.nc" write_time_frequency="70.0">
<include group="fields" time_manipulation="averaged" output_frequency="13.0"/>
</file>
<file name="instants.nc" write_time_frequency="1000.0">
<include group="numbers" time_manipulation="instantaneous" output_frequency="11.0"/>
</file>
<file name="dump.nc" write_timestep_frequency="{checkpoint_frequency}" write_on_terminate="true">
<include group="checkpoint" time_manipulation="none"/>
<include state="io"/>
</file>
</data-writing>
"""


def piece(folder: Path, ranks, servers, each, checkpoints=CHECKPOINTS, **stub):
    folder.mkdir(exist_ok=True)
    (folder / "monc.xml").write_text(XML)
    mode = DEDICATED if servers else ATTACHED
    options = {"checkpoint_frequency": "10"}
    more = f"checkpoint: {checkpoints}\n" if checkpoints else ""
    stub |= {"moncs_per_io_server": each, "q_fields": 2}
    return run_stub(folder, folder / "monc.xml", ranks + servers, options, mode, end=1000, more_yaml=more, **stub)


def contents(path: Path) -> dict:
    with netCDF4.Dataset(path) as file:
        file.set_auto_mask(False)
        return {name: one[:] for name, one in file.variables.items() if name != "options_database"}


def compare(folder: Path, whole: Path, names=None) -> None:
    names = names or sorted(path.name for path in whole.glob("*.nc"))
    for name in names:
        got, right = contents(folder / name), contents(whole / name)
        assert got.keys() == right.keys()
        for variable in right:
            np.testing.assert_array_equal(got[variable], right[variable], err_msg=f"{name}: {variable}")


@pytest.fixture(scope="module")
def whole(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("whole")
    done = piece(folder, 2, 1, 2, checkpoints=None, last_step=LAST)
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


def test_the_end_of_a_run_is_a_checkpoint(whole):
    """A group with a period and send_on_terminate: it also has the last step, with time and timestep, so that MONC
    continues after it."""
    assert sorted(path.name for path in whole.glob("dump_*.nc")) == [f"dump_{n}.nc" for n in (10, 20, 30, 40, LAST)]
    before = 0.0
    for step in (10, 20, 30, 40, LAST):
        with netCDF4.Dataset(whole / f"dump_{step}.nc") as file:
            time = file.dimensions["time_series_10"]
            assert len(time) == 1
            assert file["timestep"][:] == [step]
            assert file["time"][0] == file["time_series_10"][0] > before
            cell = file["q_vapour"][0, 3, 2, 1]
            assert cell == 1 + 100 * 2 + 10000 * 3 + 1000000 + 0.001 * step
            before = file["time"][0]


@pytest.mark.parametrize("second", [(4, 2, 2), (2, 0, 1)], ids=["dedicated", "attached"])
def test_a_run_that_ended_continues(tmp_path, whole, second):
    """Also if its last step is not one of the checkpoint's period."""
    first = piece(tmp_path, 3, 1, 3, last_step=23)
    assert first.returncode == 0, first.stdout + first.stderr
    assert contents(tmp_path / "dump_23.nc")["timestep"] == [23]
    read_by_monc = (tmp_path / "dump_23.nc").read_bytes()
    done = piece(tmp_path, *second, last_step=LAST, restart_at=23)
    assert done.returncode == 0, done.stdout + done.stderr
    compare(tmp_path, whole)
    assert (tmp_path / "dump_23.nc").read_bytes() == read_by_monc, "the file from which MONC restarts stays"


def test_files_tell_of_their_writes_as_moncs_do(tmp_path, whole):
    """Also after a restart."""
    for last, restart in ((23, 0), (LAST, 23)):
        done = piece(tmp_path, 2, 1, 2, last_step=last, restart_at=restart)
        assert done.returncode == 0, done.stdout + done.stderr
    for folder in (tmp_path, whole):
        before = 0.0
        for step in (10, 20, 30, 40, LAST):
            with netCDF4.Dataset(folder / f"dump_{step}.nc") as file:
                assert file.getncattr("MONC timestep") == str(step)
                assert float(file.getncattr("MONC time")) == pytest.approx(file["time"][0], abs=1e-9)
                assert float(file.getncattr("Previous diagnostic write at")) == pytest.approx(before, abs=1e-9)
                assert "Diagnostic write frequency" not in file.ncattrs()  # it is in steps
                before = file["time"][0]
        with netCDF4.Dataset(folder / "means_70.0.nc") as file:  # what is left at the end of the run
            assert file.getncattr("Diagnostic write frequency") == "70.0"
            assert file.getncattr("MONC timestep") == str(LAST)
            assert file.getncattr("Previous diagnostic write at") == "0.0"


def test_a_run_without_records_makes_no_file_of_them(tmp_path):
    done = piece(tmp_path, 2, 1, 2, last_step=1)
    assert done.returncode == 0, done.stdout + done.stderr
    assert sorted(path.name for path in tmp_path.glob("*.nc")) == ["dump_1.nc"]


def test_a_restart_without_checkpoints_is_refused_inside_a_file(tmp_path):
    done = piece(tmp_path, 2, 1, 2, checkpoints=None, last_step=LAST)
    assert done.returncode == 0, done.stdout + done.stderr
    done = piece(tmp_path, 2, 1, 2, checkpoints=None, last_step=LAST + 1, restart_at=40)
    assert done.returncode != 0
    assert "expected a section `checkpoint` in that run and in this one" in done.stdout + done.stderr


def complete_steps(folder: Path) -> list[int]:
    return sorted(int(path.parent.name.split("_")[1]) for path in folder.glob("state/monc/step_*/manifest.json"))


def test_a_run_continues_from_the_checkpoint_that_monc_reads(tmp_path, whole):
    """Not from the newest one, if MONC does not: later records are removed."""
    first = piece(tmp_path, 2, 2, 1, last_step=33)
    assert first.returncode == 0, first.stdout + first.stderr
    assert complete_steps(tmp_path) == [10, 20, 30, 33]
    done = piece(tmp_path, 5, 1, 5, last_step=LAST, restart_at=20)
    assert done.returncode == 0, done.stdout + done.stderr
    compare(tmp_path, whole)
    assert complete_steps(tmp_path) == [10, 20, 30, 40, LAST]


def test_a_run_that_was_killed_continues(tmp_path, whole):
    killed = piece(tmp_path, 3, 2, 1, abort_at=36)
    assert killed.returncode != 0
    newest = max(complete_steps(tmp_path), default=0)  # the servers may be behind; 0: from the beginning
    done = piece(tmp_path, 4, 1, 4, last_step=LAST, restart_at=newest)
    assert done.returncode == 0, done.stdout + done.stderr
    compare(tmp_path, whole)


def test_what_monc_and_the_checkpoints_must_agree_on(tmp_path):
    done = piece(tmp_path, 2, 1, 2, last_step=13)
    assert done.returncode == 0, done.stdout + done.stderr
    done = piece(tmp_path, 2, 1, 2, last_step=14, restart_at=11)
    assert done.returncode != 0
    told = done.stdout + done.stderr
    assert "run.yaml:4:" in told and "the model begins after step 11, which needs the checkpoint of that step" in told
    assert "there is none in state/monc; there are complete checkpoints of the steps: 10, 13." in told
    done = piece(tmp_path, 2, 1, 2, last_step=14, restart_at=13, late=0.001)
    assert done.returncode != 0
    assert "MONC begins at another time than Tailrace" in done.stdout + done.stderr
    (tmp_path / "state" / "monc" / "step_000000000010" / "manifest.json").unlink()
    done = piece(tmp_path, 2, 1, 2, last_step=14, restart_at=10)
    assert done.returncode != 0
    assert "step_000000000010 cannot be used: manifest.json is missing" in done.stdout + done.stderr
    auto = CHECKPOINTS.replace("at_initial_step", "auto")
    done = piece(tmp_path, 2, 1, 2, checkpoints=auto, last_step=14, restart_at=10)  # the newest is that of step 13
    assert done.returncode != 0
    assert "MONC begins at another step than Tailrace" in done.stdout + done.stderr
