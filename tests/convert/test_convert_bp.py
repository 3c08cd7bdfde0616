"""BP files of ADIOS2 become NetCDF files and Zarr stores."""

from pathlib import Path

import netCDF4
import numpy as np
import pytest
import zarr
from support.harness import tailrace

adios2 = pytest.importorskip("adios2")

STEPS, ROWS, COLUMNS = 7, 5, 11


def values_of(step: int) -> np.ndarray:
    return np.random.default_rng(step).normal(size=(ROWS, COLUMNS)).astype("f4")


OURS, OTHERS = "__xarray_dimensions__", "_ARRAY_DIMENSIONS"


def writing(path: Path, engine: str) -> adios2.Stream:
    io = adios2.Adios().declare_io("made")
    io.set_engine(engine)
    return adios2.Stream(io, str(path), "w")


def make_bp(path: Path, dims_attribute: str = OURS, engine: str = "BP5") -> None:
    """A variable with its own dimension of steps, one with several records per step, one in every other step."""
    with writing(path, engine) as stream:
        stream.write_attribute("title", "Waves")
        stream.write_attribute("level", np.int32(3))
        dims = {"w": ["time", "y", "x"], "time": ["time"], "y": ["y"], "pairs": ["pair", "x"], "seldom": ["late", "x"]}
        for name, of_it in dims.items() if dims_attribute else ():
            stream.write_attribute(f"{name}/{dims_attribute}", of_it)
        if dims_attribute == OURS:
            stream.write_attribute("__unlimited_dimensions__", ["time", "pair", "late"])
            stream.write_attribute("never/__xarray_dimensions__", ["time", "x"])
            stream.write_attribute("never/units", "m")
        stream.write_attribute("w/units", "m")
        stream.write_attribute("w/_FillValue", np.float32(-9e33))
        stream.write_attribute("w/valid_range", np.array([-9.0, 9.0], "f4"))
        for i, _ in enumerate(stream.steps(STEPS)):
            if i == 0:
                stream.write("y", np.arange(ROWS, dtype="f8"), [ROWS], [0], [ROWS])
                stream.write("number", np.float64(2**40))
            stream.write("time", np.float64(i + 0.5))
            stream.write("w", values_of(i), [ROWS, COLUMNS], [0, 0], [ROWS, COLUMNS])
            count = i % 3 + 1
            pairs = np.arange(count * COLUMNS, dtype="i2").reshape(count, COLUMNS) + np.int16(100 * i)
            stream.write("pairs", pairs, list(pairs.shape), [0, 0], list(pairs.shape))
            if i % 2:
                stream.write("seldom", values_of(i)[0], [COLUMNS], [0], [COLUMNS])


@pytest.mark.parametrize("engine", ["BP5", "BP4"])
@pytest.mark.parametrize(("jobs", "dims_attribute"), [("1", OURS), ("2", OTHERS)])
def test_bp_to_netcdf_and_zarr(tmp_path, jobs, dims_attribute, engine):
    make_bp(tmp_path / "a.bp", dims_attribute, engine)
    for target in ("a.nc", "a.zarr"):
        done = tailrace("convert", "a.bp", target, "--jobs", jobs, cwd=tmp_path)
        assert done.returncode == 0, done.stderr
    w = np.array([values_of(i) for i in range(STEPS)])
    pairs = np.concatenate(
        [np.arange((i % 3 + 1) * COLUMNS).reshape(-1, COLUMNS) + 100 * i for i in range(STEPS)]
    ).astype("i2")
    store = zarr.open_group(tmp_path / "a.zarr", mode="r")
    with netCDF4.Dataset(tmp_path / "a.nc") as file:
        file.set_auto_maskandscale(False)
        for read in (lambda name: file[name][...], lambda name: store[name][...]):
            assert read("w").tobytes() == w.tobytes()
            assert read("pairs").tobytes() == pairs.tobytes()
            assert read("seldom").tobytes() == w[1::2, 0].tobytes()
            np.testing.assert_array_equal(read("time"), np.arange(STEPS) + 0.5)
            np.testing.assert_array_equal(read("y"), np.arange(ROWS))
            assert read("number") == 2**40
        assert file["w"].dimensions == ("time", "y", "x") and file["w"].units == "m"
        assert file["w"].getncattr("_FillValue") == np.float32(-9e33)
        assert file["w"].valid_range.dtype == "f4" and file.title == "Waves" and file.level.dtype == "i4"
        unlimited = {name for name, dim in file.dimensions.items() if dim.isunlimited()}
        assert unlimited == {"time", "pair", "late"}


