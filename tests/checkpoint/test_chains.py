"""The bubble, MONC's 319 diagnostics and a run over months, stopped at random moments in four ways and continued on
other ranks, servers, modes and transports: the files equal those of an uninterrupted run."""

import os

import pytest
import yaml
from support.chains import Piece, assert_same, count, files_of, run_in_pieces
from support.harness import (
    BUILD,
    CONFIGURATION,
    TREE,
    Job,
    Running,
    block_grid,
    field,
    indexed_grid,
    model,
    mpi_environment,
    servers,
    write_configuration,
)
from support.values import varying_times

STOPS = 3  # of each run
RUNS = count(1, 10, "TAILRACE_TEST_CHAINS")
XML = TREE.parent / "shared" / "data" / "monc" / "io" / "io_cfg_files" / "data_write_1file.xml"
EXAMPLES = BUILD / "examples"

BUBBLE = """\
&bubble
  case = 'warm_bubble', nx = 32, ny = 12, nz = 10, dx = 500, dy = 600, dz = 800, viscosity = 75, noise = 0.5
  t_end = 100{steps}
/
"""
MONC = """\
&bubble
  case = 'warm_bubble', nx = 32, ny = 12, nz = 10, dx = 250, dy = 300, dz = 200, t_end = 18
  viscosity = 10, x_boundary = 'periodic', noise = 0.5
/
&monc
  fields = '{fields}'
  options = {options}{steps}
/
"""
OPTIONS = {
    "sampling_frequency": 2,
    "3d_sampling_frequency": 6,
    "checkpoint_frequency": 0,
    "mm": 3.0,
    "mm1": 1.0,
    "diag_write_freq": 8.0,
    "diagnostic_file": "diagnostics.nc",
    "checkpoint_file": "checkpoint.nc",
    "q_indicies.vapour": 1,
    "q_indicies.cloud liquid mass": 2,
}


def launch(folder, program, settings: str, config: dict, piece: Piece) -> Running:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "settings.nml").write_text(settings)
    write_configuration(folder / CONFIGURATION, config, piece.serving)
    ranks = piece.ranks + piece.serving.ranks
    command = ["mpirun", "-n", str(ranks), str(program), "settings.nml", CONFIGURATION]
    # Delays in each step make a short run long enough to be stopped.
    environment = mpi_environment(TAILRACE_RANDOM_DELAYS=f"{ranks}:800")
    return Running(command, folder, environment)


def bubble(folder):
    config = yaml.safe_load((TREE / "examples" / "bubble" / "warm_bubble.yaml").read_text())
    del config["servers"]
    config["checkpoint"] = {"every": "15 steps", "fields": ["state_*"]}

    def start(piece: Piece) -> Running:
        steps = f", steps = {piece.steps}" if piece.steps else ""
        return launch(folder, EXAMPLES / "bubble" / "bubble", BUBBLE.format(steps=steps), config, piece)

    return start


def monc(folder):
    config = {"include": [os.path.relpath(XML, folder)]}
    config["checkpoint"] = {"every": "5 steps", "fields": ["state_*"]}
    options = ", ".join(f"'{name}={value}'" for name, value in OPTIONS.items())

    def start(piece: Piece) -> Running:
        fields = TREE / "examples" / "monc_style" / "fields.txt"
        steps = f", steps = {piece.steps}" if piece.steps else ""
        settings = MONC.format(fields=fields, options=options, steps=steps)
        return launch(folder, EXAMPLES / "monc_style" / "monc_style", settings, config, piece)

    return start


DAY = 86400.0
MONTHS = varying_times(150, seed=7, shortest=0.2 * DAY, longest=1.4 * DAY)
MONTHS_CONFIG = {
    "model_time": {"calendar": "noleap", "start": "2001-12-19 07:00:00"},
    "fields": {"state": {"every": "1 step", "names": ["w", "q"]}},
    "checkpoint": {"every": "9 days", "fields": ["w", "q"]},
    "output": {
        "days.nc": {
            "new_file_every": "1 month",
            "write_every": "4 days",
            "variables": [
                {"field": "w", "operation": "mean", "every": "1 day", "chunk": [5, 2, 4, 11]},
                {"field": "q", "operation": "snapshot", "every": "1 day"},
            ],
        },
        "months.nc": {"variables": [{"field": "w", "operation": "mean", "every": "1 month"}]},
        "seasons.nc": {
            "variables": [{"field": "q", "operation": "max", "every": "3 months", "offset": "-1 month"}],
        },
    },
}


def months(folder):
    job = Job(folder)
    fields = [field("w", "les"), field("q", "ico", "float32")]

    def start(piece: Piece) -> Running:
        played = model(
            piece.ranks,
            grids=[block_grid("les"), indexed_grid("ico")],
            fields=fields,
            times=MONTHS[: piece.steps] if piece.steps else MONTHS,
            checkpoints=True,
            got=["w", "q"],
            asks_stop=True,
            pace=0.004,
        )
        return job.start(played, piece.serving, config=MONTHS_CONFIG, folder=folder)

    return start


MODELS = {"bubble": (bubble, "bubble", 80), "monc": (monc, "monc_style", 45), "months": (months, "player", 150)}


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """By model: the files of the uninterrupted run, and its duration."""
    known = {}

    def of(name: str):
        if name not in known:
            folder = tmp_path_factory.mktemp(name)
            with MODELS[name][0](folder)(Piece(3, servers(2))) as running:
                result = running.wait(180.0).finished()
            known[name] = files_of(folder), result.seconds
        return known[name]

    return of


@pytest.mark.parametrize("seed", range(RUNS))
@pytest.mark.parametrize("name", MODELS)
def test_stopped_at_random(tmp_path, whole, name, seed):
    if name == "monc" and not XML.exists():
        pytest.skip("MONC's configuration files are not there")
    files, seconds = whole(name)
    make, program, steps = MODELS[name]
    folder = tmp_path / "pieces"
    stops = 4 if name == "months" else STOPS
    told = run_in_pieces(folder, make(folder), program, seed, stops, steps, seconds)
    assert_same(folder, files, told)
