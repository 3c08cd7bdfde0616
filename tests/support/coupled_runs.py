"""Coupled runs of the components in coupled_component.py with `tailrace serve --yac`."""

import sys
from pathlib import Path

import netCDF4
import numpy as np
import pytest

from support.harness import MPI, Running, mpi_environment
from support.weights import icosahedron, lat_lon_of, needs_yac

# The package of YAC is built for Open MPI.
needs_coupling = [needs_yac, pytest.mark.skipif(MPI != "openmpi", reason="the package of YAC is built for Open MPI")]
COMPONENT = Path(__file__).with_name("coupled_component.py")
SERVE = [sys.executable, "-m", "tailrace.cli", "serve", "--yac", "coupling.yaml", "run.yaml"]

COUPLING = """\
start_date: 2008-03-09T{start:02}:00:00
end_date: 2008-03-09T{end:02}:00:00
timestep_unit: hour
calendar: proleptic-gregorian
how:
  - &own {{src_component: atm, src_grid: agrid, tgt_component: io, coupling_period: 1, time_reduction: average}}
coupling:
  - <<: *own
    tgt_grid: boxes
    field: [ta, ps]
    interpolation: [conservative]
  - {{<<: *own, tgt_grid: ball, field: {{src: ps, tgt: ps_ball}}, interpolation: [nnn]}}
  - {{<<: *own, tgt_grid: mesh, field: {{src: ps, tgt: ps_mesh}}, interpolation: [conservative]}}
  - {{<<: *own, tgt_grid: points, field: {{src: ps, tgt: ps_points}}, interpolation: [nnn]}}
  - <<: *own
    tgt_component: witness
    tgt_grid: wgrid
    field: [ta, ps]
    interpolation: [conservative]
  - src_component: io
    src_grid: boxes
    tgt_component: atm
    tgt_grid: agrid
    field: sst
    coupling_period: 1
    interpolation: [nnn]
"""
CONFIG = """\
tailrace: 1
model_time: {calendar: standard, start: 2008-03-09}
yac:
  component: io
  grids:
    boxes: {latlon: 20 deg}
    ball: {healpix: {level: 1}}
    mesh: {file: mesh.nc}
    points: {file: points.nc}
  fields: {ta: {levels: height}, ps_ball: {fill_value: -1}}
checkpoint: {every: 3 h}
fields: {state: {names: [ta, ps, ps_ball, ps_mesh, ps_points]}}
diagnostics: {warmest: {is: "max(ta, height, lat, lon)", units: K}}
input: {sea: {files: sst.nc, fields: {sst: {time: linear}}}}
output:
  hourly.nc:
    variables: [{fields: "ps*", every: 1 h}, {field: ta, every: 1 h}, {field: warmest, every: 1 h}]
  means.nc: {variables: [{field: ta, operation: mean, every: 4 h}]}
  coarse.zarr:
    format: zarr
    regrid: {to: {latlon: 60 deg}}
    variables: [{field: ps, operation: mean, every: 2 h}]
"""


def write_inputs(folder: Path) -> None:
    """sst.nc rises by 1 K an hour; mesh.nc has triangles of UGRID, points.nc places without bounds."""
    with netCDF4.Dataset(folder / "sst.nc", "w") as data:
        lat, lon = -80 + 20.0 * np.arange(9), 10 + 20.0 * np.arange(18)
        for name, values, units in (("lat", lat, "degrees_north"), ("lon", lon, "degrees_east")):
            add(data, name, (name,), values, units=units)
        add(data, "time", ("time",), [0.0, 12.0], units="hours since 2008-03-09", calendar="standard")
        sst = 280 + np.arange(162.0).reshape(9, 18)
        add(data, "sst", ("time", "lat", "lon"), np.stack((sst, sst + 12)), units="K")
    nodes, faces = icosahedron(1)
    with netCDF4.Dataset(folder / "mesh.nc", "w") as data:
        for name, values, units in zip(
            ("lat", "lon"), lat_lon_of(nodes), ("degrees_north", "degrees_east"), strict=True
        ):
            add(data, name, ("node",), values, units=units)
        add(data, "faces", ("face", "corner"), faces.astype(np.int32), start_index=np.int32(0))
        topology = {"cf_role": "mesh_topology", "topology_dimension": np.int32(2), "node_coordinates": "lon lat"}
        add(data, "topology", (), np.int32(0), **topology, face_node_connectivity="faces")
    with netCDF4.Dataset(folder / "points.nc", "w") as data:
        add(data, "lat", ("point",), [-61.3, -7.7, 4.2, 33.1, 52.9], units="degrees_north")
        add(data, "lon", ("point",), [12.4, 101.7, 233.3, 359.2, 180.6], units="degrees_east")


def add(data, name, dims, values, **attributes):
    values = np.asarray(values)
    for dim, size in zip(dims, values.shape, strict=True):
        if dim not in data.dimensions:
            data.createDimension(dim, size)
    variable = data.createVariable(name, values.dtype, dims)
    variable.setncatts(attributes)
    variable[...] = values


def start(folder: Path, servers=1, models=1, options=(), coupling=COUPLING, config=CONFIG, hours=(0, 6)) -> Running:
    folder.mkdir(parents=True, exist_ok=True)
    write_inputs(folder)
    (folder / "coupling.yaml").write_text(coupling.format(start=hours[0], end=hours[1]))
    (folder / "run.yaml").write_text(config)
    component = [sys.executable, str(COMPONENT)]
    command = ["mpirun", "-n", str(models), *component, "model", *options]
    if "tgt_component: witness" in coupling:
        command += [":", "-n", "1", *component, "witness"]
    return Running([*command, ":", "-n", str(servers), *SERVE], folder, mpi_environment())


def run(folder: Path, **keywords):
    with start(folder, **keywords) as running:
        return running.wait()
