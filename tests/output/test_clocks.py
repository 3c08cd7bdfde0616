"""Models that add up their time (t = t + dt) get the windows and snapshots of an exact clock. Each value is the number
of its step, so that whole numbers tell which steps belong to which record."""

import sys

import netCDF4
import numpy as np
import pytest
from support.harness import Running, mpi_environment
from support.programs import build_program

FORTRAN = """
program clock
  use, intrinsic :: iso_fortran_env, only: real32, real64
  use mpi_f08
  use tailrace
  implicit none
  type(tailrace_session) :: io
  integer :: step, steps, iu
  real(real64) :: unit, begin, dt, t
  real(real32) :: single
  character(8) :: kind
  namelist /clock_of/ steps, kind, unit, begin, dt
  open (newunit=iu, file="clock.nml", action="read")
  read (iu, clock_of)
  close (iu)
  call MPI_Init()
  call io%start(MPI_COMM_WORLD, "tailrace.yaml")
  call io%field("h")
  call io%ready()
  t = begin
  single = real(begin, real32)
  do step = 1, steps
    t = t + dt
    single = single + real(dt, real32)
    if (kind == "single") t = single
    call io%step(step, (t - begin)*unit)
    if (io%wants("h")) call io%put("h", real(step, real64))
  end do
  call io%finish()
  call MPI_Finalize()
end program clock
"""
CONFIG = """
tailrace: 1
servers: {{mode: inline}}
fields: {{state: {{every: 1 step, names: [h]}}}}
output:
  snapshots.nc:
    write_every: {write}
    variables: [{{field: h, every: {every}, chunk: [1000]}}]
  windows.nc:
    write_every: {write}
    variables:
      - {{field: h, name: low, operation: min, every: {every}, chunk: [1000]}}
      - {{field: h, name: high, operation: max, every: {every}, chunk: [1000]}}
      - {{field: h, name: mean, operation: mean, every: {every}, chunk: [1000]}}
"""


@pytest.fixture(scope="module")
def fortran(tmp_path_factory):
    folder = tmp_path_factory.mktemp("clock")
    return str(folder / build_program(folder, "fortran", FORTRAN)[0])


def run(command: list[str], folder, timeout=120.0) -> str:
    with Running(["mpirun", "-n", "1", *command], folder, mpi_environment()) as running:
        return running.wait(timeout).finished().output


def check_records(folder, seconds: float, steps_per_record: int, records: int) -> None:
    numbers = np.arange(1, records + 1)
    with netCDF4.Dataset(folder / "snapshots.nc") as file:
        assert file["time"].units.startswith("seconds")
        np.testing.assert_array_equal(file["h"][:], numbers * steps_per_record)
        np.testing.assert_array_equal(file["time"][:], numbers * seconds)
    with netCDF4.Dataset(folder / "windows.nc") as file:
        low, high = (numbers - 1) * steps_per_record + 1, numbers * steps_per_record
        np.testing.assert_array_equal(file["low"][:], low)
        np.testing.assert_array_equal(file["high"][:], high)
        # Each step weighs what the clock says that it lasts.
        np.testing.assert_allclose(file["mean"][:], (low + high) / 2, rtol=1e-6)
        np.testing.assert_array_equal(file["time_bnds"][:], np.stack([numbers - 1, numbers], axis=1) * seconds)


@pytest.mark.parametrize(
    ("kind", "unit", "begin", "dt", "every", "seconds", "steps", "records"),
    [
        # Hourly steps added in days for 30 years: off by 2 ms at the end.
        ("double", 86400.0, 0.0, "0.0416666666666666666667", "1 d", 86400.0, 24, 10950),
        ("double", 86400.0, 738000.0, "0.0416666666666666666667", "1 d", 86400.0, 24, 1000),
        ("double", 1.0, 0.0, "0.3", "60 s", 60.0, 200, 50),
        ("double", 1.0, 0.0, "0.333333333333333333333", "1 s", 1.0, 3, 10000),
        ("single", 1.0, 0.0, "0.1", "1 s", 1.0, 10, 400),
    ],
    ids=["30 years of hours in days", "since the year 1", "0.3 s", "thirds", "single precision"],
)
def test_added_up_clocks_give_exact_windows(fortran, tmp_path, kind, unit, begin, dt, every, seconds, steps, records):
    (tmp_path / "tailrace.yaml").write_text(CONFIG.format(every=every, write=f"{500 * steps} steps"))
    (tmp_path / "clock.nml").write_text(
        f"&clock_of steps={steps * records}, kind='{kind}', unit={unit}d0, begin={begin}d0, dt={dt}d0 /\n"
    )
    output = run([fortran], tmp_path)
    assert "the model's clock" not in output
    check_records(tmp_path, seconds, steps, records)


def test_a_clock_that_cannot_be_followed_is_warned_of(fortran, tmp_path):
    (tmp_path / "tailrace.yaml").write_text(CONFIG.format(every="1 s", write="1000 s"))
    (tmp_path / "clock.nml").write_text("&clock_of steps=12000, kind='single', unit=1d0, begin=0d0, dt=0.1d0 /\n")
    output = run([fortran], tmp_path)
    assert output.count("more than half a step, at step") == 1
    with netCDF4.Dataset(tmp_path / "windows.nc") as file:  # no step is lost, and none counts twice
        assert np.all(np.diff(file["low"][:]) > 0)
        assert np.all(np.diff(file["high"][:]) > 0)
        assert np.all(file["low"][1:] - file["high"][:-1] <= 1)


