"""The toy model in C, C++, Fortran and Python, built against the installed package: the same bits in all four files."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import h5py
import numpy as np
import pytest
from support.harness import TREE, mpi_environment

pytestmark = pytest.mark.mpich

INSTALLED = Path(os.environ.get("TAILRACE_INSTALLED", TREE / "build" / "install"))
TOY = TREE / "examples" / "toy"
LANGUAGES = ("c", "cpp", "fortran", "python")


def run(command: list, folder) -> None:
    environment = mpi_environment(PATH=f"{INSTALLED / 'bin'}{os.pathsep}{os.environ['PATH']}")
    done = subprocess.run(
        list(map(str, command)),
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"


def build(language: str, folder) -> list:
    """The command that starts the model."""
    if language == "python":
        return [sys.executable, TOY / "python" / "toy.py"]
    run(["cmake", "-S", TOY / language, "-B", folder, f"-DCMAKE_PREFIX_PATH={INSTALLED}"], TREE)
    run(["cmake", "--build", folder], TREE)
    return [folder / "toy"]


@pytest.fixture(scope="module")
def values(tmp_path_factory) -> dict[str, dict[str, np.ndarray]]:
    """language -> file/variable -> values, of runs with two model ranks and a server."""
    found = {}
    for language in LANGUAGES:
        folder = tmp_path_factory.mktemp(language)
        program = build(language, folder / "build")
        shutil.copy(TOY / "toy.yaml", folder)
        run(["mpirun", "-n", "3", *program, "toy.yaml"], folder)
        found[language] = {}
        for path in folder.glob("*.nc"):
            with h5py.File(path) as file:
                found[language] |= {f"{path.stem}/{name}": file[name][...] for name in file}
    return found


@pytest.mark.parametrize("language", LANGUAGES[1:])
def test_the_same_bits_as_c(values, language):
    assert values[language].keys() == values["c"].keys()
    for name, expected in values["c"].items():
        assert values[language][name].tobytes() == expected.tobytes(), name


def blob() -> list[tuple[float, float, np.ndarray]]:
    """(time, length, state) of each step, computed on the whole plane at once."""
    y, x = np.meshgrid((np.arange(30) + 0.5 - 10) / 8, (np.arange(48) + 0.5 - 12) / 8, indexing="ij")
    h = np.maximum(1 - (x**2 + y**2), 0) ** 2
    steps, t = [], 0.0
    while t < 20:
        dt = 0.2 * (1 + (len(steps) + 1) % 3)
        h = h - 0.8 * dt * (h - np.roll(h, 1, axis=1)) - 0.4 * dt * (h - np.roll(h, 1, axis=0))
        t += dt
        steps.append((t, dt, h))
    return steps


def test_snapshots_and_means_are_those_of_the_model(values):
    steps = blob()
    h, h_mean = values["python"]["toy/h"], values["python"]["toy_means/h"]
    for k in range(4):
        end = 5.0 * (k + 1)
        snapshot = next(state for t, _, state in steps if t >= end)
        np.testing.assert_allclose(h[k], snapshot, rtol=1e-12, atol=1e-15)
        overlaps = [max(0.0, min(t, end) - max(t - dt, end - 5)) for t, dt, _ in steps]
        mean = sum(w * state for w, (_, _, state) in zip(overlaps, steps, strict=True)) / 5
        np.testing.assert_allclose(h_mean[k], mean, rtol=1e-10, atol=1e-13)
