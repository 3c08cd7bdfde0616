"""Runs that YAC couples, with Tailrace as one of the components: what its files and the other components get."""

import numpy as np
import pytest
import xarray as xr
import zarr
from support.coupled_runs import CONFIG, needs_coupling, run
from support.weights import lat_lon_of, xyz_of
from tailrace.weights import healpix

pytestmark = needs_coupling


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """A run in one piece, with one process of Tailrace."""
    result = run(tmp_path_factory.mktemp("whole"), models=2).finished()
    told = "of the metadata of atm.agrid.ta only units, standard_name is taken: field"
    assert result.output.count(told) == 1, result.output
    return result.folder


@pytest.fixture(scope="module")
def pieces(tmp_path_factory):
    """The same in two jobs with three and two processes; the second, with servers of another mode, goes on from the
    checkpoint of the first, within a window of the means. The value that both exchange of a field is written once."""
    folder = tmp_path_factory.mktemp("pieces")
    run(folder, servers=3, hours=(0, 3)).finished()
    inline = CONFIG.replace("tailrace: 1\n", "tailrace: 1\nservers: {mode: inline}\n")
    run(folder, servers=2, hours=(3, 6), config=inline).finished()
    return folder


def opened(folder, name):
    return xr.open_dataset(folder / name, decode_times=False)


def test_fields_are_what_a_target_of_a_few_lines_receives(whole):
    with opened(whole, "hourly.nc") as data:
        assert data["ta"].dims == ("time", "height", "lat", "lon")
        assert data["time"].values.tolist() == [3600.0 * hour for hour in range(7)]
        for name in ("ta", "ps"):
            expected = np.load(whole / f"{name}.npy")
            assert np.array_equal(data[name].values.ravel(), expected.ravel())
            assert np.ptp(expected) > 1


def test_windows_and_diagnostics_are_made_of_these_values(whole):
    received = np.load(whole / "ta.npy")
    with opened(whole, "means.nc") as data:
        assert data["time_bnds"].values.tolist() == [[0.0, 14400.0], [14400.0, 21600.0]]
        for record, hours in zip(data["ta"].values, (slice(1, 5), slice(5, 7)), strict=True):
            assert np.allclose(record.ravel(), received[hours].mean(axis=0).ravel(), rtol=1e-14, atol=0)
    with opened(whole, "hourly.nc") as data:
        assert np.array_equal(data["warmest"].values, received.max(axis=(1, 2)))


def test_fields_can_be_regridded_once_more(whole):
    """From boxes of 20 degrees to boxes of 60: means of three by three, weighted by area."""
    values = np.load(whole / "ps.npy")[1:, 0].reshape(3, 2, 9, 18).mean(axis=1)
    heights = np.diff(np.sin(np.radians(np.linspace(-90, 90, 10))))
    parts = (values * heights[:, None]).reshape(3, 3, 3, 6, 3).sum(axis=(2, 4)) / 3 / heights.reshape(3, 3, 1).sum(1)
    stored = zarr.open(whole / "coarse.zarr", mode="r")["ps"][...]
    assert np.allclose(stored, parts, rtol=1e-12)


def test_attributes_come_from_the_metadata_of_components(whole):
    with opened(whole, "hourly.nc") as data:
        assert data["ta"].attrs["units"] == "K" and data["ta"].attrs["standard_name"] == "air_temperature"
        assert data["ta"].attrs["comment"] == "from the component atm by YAC"
        assert not {"scale_factor"} & {*data["ta"].attrs, *data["ta"].encoding}
        assert data["ps"].attrs["units"] == "Pa" and data["ps"].attrs["long_name"] == "surface pressure"
        assert data["time"].attrs["units"] == "seconds since 2008-03-09 00:00:00"


