"""Mistakes in `yac.levels`, which names a file with the coordinate of a collection."""

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
