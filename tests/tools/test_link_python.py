"""tools/link_python: an environment that holds links to the tree and to a build, and nothing of another build."""

import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest
from tailrace import demo

TREE = Path(__file__).resolve().parent.parent.parent
CORE = f"_core{sysconfig.get_config_var('EXT_SUFFIX')}"
OPERATOR = "libtailrace_adios2_codecs.so"
PLUGIN = "libtailrace_hdf5_plugin.so"


@pytest.fixture(scope="module")
def venv(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("environment") / "venv"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder], check=True)
    return folder


def link(venv: Path, build: Path) -> subprocess.CompletedProcess:
    command = [venv / "bin" / "python", TREE / "tools" / "link_python", build]
    return subprocess.run(command, capture_output=True, text=True)


def made_up_build(folder: Path, *names: str) -> Path:
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).touch()
    return folder


def links(folder: Path) -> dict[str, Path]:
    return {path.name: path.resolve() for path in folder.iterdir()}


def test_the_package_is_that_of_the_tree_and_its_build(venv, tmp_path):
    names = (f"python/tailrace/{CORE}", f"lib/{OPERATOR}", f"lib/hdf5_plugin/{PLUGIN}", "examples/bubble/bubble")
    first = made_up_build(tmp_path / "first", *names)
    assert link(venv, first).returncode == 0
    (package,) = venv.glob("lib/python*/site-packages/tailrace")
    found = links(package)
    sources = {path.name: path for path in (TREE / "python" / "tailrace").iterdir() if path.name != "__pycache__"}
    compiled = {CORE: first / "python" / "tailrace" / CORE, OPERATOR: first / "lib" / OPERATOR}
    assert found == sources | compiled | {"hdf5_plugin": first / "lib" / "hdf5_plugin"}
    assert links(venv / "share" / "tailrace" / "demo") == {
        "bubble": first / "examples" / "bubble" / "bubble",
        **{name: TREE / "examples" / "bubble" / name for name in ("demo.nml", "demo.yaml", "plot.py")},
    }
    assert (venv / "bin" / "tailrace").read_text().startswith(f"#!{venv / 'bin' / 'python'}\n")

    second = made_up_build(tmp_path / "second", f"python/tailrace/{CORE}")
    assert link(venv, second).returncode == 0
    assert links(package) == sources | {CORE: second / "python" / "tailrace" / CORE}


def test_zarr_finds_the_codec_by_its_entry_point(venv, tmp_path):
    assert link(venv, made_up_build(tmp_path, f"python/tailrace/{CORE}")).returncode == 0
    asked = "from importlib.metadata import entry_points as e; print([p.value for p in e(group='zarr.codecs')])"
    done = subprocess.run([venv / "bin" / "python", "-c", asked], capture_output=True, text=True)
    assert done.stdout == "['tailrace.zarr_codec:Lorenzo']\n", done.stderr


def test_a_build_without_the_module_is_named(venv, tmp_path):
    done = link(venv, tmp_path)
    assert done.returncode == 1
    assert f"no {CORE} under {tmp_path}" in done.stderr


def test_the_demo_names_what_it_lacks(tmp_path, monkeypatch):
    made_up_build(tmp_path, "bubble", "demo.yaml", "demo.nml")
    monkeypatch.setenv("TAILRACE_DEMO", str(tmp_path))
    with pytest.raises(demo.NotFound, match=f"the demo needs {tmp_path}/plot.py: run ./quickstart"):
        demo.example()
    made_up_build(tmp_path, "plot.py")
    assert demo.example() == tmp_path