def surface_pressure():
    """(7, 24, 36): what the model puts on its boxes, averaged over the two steps before each coupling."""
    lat, lon = np.meshgrid(np.radians(-86.25 + 7.5 * np.arange(24)), np.radians(5 + 10 * np.arange(36)), indexing="ij")
    hours = 8 * 24 + np.arange(-0.5, 6.5, 0.5)[:, None, None]  # since the first of the month
    steps = 1e5 + np.cos(lat) * np.sin(3 * lon + hours) + np.pi * hours
    return np.concatenate((steps[1:2], steps[2:].reshape(6, 2, 24, 36).mean(axis=1)))


def test_points_have_the_nearest_cell_of_the_source(whole):
    source = surface_pressure().reshape(7, -1)
    lat, lon = np.meshgrid(-86.25 + 7.5 * np.arange(24), 5 + 10 * np.arange(36), indexing="ij")
    centres = xyz_of(lat.ravel(), lon.ravel())
    with opened(whole, "hourly.nc") as data:
        ball = healpix.centres(1, data["cell_ball"].values)
        points = data["lat_points"].values, data["lon_points"].values
        for name, places in (("ps_ball", ball), ("ps_points", points)):
            near = xyz_of(*places) @ centres.T
            for cell, value in enumerate(data[name].values.T):
                nearest = np.flatnonzero(near[cell] > near[cell].max() - 1e-12)  # some have the same distance
                assert any(np.allclose(value, source[:, one], rtol=1e-14) for one in nearest), (name, cell)
        assert data["ps_ball"].encoding["_FillValue"] == -1 and np.isnan(data["ps_points"].encoding["_FillValue"])


def test_cells_of_a_mesh_have_the_mean_over_what_they_cover(whole):
    """Sampled at many places of each triangle."""
    source = surface_pressure()
    first, second = np.meshgrid(*2 * [(np.arange(90) + 0.5) / 90])
    inside = first + second < 1
    shares = np.stack((first[inside], second[inside], (1 - first - second)[inside]), axis=-1)
    with opened(whole, "hourly.nc") as data:
        corners = xyz_of(data["lat_mesh_bnds"].values, data["lon_mesh_bnds"].values)
        assert corners.shape == (80, 3, 3)
        flat = np.einsum("ps,cse->cpe", shares, corners)
        size = np.linalg.norm(flat, axis=-1) ** -3.0  # of a piece of the sphere for a piece of the flat triangle
        lat, lon = lat_lon_of(flat)
        cells = (np.clip((lat + 90) / 7.5, 0, 23).astype(int), (lon / 10).astype(int) % 36)
        expected = (source[(slice(None), *cells)] * size).sum(axis=-1) / size.sum(axis=-1)
        assert np.abs(data["ps_mesh"].values - expected).max() < 0.01
        assert np.ptp(expected[1]) > 0.5


def test_components_get_inputs_from_files(whole):
    got = np.load(whole / "sst.npy")[:, 0].reshape(7, 24, 36)
    assert np.array_equal(got[0, ::8, 0], [280.0, 280.0 + 54, 280 + 108])
    assert np.allclose(got - got[0], np.arange(7.0)[:, None, None], rtol=0, atol=1e-9)


def test_several_processes_and_several_jobs_give_the_same_bits(whole, pieces):
    for name in ("hourly.nc", "means.nc"):
        with opened(whole, name) as one, opened(pieces, name) as other:
            xr.testing.assert_identical(one.drop_attrs(), other.drop_attrs())
    one, other = (zarr.open(folder / "coarse.zarr", mode="r")["ps"][...] for folder in (whole, pieces))
    assert np.array_equal(one, other)


def test_a_job_that_does_not_begin_at_the_checkpoint_is_refused(pieces):
    """The newest one is of the end of the run before."""
    before = [(pieces / name).read_bytes() for name in ("hourly.nc", "means.nc")]
    result = run(pieces, hours=(3, 6))
    assert result.status == 2
    told = "the newest checkpoint is of the model time 21600 s, but the coupled run starts at 2008-03-09T03:00:00.000"
    assert told in result.output, result.output
    assert [(pieces / name).read_bytes() for name in ("hourly.nc", "means.nc")] == before
