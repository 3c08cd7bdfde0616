"""Makes the calls of PISM's output writer (sources of August 2026): python pism_calls.py [witness] [key=value ...].

It has two grids, 7 x 5 and 4 x 6 points, dealt out over its processes in patches. The files spatial.nc (three records
with bounds of time) and snapshots.nc (two records) are made of VARIABLES. With `witness` as its first argument it is
another component, which keeps what each field got: what a target of a few lines receives.
Options: end=N (calls MPI_Finalize after N records, without its last order), exit=N (exits), kill=N (SIGKILL to itself),
never=FIELD (defined in all files and not written), order=TEXT (sent in place of the first record), stall=1 (makes no
output writer), files=A,B (names in place of the two), again=1 (closes the first file and writes it once more),
late=1 (defines a variable after the first record), append=1 (opens the first file to append to it)
"""

import json
import os
import signal
import sys
import time
from itertools import pairwise

import numpy as np
import yac
from mpi4py import MPI
from pism_contents import CONFIG, GRIDS, IN_FILE, MAPPING, TIMES, VARIABLES, YEAR, coordinate, values_of

ROLE = "witness" if sys.argv[1:2] == ["witness"] else "pism"
OPTIONS = dict(argument.split("=", 1) for argument in sys.argv[1:] if "=" in argument)
NAMES = OPTIONS.get("files", "spatial.nc,snapshots.nc").split(",")


def patches(shape, size):
    """(first row, rows, first column, columns) of each process: halves of the rows, of which the second is cut."""
    if size == 1:
        return [(0, shape[0], 0, shape[1])]
    half, cuts = shape[0] // 2, np.linspace(0, shape[1], size).astype(int)
    rest = [(half, shape[0] - half, low, high - low) for low, high in pairwise(cuts)]
    return [(0, half, 0, shape[1]), *rest]


