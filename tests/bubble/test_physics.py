"""The example model is correct: mass is conserved, the density current agrees with published results, and the bits do
not depend on the number of ranks. Tailrace is off here, so a failure is a failure of the model.

The references are explained in examples/bubble/README.md."""

import functools
import itertools
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

import pytest
from support.harness import BUILD, mpi_environment

BUBBLE = BUILD / "examples" / "bubble" / "bubble"

DENSITY_CURRENT = {"case": "'density_current'", "ny": 1, "dy": 800, "t_end": 900, "viscosity": 75}
AT_400_M = {**DENSITY_CURRENT, "nx": 64, "nz": 16, "dx": 400, "dz": 400}
AT_200_M = {**DENSITY_CURRENT, "nx": 128, "nz": 32, "dx": 200, "dz": 200}
SHORT_CURRENT = {**AT_400_M, "ny": 8, "dy": 1600, "t_end": 60, "noise": 0.1}
WARM_BUBBLE = {"case": "'warm_bubble'", "nx": 20, "ny": 20, "nz": 20, "dx": 500, "dy": 500, "dz": 500,
               "viscosity": 10, "x_boundary": "'periodic'"}  # fmt: skip


@dataclass
class Run:
    status: int
    output: str
    errors: str

    def __getitem__(self, name):
        lines = [line.split() for line in self.output.splitlines() if line.startswith(f"result {name} ")]
        assert len(lines) == 1, f"the model printed {len(lines)} lines `result {name}`:\n{self.output}{self.errors}"
        return lines[0][2] if name == "checksum" else float(lines[0][2])


def launch(ranks, namelist):
    """Runs the model with Tailrace off on this text of a namelist file."""
    if not BUBBLE.exists():
        pytest.fail(f"{BUBBLE} is not built: run ./quickstart build")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "run.nml").write_text(namelist)
        (folder / "run.yaml").write_text("tailrace: 1\nservers: {mode: off}\n")
        command = ["mpirun", "-n", str(ranks), str(BUBBLE), "run.nml"]
        done = subprocess.run(command, cwd=folder, env=mpi_environment(), capture_output=True, text=True, timeout=120)
    return Run(done.returncode, done.stdout, done.stderr)


@functools.cache
def run_cached(ranks, settings):
    run = launch(ranks, "&bubble\n" + "".join(f"  {name} = {value}\n" for name, value in settings) + "/\n")
    assert run.status == 0, run.output + run.errors
    return run


def run(ranks=1, **settings):
    return run_cached(ranks, tuple(settings.items()))


def test_mass_is_conserved_to_rounding():
    current = run(**AT_200_M)
    # Some 3000 steps of three stages, each of which rounds every cell's density once: far less than 1e-13 in all.
    assert current["mass"] == pytest.approx(current["mass_at_start"], rel=1e-14)
    # The atmosphere at rest weighs (p(0) - p(6400 m)) / g on 25600 m x 800 m; the cold air is heavier by what theta
    # makes of the density. Midpoint sums of the profile err by (dz / H)^2 / 24 or so.
    exner = 1 - 9.81 * 6400 / (1004 * 300)
    at_rest = 1e5 * (1 - exner ** (1004 / 287)) / 9.81 * 25600 * 800
    assert 1.0 < current["mass_at_start"] / at_rest < 1.01


@pytest.mark.parametrize(("settings", "nearer_than"), [(AT_400_M, 400.0), (AT_200_M, 200.0)], ids=["400 m", "200 m"])
def test_front_of_the_density_current_agrees_with_published_results(settings, nearer_than):
    front = run(**settings)["front"]
    assert 14_400 < front < 15_600  # published for coarse grids
    assert front == pytest.approx(15_537, abs=nearer_than)  # Straka et al. (1993), converged at 25 m


def test_front_converges_to_the_reference():
    errors = [abs(run(**settings)["front"] - 15_537) for settings in (AT_400_M, AT_200_M)]
    assert errors[1] < 0.5 * errors[0]


def test_cold_core_agrees_with_other_models_on_coarse_grids():
    # -9.77 K when converged; coarser than 100 m, third to fifth-order upwind models undershoot by 1 to 2 K.
    for settings in (AT_400_M, AT_200_M):
        assert -11.8 < run(**settings)["theta_min"] < -9.0


def test_half_the_domain_behind_a_mirror_is_the_whole_domain():
    half = run(**AT_400_M)
    whole = run(**{**AT_400_M, "nx": 128, "x_boundary": "'periodic'"})
    assert whole["front"] - 25_600 == pytest.approx(half["front"], abs=0.01)
    assert whole["mass"] == pytest.approx(2 * half["mass"], rel=1e-13)


