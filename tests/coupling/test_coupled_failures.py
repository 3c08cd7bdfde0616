"""Coupled runs in which something is wrong: each ends by itself with a message, and files have what was complete."""

import os
import signal
import sys

import pytest
import xarray as xr
from support.coupled_runs import COMPONENT, CONFIG, COUPLING, SERVE, needs_coupling, run, start
from support.harness import Running, mpi_environment

pytestmark = needs_coupling
ONE_GRID = """\
tailrace: 1
servers: {{watchdog: 1 s}}
yac: {{component: io, grids: {{boxes: {{latlon: 20 deg}}}}, wait_for: {wait_for}}}
fields: {{state: {{names: [ta, ps]}}}}
output: {{hourly.nc: {{variables: [{{fields: "*", every: 1 h}}]}}}}
"""
OUT_ONLY = """\
start_date: 2008-03-09T{start:02}:00:00
end_date: 2008-03-09T{end:02}:00:00
timestep_unit: hour
calendar: proleptic-gregorian
coupling:
  - src_component: atm
    src_grid: agrid
    tgt_component: io
    tgt_grid: boxes
    coupling_period: 1
    field: [ta, ps]
    interpolation: [nnn]
"""


def hours_in(folder):
    with xr.open_dataset(folder / "hourly.nc", decode_times=False) as data:
        return (data["time"].values / 3600).tolist()


@pytest.mark.parametrize(
    "option, hours, date",
    [("never=ps", [], "2008-03-09T00:00:00.000"), ("end=5", [0, 1, 2], "2008-03-09T03:00:00.000")],
    ids=["a field is never put", "the component ends early"],
)
def test_a_field_that_does_not_come_ends_the_run(tmp_path, option, hours, date):
    config = ONE_GRID.format(wait_for="8 s")
    result = run(tmp_path, options=[option], coupling=OUT_ONLY, config=config, servers=2)
    assert result.status != 0  # 1, or that of a launcher that stumbles over ranks that have ended already
    waited = f"for atm.agrid.ps of {date}: the component atm is slow, has ended"
    assert f"tailrace: warning: coupling.yaml:11:17: io.boxes.ps has waited 1 s {waited}" in result.output
    errors = [line for line in result.output.splitlines() if line.startswith("tailrace: error: ")]
    assert len(errors) == 1 and waited in errors[0] and "The run ends here (yac.wait_for)" in errors[0], result.output
    assert hours_in(tmp_path) == hours


def test_a_component_that_does_not_reach_enddef_ends_the_run(tmp_path):
    """Only the watcher says so: the servers, which wait too, leave that to it. The component's name has a slash."""
    coupling = OUT_ONLY.replace("tgt_component: io", "tgt_component: io/air")
    config = ONE_GRID.format(wait_for="4 s").replace("component: io", "component: io/air")
    result = run(tmp_path, options=["stall=sync_def"], coupling=coupling, config=config, servers=2)
    assert result.status != 0
    told = "the component io/air waits until the other components reach enddef and YAC makes its weights; it has waited"
    assert f"tailrace: warning: coupling.yaml: {told} for 1 s" in result.output, result.output
    assert f"tailrace: error: coupling.yaml: {told} for 4 s. The run ends here (yac.wait_for)" in result.output
    assert "no progress" not in result.output
    assert (tmp_path / "tailrace_report" / "declared.io%2Fair.json").exists()


def test_files_are_ended_when_another_component_dies(tmp_path):
    config = ONE_GRID.format(wait_for="off")
    result = run(tmp_path, options=["kill=5"], coupling=OUT_ONLY, config=config, servers=2)
    assert result.status != 0
    assert hours_in(tmp_path) == [0, 1, 2]


def test_files_are_ended_by_a_signal_to_the_job(tmp_path):
    """SIGUSR2 by way of mpirun reaches all ranks at once; the model of the test ignores it."""
    config = ONE_GRID.format(wait_for="off").replace("{watchdog: 1 s}", "{watchdog: 1 s, stop_signal: SIGUSR2}")
    with start(tmp_path, options=["never=ps", "deaf=1"], coupling=OUT_ONLY, config=config) as running:
        running.wait_for("has waited 1 s for atm.agrid.ps")
        os.kill(running.process.pid, signal.SIGUSR2)
        result = running.wait()
    assert result.status != 0
    assert "SIGUSR2: what is complete is committed" in result.output
    assert hours_in(tmp_path) == []


def test_a_missing_package_ends_the_job(tmp_path):
    """Whose other programs have started YAC, and wait."""
    (tmp_path / "yac.py").write_text("raise ImportError('not here')\n")  # `python -m` looks here first
    command = ["mpirun", "-n", "1", sys.executable, str(COMPONENT), "model", ":", "-n", "1", *SERVE]
    (tmp_path / "coupling.yaml").write_text(OUT_ONLY.format(start=0, end=6))
    (tmp_path / "run.yaml").write_text(ONE_GRID.format(wait_for="off"))
    with Running(command, tmp_path, mpi_environment()) as running:
        result = running.wait()
    assert result.status == 1
    assert "--yac needs the Python package yac, which cannot be imported (not here)" in result.output


def test_mistakes_are_told_before_yac_ends_the_job(tmp_path):
    coupling = COUPLING.replace("    field: [ta, ps]", "    field: [ta, pz]", 1).replace(
        "tgt_grid: ball", "tgt_grid: bal"
    )
    result = run(tmp_path, options=["field=tb"], coupling=coupling, config=CONFIG)
    assert result.status == 2
    for piece in (
        "atm.agrid.ta -> io.boxes.ta names the field atm.agrid.ta, which the component atm has not defined by its call "
        "of sync_def or enddef (did you mean atm.agrid.tb?",
        "atm.agrid.pz -> io.boxes.pz names the field atm.agrid.pz",
        "atm.agrid.ps -> io.bal.ps_ball names the grid bal, which run.yaml:4:3 (yac.grids) does not have (did you mean "
        "ball?",
        "run.yaml:12:30  fields: the field ps: no couple of coupling.yaml has the target io.GRID.ps",
    ):
        assert piece in result.output, result.output
    assert not (tmp_path / "hourly.nc").exists()
