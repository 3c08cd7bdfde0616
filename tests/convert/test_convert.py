"""`tailrace convert`: the same bits, types and attributes in the other format, for stock readers."""

import shutil
import subprocess
import sys
from pathlib import Path

import netCDF4
import numpy as np
import pytest
import xarray as xr
import zarr
from support.harness import tailrace
from support.reading import differences
from support.stores import assert_same_as_netcdf

TIMES, ROWS, COLUMNS = 40, 37, 53


def make_netcdf(path: Path, length: int = TIMES) -> None:
    """Every kind of variable and attribute that is converted."""
    random = np.random.default_rng(3)
    with netCDF4.Dataset(path, "w") as file:
        for name, size in (("time", None), ("y", ROWS), ("x", COLUMNS), ("bare", 5), ("length", 6), ("entry", 2)):
            file.createDimension(name, size)
        file.setncatts({"title": "Sämple", "empty": "", "whole": np.int32(3), "single": np.float32(0.1), "double": 0.1})
        file.setncatts({"large": np.int64(1) << 40, "list": np.array([1, 2], "i1"), "history": "made by a test"})
        file.createVariable("time", "f8", ("time",)).setncatts({"units": "days since 2001-02-03", "calendar": "noleap"})
        file["time"][:] = np.arange(length) + 0.25
        options = {"zlib": True, "complevel": 3, "chunksizes": (7, 10, COLUMNS)}
        packed = file.createVariable("packed", "i2", ("time", "y", "x"), fill_value=np.int16(-32767), **options)
        packed.set_auto_maskandscale(False)
        packed.setncatts({"scale_factor": np.float32(0.01), "add_offset": 3.0, "valid_range": np.array([-9, 9], "i2")})
        packed[:] = random.integers(-32767, 32767, (length, ROWS, COLUMNS)).astype("i2")
        single = file.createVariable("single", "f4", ("time", "y", "x"), fill_value=np.float32("nan"), zlib=True)
        values = random.normal(size=(length, ROWS, COLUMNS)).astype("f4")
        values[3], values[2, 2, 7] = np.nan, -0.0
        single.set_auto_maskandscale(False)
        single[:] = values
        for kind in ("i1", "u1", "u2", "i4", "u4", "i8", "u8", "f8"):
            file.createVariable(f"of_{kind}", kind, ("x", "y"))[:] = random.integers(0, 99, (COLUMNS, ROWS))
        file["of_u8"][3, 5] = 2**64 - 3
        characters = file.createVariable("characters", "S1", ("entry", "length"))
        characters.set_auto_chartostring(False)
        characters[:] = np.array([list("abcdef"), list("gh\0\0\0\0")], "S1")
        texts = file.createVariable("texts", str, ("entry",))
        texts[0], texts[1] = "ä long text", ""
        file.createVariable("crs", "i4", ()).grid_mapping_name = "latitude_longitude"
        file.createVariable("sparse", "f4", ("time",), fill_value=np.float32(-9e33))  # not written


def every_bit(path: Path) -> dict:
    """Everything in a NetCDF file, as read by netCDF4: types of attributes, unlimited dimensions, chunks, filters."""
    content = {}
    with netCDF4.Dataset(path) as file:
        file.set_auto_maskandscale(False)
        file.set_auto_chartostring(False)
        for owner, item in [("", file), *file.variables.items()]:
            for name in item.ncattrs():
                value = np.asarray(item.getncattr(name))
                content[f"{owner}@{name}"] = (str(value.dtype), repr(value.tolist()))
        for name, dim in file.dimensions.items():
            content[f"dimension {name}"] = (len(dim), dim.isunlimited())
        for name, variable in file.variables.items():
            values = variable[...]
            values = values.tolist() if variable.dtype is str else np.ascontiguousarray(values).tobytes()
            content[name] = (str(variable.dtype), variable.dimensions, variable.shape, values)
            content[f"chunks of {name}"] = variable.chunking()
    return content


