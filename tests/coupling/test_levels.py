"""Mistakes in `yac.levels`, which names a file with the coordinate of a collection."""

import subprocess
import sys

import netCDF4
import pytest
from tailrace.yac.errors import CouplingError
from tailrace.yac.levels import Levels


@pytest.mark.parametrize(
    ("file", "variable", "message"),
    [
        ("no.nc", "plev", "no.nc: is no file"),
        ("levels.nc", "lev", "levels.nc: there is no variable lev (did you mean plev? known: plev, wide)"),
        ("levels.nc", "wide", "levels.nc: variable wide has 2 dimensions; expected 1"),
    ],
)
def test_mistakes_name_the_place(tmp_path, file, variable, message):
    with netCDF4.Dataset(tmp_path / "levels.nc", "w") as data:
        data.createDimension("plev", 3)
        data.createVariable("plev", "f8", ("plev",))[:] = [1000.0, 500.0, 100.0]
        data.createVariable("wide", "f8", ("plev", "plev"))
    entry = {"place": "run.yaml:4:19", "file": str(tmp_path / file), "variable": variable}
    with pytest.raises(CouplingError) as found:
        Levels("plev", entry)
    assert str(found.value) == f"run.yaml:4:19  yac.levels.plev: {tmp_path}/{message}"


@pytest.mark.parametrize(
    ("section", "message"),
    [
        ("levels: {plev: {file: no.nc}}", "run.yaml:2:50  yac.levels.plev: no.nc: is no file"),
        ("grids: {mesh: {file: no.nc}}", "run.yaml:2:15  yac.grids.mesh: {folder}/no.nc: is no file"),
    ],
)
def test_check_opens_the_files(tmp_path, section, message):
    text = f"tailrace: 1\nyac: {{grids: {{boxes: {{latlon: 20 deg}}}}, {section}}}\n"
    if section.startswith("grids"):
        text = f"tailrace: 1\nyac: {{{section}}}\n"
    (tmp_path / "run.yaml").write_text(text)
    command = [sys.executable, "-m", "tailrace.cli", "check", "run.yaml"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert message.format(folder=tmp_path) in done.stderr
