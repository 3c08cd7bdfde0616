"""Components of coupled runs for the tests: python coupled_component.py ROLE [key=value ...], beside a coupling.yaml.

model    puts `ta` (3 levels) and `ps` every half hour on 24 x 36 boxes, and gets `sst` every hour if it is coupled
witness  gets `ta` and `ps` on 9 x 18 boxes and keeps them: what a target of a few lines receives
Options: end=N (steps of the model, then it ends without finalising YAC), never=FIELD (not put), kill=N (SIGKILL to
itself at step N), field=NAME (of ta in YAC), deaf=1 (ignores SIGUSR2), stall=sync_def (goes no further than that)
"""

import os
import signal
import sys
import time
from pathlib import Path

import numpy as np
import yac
from mpi4py import MPI

ROLE = sys.argv[1]
OPTIONS = dict(argument.split("=") for argument in sys.argv[2:])
ROWS, COLUMNS, LEVELS, STEP = 24, 36, 3, 1800.0


def boxes(name, rows, columns, comm):
    """The rows of this process of a grid of boxes: points at their centres, latitudes and longitudes in degrees."""
    first, end = (rows * part // comm.size for part in (comm.rank, comm.rank + 1))
    height, width = 180.0 / rows, 360.0 / columns
    lat, lon = -90 + height * np.arange(first, end + 1), width * np.arange(columns + 1)
    grid = yac.Reg2dGrid(name, np.radians(lon), np.radians(lat))
    grid.set_global_index(np.arange(first * columns, end * columns), yac.Location.CELL)
    grid.set_global_index(np.arange(first * (columns + 1), (end + 1) * (columns + 1)), yac.Location.CORNER)
    centres = lat[:-1] + height / 2, lon[:-1] + width / 2
    return grid.def_points(yac.Location.CELL, np.radians(centres[1]), np.radians(centres[0])), centres


def values_of(centres, hours):
    """(level, cells) of ta, and (1, cells) of ps."""
    lat, lon = np.meshgrid(*(np.radians(each) for each in centres), indexing="ij")
    wave = np.cos(lat) * np.sin(3 * lon + hours) + np.pi * hours
    ta = np.stack([250.0 + (level + 1) * wave for level in range(LEVELS)])
    return ta.reshape(LEVELS, -1), 1e5 + wave.reshape(1, -1)


def hours_of(field):
    """Since the first of the month, so that a job that goes on has the same values."""
    return (np.datetime64(field.datetime) - np.datetime64("2008-03-01T00:00")) / np.timedelta64(3600, "s")


def model(y, component):
    points, centres = boxes("agrid", ROWS, COLUMNS, component.comp_comm)
    ta = yac.Field.create(OPTIONS.get("field", "ta"), component, points, LEVELS, "30", yac.TimeUnit.MINUTE)
    ps = yac.Field.create("ps", component, points, 1, "30", yac.TimeUnit.MINUTE)
    metadata = (
        b'{"cf": {"units": "K", "standard_name": "air_temperature", "scale_factor": 0.1}}'  # the last is not taken
    )
    y.def_field_metadata("atm", "agrid", ta.name, metadata)
    y.def_field_metadata("atm", "agrid", "ps", b"units: Pa\nlong_name: 'surface pressure'")
    sst = yac.Field.create("sst", component, points, 1, "60", yac.TimeUnit.MINUTE)
    if "stall" in OPTIONS:
        y.sync_def()
        signal.pause()  # until the job is ended
    y.enddef()
    got, step = [], 0
    while True:
        if sst.role == yac.ExchangeType.TARGET and step % 2 == 0:
            got.append(sst.get()[0].copy())
        for field, values in zip((ta, ps), values_of(centres, hours_of(ta)), strict=True):
            if field.role == yac.ExchangeType.SOURCE and OPTIONS.get("never") != field.name:
                info = field.put(values)
        step += 1
        if OPTIONS.get("kill") == str(step):
            time.sleep(0.5)  # what was put is on its way
            os.kill(os.getpid(), signal.SIGKILL)
        if info == yac.Action.PUT_FOR_RESTART or OPTIONS.get("end") == str(step):
            break
    keep("sst", got, component.comp_comm)
    if "end" in OPTIONS:
        MPI.Finalize()
        os._exit(0)


def witness(y, component):
    points, _ = boxes("wgrid", 9, 18, component.comp_comm)
    y.sync_def()
    fields = {
        name: yac.Field.create(name, component, points, size, "30", yac.TimeUnit.MINUTE)
        for name, size in (("ta", LEVELS), ("ps", 1))
    }
    y.enddef()
    got = {name: [] for name in fields}
    info = None
    while info != yac.Action.GET_FOR_RESTART:
        for name, field in fields.items():
            values, info = field.get()
            if values is not None:
                got[name].append(values)
    for name, values in got.items():
        keep(name, values, component.comp_comm)


def keep(name, values, comm):
    """NAME.npy: (times, levels, cells)."""
    whole = comm.gather(np.array(values))
    if comm.rank == 0:
        np.save(f"{name}.npy", np.concatenate(whole, axis=-1))


def main():
    if "deaf" in OPTIONS:
        signal.signal(signal.SIGUSR2, signal.SIG_IGN)
    y = yac.YAC()
    y.read_config_yaml(str(Path("coupling.yaml")))
    component = y.def_comp({"model": "atm", "witness": "witness"}[ROLE])
    {"model": model, "witness": witness}[ROLE](y, component)
    y.cleanup()


main()
