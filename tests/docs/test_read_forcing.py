"""The tables of the guide page "Read forcing" that show what each rule of time gives are those of a run."""

import json
import re
import subprocess
import sys
from pathlib import Path

import netCDF4
import pytest
import yaml
from support.harness import TREE, mpi_environment

PAGE = (TREE / "docs/guide/read_forcing.md").read_text()
VALUES = [10.0, 14.0, 12.0]
DAY = 86400.0

MODEL = """
import json
import sys

import tailrace
from mpi4py import MPI

times, names = json.loads(sys.argv[1])
found = {name: [] for name in names}
with tailrace.Session.start(MPI.COMM_WORLD, "rules.yaml", component="model") as io:
    io.grid("line", dims=["x"], shape=[1])
    for name in names:
        io.input(name, grid="line", units="1")
    io.ready()
    for step, time in enumerate(times):
        io.step(step, time)
        for name in names:
            try:
                found[name].append(float(io.get(name)[0]))
            except RuntimeError as error:
                found[name].append("error" if "there is no record" in str(error) else str(error))
print(json.dumps(found))
"""


def table(head: str) -> tuple[list[float], dict[str, list[str]]]:
    """The times in seconds, and the cells by the rule in the first column."""
    lines = PAGE.split(f"| {head} |", 1)[1].split("\n\n", 1)[0].splitlines()
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    times = [DAY * float(re.fullmatch(r"([\d.]+) d", cell).group(1)) for cell in rows[0]]
    return times, {row[0].strip("`"): row[1:] for row in rows[2:]}


def write_records(path: Path, has_bounds: bool) -> None:
    """At the times 0, 1 and 2 d, or over the first three days."""
    with netCDF4.Dataset(path, "w") as data:
        for name, length in (("time", None), ("x", 1), ("nv", 2)):
            data.createDimension(name, length)
        time = data.createVariable("time", "f8", ("time",))
        time.units = "days since 2001-01-01"
        data.createVariable("q", "f8", ("time", "x")).units = "1"
        data["q"][:, 0] = VALUES
        time[:] = [0.5, 1.5, 2.5] if has_bounds else [0.0, 1.0, 2.0]
        if has_bounds:
            time.bounds = "time_bnds"
            data.createVariable("time_bnds", "f8", ("time", "nv"))[:] = [[0.0, 1.0], [1.0, 2.0], [2.0, 3.0]]


@pytest.mark.parametrize(("head", "has_bounds"), [("rule", False), ("rule with bounds", True)])
def test_what_a_rule_gives(tmp_path, head, has_bounds):
    times, rows = table(head)
    write_records(tmp_path / "q.nc", has_bounds)
    fields = {rule: {"variable": "q", "time": rule} for rule in rows}
    config = {
        "tailrace": 1,
        "servers": {"mode": "inline"},
        "model_time": {"calendar": "standard", "start": "2001-01-01"},
        "input": {"records": {"files": "q.nc", "fields": fields}},
    }
    (tmp_path / "rules.yaml").write_text(yaml.safe_dump(config, sort_keys=False))
    (tmp_path / "model.py").write_text(MODEL)
    command = [sys.executable, "model.py", json.dumps([times, list(rows)])]
    done = subprocess.run(command, cwd=tmp_path, env=mpi_environment(), capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stdout + done.stderr
    found = json.loads(done.stdout.splitlines()[-1])
    for rule, cells in rows.items():
        assert found[rule] == pytest.approx([cell if cell == "error" else float(cell) for cell in cells]), rule
