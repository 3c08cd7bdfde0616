"""ADIOS2 files, whole and while they grow, and the stream of a running job as sources of input."""

import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from support.reader_client import ReaderClient, ReaderRefused
from support.record_dump import RecordDump, Refused, grid
from support.sst import SHAPE, STEPS, TIMES, check_file, contact, start
from support.values import put_values

pytest.importorskip("adios2", reason="ADIOS2 is not installed")

COMMAND = [sys.executable, "-P", "-m", "tailrace.input_source"]

# Writes ADIOS2 datasets as Tailrace does. Before step `gate` it waits for the file `go`. Step k has one record of h, or
# two if k is odd, and a record of g if k is a multiple of 3.
WRITER = """
import sys, time
from pathlib import Path
import adios2, numpy as np

name, engine, steps, gate = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
io = adios2.Adios().declare_io("writer")
io.set_engine(engine)
io.set_parameters({"RendezvousReaderCount": "1", "QueueLimit": "500", "MarshalMethod": "bp"} if engine == "SST" else {})
record = 0
with adios2.Stream(io, name, "w") as out:
    for k in range(steps):
        while k == gate and not Path("go").exists():
            time.sleep(0.01)
        out.begin_step()
        if k == 0:
            named = {"x": "x", "time": "time", "time_2": "time_2", "h": "time x", "g": "time_2 x"}
            for variable, dims in named.items():
                out.write_attribute(f"{variable}/__xarray_dimensions__", dims.split())
            out.write_attribute("__unlimited_dimensions__", ["time", "time_2"])
            out.write_attribute("h/units", "m")
            out.write_attribute("time/units", "seconds since 2026-01-01")
            out.write_attribute("time_2/units", "seconds since 2026-01-01")
            out.write("x", np.arange(3.0), [3], [0], [3])
        count = 1 + k % 2
        numbers = np.arange(record, record + count)
        out.write("time", numbers + 1.0, [count], [0], [count])
        values = (np.arange(3.0) + 10 * numbers[:, None]).astype("f4")
        out.write("h", values, [count, 3], [0, 0], [count, 3])
        record += count
        if k % 3 == 0:
            out.write("time_2", numbers[:1] + 1.0, [1], [0], [1])
            out.write("g", np.full((1, 3), k, "i2"), [1, 3], [0, 0], [1, 3])
        out.end_step()
"""


def expected(records: int) -> np.ndarray:
    return (np.arange(3.0) + 10 * np.arange(records)[:, None]).astype("f4")


@pytest.fixture
def write(tmp_path):
    started = []

    def begin(name: str, engine: str, steps: int, gate: int = -1) -> subprocess.Popen:
        command = [sys.executable, "-c", WRITER, name, engine, str(steps), str(gate)]
        started.append(subprocess.Popen(command, cwd=tmp_path))
        return started[-1]

    yield begin
    for process in started:
        process.kill()
        process.wait()


@pytest.mark.parametrize("engine", ["BP4", "BP5"])
def test_a_file_that_is_whole(tmp_path, write, engine):
    assert write("in.bp", engine, 7).wait(60) == 0
    with ReaderClient(COMMAND) as client:
        file = client.open(tmp_path / "in.bp")
        header = client.variables[file]
        assert not client.more[file] and client.identity[file]
        assert header["h"] == {
            "name": "h",
            "dims": ["time", "x"],
            "shape": [10, 3],
            "chunk": [1, 3],
            "type": "float",
            "attributes": {"units": "m"},
        }
        np.testing.assert_array_equal(client.read(file, "h"), expected(10))
        np.testing.assert_array_equal(client.read(file, "h", [1, 1], [7, 2]), expected(10)[1:8, 1:])
        np.testing.assert_array_equal(client.read(file, "time"), np.arange(1.0, 11.0))
        np.testing.assert_array_equal(client.read(file, "x"), np.arange(3.0))
        np.testing.assert_array_equal(client.read(file, "g", [1, 0], [2, 3]), [[3] * 3, [6] * 3])
        assert header["g"]["type"] == "short"
        with pytest.raises(ReaderRefused, match="h: 4 cells from 7 along time are outside: it has 10"):
            client.read(file, "h", [7, 0], [4, 3])


def test_a_file_that_grows(tmp_path, write):
    write("in.bp", "BP5", 6, gate=3)
    with ReaderClient(COMMAND) as client:
        file = wait_for(client, tmp_path / "in.bp")
        while client.variables[file].get("h", {"shape": [0]})["shape"][0] < 4:
            assert client.extend(file, 30.0)
        assert client.extend(file, 0.05)
        np.testing.assert_array_equal(client.read(file, "h"), expected(4))
        (tmp_path / "go").touch()
        while client.extend(file, 30.0):
            pass
        np.testing.assert_array_equal(client.read(file, "h"), expected(9))
        np.testing.assert_array_equal(client.read(file, "g"), [[0] * 3, [3] * 3])


