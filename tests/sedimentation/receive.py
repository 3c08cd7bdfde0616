"""A component of YAC that knows nothing of Tailrace: it gets all tracers of the example sedimentation at each step.

python receive.py PLACES.nc RECEIVED.npz: the places of the cells are those of the file; the arrays are (step, level,
cell), by tracer.
"""

import sys

import netCDF4
import numpy as np
import yac

places, received = sys.argv[1:]
with netCDF4.Dataset(places) as file:
    lon, lat, levels = np.deg2rad(file["lon"][:]), np.deg2rad(file["lat"][:]), file.dimensions["height"].size
    names = [name for name in file.variables if file[name].dimensions == ("time", "height", "cell")]
    records = file.dimensions["time"].size

coupler = yac.YAC()
coupler.read_config_yaml("coupling.yaml")
component = coupler.def_comp("tailrace")
grid = yac.CloudGrid("globe", lon, lat)
points = grid.def_points(lon, lat)
fields = [yac.Field.create(name, component, points, levels, "PT1800S", yac.TimeUnit.ISO_FORMAT) for name in names]
coupler.enddef()
arrays = [[field.get()[0] for field in fields] for _ in range(records)]
np.savez(received, **{name: np.stack([step[n] for step in arrays]) for n, name in enumerate(names)})
