"""The output paths of `tailrace weights`: files of others stay, and nothing unfinished is left."""

import errno
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from support.harness import mpi_environment
from tailrace.weights import commands, placing
from tailrace.weights.errors import WeightsError
from weights.test_command import run, source  # noqa: F401
from weights.test_formats import write_scrip

WORDS = ["make", "source.nc", "latlon: 30 deg", "-m", "nearest", "-o"]


@pytest.mark.parametrize("links", [True, False])
@pytest.mark.parametrize("force", [True, False])
def test_a_file_that_comes_meanwhile(source, monkeypatch, links, force):  # noqa: F811
    output = source.with_name("w.nc")
    make_all = commands._run

    def make_and_disturb(*arguments):
        make_all(*arguments)
        output.write_text("mine")

    def no_link(*arguments):
        raise OSError(errno.EPERM, "Operation not permitted")

    monkeypatch.setattr(commands, "_run", make_and_disturb)
    if not links:
        monkeypatch.setattr(placing.os, "link", no_link)
    arguments = (source, "latlon: 30 deg", "nearest", output)
    if force:
        assert "6 x 12 = 72 cells" in commands.make(*arguments, force=True).text()
    else:
        with pytest.raises(WeightsError, match=r"w\.nc: a file came there in the meantime, and stays"):
            commands.make(*arguments)
        assert output.read_text() == "mine"
    assert sorted(path.name for path in source.parent.iterdir()) == ["source.nc", "w.nc"]


def test_a_file_system_without_links(source, monkeypatch):  # noqa: F811
    def no_link(*arguments):
        raise OSError(errno.EPERM, "Operation not permitted")

    monkeypatch.setattr(placing.os, "link", no_link)
    made = commands.make(source, "latlon: 30 deg", "nearest", source.with_name("w.nc"))
    assert "6 x 12 = 72 cells" in made.text()


def test_a_link_to_nothing_stays(tmp_path, source):  # noqa: F811
    (tmp_path / "w.nc").symlink_to("elsewhere.nc")
    assert "w.nc: exists; expected another file" in run(tmp_path, *WORDS, "w.nc", status=1)
    assert (tmp_path / "w.nc").readlink() == Path("elsewhere.nc") and not (tmp_path / "elsewhere.nc").exists()


def test_what_is_read_is_not_replaced(tmp_path, source):  # noqa: F811
    target, method = tmp_path / "target.nc", tmp_path / "method.nc"
    target.write_bytes(source.read_bytes())
    write_scrip(method)
    (tmp_path / "link.nc").symlink_to("source.nc")
    before = {path: path.read_bytes() for path in (source, target, method)}
    for output in ("source.nc", "./target.nc", str(method), "link.nc"):
        words = ["make", "source.nc", "target.nc", "-m", "method.nc", "-o", output, "--force"]
        assert f"{Path(output)}: exists and is read" in run(tmp_path, *words, status=1)
    assert before == {path: path.read_bytes() for path in before} and (tmp_path / "link.nc").is_symlink()


def test_pictures_stay(tmp_path, source):  # noqa: F811
    run(tmp_path, *WORDS, "w.nc")
    picture = tmp_path / "map.png"
    picture.write_text("mine")
    assert "map.png: exists; " in run(tmp_path, "show", "w.nc", "--picture", "map.png", status=1)
    assert "w.nc: exists and is read" in run(tmp_path, "show", "w.nc", "--picture", "w.nc", status=1)
    run(tmp_path, "show", "w.nc", "--picture", "map")  # of no other name
    assert picture.read_text() == "mine" and (tmp_path / "map").read_bytes().startswith(b"\x89PNG")
    with pytest.raises(WeightsError, match=r"w\.nc: exists and is read"):
        commands.show(tmp_path / "w.nc", tmp_path / "w.nc", force=True)
    commands.show(tmp_path / "w.nc", picture, force=True)
    assert picture.read_bytes().startswith(b"\x89PNG")
    text = run(tmp_path, "show", "w.nc", "--picture", "map.xyz", status=1)
    assert text.startswith("tailrace: error: map.xyz: the picture cannot be written: ")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["map", "map.png", "source.nc", "w.nc"]