def convert(folder: Path, *arguments: str):
    done = tailrace("convert", *arguments, cwd=folder)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("jobs", [1, 3])
def test_netcdf_to_zarr_and_back(tmp_path, jobs):
    make_netcdf(tmp_path / "a.nc")
    assert convert(tmp_path, "a.nc", "b.zarr", f"--jobs={jobs}") == "b.zarr: 15 variables of a.nc\n"
    convert(tmp_path, "-j", str(jobs), "b.zarr", "c.nc")
    assert differences(every_bit(tmp_path / "a.nc"), every_bit(tmp_path / "c.nc")) == []
    for decoded in (True, False):
        theirs = xr.open_dataset(tmp_path / "a.nc", mask_and_scale=decoded, decode_times=decoded)
        ours = xr.open_zarr(tmp_path / "b.zarr", mask_and_scale=decoded, decode_times=decoded, chunks=None)
        xr.testing.assert_identical(ours, theirs)
    with netCDF4.Dataset(tmp_path / "a.nc") as file:
        file.set_auto_maskandscale(False)
        store = zarr.open_group(tmp_path / "b.zarr", mode="r", use_consolidated=False)
        for name in ("packed", "single", "of_u8"):
            assert store[name][...].tobytes() == file[name][...].tobytes(), name
            assert list(store[name].chunks) == (file[name].chunking() if name != "of_u8" else [COLUMNS, ROWS])
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.nc", "b.zarr", "c.nc"]


def test_a_store_of_a_run_becomes_its_netcdf_file(tmp_path):
    """The output of a run in one format, converted, equals its output in the other, with the types of attributes."""
    run_both_formats(tmp_path)
    assert_same_as_netcdf(tmp_path / "a.zarr", tmp_path / "a.nc")
    convert(tmp_path, "a.zarr", "b.nc")
    convert(tmp_path, "a.nc", "b.zarr")
    # Short series without compression get a chunk of their own length when a run's file ends.
    of_series = {"time_2s", "time_2s_bnds", "time_instant_2s", "none"}
    chunks = {f"chunks of {name}" for name in {"x", "y", "z"} | of_series}
    found = set(differences(every_bit(tmp_path / "a.nc"), every_bit(tmp_path / "b.nc")))
    assert found <= chunks, found
    assert_same_as_netcdf(tmp_path / "b.zarr", tmp_path / "a.nc")


def run_both_formats(folder: Path) -> None:
    from support.harness import Job, block_grid, field, inline, model

    variables = [
        {"field": "w", "every": "2 s", "chunk": [3, 2, 4, 11]},
        {"field": "w", "name": "packed", "every": "2 s", "pack": {"range": [0, 900]}},
        {"field": "w", "name": "none", "every": "2 s", "operation": "mean", "type": "float32", "compression": "none"},
    ]
    both = {"compression": "zlib", "option_tables": {"numbers": {}}, "variables": variables}
    config = {"output": {"a.nc": both, "a.zarr": both | {"format": "zarr"}}}
    config["fields"] = {"state": {"every": "1 step", "names": ["w"]}}
    scenario = {"grids": [block_grid()], "fields": [field("w", "les")], "times": [1.0, 2.0, 3.0, 4.5, 8.0]}
    scenario["options"] = {"numbers.first": 1}
    Job(folder)(model(1, **scenario), inline(), config=config, folder=folder).finished()


