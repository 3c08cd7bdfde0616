"""Parts of fields by coordinate, by index and by a mask, compared with NumPy, with the coordinates for readers."""

import netCDF4
import numpy as np
from analytics.support.jobs import Case
from support.checkers import complaints
from support.harness import inline, servers
from support.reading import differences, every_bit, read

STEPS, SHAPE = 3, (2, 9, 12)
RNG = np.random.default_rng(17)
T = RNG.normal(280, 8, (STEPS, *SHAPE))
BASIN = RNG.integers(1, 4, SHAPE[1:])
LAT, LON = np.linspace(80, -80, 9), np.arange(12) * 30.0
REGIONS = {
    "strip": "range(t, lat=[-30, 45])",
    "box": "range(t, lon=[-100, 30], lat=[0, 80], z=[2, 9])",
    "corner": "slice(t, lat=[0, 3], lon=[-4, 12])",
    "masked": "mask(t, lat > 10 and lon < 100)",
    "basin_2": "mask(t, basin == 2)",
    "box_mean": "mean(range(t, lon=[-100, 30], lat=[0, 80]), lat_5, lon_5)",
}


def case(ranks: int, serving, parts: dict) -> Case:
    """Each rank declares its own part of the longitudes."""
    coordinates = {
        "z": ([1.0, 5.0], "m", {"standard_name": "height", "attributes": {"positive": "up", "axis": "Z"}}),
        "lat": (LAT, "degrees_north", {"standard_name": "latitude"}),
        "lon": (LON, "degrees_east", {"standard_name": "longitude", "part": True}),
    }
    made = Case(ranks, serving, STEPS).grid("air", ("z", "lat", "lon"), SHAPE, coordinates=coordinates, parts=parts)
    made.grid("flat", ("lat", "lon"), SHAPE[1:], parts=parts)
    made.field("basin", np.broadcast_to(BASIN, (STEPS, *BASIN.shape)).astype(np.int32), grid="flat", units="1")
    return made.field("t", T, grid="air", units="K")


def test_regions_have_their_cells_and_coordinates(job):
    first = None
    for ranks, serving, parts in ((1, inline(), {}), (3, servers(2), {"lon": 3}), (5, servers(1), {"lat": 5})):
        made = case(ranks, serving, parts)
        folder = job.root / str(ranks)
        fields = {"state": {"every": "1 step", "names": ["t"]}, "fixed": {"every": "once", "names": ["basin"]}}
        result = made.run(folder, made.configuration(REGIONS, fields=fields)).finished()
        bits = every_bit(result.path("out.nc"))
        first = first or bits
        assert differences(first, bits) == [], ranks
    data = read(result.path("out.nc"))
    rows = (LAT >= -30) & (LAT <= 45)
    np.testing.assert_array_equal(data.strip.values, T[:, :, rows])
    np.testing.assert_array_equal(data[data.strip.dims[2]].values, LAT[rows])
    columns = [9, 10, 11, 0, 1]  # -90 to 30
    box = T[:, 1:, :5][..., columns]
    np.testing.assert_array_equal(data.box.values, box)
    longitudes = data[data.box.dims[3]]
    assert longitudes.values.tolist() == [-90, -60, -30, 0, 30]
    assert longitudes.attrs["units"] == "degrees_east" and longitudes.attrs["standard_name"] == "longitude"
    np.testing.assert_array_equal(data[data.box.dims[2]].values, LAT[:5])
    np.testing.assert_array_equal(data.corner.values, T[:, :, :3, -4:])
    np.testing.assert_array_equal(data[data.corner.dims[3]].values, LON[-4:])
    inside = (LAT > 10)[:, None] & (LON < 100)
    np.testing.assert_array_equal(data.masked.values, np.where(inside, T, np.nan))
    np.testing.assert_array_equal(data.basin_2.values, np.where(BASIN == 2, T, np.nan))
    np.testing.assert_allclose(data.box_mean.values, T[:, :, :5][..., columns].mean(axis=(2, 3)), rtol=1e-13)
    assert complaints(result.path("out.nc")) == []
    with netCDF4.Dataset(result.path("out.nc")) as raw:
        assert raw["box"].dimensions[2:] == ("lat_5", "lon_5")


def test_mistakes_have_a_place(job):
    made = case(1, inline(), {})
    wrong = made.configuration({"none": "range(t, lat=[81, 90])"})
    result = made.run(job.root / "wrong", wrong)
    result.failed_with("tailrace.yaml:", "diagnostics.none.is", 'no cell of "lat" lies from 81 to 90', "from -80 to 80")
    wrong = made.configuration({"none": "rage(t, lat=[8, 90])"})
    made.run(job.root / "name", wrong).failed_with("diagnostics.none.is", 'Did you mean "range"?')
