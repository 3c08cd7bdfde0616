"""The example with a bridge like MONC's and all diagnostics of MONC's own configuration files, compared with NumPy. The
files are not part of this repository; without them these tests are skipped."""

import functools
import os
import subprocess

import netCDF4
import numpy as np
import pytest
from analytics.support.monc_rules import Rules, records
from support.harness import BUILD, TREE, mpi_environment, tailrace
from support.reading import differences, every_bit

XML = TREE.parent / "shared" / "data" / "monc" / "io" / "io_cfg_files" / "data_write_1file.xml"
EXAMPLE = TREE / "examples" / "monc_style"
PROGRAM = BUILD / "examples" / "monc_style" / "monc_style"

pytestmark = pytest.mark.skipif(not XML.exists(), reason="MONC's configuration files are not there")

OPTIONS = {
    "sampling_frequency": "2",
    "3d_sampling_frequency": "6",
    "checkpoint_frequency": "0",
    "mm": "3.0",
    "mm1": "1.0",
    "diag_write_freq": "8.0",
    "diagnostic_file": "diagnostics.nc",
    "checkpoint_file": "checkpoint.nc",
    "x_size": "16",
    "y_size": "12",
    "z_size": "10",
    "number_q_fields": "0",
    "q_indicies.vapour": "1",
    "q_indicies.cloud liquid mass": "2",
}
SETTINGS = """\
&bubble
  case = 'warm_bubble', nx = 16, ny = 12, nz = 10, dx = 250, dy = 300, dz = 200, t_end = 16
  viscosity = 10, x_boundary = 'periodic', noise = 0.5
/
&monc
  fields = '{fields}'
  options = {options}
  record = '{record}'
/
"""
CONFIGURATION = """\
tailrace: 1
include: ["{xml}"]
servers: {{mode: dedicated, count: {servers}, threads: {threads}, transport: {transport}, report: false}}
"""


def play(folder, ranks, servers, threads=1, transport="auto", record="", delays=""):
    options = ", ".join(f"'{name}={value}'" for name, value in OPTIONS.items() if not name.endswith("_size"))
    settings = SETTINGS.format(fields=EXAMPLE / "fields.txt", options=options, record=record)
    (folder / "settings.nml").write_text(settings)
    xml = os.path.relpath(XML, folder)
    text = CONFIGURATION.format(xml=xml, servers=servers, threads=threads, transport=transport)
    (folder / "tailrace.yaml").write_text(text)
    command = ["mpirun", "-n", str(ranks + servers), str(PROGRAM), "settings.nml", "tailrace.yaml"]
    environment = mpi_environment(**({"TAILRACE_RANDOM_DELAYS": delays} if delays else {}))
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr
    return done


class Put:
    """The values that one rank put, from the file that the example writes for tests."""

    def __init__(self, path):
        data = path.read_bytes()
        nz, ny, nx, y0, x0 = np.frombuffer(data, np.int32, 5)
        self.count, self.offset = (nx, ny, nz), (x0, y0, 0)
        self.values, at = {}, 20  # (entry from 0, step) -> values; times by step
        self.times = {}
        while at < len(data):
            entry, step = np.frombuffer(data, np.int32, 2, at)
            self.times[step] = np.frombuffer(data, np.float64, 1, at + 8)[0]
            size = np.frombuffer(data, np.int32, 1, at + 16)[0]
            self.values[entry - 1, step] = np.frombuffer(data, np.float64, size, at + 20)
            at += 20 + 8 * size


@functools.cache
def entries():
    lines = (EXAMPLE / "fields.txt").read_text().splitlines()
    words = [line.split() for line in lines if line and line[0] != "#"]
    return [(space.replace("-", ""), name, kind) for space, name, kind in words]


def series(folder, name):
    """Files NAME_8.0.nc, NAME_16.0.nc, ... in the order of time."""
    return sorted(folder.glob(f"{name}_*.nc"), key=lambda path: float(path.stem.split("_")[-1]))


@functools.cache
def opened(path):
    data = netCDF4.Dataset(path)
    data.set_auto_mask(False)
    return data


class Run:
    def __init__(self, folder, ranks, servers):
        self.folder = folder
        self.result = play(folder, ranks, servers, record="put")
        self.puts = [Put(folder / f"put.{rank}") for rank in range(ranks)]
        self.times = self.puts[0].times
        self.number = {(space, name): i for i, (space, name, _) in enumerate(entries())}

    def at(self, step, key):
        """The values of each rank; slowest dimension first if they are a part of the domain."""
        kind = entries()[self.number[key]][2]
        parts = []
        for put in self.puts:
            values = put.values[self.number[key], step]
            if kind.startswith("block"):
                values = values.reshape(put.count)
            elif kind in ("plane", "column"):
                values = values.reshape(put.count[:2])
            parts.append(values if kind not in ("sum", "scalar", "integer") else values[0])
        return parts

    def whole(self, step, key):
        parts, kind = self.at(step, key), entries()[self.number[key]][2]
        if kind not in ("block", "block_zn", "plane", "column"):
            return parts[0]
        whole = np.full((16, 12, 10)[: parts[0].ndim], np.nan)
        for put, part in zip(self.puts, parts, strict=True):
            places = zip(put.offset, put.count, strict=True)
            whole[tuple(slice(o, o + n) for o, n in places)[: part.ndim]] = part
        return whole

    def read(self, name, file="diagnostics"):
        """Over all files of a series."""
        times, values = [], []
        for path in series(self.folder, file):
            variable = opened(path)[name]
            times.append(opened(path)[variable.dimensions[0]][:])
            values.append(variable[:])
        return np.concatenate(times), np.concatenate(values)