PYTHON = """
import sys

from mpi4py import MPI

import tailrace

with tailrace.Session.start(MPI.COMM_WORLD, "tailrace.yaml", component="clock") as io:
    step, _ = io.restarting() or (0, 0.0)
    io.field("h")
    io.ready()
    time = io.get_value("time") if step else 0.0
    for step in range(step + 1, int(sys.argv[1]) + 1):
        time += 1 / 3
        io.step(step, time)
        io.put("h", float(step))
        if io.checkpoint_due():
            print(f"CHECKPOINT {step}")
            io.put_value("time", time)
            io.checkpoint()
"""
RESTARTED = """
tailrace: 1
servers: {mode: inline}
checkpoint: {directory: restart, every: 1500 s, keep: 2}
fields: {state: {every: 1 step, names: [h]}}
output:
  snapshots.nc: {write_every: 250 s, variables: [{field: h, every: 1 s, chunk: [1000]}]}
  windows.nc:
    write_every: 250 s
    variables:
      - {field: h, name: low, operation: min, every: 1 s, chunk: [1000]}
      - {field: h, name: high, operation: max, every: 1 s, chunk: [1000]}
      - {field: h, name: mean, operation: mean, every: 1 s, chunk: [1000]}
  part.nc: {new_file_every: 2000 s, write_every: 250 s, variables: [{field: h, every: 1 s, chunk: [1000]}]}
"""


def test_the_clock_goes_on_over_restarts(tmp_path):
    (tmp_path / "tailrace.yaml").write_text(RESTARTED)
    (tmp_path / "model.py").write_text(PYTHON)
    due = []
    for steps in (10000, 20000, 30000):
        output = run([sys.executable, "model.py", str(steps)], tmp_path)
        due += [int(line.split()[1]) for line in output.splitlines() if line.startswith("CHECKPOINT")]
    # The second job goes on from step 9000, the third from 18000.
    assert due == [4500, 9000, 13500, 18000, 22500, 27000]
    check_records(tmp_path, 1.0, 3, 10000)
    for end in range(2000, 10001, 2000):
        with netCDF4.Dataset(tmp_path / f"part_{end - 2000}.0-{end}.0.nc") as file:
            np.testing.assert_array_equal(file["h"][:], 3 * np.arange(end - 1999, end + 1))


APPENDING = """
import sys

from mpi4py import MPI

import tailrace

first, last, time, dt = int(sys.argv[1]), int(sys.argv[2]), float(sys.argv[3]), float(sys.argv[4])
with tailrace.Session.start(MPI.COMM_WORLD, "tailrace.yaml", initial_time=time, initial_step=first - 1) as io:
    io.field("h")
    io.ready()
    for step in range(first, last + 1):
        time += dt
        io.step(step, time)
        io.put("h", float(step))
    print(f"TIME {time!r}")
"""
PART = """
  part.nc: {new_file_every: 5 d, if_exists: append, variables: [{field: h, every: 1 d}]}
"""


def test_a_job_begins_where_the_drifting_clock_of_the_one_before_ended(tmp_path):
    """Each hour is a microsecond too long, so the second job begins 0.24 ms after midnight."""
    config = CONFIG.format(every="1 d", write="5 d").replace("write_every", "if_exists: append\n    write_every")
    (tmp_path / "tailrace.yaml").write_text(config.rstrip("\n") + PART)
    (tmp_path / "model.py").write_text(APPENDING)
    time = "0.0"
    for first, last in ((1, 240), (241, 480)):
        output = run([sys.executable, "model.py", str(first), str(last), time, "3600.000001"], tmp_path)
        time = next(line.split()[1] for line in output.splitlines() if line.startswith("TIME"))
    assert 864000 * 2 < float(time) < 864000 * 2 + 1e-3
    check_records(tmp_path, 86400.0, 24, 20)
    for end in range(5, 21, 5):
        with netCDF4.Dataset(tmp_path / f"part_{(end - 5) * 86400}.0-{end * 86400}.0.nc") as file:
            np.testing.assert_array_equal(file["h"][:], 24 * np.arange(end - 4, end + 1))


NOT_FINITE = """
from mpi4py import MPI

import tailrace

with tailrace.Session.start(MPI.COMM_WORLD, "tailrace.yaml") as io:
    io.field("h")
    io.ready()
    io.step(1, 0.5)
    io.put("h", 1.0)
    for time in (float("nan"), float("inf"), float("-inf")):
        try:
            io.step(2, time)
        except tailrace.Error as error:
            print(f"HEARD {error}")
"""


def test_a_time_that_is_not_finite_is_named(tmp_path):
    (tmp_path / "tailrace.yaml").write_text(CONFIG.format(every="1 s", write="1000 s"))
    (tmp_path / "model.py").write_text(NOT_FINITE)
    heard = [line for line in run([sys.executable, "model.py"], tmp_path).splitlines() if line.startswith("HEARD")]
    assert len(heard) == 3
    for line, time in zip(heard, ("nan", "inf", "-inf"), strict=True):
        assert f"step 2 is at {time} s; a model time is a finite number (the model was at 0.5 s before)" in line