def test_a_variable_that_does_not_name_its_dimensions(tmp_path):
    make_bp(tmp_path / "a.bp", dims_attribute="")
    done = tailrace("convert", "a.bp", "a.nc", cwd=tmp_path)
    assert done.returncode == 2
    assert "variable 'pairs' has 2 dimensions and names 0; expected the attribute pairs/__xarray_dim" in done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["a.bp"]


@pytest.mark.parametrize("engine", ["BP5", "BP4"])
def test_one_number_is_a_number(tmp_path, engine):
    """Also if it was written as a list of one, which BP5 distinguishes from a number."""
    with writing(tmp_path / "a.bp", engine) as stream:
        stream.write_attribute(f"n/{OURS}", ["x"])
        stream.write_attribute("n/_FillValue", np.array([-7], "i2"))
        stream.write_attribute("n/valid_min", np.array([-5], "i2"))
        stream.write_attribute("levels", np.array([0.5, 1.5], "f4"))
        stream.begin_step()
        stream.write("n", np.arange(3, dtype="i2"), [3], [0], [3])
        stream.end_step()
    for target in ("a.nc", "a.zarr"):
        done = tailrace("convert", "a.bp", target, cwd=tmp_path)
        assert done.returncode == 0, done.stderr
    n = zarr.open_group(tmp_path / "a.zarr", mode="r")["n"]
    assert n.fill_value == -7 and n.attrs["_FillValue"] == -7 and n.attrs["valid_min"] == -5
    with netCDF4.Dataset(tmp_path / "a.nc") as file:
        for name, value in (("_FillValue", -7), ("valid_min", -5)):
            assert file["n"].getncattr(name) == value and file["n"].getncattr(name).dtype == "i2"
        assert file.levels.tolist() == [0.5, 1.5]


@pytest.mark.parametrize(
    ("attribute", "value", "expected"),
    [
        ("n/_FillValue", np.array([1, 2], "i2"), "variable 'n': attribute '_FillValue' is array([1, 2], dtype=int16)"),
        ("n/_FillValue", "none", "'_FillValue' is 'none'; expected one number of type int16"),
        ("n/_FillValue", 0.5, "; expected one number of type int16"),
        ("n/_FillValue", 2**20, "; expected one number of type int16"),
        ("phase", np.array([1j, 2j]), "attribute 'phase' is of the type complex128, which NetCDF does not have"),
        ("__unlimited_dimensions__", 3.0, "'__unlimited_dimensions__' is np.float64(3.0); expected names of dimen"),
    ],
)
def test_attributes_that_no_target_has_are_refused(tmp_path, attribute, value, expected):
    with writing(tmp_path / "a.bp", "BP5") as stream:
        stream.write_attribute(f"n/{OURS}", ["x"])
        stream.write_attribute(attribute, value)
        stream.begin_step()
        stream.write("n", np.arange(3, dtype="i2"), [3], [0], [3])
        stream.end_step()
    for target in ("a.nc", "a.zarr"):
        done = tailrace("convert", "a.bp", target, cwd=tmp_path)
        assert done.returncode == 2
        assert done.stderr.startswith("tailrace: error: a.bp: ") and expected in done.stderr, done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["a.bp"]