class Writer:
    """Keeps what PISM's does: tags, what was defined in which file, and what was written there."""

    def __init__(self, y, component):
        self.yac, self.component, self.comm = y, component, component.comp_comm
        both = y.get_comps_comm(["pism", "pism_output"])
        own = self.comm.Get_group().Translate_ranks([0], both.Get_group())[0]
        leaders = np.empty(both.size, dtype="i")
        both.Allgather([np.array([own], dtype="i"), MPI.INT], [leaders, MPI.INT])
        self.link = self.comm.Create_intercomm(0, both, int(leaders[-1]), tag=0)
        self.leads = self.comm.rank == 0
        self.requests, self.kept = [], []
        self.tags, self.defined, self.written, self.puts = {}, set(), set(), {}
        self.points, self.fields, self.times = {}, {}, {}

    def order(self, action, info):
        if self.leads:
            self.send(json.dumps({"action": action, "info": info or None}).encode(), MPI.CHAR, 0)

    def send(self, values, kind, tag):
        self.kept.append(values)
        self.requests.append(self.link.Isend([values, kind], 0, tag))

    def define_grid(self, dims):
        name, shape = "-".join(dims), GRIDS[dims]
        self.order(6, {"grid_name": name})
        if self.leads:
            self.link.Send([np.array([shape[1], shape[0]], dtype="i"), MPI.INT], 0, 0)
        self.patch = patches(shape, self.comm.size)[self.comm.rank]
        row, rows, column, columns = self.patch
        j, i = np.meshgrid(np.arange(row, row + rows), np.arange(column, column + columns), indexing="ij")
        places = [i / (shape[1] - 1.0), j / (shape[0] - 1.0)]
        x, y = (each.astype(float) for each in places)
        self.link.Gather([np.array([i.size], dtype="i"), MPI.INT], None, root=0)
        for values, kind in (((j * shape[1] + i).astype("i"), MPI.INT), (y, MPI.DOUBLE), (x, MPI.DOUBLE)):
            self.link.Gatherv([np.ascontiguousarray(values.ravel()), kind], None, root=0)
        grid = yac.Curve2dGrid(name, x, y)
        self.points[dims] = grid.def_points_unstruct(yac.Location.CORNER, x.ravel(), y.ravel())

    def define_field(self, name):
        dims = VARIABLES[name][0]
        size = values_of(name, (1, 1), 0).shape[0]
        points = self.points[dims[:2]]
        self.fields[name] = yac.Field.create(name, self.component, points, size, "PT1M", yac.TimeUnit.ISO_FORMAT)
        info = {"variable_name": name, "timestep": "PT1M", "collection_size": size, "grid_name": "-".join(dims[:2])}
        self.order(7, info)

    def initialize(self):
        for dims in GRIDS:
            self.define_grid(dims)
        for name in VARIABLES:
            self.define_field(name)
        self.order(8, {})
        self.yac.enddef()

    def dimension(self, file, name, length):
        if (file, name, "dim") not in self.defined:
            self.defined.add((file, name, "dim"))
            self.order(3, {"file_name": file, "name": name, "length": length})

    def variable(self, file, name, dims, kind, attributes):
        if (file, name) not in self.defined:
            self.defined.add((file, name))
            tag = self.tags.setdefault(name, len(self.tags))
            info = {"attributes": attributes, "dimensions": dims, "dtype": kind, "file_name": file}
            self.order(9, {**info, "variable_name": name, "tag": tag})

    def define(self, file, contents, bounds):
        self.dimension(file, "time", 0)
        about = {"units": "seconds since 1-1-1", "calendar": "365_day", "long_name": "time", "axis": "T"}
        self.variable(file, "time", ["time"], "f8", {**about, **({"bounds": "time_bounds"} if bounds else {})})
        if bounds:
            self.dimension(file, "nv", 2)
            self.variable(file, "time_bounds", ["time", "nv"], "f8", {"units": "seconds since 1-1-1"})
        self.order(5, {"file_name": file, "history": "some history"})
        self.order(4, {"file_name": file, "attributes": {"Conventions": "CF-1.6", "title": "", "test": [1.0, 2.0]}})
        self.variable(file, "mapping", [], "i4", MAPPING)
        self.dimension(file, "cfg", 131072)
        self.variable(file, "pism_config", ["cfg"], "S1", {})
        self.variable(file, "step_counter", ["time"], "i4", {"units": "", "long_name": "number of steps"})
        for name in contents:
            dims, of_time, kind, attributes = VARIABLES[name]
            for dim in dims:
                axis = {"units": "m", "axis": dim[0].upper(), "long_name": f"{dim}-coordinate", "spacing": [1000.0]}
                self.dimension(file, dim, len(coordinate(dim)))
                self.variable(file, dim, [dim], "f8", axis)
            mapped = {"grid_mapping": "mapping"} if "x" in dims else {}
            self.variable(file, name, ["time"] * of_time + list(dims), kind, {**attributes, **mapped})

    def array(self, file, name, start, count, values):
        info = {"file_name": file, "variable_name": name, "start": start, "count": count, "tag": self.tags[name]}
        self.order(10, info)
        if self.leads:
            self.send(np.array(values, dtype=float), MPI.DOUBLE, self.tags[name])

    def config(self, file):
        text = json.dumps(CONFIG).encode() + b"\0"
        info = {"file_name": file, "variable_name": "pism_config", "start": [0], "count": [len(text)], "text": True}
        self.order(10, {**info, "tag": self.tags["pism_config"]})
        if self.leads:
            self.send(text, MPI.CHAR, self.tags["pism_config"])

    def append_time(self, file, time):
        self.times.setdefault(file, []).append(time)
        self.order(12, {"file_name": file, "time": time})

    def field(self, file, name):
        dims, of_time, _, _ = VARIABLES[name]
        if not of_time and (file, name) in self.written:
            return
        for dim in (dim for dim in dims if (file, dim) not in self.written):
            self.written.add((file, dim))
            self.array(file, dim, [0], [len(coordinate(dim))], coordinate(dim))
        self.written.add((file, name))
        put = self.puts[name] = self.puts.get(name, -1) + 1
        whole = values_of(name, GRIDS[dims[:2]], put)
        info = {"file_name": file, "variable_name": name, "ndims": len(dims), "time_dependent": of_time}
        self.order(11, {**info, "grid_name": "-".join(dims[:2])})
        row, rows, column, columns = patches(GRIDS[dims[:2]], self.comm.size)[self.comm.rank]
        own = whole[:, row : row + rows, column : column + columns]
        self.fields[name].put(np.ascontiguousarray(own.reshape(len(whole), -1)))

    def record(self, file, contents, time, interval=None):
        self.config(file)
        self.append_time(file, time)
        for name in contents:
            if name != OPTIONS.get("never"):
                self.field(file, name)
        at = len(self.times[file]) - 1
        if interval:
            self.array(file, "time_bounds", [at, 0], [1, 2], interval)
        self.array(file, "step_counter", [at], [1], [100.0 * at])

    def close(self, file):
        self.order(2, {"file_name": file})
        self.defined = {each for each in self.defined if each[0] != file}
        self.written = {each for each in self.written if each[0] != file}
        self.times.pop(file)

    def finish(self):
        self.order(13, {})
        MPI.Request.Waitall(self.requests)


