"""The replay of a recorded run of MONC: here a small one that the test creates, with blocks of unequal extents."""

import json
import subprocess
import sys

import netCDF4
import numpy as np
import pytest
from support.harness import TREE, mpi_environment

REPLAY = TREE / "examples" / "monc_style" / "replay.py"
SIZE = {"z": 4, "y": 9, "x": 13}
CUTS = [{"z": (0, 4), "y": (0, 9), "x": (0, 5)}, {"z": (0, 4), "y": (0, 9), "x": (5, 8)}]  # (start, count)
STEPS = 3
FIELDS = {  # dims fastest first, as in MONC; type of the XML, size
    "vwp": ("yx", ""),
    "senhf": ("yx", 'size="y,x" collective=true'),
    "w": ("zyx", 'size="z,y,x" collective=true'),
}

XML = """<data-definition name="fields" frequency="1" namespace="fields">
{fields}
</data-definition>
<data-handling namespace="fields">
  <diagnostic field="vwp_max" type="scalar" data_type="double">
    <communication name="reduction" operator="max" result="vwp_max" field="vwp_max_local" root="auto"/>
    <operator name="localreduce" operator="max" result="vwp_max_local" field="vwp"/>
  </diagnostic>
</data-handling>
<group name="all" namespace="fields">{members}<member name="vwp_max"/></group>
<data-writing>
  <file name="replayed.nc" write_time_frequency="100.0">
    <include group="all" time_manipulation="none"/>
  </file>
</data-writing>
"""


def whole(name, step):
    """A different value in each cell, slowest dimension first."""
    shape = [SIZE[dim] for dim in reversed(FIELDS[name][0])]
    return np.arange(np.prod(shape), dtype=float).reshape(shape) * 0.5 + 1000 * step + 100000 * len(name)


def layout(cut):
    rows, offset = [], 0
    for name, (dims, _) in FIELDS.items():
        shape = [cut[dim][1] for dim in dims]
        size = 8 * int(np.prod(shape))
        rows.append([name, "array", "float64", shape, offset, size])
        offset += size
    return {"message_bytes": offset, "fields": rows}


def write_trace(folder):
    folder.mkdir()
    declared = [
        {"name": name, "type": "array", "size": size.split('"')[1] if size else "", "collective": bool(size)}
        | {"present": True, "units": ""}
        for name, (_, size) in FIELDS.items()
    ]
    ranks = []
    for rank, cut in enumerate(CUTS):
        part = tuple(slice(cut[dim][0], sum(cut[dim])) for dim in "xyz")
        parts = [whole(name, step)[part[: len(dims)]] for step in range(STEPS) for name, (dims, _) in FIELDS.items()]
        payload = np.concatenate([np.ascontiguousarray(values).reshape(-1) for values in parts]).view(np.uint8)
        np.savez(folder / f"rank{rank}.npz", payload=payload)
        rows = layout(cut)
        messages = [[0, step + 1, step + 0.5, False, step * rows["message_bytes"]] for step in range(STEPS)]
        ranks.append(
            {
                "file": f"rank{rank}.npz",
                "start_zyx": [cut[dim][0] + 1 for dim in "zyx"],
                "count_zyx": [cut[dim][1] for dim in "zyx"],
                "layout": [rows],
                "messages": messages,
            }
        )
    levels = {"z": [10.0 * k for k in range(SIZE["z"])], "zn": [10.0 * k - 5 for k in range(SIZE["z"])]}
    index = {
        "grid": {"size_zyx": [SIZE[dim] for dim in "zyx"], **levels},
        "definitions": [{"name": "fields", "namespace": "fields", "declared": declared}],
        "ranks": ranks,
    }
    (folder / "index.json").write_text(json.dumps(index))
    (folder / "options.json").write_text(json.dumps({f"{dim}_size": str(n) for dim, n in SIZE.items()}))


@pytest.mark.parametrize(("ranks", "servers"), [(2, 1), (1, 2), (3, 1)])
def test_blocks_that_are_not_square(tmp_path, ranks, servers):
    """With the ranks of the trace, and with another decomposition."""
    write_trace(tmp_path / "trace")
    fields = "\n".join(f'<field name="{n}" type="array" data_type="double" {s}/>' for n, (_, s) in FIELDS.items())
    members = "".join(f'<member name="{name}"/>' for name in FIELDS)
    (tmp_path / "run.xml").write_text(XML.format(fields=fields, members=members))
    servers_line = f"servers: {{mode: dedicated, count: {servers}, report: false}}"
    (tmp_path / "run.yaml").write_text(f"tailrace: 1\ninclude: [run.xml]\n{servers_line}\n")
    command = ["mpirun", "-n", str(ranks + servers), sys.executable, str(REPLAY), "trace", "run.yaml"]
    done = subprocess.run(command, cwd=tmp_path, env=mpi_environment(), capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr
    with netCDF4.Dataset(tmp_path / "replayed_100.0.nc") as file:
        for name, (dims, _) in FIELDS.items():
            variable = file[name]
            assert list(variable.dimensions[1:]) == list(reversed(dims))
            np.testing.assert_array_equal(variable[:], [whole(name, step) for step in range(STEPS)], err_msg=name)
        np.testing.assert_array_equal(file["vwp_max"][:], [whole("vwp", step).max() for step in range(STEPS)])