def test_pieces_larger_and_smaller_than_chunks(tmp_path):
    """A variable of many pieces: in one chunk of its file, in large chunks, and in tiny ones."""
    values = np.random.default_rng(1).normal(size=(23, 701, 509))
    with netCDF4.Dataset(tmp_path / "a.nc", "w") as file:
        for name, size in zip("zyx", values.shape, strict=True):
            file.createDimension(name, size)
        file.createVariable("whole", "f8", tuple("zyx"), contiguous=True)[:] = values
        file.createVariable("layers", "f8", tuple("zyx"), chunksizes=(2, 701, 509))[:] = values
        file.createVariable("tiny", "f4", tuple("zy"), chunksizes=(1, 7))[:] = values[:, :, 0]
    convert(tmp_path, "a.nc", "b.zarr", "--jobs", "2")
    store = zarr.open_group(tmp_path / "b.zarr", mode="r")
    assert store["whole"].chunks[0] < 23
    np.testing.assert_array_equal(store["whole"][...], values)
    np.testing.assert_array_equal(store["tiny"][...], values[:, :, 0].astype("f4"))
    convert(tmp_path, "b.zarr", "c.nc", "--jobs", "2")
    with netCDF4.Dataset(tmp_path / "c.nc") as file:
        for name in ("whole", "layers"):
            np.testing.assert_array_equal(file[name][...], values)


@pytest.mark.parametrize("version", [2, 3])
def test_stores_that_xarray_wrote(tmp_path, version):
    make_netcdf(tmp_path / "a.nc")
    names = ["packed", "single", "of_i4", "time"]
    data = xr.open_dataset(tmp_path / "a.nc", mask_and_scale=False, decode_times=False)[names].load()
    for variable in data.variables.values():
        variable.encoding.clear()
    data.to_zarr(tmp_path / "x.zarr", zarr_format=version, consolidated=True)
    convert(tmp_path, "x.zarr", "y.nc")
    with xr.open_dataset(tmp_path / "y.nc", mask_and_scale=False, decode_times=False) as ours:
        for name in names:
            assert ours[name].values.tobytes() == data[name].values.tobytes(), name
            for key, value in data[name].attrs.items():
                np.testing.assert_array_equal(ours[name].attrs[key], value, err_msg=key)


def says(folder: Path, *arguments: str, status: int = 2) -> str:
    done = tailrace("convert", *arguments, cwd=folder)
    assert done.returncode == status, done.stdout + done.stderr
    assert done.stderr.startswith("tailrace: error: ") and done.stderr.count("\n") == 1, done.stderr
    return done.stderr


def test_what_is_refused(tmp_path):
    make_netcdf(tmp_path / "a.nc", 4)
    (tmp_path / "b.zarr").write_text("precious")
    (tmp_path / "folder").mkdir()
    (tmp_path / "text.nc").write_text("no such thing")
    assert "b.zarr: exists; expected another target, or --force" in says(tmp_path, "a.nc", "b.zarr")
    assert (tmp_path / "b.zarr").read_text() == "precious"
    assert "b.nc: no such file or directory. Did you mean 'a.nc'?" in says(tmp_path, "b.nc", "c.zarr")
    assert "expected .nc, .nc4 or .zarr. Did you mean '.zarr'?" in says(tmp_path, "a.nc", "c.zar")
    assert "BP is read, but not written" in says(tmp_path, "a.nc", "c.bp")
    assert "a.nc: is the source itself" in says(tmp_path, "a.nc", "./a.nc", "--force")
    assert "there is no directory nowhere" in says(tmp_path, "a.nc", "nowhere/c.zarr")
    assert "folder: is a directory, but no Zarr group" in says(tmp_path, "folder", "c.nc")
    assert "text.nc: is no NetCDF file" in says(tmp_path, "text.nc", "c.zarr")
    assert "'--jobs'" in says(tmp_path, "a.nc", "c.zarr", "--jobs", "0")
    assert "No such option" in says(tmp_path, "a.nc", "c.zarr", "--job", "2")
    zarr.create_group(tmp_path / "odd.zarr").create_array("mask", shape=(3,), dtype=bool, dimension_names=["x"])
    assert "odd.zarr: array 'mask' is of the type bool, which NetCDF does not have" in says(
        tmp_path, "odd.zarr", "c.nc"
    )
    zarr.create_group(tmp_path / "bare.zarr").create_array("mask", shape=(3,), dtype="i4")
    assert "bare.zarr: array 'mask' does not name its dimensions" in says(tmp_path, "bare.zarr", "c.nc")
    odd = {"attributes": {"_FillValue": [1, 2]}, "dimension_names": ["x"]}
    zarr.create_group(tmp_path / "fill.zarr").create_array("n", shape=(3,), dtype="i4", **odd)
    assert "fill.zarr: variable 'n': attribute '_FillValue' is [1, 2]; expected one number of type int32" in says(
        tmp_path, "fill.zarr", "c.nc"
    )
    with netCDF4.Dataset(tmp_path / "groups.nc", "w") as file:
        file.createGroup("inner")
    assert "groups.nc: has groups (inner)" in says(tmp_path, "groups.nc", "c.zarr")
    assert not [path for path in tmp_path.iterdir() if path.name.startswith((".", "c."))]