def stop_early(done, comm):
    if OPTIONS.get("end") == str(done):
        MPI.Finalize()
        os._exit(0)
    if OPTIONS.get("exit") == str(done):
        os._exit(0)
    if OPTIONS.get("kill") == str(done):
        comm.Barrier()
        time.sleep(0.5)  # what was sent is on its way
        os.kill(os.getpid(), signal.SIGKILL)


def pism(y, component):
    if "stall" in OPTIONS:
        signal.pause()
    spatial, snapshots = NAMES
    writer = Writer(y, component)
    if "append" in OPTIONS:
        writer.order(1, {"file_name": spatial})
        signal.pause()
    writer.define(spatial, IN_FILE["spatial"], bounds=True)
    writer.initialize()
    if "order" in OPTIONS and writer.leads:
        writer.send(OPTIONS["order"].encode(), MPI.CHAR, 0)
        signal.pause()
    before = 0.0
    for at, time_of in enumerate(TIMES["spatial"]):
        interval = [before, 2 * time_of - before]
        before = interval[1]
        writer.record(spatial, IN_FILE["spatial"], time_of, interval)
        stop_early(at + 1, writer.comm)
        if "late" in OPTIONS:
            writer.variable(spatial, "new", ["time", "y", "x"], "f8", {})
        if at < len(TIMES["snapshots"]):
            if at == 0:
                writer.define(snapshots, IN_FILE["snapshots"], bounds=False)
            writer.record(snapshots, IN_FILE["snapshots"], TIMES["snapshots"][at])
    if "again" in OPTIONS:
        writer.close(snapshots)
        writer.define(snapshots, ["thk"], bounds=False)
        writer.record(snapshots, ["thk"], 3 * YEAR)
    writer.finish()


def witness(y, component):
    """Knows how often PISM puts each field."""
    counts = {name: len(TIMES["spatial"]) if variable[1] else 1 for name, variable in VARIABLES.items()}
    for name in IN_FILE["snapshots"]:
        counts[name] += len(TIMES["snapshots"])
    fields, same = {}, yac.InterpolationStack()
    same.add_nnn(yac.NNNReductionType.AVG, 1, 1.0, 0.0)
    for dims, shape in GRIDS.items():
        j, i = np.meshgrid(*(np.arange(size) for size in shape), indexing="ij")
        x, lat = (i / (shape[1] - 1.0)).ravel(), (j / (shape[0] - 1.0)).ravel()
        grid, source = yac.CloudGrid(f"{dims[0]} of the witness", x, lat), "-".join(dims)
        points = grid.def_points(x, lat)
        for name in (name for name, variable in VARIABLES.items() if variable[0][:2] == dims):
            size, step = values_of(name, (1, 1), 0).shape[0], ("PT1M", yac.TimeUnit.ISO_FORMAT)
            fields[name] = yac.Field.create(name, component, points, size, *step)
            target = ("witness", f"{dims[0]} of the witness", name)
            y.def_couple("pism", source, name, *target, *step, yac.Reduction.TIME_NONE, same)
    y.enddef()
    got = {name: [field.get()[0].copy() for _ in range(counts[name])] for name, field in fields.items()}
    np.savez("witness.npz", **got)


def main():
    y = yac.YAC()
    if ROLE == "pism":
        yac.def_calendar(yac.Calendar.YEAR_OF_365_DAYS)
        y.def_datetime("1850-01-01T00:00:00", "1850-12-31T00:00:00")
    component = y.def_comp(ROLE)
    {"pism": pism, "witness": witness}[ROLE](y, component)
    y.cleanup()


main()
