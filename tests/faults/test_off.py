"""Mode off does nothing, but undeclared handles and names are still reported."""

import sys

from support.harness import Running, mpi_environment

CONFIG = """
tailrace: 1
servers: {mode: off}
fields: {all: {every: 1 step, names: [x]}}
output: {o.nc: {variables: [{field: x, time: snapshot, every: 1 step}]}}
"""
MODEL = """
import tailrace
from mpi4py import MPI

io = tailrace.Session.start(MPI.COMM_WORLD, "off.yaml")
x = io.field("x")
io.ready()
io.step(1, 1.0)
io.put(x, 1.0)
for wrong in (77, -1, "y"):
    try:
        io.put(wrong, 1.0)
        print("NOT TOLD")
    except tailrace.Error as error:
        print("HEARD", error)
io.finish()
"""


def test_a_wrong_field_is_reported_in_mode_off(tmp_path):
    (tmp_path / "off.yaml").write_text(CONFIG)
    (tmp_path / "model.py").write_text(MODEL)
    with Running(["mpirun", "-n", "1", sys.executable, "model.py"], tmp_path, mpi_environment()) as running:
        result = running.wait(60).finished()
    for handle in (77, -1):
        assert f"HEARD field handle {handle} was not returned by this session (it declared 1 fields)" in result.output
    assert 'HEARD field "y" was not declared. (known: x)' in result.output
    assert "NOT TOLD" not in result.output
