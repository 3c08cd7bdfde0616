"""The recorded run of the real MONC, replayed under its own configuration file, against values computed with NumPy and
exact sums. The trace is large and stands beside the tree; without it these tests are skipped."""

import functools
import json
import os
import subprocess
import sys

import netCDF4
import numpy as np
import pytest
from support.harness import TREE, mpi_environment

SHARED = TREE.parent / "shared" / "data"
TRACE = SHARED / "monc_trace"
XML = SHARED / "monc" / "io" / "io_cfg_files" / "data_write_1file.xml"
REPLAY = TREE / "examples" / "monc_style" / "replay.py"
MODEL_RANKS = 4

pytestmark = pytest.mark.skipif(not (TRACE / "index.json").exists(), reason="the trace of MONC is not there")

CONFIGURATION = """\
tailrace: 1
include: ["{xml}"]
servers: {{mode: dedicated, count: {servers}, report: false}}
"""


@pytest.fixture(scope="module")
def expected():
    with np.load(TRACE / "expected_small_grid.npz") as file:
        return {name: file[name] for name in file.files}


def replay(folder, servers, *arguments):
    (folder / "tailrace.yaml").write_text(CONFIGURATION.format(xml=os.path.relpath(XML, folder), servers=servers))
    command = ["mpirun", "-n", str(MODEL_RANKS + servers), sys.executable, str(REPLAY), str(TRACE), "tailrace.yaml"]
    options = ["-D", "diagnostic_file=trace.nc", "-D", "checkpoint_file=checkpoint.nc", *arguments]
    return subprocess.run(
        command + options, cwd=folder, env=mpi_environment(), capture_output=True, text=True, timeout=120
    )


@pytest.fixture(scope="module", params=[1, 2, 3])
def run(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp(f"servers{request.param}")
    result = replay(folder, request.param)
    assert result.returncode == 0, result.stdout + result.stderr
    return folder, result


def read(folder, name):
    """Times and values of a variable, where CHECKPOINT/ stands for the file of the model's end."""
    checkpoint = name.startswith("CHECKPOINT/")
    with netCDF4.Dataset(folder / ("checkpoint.nc" if checkpoint else "trace.nc")) as file:
        file.set_auto_mask(False)
        variable = file[name.removeprefix("CHECKPOINT/")]
        return file[variable.dimensions[0]][:], variable[:], variable.dimensions


def names_of(expected):
    return sorted({name.rsplit(".", 1)[0] for name in expected if name.endswith(".time")})


def test_every_variable_has_its_times_and_values(run, expected):
    wrong = []
    names = names_of(expected)
    assert len(names) == 193
    for name in names:
        times, values, _ = read(run[0], name)
        if not np.array_equal(times, expected[f"{name}.time"]):
            wrong.append(f"{name}: times {times} instead of {expected[f'{name}.time']}")
            continue
        if f"{name}.value" not in expected:
            continue  # large fields, which the next test compares with what was sent
        value = expected[f"{name}.value"]
        bound = 16 * np.finfo(float).eps * expected[f"{name}.scale"] if f"{name}.scale" in expected else 0.0
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
    """By time: the whole field put together from what the ranks sent."""
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


def test_fields_are_exact_copies(run, expected):
    names = [name for name in names_of(expected) if f"{name}.value" not in expected]
    assert {"w", "th", "senhf", "CHECKPOINT/p"} <= set(names)
    for name in names:
        sent = sent_fields(name)
        times, values, dimensions = read(run[0], name)
        assert list(dimensions[1:]) == variables_of_trace()[name]["dims"][1:]
        for time, value in zip(times, values, strict=True):
            assert np.array_equal(value, sent[time]), f"{name} at {time} s"


def test_what_is_different_is_told_once(run):
    output = run[1].stdout + run[1].stderr
    lines = [line for line in output.splitlines() if line.strip()]
    assert output.count("MONC begins a new file") == 1
    assert len(lines) < 40, output


def test_values_of_monc_itself_are_not_available_yet(tmp_path):
    result = replay(tmp_path, 1, "-D", "legacy=monc")
    assert result.returncode != 0
    assert "legacy: is not available yet in this version" in result.stdout + result.stderr
