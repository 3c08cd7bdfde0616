"""Jobs of stream_model, a model whose ranks all carry out a list of actions.

Actions (`do`; `of`: the name of a stream, by default the session; `refused`: the call is expected to fail):
  open       name, as (its name in the script), ranks (of the model, in their order in the stream; all), text (YAML)
  declare    nx, ny, nz, fields: f0, f1, ... on grid0 (z, y, x), whose rows are split over the ranks; grids
  attribute  name, value: of the files
  open_file  path
  step       step, time: steps, and puts all wanted fields (`values`)
  written    step: waits until it is
  ready (tells: its cost), close_file, finish, free, meet (of all model ranks), wait_for (path), kill (rank)
"""

import json
from pathlib import Path

import netCDF4
import numpy as np
from support.harness import BUILD, CONFIGURATION, Running, Servers, mpi_environment, write_configuration

PROGRAM = BUILD / "tests" / "stream_model"
FILES = (
    "fields: {all: {every: 1 step, names: ['*']}}\noutput:\n  '{file}': {variables: [{fields: '*', every: 1 step}]}\n"
)


def do(what: str, of: str = "", **more) -> dict:
    return {"do": what, "of": of, **more}


def steps(of: str, numbers, length: float = 10.0) -> list[dict]:
    return [do("step", of, step=number, time=number * length) for number in numbers]


def stream(name: str, text: str = FILES, nx: int = 7, ny: int = 5, fields: int = 2, ranks=None, **more) -> list[dict]:
    """Opens a stream and makes it ready."""
    placed = {} if ranks is None else {"ranks": ranks}
    declared = do("declare", name, nx=nx, ny=ny, fields=fields, **more)
    return [do("open", name=name, text=text, **placed), declared, do("ready", name)]


def values(field: int, step: int, nx: int = 7, ny: int = 5, nz: int = 1) -> np.ndarray:
    cells = np.arange(nz * ny * nx).reshape(nz, ny, nx)
    return 1000.0 * field + 10.0 * step + 0.125 * cells


def start(folder: Path, actions: list[dict], ranks: int = 3, serving: Servers | None = None, config=None, **keywords):
    """The running job. `config`: of the user, with the section `servers` that `serving` asks for."""
    serving = serving or Servers(1)
    folder.mkdir(parents=True, exist_ok=True)
    write_configuration(folder / CONFIGURATION, config or {}, serving)
    script = {"configuration": CONFIGURATION, "actions": actions, "text": keywords.pop("text", "")}
    (folder / "script.json").write_text(json.dumps(script))
    count = ranks + (serving.ranks if serving.mode == "dedicated" else 0)
    launcher = keywords.pop("launcher", ())
    settings = mpi_environment(**keywords.pop("environment", {}))
    return Running(["mpirun", *launcher, "-n", str(count), str(PROGRAM), "script.json"], folder, settings, **keywords)


def run(folder: Path, actions: list[dict], **keywords):
    with start(folder, actions, **keywords) as running:
        return running.wait(60)


def check_file(path: Path, numbers, fields: int = 2, length: float = 10.0, **shape) -> netCDF4.Dataset:
    """A file with a record of all fields at each of these steps."""
    dataset = netCDF4.Dataset(path)
    assert list(dataset["time"][:]) == [number * length for number in numbers]
    for field in range(fields):
        found = dataset[f"f{field}"][:]
        assert found.dtype == (np.float64 if field % 2 == 0 else np.float32)
        expected = np.stack([values(field, number, **shape) for number in numbers])
        np.testing.assert_array_equal(found, expected.astype(found.dtype))
    return dataset