def test_places_that_cannot_be_written(tmp_path, source):  # noqa: F811
    long = "n" * 300
    for output, reason in ((f"{long}.nc", "File name too long"), ("/proc/w.nc", "No such file or directory")):
        text = run(tmp_path, *WORDS, output, status=1)
        assert text == f"tailrace: error: {output}: cannot be written: {reason}\n"
    run(tmp_path, *WORDS, "n" * 252 + ".nc")  # as long as names may be
    closed = tmp_path / "closed"
    closed.mkdir(mode=0o500)
    if not os.access(closed, os.W_OK):  # root may write everywhere
        text = run(tmp_path, *WORDS, "closed/w.nc", status=1)
        assert text == "tailrace: error: closed/w.nc: cannot be written: Permission denied\n"


@pytest.fixture
def with_our_yac(tmp_path):
    """Makes an environment in which the package yac does what a test says."""

    def environment(code):
        package = tmp_path / "packages" / "yac"
        package.mkdir(parents=True)
        (package / "__init__.py").touch()
        (package / "core.py").write_text(code)
        (tmp_path / "temporary").mkdir()
        paths = [str(package.parent), os.environ.get("PYTHONPATH", "")]
        return {**mpi_environment(), "PYTHONPATH": os.pathsep.join(paths), "TMPDIR": str(tmp_path / "temporary")}

    return environment


def start(folder, environment):
    words = ["make", "source.nc", "latlon: 30 deg", "-m", "average", "-j", "2", "-o", "out/w.nc"]
    (folder / "out").mkdir()
    # A job of nohup, or in the background of a shell, hears SIGHUP or SIGINT only if it asks to.
    hears = ["env", "--default-signal=HUP,INT,TERM"]
    return subprocess.Popen(
        [*hears, sys.executable, "-m", "tailrace.cli", "weights", *words],
        cwd=folder,
        env=environment,
        stderr=subprocess.PIPE,
        text=True,
    )


def test_yac_that_does_not_load(tmp_path, source, with_our_yac):  # noqa: F811
    job = start(tmp_path, with_our_yac("raise ImportError('first line\\nlibmpi.so.40: no such file')"))
    text = job.communicate(timeout=60)[1]
    assert "yac is installed, but does not load: libmpi.so.40: no such file; pip install 'tailrace[regrid]'" in text
    assert "Warning" not in text and text.count("\n") == 1
    assert list((tmp_path / "out").iterdir()) == []


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
def test_told_to_end(tmp_path, source, with_our_yac, number):  # noqa: F811
    code = (
        "import os, time\n"
        f"name = {str(tmp_path)!r} + f'/pid.{{os.getpid()}}'\n"
        "open(name, 'w').write(f'{os.getppid()}')\n"
        "time.sleep(600)\n"
    )
    job = start(tmp_path, with_our_yac(code))
    end = time.monotonic() + 60
    while len(started := [path for path in tmp_path.glob("pid.*") if path.read_text()]) < 2:
        assert time.monotonic() < end and job.poll() is None
        time.sleep(0.02)
    assert any((tmp_path / "out").iterdir())
    job.send_signal(number)
    text = job.communicate(timeout=30)[1].strip()
    assert (job.returncode, text) == (
        (130, "tailrace: error: interrupted") if number == signal.SIGINT else (-number, "")
    )
    assert list((tmp_path / "out").iterdir()) == [] and list((tmp_path / "temporary").iterdir()) == []
    for path in started:
        for process in (path.suffix[1:], path.read_text()):  # YAC and its maker
            line = Path("/proc", process, "cmdline")
            assert not line.exists() or line.read_bytes() == b""  # a zombie at most
