"""`pip install .`: the wheel has only the package, and the installed package runs outside the tree.

It compiles everything again, which takes minutes, so it runs only with TAILRACE_TEST_WHEEL=1.
"""

import os
import shutil
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

import h5py
import pytest
from support.harness import TREE, mpi_environment

ASKED = os.environ.get("TAILRACE_TEST_WHEEL") == "1"
pytestmark = pytest.mark.skipif(not ASKED, reason="compiles everything: TAILRACE_TEST_WHEEL=1 asks for it")
COMPILED = {"_core" + sysconfig.get_config_var("EXT_SUFFIX"), "libtailrace.so", "libtailrace_python_operators.so"}


def run(command: list, **keywords) -> subprocess.CompletedProcess:
    done = subprocess.run(list(map(str, command)), stdin=subprocess.DEVNULL, capture_output=True, text=True, **keywords)
    assert done.returncode == 0, f"{command}\n{done.stdout[-5000:]}\n{done.stderr[-5000:]}"
    return done


@pytest.fixture(scope="module")
def wheel(tmp_path_factory) -> Path:
    """Made by pip with the packages of this environment, without downloads."""
    folder = tmp_path_factory.mktemp("wheel")
    launchers = {f"CMAKE_{language}_COMPILER_LAUNCHER": "ccache" for language in ("C", "CXX")}
    environment = os.environ | (launchers if shutil.which("ccache") else {})
    command = [sys.executable, "-m", "pip", "wheel", "--no-deps", "--no-build-isolation", "--no-index", "-w", folder]
    run(
        [*command, "--config-settings", f"build-dir={folder / 'build'}", TREE],
        env=environment,
        cwd=folder,
        timeout=1800,
    )
    (made,) = folder.glob("*.whl")
    return made


@pytest.fixture(scope="module")
def installed(wheel, tmp_path_factory) -> dict[str, str]:
    """An environment in which Python finds the wheel's package first, and the shell its command."""
    folder = tmp_path_factory.mktemp("installed")
    run([sys.executable, "-m", "pip", "install", "--no-deps", "--no-index", "--target", folder, wheel])
    path = f"{folder / 'bin'}{os.pathsep}{os.environ['PATH']}"
    return mpi_environment(PYTHONPATH=str(folder), PATH=path, PYTHONDONTWRITEBYTECODE="1")


def test_the_wheel_holds_the_package_and_nothing_else(wheel):
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
    tracked = run(["git", "-C", TREE, "ls-files", "python/tailrace"]).stdout.split()
    sources = {name.removeprefix("python/") for name in tracked} if (TREE / ".git").exists() else set()
    information = {name for name in names if ".dist-info/" in name}
    assert names - information == sources | {f"tailrace/{name}" for name in COMPILED}
    assert {name.split("/", 1)[1] for name in information} == {
        "METADATA",
        "RECORD",
        "WHEEL",
        "entry_points.txt",
        "licenses/LICENSE",
    }


def test_the_command_and_the_module_are_those_of_the_wheel(installed, tmp_path):
    version = run(["tailrace", "--version"], env=installed, cwd=tmp_path).stdout.strip()
    script = "import tailrace; print(tailrace.__file__, tailrace.version())"
    where, of_module = run([sys.executable, "-c", script], env=installed, cwd=tmp_path).stdout.split()
    assert Path(where).parent == Path(installed["PYTHONPATH"]) / "tailrace"
    assert version == of_module
    plan = run(["tailrace", "check", TREE / "examples" / "toy" / "toy.yaml"], env=installed, cwd=tmp_path).stdout
    assert "toy.nc (netcdf" in plan


@pytest.mark.parametrize("servers", ["of the model", "programs"])
def test_a_job_runs_with_it(installed, tmp_path, servers):
    shutil.copy(TREE / "examples" / "toy" / "toy.yaml", tmp_path)
    toy = [sys.executable, TREE / "examples" / "toy" / "python" / "toy.py", "toy.yaml"]
    command = ["mpirun", "-n", "2", *toy]
    if servers == "programs":
        command = ["tailrace", "run", "-n", "1", "--servers", "1", "toy.yaml", "--", *toy]
    run(command, env=installed, cwd=tmp_path, timeout=120)
    with h5py.File(tmp_path / "toy.nc") as file:
        assert file["h"].shape == (4, 30, 48)


def test_operators_in_python_run_with_it(installed, tmp_path):
    """In servers that are Python programs, with the plugin of the wheel."""
    (tmp_path / "mine.py").write_text("def double(a):\n    return 2 * a\n")
    operators = "operators: {double: {python: mine.py, result: {units: same}}}\ndiagnostics: {hh: {is: double(h)}}\n"
    config = (TREE / "examples" / "toy" / "toy.yaml").read_text() + operators
    (tmp_path / "toy.yaml").write_text(
        config.replace("    variables:", "    variables:\n      - {field: hh, time: snapshot, every: 5 s}", 1)
    )
    toy = [sys.executable, TREE / "examples" / "toy" / "python" / "toy.py", "toy.yaml"]
    command = ["tailrace", "run", "-n", "1", "--servers", "1", "toy.yaml", "--", *toy]
    run(command, env=installed, cwd=tmp_path, timeout=120)
    with h5py.File(tmp_path / "toy.nc") as file:
        assert (file["hh"][:] == 2 * file["h"][:]).all()