def wait_for(client: ReaderClient, path: Path) -> int:
    end = time.monotonic() + 60
    while True:
        try:
            return client.open(path)
        except ReaderRefused as refused:
            assert refused.trouble == "absent" and time.monotonic() < end, refused
            time.sleep(0.05)


def test_a_stream(tmp_path, write):
    """A record a request: also where a step has two."""
    write("in", "SST", 6, gate=3)
    with ReaderClient([*COMMAND, "--stream"]) as client:
        file = wait_for(client, tmp_path / "in")
        assert client.more[file] and not client.identity[file]
        assert client.variables[file]["h"]["shape"] == [1, 3]
        for records in (2, 3, 4):
            while client.variables[file]["h"]["shape"][0] < records:
                assert client.extend(file, 30.0)
        np.testing.assert_array_equal(client.read(file, "h"), expected(4))
        assert client.extend(file, 0.05)
        (tmp_path / "go").touch()
        while client.extend(file, 30.0):
            pass
        np.testing.assert_array_equal(client.read(file, "h"), expected(9))
        np.testing.assert_array_equal(client.read(file, "time"), np.arange(1.0, 10.0))
        np.testing.assert_array_equal(client.read(file, "x"), np.arange(3.0))


@pytest.fixture
def interpreter(monkeypatch):
    monkeypatch.setenv("VIRTUAL_ENV", sys.prefix)


def h_of(folder: Path, name: str, kind: str) -> RecordDump:
    fields = [{"name": "h", "type": "float32", "units": "m"}]
    return RecordDump(folder, grid(x=3), [name], fields, adios2=kind, start="2026-01-01")


@pytest.mark.usefixtures("interpreter")
def test_a_file_in_an_entry(tmp_path, write):
    assert write("in.bp", "BP5", 7).wait(60) == 0
    with h_of(tmp_path, "in.bp", "file") as dump:
        assert dump.times() == list(range(1, 11)) and not dump.prepared[0]["may_grow"]
        np.testing.assert_array_equal(dump.values(), expected(10))
        with pytest.raises(Refused, match="variable h, record 9"):
            (tmp_path / "in.bp" / "md.idx").unlink()
            dump.read(9)


@pytest.mark.usefixtures("interpreter")
def test_a_stream_in_an_entry(tmp_path, write):
    with pytest.raises(Refused, match=r"run\.yml:5:12  input.forcing.files: .*/in: No such stream"):
        h_of(tmp_path, "in", "stream")
    write("in", "SST", 6)
    end = time.monotonic() + 60
    while not (tmp_path / "in.sst").exists():
        assert time.monotonic() < end
        time.sleep(0.02)
    with h_of(tmp_path, "in", "stream") as dump:
        record = 0
        while True:
            while record < len(dump.times()):
                np.testing.assert_array_equal(dump.read(record)[0], expected(9)[record])
                record += 1
            if not dump.grow():
                break
        assert dump.times() == list(range(1, 10))


def test_no_stream(tmp_path):
    with ReaderClient([*COMMAND, "--stream"]) as client:
        with pytest.raises(ReaderRefused, match="No such stream: it has no contact file") as refused:
            client.open(tmp_path / "none")
        assert refused.value.trouble == "absent"


def test_the_stream_of_a_running_job(job):
    """Each step, bit for bit: the job waits for its reader, who takes one after the other and gives them back."""
    with start(job, late=True, when_full="block") as running:
        contact(running)
        with ReaderClient([*COMMAND, "--stream"]) as client:
            client.socket.settimeout(120)
            (running.folder / "go").touch()
            file = client.open(running.folder / "out")
            record, numbers = 0, []
            while True:
                have = client.variables[file]["w"]["shape"][0]
                while record < have:
                    (values,) = client.read(file, "w", [record, 0, 0, 0], [1, *SHAPE])
                    numbers.append(TIMES.index(client.read(file, "time", [record], [1])[0]))
                    np.testing.assert_array_equal(values, put_values(0, SHAPE, TIMES[numbers[-1]], numbers[-1] + 1))
                    record += 1
                if not client.extend(file, 60.0, {"time": record}):
                    break
            assert numbers == list(range(numbers[0], STEPS)), "each step from the one where the job was"
            np.testing.assert_array_equal(client.read(file, "z"), [10.0, 30.0, 50.0])
        running.wait(60).finished()
    check_file(running)