@pytest.fixture(scope="module", params=[(1, 1), (3, 2), (4, 1), (8, 3)], ids=lambda cast: f"{cast[0]}on{cast[1]}")
def run(request, tmp_path_factory):
    return Run(tmp_path_factory.mktemp("run"), *request.param)


def samples_of(run, rules, key):
    """(time, function that returns the value) at each step with a sample. (Without a record nothing was put.)"""
    every = rules.source_frequency(*key)
    for step, time in sorted(run.times.items()):
        if step % every == 0:
            yield time, functools.partial(value_at, run, rules, key, step)


def value_at(run, rules, key, step):
    if key in rules.fields:
        return run.whole(step, key)
    return rules.value(rules.diagnostics[key], Lazy(run, step))


class Lazy(dict):
    def __init__(self, run, step):
        self.run, self.step = run, step

    def __missing__(self, key):
        self[key] = self.run.at(self.step, key)
        return self[key]


def test_all_diagnostics_and_fields(run):
    rules = Rules(XML, OPTIONS)
    assert len(rules.diagnostics) == 319
    available = {(space, name) for space, name, _ in entries()}
    compared, wrong = set(), []
    for group, manipulation, every in rules.includes:
        for key in rules.groups[group] if manipulation != "none" else ():
            if key in rules.fields and key not in available:
                continue  # moisture
            expected = records(manipulation, every, list(samples_of(run, rules, key)))
            times, values = run.read(key[1])
            compared.add(key)
            if not np.array_equal(times, [time for time, _ in expected]):
                wrong.append(f"{key}: times {times}, not {[time for time, _ in expected]}")
                continue
            value = np.array([value for _, value in expected]).reshape(values.shape)
            exact = manipulation == "instantaneous"
            bound = 0.0 if exact else 1e-13 * np.maximum(np.abs(value), np.max(np.abs(value)) * 1e-3)
            if not np.all(np.abs(values - value) <= bound):
                wrong.append(
                    f"{key}, {manipulation}: off by {np.max(np.abs(values - value))} at {np.max(np.abs(value))}"
                )
    assert not wrong, "\n".join(wrong[:20]) + f"\n{len(wrong)} in all"
    assert set(rules.diagnostics) <= compared


def test_the_end_of_the_model(run):
    """checkpoint.xml: the values that were put last; that the servers' own state is not in it is one of the remarks."""
    last = max(run.times)
    for space, name, kind in entries():
        if space != "checkpoint":
            continue
        _, values = run.read(name, "checkpoint")
        assert len(values) == 1
        np.testing.assert_array_equal(values[0], run.whole(last, (space, name)), err_msg=f"{name}, {kind}")
    assert "remarks on files that were written for another program" in run.result.stderr
    checked = tailrace("check", "tailrace.yaml", cwd=run.folder)
    assert "the servers' own state is no part of this file" in checked.stdout + checked.stderr


def test_maps_are_tables_of_options(run):
    """The entries of one map are not options as well: MONC would read them twice."""
    options = {key: value for key, value in OPTIONS.items() if not key.startswith("q_indicies.")}
    for name in ("diagnostics", "checkpoint"):
        for path in series(run.folder, name):
            table = opened(path)["options_database"]
            assert table.dimensions == ("number_options", "kvp", "string")
            assert dict(netCDF4.chartostring(table[:])) == options
    table = opened(path)["q_indicies"]
    assert table.dimensions == ("active_q_indicies", "kvp", "string")
    assert dict(netCDF4.chartostring(table[:])) == {"vapour": "1", "cloud liquid mass": "2"}


def bits_of(folder, *cast, **keywords):
    folder.mkdir()
    play(folder, *cast, **keywords)
    files = [*series(folder, "diagnostics"), *series(folder, "checkpoint")]
    assert len(files) == 3
    return {path.name: every_bit(path) for path in files}


@pytest.fixture(scope="module")
def reference(tmp_path_factory):
    return bits_of(tmp_path_factory.mktemp("reference") / "one", 1, 1)


CASTS = [(2, 3, 1, "mpi"), (3, 1, 4, "shm"), (4, 2, 2, "mpi"), (6, 3, 2, "shm"), (8, 2, 1, "shm"), (1, 3, 4, "mpi")]
ALL = [(r, s, t, w) for r in (1, 2, 3, 4, 6, 8) for s in (1, 2, 3) for t in (1, 2, 4) for w in ("shm", "mpi")]


@pytest.mark.parametrize(
    "cast", ALL if "TAILRACE_TEST_ALL" in os.environ else CASTS, ids=lambda c: "-".join(map(str, c))
)
def test_same_bits(tmp_path, reference, cast):
    ranks, servers, threads, transport = cast
    delays = f"{ranks * 100 + servers * 10 + threads}:500"
    bits = bits_of(tmp_path / "run", ranks, servers, threads=threads, transport=transport, delays=delays)
    for name, expected in reference.items():
        assert differences(bits[name], expected) == []