def test_warm_bubble_rises_as_fast_as_its_buoyancy_allows():
    bubble = run(**WARM_BUBBLE, t_end=300)
    # Buoyancy g * 2 K / 300 K over 300 s is 19.6 m/s without any resistance; air that must be pushed aside halves the
    # acceleration of a sphere at least (virtual mass), and mixing takes more.
    assert 3 < bubble["w_max"] < 0.67 * 9.81 * 2 / 300 * 300
    assert bubble["theta_min"] > -0.2
    assert bubble["mass"] == pytest.approx(bubble["mass_at_start"], rel=1e-14)


def test_air_at_rest_stays_exactly_at_rest():
    # 16 layers of 60 m end below the cold air, whose lower edge is at 1 km.
    still = run(**{**DENSITY_CURRENT, "nx": 4, "nz": 16, "dx": 400, "dz": 60, "t_end": 60, "x_boundary": "'periodic'"})
    assert still["w_max"] == 0
    assert still["dt_min"] == still["dt_max"]
    assert still["mass"] == still["mass_at_start"]


@pytest.mark.parametrize("ranks", [2, 3, 4, 5])
@pytest.mark.parametrize("settings", [SHORT_CURRENT, {**WARM_BUBBLE, "t_end": 60, "noise": 0.05}],
                         ids=["density current", "warm bubble"])  # fmt: skip
def test_bits_do_not_depend_on_the_number_of_ranks(settings, ranks):
    alone, shared = run(**settings), run(ranks, **settings)
    assert shared["checksum"] == alone["checksum"]
    assert shared["mass"] == alone["mass"]
    assert shared["steps"] == alone["steps"]


@pytest.mark.parametrize("ranks_y", [1, 2, 4])
def test_bits_do_not_depend_on_the_shape_of_the_blocks(ranks_y):
    settings = {**WARM_BUBBLE, "t_end": 60, "noise": 0.05}
    cut = run(4, **settings, ranks_y=ranks_y)
    assert f"{4 // ranks_y} x {ranks_y} ranks" in cut.output
    assert cut["checksum"] == run(**settings)["checksum"]


def test_checksum_sees_a_change_in_the_state():
    settings = {**SHORT_CURRENT, "t_end": 2}
    sums = [run(**{**settings, "noise": noise})["checksum"] for noise in (0.1, 0.1 + 1e-12)]
    assert sums[0] != sums[1]


def test_time_step_follows_the_flow():
    current = run(**AT_400_M)
    assert current["dt_max"] > 1.03 * current["dt_min"]
    sound = 0.8 / (347.2 * (2 / 400**2 + 1 / 800**2) ** 0.5)  # sound at the ground; cold air is slower, wind adds
    assert current["dt_max"] == pytest.approx(sound, rel=0.03)
    lengths = {line.split()[2] for line in current.output.splitlines() if line.split()[0].isdigit()}
    assert len(lengths) == 9  # one line for each 100 s, all steps different


@pytest.mark.parametrize(
    ("namelist", "message"),
    [
        ("&bubble\n nnx = 3\n/\n", "bubble: run.nml: Cannot match namelist object name nnx. &bubble knows: case, nx,"),
        ("&other\n/\n", "bubble: run.nml: the group &bubble ... / is missing or not closed"),
        ("&bubble\n case = 'storm'\n/\n", "case = 'storm': expected 'density_current' or 'warm_bubble'"),
        ("&bubble\n cfl = 2\n/\n", "cfl must be above 0 and at most 0.85"),
        ("&bubble\n nx = 3, cfl = -1\n/\n", "cfl must be above 0"),
        ("&bubble\n nx = 7\n/\n", "bubble: cannot cut 7 x 4 columns into blocks for 2 ranks"),
    ],
)
def test_wrong_settings_are_reported_once_and_end_the_run(namelist, message):
    ended = launch(2, namelist)
    assert ended.status != 0
    assert ended.errors.count(message) == 1, ended.errors
    assert "result" not in ended.output


def test_all_wrong_values_are_reported_together():
    ended = launch(1, "&bubble\n nx = 3, cfl = -1, x_boundary = 'open'\n/\n")
    told = ["nx and nz must be 4 or more", "cfl must be above 0", "x_boundary = 'open': expected 'wall' or 'periodic'"]
    assert [words for words in told if words not in ended.errors] == []


def test_test_cases_differ():
    """Guards the tests above against settings that the model would not read."""
    sums = [
        run(**settings)["checksum"]
        for settings in (AT_400_M, SHORT_CURRENT, {**WARM_BUBBLE, "t_end": 60, "noise": 0.05})
    ]
    assert all(a != b for a, b in itertools.combinations(sums, 2))
