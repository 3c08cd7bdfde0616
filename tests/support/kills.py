"""Checks of the files that a killed run leaves."""

from pathlib import Path

import numpy as np

from support.harness import block_grid, field, tailrace
from support.reading import commits, read
from support.values import put_values, varying_times

TIMES = varying_times(4000, seed=5)
SHAPE = (4, 9, 17)
CONFIG = {
    "fields": {"state": {"every": "1 step", "names": ["w", "t"]}},
    "output": {
        "now.nc": {
            "write_every": "2 steps",
            "compression": {"codec": "zlib"},
            "variables": [{"field": "w", "time": "snapshot", "every": "1 step", "chunk": [3, 2, 5, 17]}],
        },
        "mean.nc": {"write_every": "10 s", "variables": [{"field": "t", "time": "mean", "every": "5 s"}]},
    },
}
SCENARIO = {
    "grids": [block_grid(shape=SHAPE)],
    "fields": [field("w", "les"), field("t", "les")],
    "times": TIMES,
    "pace": 0.002,
    "report_steps": True,
}


def make_readable(path: Path) -> bool:
    """Opens the file, and if that fails repairs it by `tailrace inspect`, like a user. Whether a repair was needed."""
    looked = tailrace("inspect", path.name, cwd=path.parent)
    if looked.returncode == 0:
        return False
    assert "repair" in looked.stdout + looked.stderr
    repaired = tailrace("inspect", "--repair", path.name, cwd=path.parent)
    assert repaired.returncode == 0, repaired.stderr
    return True


def assert_holds(path: Path, lengths: dict[str, int]) -> None:
    data = read(path)
    for dim, length in lengths.items():
        assert data.sizes[dim] >= length, f"{dim}: {data.sizes[dim]} of {length} promised records"
    if "w" in data:
        for i in range(lengths.get("time", 0)):
            np.testing.assert_array_equal(data.w.values[i], put_values(0, SHAPE, TIMES[i], i + 1))


def check_files(folder: Path) -> tuple[int, int]:
    """After the end of all processes: the number of files with commits, and of those that needed a repair."""
    promised = commits(folder)
    repaired = sum(make_readable(path) for path in folder.glob("*.nc"))
    for path in folder.glob("*.nc"):
        assert_holds(path, promised.get(path.name, {}))
    assert all((folder / name).exists() for name in promised)
    return len(promised), repaired
