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
    first = made_up_build(tmp_path / "first", f"python/tailrace/{CORE}", f"lib/{OPERATOR}", "examples/bubble/bubble")
    assert link(venv, first).returncode == 0
    (package,) = venv.glob("lib/python*/site-packages/tailrace")
    found = links(package)
    sources = {path.name: path for path in (TREE / "python" / "tailrace").iterdir() if path.name != "__pycache__"}
    compiled = {CORE: first / "python" / "tailrace" / CORE, OPERATOR: first / "lib" / OPERATOR}
    assert found == sources | compiled
    assert links(venv / "share" / "tailrace" / "demo") == {
        "bubble": first / "examples" / "bubble" / "bubble",
        **{name: TREE / "examples" / "bubble" / name for name in ("demo.nml", "demo.yaml", "plot.py")},
    }
    assert (venv / "bin" / "tailrace").read_text().startswith(f"#!{venv / 'bin' / 'python'}\n")

    second = made_up_build(tmp_path / "second", f"python/tailrace/{CORE}")
    assert link(venv, second).returncode == 0
    assert links(package) == sources | {CORE: second / "python" / "tailrace" / CORE}


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
