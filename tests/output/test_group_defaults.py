"""Groups of variables with their own defaults: types, operations, periods, chunks and codecs in the file."""

import h5py
import numpy as np
import xarray as xr
from support.harness import block_grid, field, inline, model
from support.values import History

SHAPE = (3, 5, 7)
TIMES = [2.0 * (step + 1) for step in range(12)]


def test_groups_in_groups(job):
    lossless = {"codec": "zlib", "level": 3}
    inner = {"defaults": {"every": "6 s", "type": "float32"}, "variables": [{"field": "w", "name": "w_6s"}]}
    outer = {"defaults": {"operation": "max", "chunk": [2, 3, 4, 5], "compression": lossless}}
    outer["variables"] = [{"field": "w"}, {"field": "u", "operation": "min", "compression": "none"}, inner]
    config = {
        "fields": {"state": {"every": "1 step", "names": ["w", "u"]}},
        "defaults": {"every": "8 s", "compression": "none"},
        "output": {"a.nc": {"variables": [outer, {"field": "u", "name": "u_last"}]}},
    }
    scenario = {"grids": [block_grid("les", SHAPE)], "fields": [field("w", "les"), field("u", "les")], "times": TIMES}
    path = job(model(2, **scenario), inline(), config=config).finished().path("a.nc")
    history = {name: History.of(i, SHAPE, TIMES) for i, name in enumerate(("w", "u"))}
    with xr.open_dataset(path, decode_times=False) as data:
        np.testing.assert_array_equal(data.w, history["w"].reduced("max", 8.0))
        np.testing.assert_array_equal(data.u, history["u"].reduced("min", 8.0))
        np.testing.assert_array_equal(data.w_6s, history["w"].reduced("max", 6.0).astype(np.float32))
        np.testing.assert_array_equal(data.u_last, history["u"].snapshots(8.0)[1])
        assert data.w_6s.dtype == np.float32 and data.w.dtype == np.float64
    with h5py.File(path) as file:
        told = {name: (file[name].chunks, file[name].compression_opts) for name in ("w", "u", "w_6s", "u_last")}
    assert told["w"] == told["w_6s"] == ((2, 3, 4, 5), 3)
    assert told["u"] == ((2, 3, 4, 5), None)
    assert told["u_last"][0] != (2, 3, 4, 5) and told["u_last"][1] is None
