"""A recorded run of the real MONC, replayed with its own configuration file and compared with values computed with
NumPy and exact sums. The trace is large and not part of this repository; without it these tests are skipped."""

import functools
import json
import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import netCDF4
import numpy as np
import pytest
from support.harness import TREE, mpi_environment

SHARED = TREE.parent / "shared" / "data"
TRACE = SHARED / "monc_trace"
XML = SHARED / "monc" / "io" / "io_cfg_files" / "data_write_1file.xml"
REPLAY = TREE / "examples" / "monc_style" / "replay.py"
RANKS = 4  # of the trace

pytestmark = pytest.mark.skipif(not (TRACE / "index.json").exists(), reason="the trace of MONC is not there")

CONFIGURATION = """\
tailrace: 1
{legacy}include: ["{xml}"]
servers: {{mode: dedicated, count: {servers}, report: false}}
"""


@functools.cache
def expected(legacy):
    """Computed with windows aligned to multiples of their period, or as in MONC."""
    with np.load(TRACE / ("expected_small.npz" if legacy else "expected_small_grid.npz")) as file:
        return {name: file[name] for name in file.files}


def replay(folder, ranks, servers, *arguments, legacy=False):
    text = CONFIGURATION.format(
        xml=os.path.relpath(XML, folder), servers=servers, legacy="legacy: monc\n" if legacy else ""
    )
    (folder / "tailrace.yaml").write_text(text)
    command = ["mpirun", "-n", str(ranks + servers), sys.executable, str(REPLAY), str(TRACE), "tailrace.yaml"]
    options = ["-D", "diagnostic_file=trace.nc", "-D", "checkpoint_file=checkpoint.nc", *arguments]
    environment = mpi_environment() | {"TAILRACE_LOG": "info"}
    return subprocess.run(command + options, cwd=folder, env=environment, capture_output=True, text=True, timeout=120)


@dataclass
class Run:
    folder: Path
    output: str
    legacy: bool


AS_RECORDED = [(RANKS, servers, legacy) for servers in (1, 2, 3) for legacy in (False, True)]
CUT_ANEW = [(1, 1, False), (3, 2, False), (6, 1, True)]


@pytest.fixture(scope="module", params=AS_RECORDED + CUT_ANEW, ids=str)
def run(request, tmp_path_factory):
    ranks, servers, legacy = request.param
    folder = tmp_path_factory.mktemp(f"ranks{ranks}_servers{servers}")
    result = replay(folder, ranks, servers, legacy=legacy)
    output = result.stdout + result.stderr
    assert result.returncode == 0, output
    return Run(folder, output, legacy)


@functools.cache
def datasets(folder, checkpoint):
    paths = ["checkpoint_171.nc"] if checkpoint else [f"trace_{end}.nc" for end in (100.0, 200.0, 300.0)]
    assert len(list(folder.glob("*.nc"))) == 4
    files = [netCDF4.Dataset(folder / path) for path in paths]
    for file in files:
        file.set_auto_mask(False)
    return files


def read(folder, name):
    """Times, values, dimensions and the index of the file of each record; CHECKPOINT/ is the file of the model's
    end."""
    times, values, places = [], [], []
    for place, file in enumerate(datasets(folder, name.startswith("CHECKPOINT/"))):
        variable = file[name.removeprefix("CHECKPOINT/")]
        times.append(file[variable.dimensions[0]][:])
        values.append(variable[:])
        places += [place] * len(times[-1])
    return np.concatenate(times), np.concatenate(values), variable.dimensions, places


def names_of(expected):
    return sorted({name.rsplit(".", 1)[0] for name in expected if name.endswith(".time")})


def test_every_variable_has_its_times_and_values(run):
    right, wrong = expected(run.legacy), []
    names = names_of(right)
    assert len(names) == 193
    for name in names:
        times, values, _, places = read(run.folder, name)
        if not np.array_equal(times, right[f"{name}.time"]):
            wrong.append(f"{name}: times {times} instead of {right[f'{name}.time']}")
            continue
        lost = len(datasets(run.folder, False)) - 1  # the records that MONC would have written to a further file
        if not np.array_equal(places, np.where(right[f"{name}.file"] < 0, lost, right[f"{name}.file"])):
            wrong.append(f"{name}: in files {places} instead of {right[f'{name}.file']}")
        if f"{name}.value" not in right:
            continue  # large fields, which the next test compares with the trace
        value = right[f"{name}.value"]
        if run.legacy:
            value = right.get(f"{name}.legacy", value)
        bound = 16 * np.finfo(float).eps * right[f"{name}.scale"] if f"{name}.scale" in right else 0.0
        if values.shape != value.shape or not np.all(np.abs(values - value) <= bound):
            wrong.append(f"{name}: {values.shape} and {value.shape}, {np.max(np.abs(values - value) / 1)}")
    assert not wrong, "\n".join(wrong[:20]) + f"\n{len(wrong)} of {len(names)} variables"


@functools.cache
def payload_of(file):
    return np.load(TRACE / file)["payload"]


@functools.cache
def index_of_trace():
    return json.loads((TRACE / "index.json").read_text())


def sent_fields(name):
    """By time: the whole field, assembled from the parts of the ranks."""
    index = index_of_trace()
    meta = variables_of_trace()[name]
    bare = name.removeprefix("CHECKPOINT/")
    number = [definition["name"] for definition in index["definitions"]].index(meta["definition"])
    fields = {}
    for rank in index["ranks"]:
        payload = payload_of(rank["file"])
        row = next(row for row in rank["layout"][number]["fields"] if row[0] == bare)
        _, _, dtype, shape, offset, size = row
        (z, y, x), (nz, ny, nx) = (np.array(rank["start_zyx"]) - 1, rank["count_zyx"])
        part = (slice(x, x + nx), slice(y, y + ny), slice(z, z + nz))[: len(shape)]
        for definition, _, time, _, start in rank["messages"]:
            if definition != number:
                continue
            whole = fields.setdefault(time, np.zeros(index["grid"]["size_zyx"][::-1][: len(shape)]))
            whole[part] = payload[start + offset : start + offset + size].view(dtype).reshape(shape[::-1])
    return fields


@functools.cache
def variables_of_trace():
    with np.load(TRACE / "expected_small_grid.npz") as file:
        return json.loads(str(file["meta"]))["variables"]


def test_fields_are_exact_copies(run):
    right = expected(run.legacy)
    names = [name for name in names_of(right) if f"{name}.value" not in right]
    assert {"w", "th", "senhf", "CHECKPOINT/p"} <= set(names)
    for name in names:
        sent = sent_fields(name)
        times, values, dimensions, _ = read(run.folder, name)
        assert list(dimensions[1:]) == variables_of_trace()[name]["dims"][1:]
        for time, value in zip(times, values, strict=True):
            assert np.array_equal(value, sent[time]), f"{name} at {time} s"


def test_differences_are_reported_once(run):
    """In one line; with TAILRACE_LOG=info, as here, each of them."""
    lines = [line for line in run.output.splitlines() if "warning: " in line]
    assert len(lines) < 5, run.output
    assert run.output.count("remarks on files that were written for another program") == 1, run.output
    assert run.output.count("count the first sample twice") == (not run.legacy)
    assert run.output.count("MONC reads the number 100 as 1") == 1


def test_the_pace_of_the_models_time(tmp_path):
    result = replay(tmp_path, 1, 1, "--speed", "40")
    assert result.returncode == 0, result.stdout + result.stderr
    model_time, took = map(float, re.search(r"played (\S+) s of MONC's run in (\S+) s", result.stdout).groups())
    assert model_time == 241.96
    assert took >= model_time / 40
