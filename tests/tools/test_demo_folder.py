"""`tailrace demo --into FOLDER` removes what an earlier demo made, and nothing else."""

from pathlib import Path

import pytest
from tailrace import demo


@pytest.fixture
def model(tmp_path) -> Path:
    folder = tmp_path / "model"
    folder.mkdir()
    for name in demo.SETTINGS:
        (folder / name).write_text(f"the {name} of this version")
    return folder


def test_the_files_of_somebody_else_stay(model, tmp_path):
    (tmp_path / "mine/pictures").mkdir(parents=True)
    for name in ("precious.nc", "pictures/holiday.png"):
        (tmp_path / "mine" / name).write_text("precious")
    with pytest.raises(demo.Occupied, match="mine holds pictures and more, and no earlier demo; name a new or empty"):
        demo.prepare(tmp_path / "mine", model)
    names = sorted(path.name for path in (tmp_path / "mine").rglob("*"))
    assert names == ["holiday.png", "pictures", "precious.nc"]


def test_an_earlier_demo_makes_room(model, tmp_path):
    into = tmp_path / "demo"
    demo.prepare(into, model)
    (into / "pictures").mkdir()
    for name in ("demo_means.nc", "demo_old.nc", "notes.nc", "pictures/1.png", "pictures/notes.txt"):
        (into / name).write_text("")
    (into / "demo.nml").write_text("of an earlier version")
    demo.prepare(into, model)
    names = sorted(str(path.relative_to(into)) for path in into.rglob("*") if path.is_file())
    assert names == ["demo.nml", "demo.yaml", "notes.nc", "pictures/notes.txt"]
    assert (into / "demo.nml").read_text() == "the demo.nml of this version"
