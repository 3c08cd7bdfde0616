"""The files and variables of the program pism_calls.py, in the words of PISM's output writer."""

import numpy as np

GRIDS = {("y", "x"): (7, 5), ("y2", "x2"): (4, 6)}
LEVELS = {"z": np.array([0.0, 10.0, 40.0])}
YEAR = 31536000.0
TIMES = {"spatial": [0.5 * YEAR, 1.5 * YEAR + 0.1, 2.25 * YEAR], "snapshots": [YEAR * 1.1, YEAR * 2.2]}
# The name: dimensions, whether it depends on time, type, attributes.
VARIABLES = {
    "thk": (("y", "x"), True, "f8", {"units": "m", "standard_name": "land_ice_thickness", "valid_min": [0.0]}),
    "mask": (("y", "x"), True, "i4", {"units": "", "flag_values": [0.0, 2.0, 3.0], "flag_meanings": "bare ice sea"}),
    "melange": (("y", "x"), True, "i1", {"units": "", "long_name": "ice melange"}),
    "enthalpy": (("y", "x", "z"), True, "f4", {"units": "J kg-1", "output_units": "", "_FillValue": [-2e9]}),
    "topg": (("y", "x"), False, "f8", {"units": "m", "coordinates": "lat lon"}),
    "lat": (("y", "x"), False, "f8", {"units": "degree_north", "standard_name": "latitude", "bounds": "lat_bnds"}),
    "uplift": (("y2", "x2"), True, "f8", {"units": "m year-1", "cell_methods": "time: mean", "pism_intent": "model"}),
}
MAPPING = {"grid_mapping_name": "polar_stereographic", "straight_vertical_longitude_from_pole": [-39.0]}
CONFIG = {"constants.ice.density": [910.0, "kg m-3"], "geometry.update.enabled": True, "run_info.title": 'a "test"'}
IN_FILE = {"spatial": [*VARIABLES], "snapshots": ["thk", "enthalpy"]}


def values_of(name, shape, put):
    """(level, y, x) of the whole grid at the put of this number, from 0; some are missing."""
    dims, _, kind, _ = VARIABLES[name]
    size = len(LEVELS.get(dims[2] if len(dims) > 2 else "", [0]))
    cells = np.arange(size * shape[0] * shape[1]).reshape(size, *shape)
    if kind.startswith("i"):
        return ((cells + put) % 4).astype(float)
    values = np.sin(cells + 7.0 * put) / 3.0 + put
    if name == "enthalpy":
        values[0, 0, 0] = -2e9
    return values


def coordinate(dim):
    if dim in LEVELS:
        return LEVELS[dim]
    size = next(shape[dims.index(dim)] for dims, shape in GRIDS.items() if dim in dims)
    return 1000.0 * np.arange(size) - 500.0 * size