def test_force_replaces_an_existing_target(tmp_path):
    make_netcdf(tmp_path / "a.nc", 4)
    (tmp_path / "b.zarr").mkdir()
    (tmp_path / "b.zarr" / "old").write_text("old")
    convert(tmp_path, "a.nc", "b.zarr", "--force")
    assert not (tmp_path / "b.zarr" / "old").exists()
    (tmp_path / "c.nc").write_text("old")
    convert(tmp_path, "b.zarr", "c.nc", "--force")
    assert differences(every_bit(tmp_path / "a.nc"), every_bit(tmp_path / "c.nc")) == []
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.nc", "b.zarr", "c.nc"]


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_a_damaged_source_leaves_the_target_as_it_was(tmp_path, jobs):
    make_netcdf(tmp_path / "a.nc")
    convert(tmp_path, "a.nc", "b.zarr")
    chunk = tmp_path / "b.zarr" / "time" / "c" / "0"
    chunk.write_bytes(chunk.read_bytes()[:100])
    (tmp_path / "c.nc").write_text("precious")
    said = says(tmp_path, "b.zarr", "c.nc", "--force", "--jobs", jobs, status=1)
    assert said.startswith("tailrace: error: b.zarr: cannot be converted to c.nc: ")
    assert (tmp_path / "c.nc").read_text() == "precious"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.nc", "b.zarr", "c.nc"]


def test_a_package_that_is_missing_is_named(tmp_path, monkeypatch):
    from tailrace import convert as converting

    make_netcdf(tmp_path / "a.nc", 4)
    monkeypatch.setitem(sys.modules, "zarr", None)
    with pytest.raises(converting.ConversionError, match="package zarr is needed for Zarr stores: pip install zarr"):
        converting.convert(tmp_path / "a.nc", tmp_path / "b.zarr")


def test_memory_does_not_grow_with_the_file(tmp_path):
    """400 MB in one process: its peak, minus that of a minimal conversion."""
    with netCDF4.Dataset(tmp_path / "large.nc", "w") as file:
        file.createDimension("time", None)
        file.createDimension("x", 1 << 17)
        variable = file.createVariable("w", "f8", ("time", "x"), chunksizes=(4, 1 << 17))
        for begin in range(0, 400, 40):
            variable[begin : begin + 40] = np.full((40, 1 << 17), begin, "f8")
    make_netcdf(tmp_path / "small.nc", 4)

    def peak(source: str, target: str) -> int:
        code = "import resource, sys; from tailrace.cli import main\ntry:\n    main(sys.argv[1:])\nfinally:\n    "
        code += "print('peak', resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)"
        command = [sys.executable, "-c", code, "convert", "--jobs", "1", source, target]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
        return int(done.stdout.split("peak ")[1]) * 1024

    grown = peak("large.nc", "large.zarr") - peak("small.nc", "small.zarr")
    assert grown < 150 << 20, f"{grown >> 20} MiB"
    shutil.rmtree(tmp_path / "large.zarr")
