"""Damaged files: the reader of an entry gives an error that names the file, or values; it never ends."""

import random

import numpy as np
import pytest
from support.record_dump import RecordDump, Refused, grid, write

AXES = {"time": np.arange(3.0), "lev": np.array([900.0, 300.0]), "lat": np.linspace(-70, 70, 5), "lon": np.arange(7.0)}
FIELDS = [
    {"name": "t", "type": "float32", "missing": "nearest"},
    {"name": "u", "variable": "t", "units": "degC", "vertical": "lev"},
]


@pytest.mark.parametrize("kind", ["NETCDF3_CLASSIC", "NETCDF3_64BIT_DATA", "NETCDF4"])
def test_damaged_files(tmp_path, kind):
    values = np.random.default_rng(1).normal(size=(3, 2, 5, 7)).astype("f4")
    write(tmp_path / "good.nc", values, AXES, {"valid_range": np.array([-9, 9], "f4")}, kind=kind)
    good, dice, refused = (tmp_path / "good.nc").read_bytes(), random.Random(9), 0
    where = grid(lev=AXES["lev"], lat=AXES["lat"], lon=AXES["lon"])
    for n in range(30):
        bad = bytearray(good)
        for _ in range(dice.choice([1, 5, 40])):
            at = dice.randrange(min(len(bad), 3000))
            bad[at : at + 8] = dice.choice([b"\xff" * 8, b"\x7f" + b"\xff" * 7, bytes([bad[at] ^ 1 << n % 8])])[
                : len(bad) - at
            ]
        path = tmp_path / f"{n}.nc"
        path.write_bytes(bad[: dice.randrange(len(bad))] if n % 5 == 0 else bad)
        try:
            with RecordDump(tmp_path, where, [path.name], FIELDS) as dump:  # its end is checked
                for field in range(2):
                    for record in range(len(dump.times(field))):
                        dump.read(record, field)
        except Refused as error:
            refused += 1
            assert str(path) in str(error) or path.name in str(error)
    assert refused > 10
