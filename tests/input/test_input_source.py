"""What the Python process reads beyond files of netCDF: stores, decoded datasets, functions of the user."""

import sys

import numpy as np
import pytest
import xarray as xr
from support.reader_client import ReaderClient, ReaderRefused

COMMAND = [sys.executable, "-P", "-m", "tailrace.input_source"]


@pytest.mark.parametrize("version", [2, 3])
def test_a_zarr_store(tmp_path, version):
    values = np.arange(2 * 3 * 5, dtype="f4").reshape(2, 3, 5)
    data = xr.Dataset({"tas": (("time", "y", "x"), values, {"units": "K"})}, {"time": [0.5, 1.5]})
    data.to_zarr(tmp_path / "in.zarr", zarr_format=version, encoding={"tas": {"chunks": (1, 3, 5)}})
    with ReaderClient(COMMAND) as client:
        file = client.open(tmp_path / "in.zarr")
        np.testing.assert_array_equal(client.read(file, "tas", [1, 0, 1], [1, 3, 2]), values[1:2, :, 1:3])
        header = client.variables[file]["tas"]
        assert header["chunk"] == [1, 3, 5] and header["attributes"]["units"] == "K"


def test_a_function_whose_dataset_is_decoded(tmp_path):
    (tmp_path / "source.py").write_text("""
import numpy as np
import xarray as xr
from tailrace.input_source import input_source

@input_source
def made(file):
    if "bad" in file:
        raise OSError("the tape is torn")
    if "list" in file:
        return [1, 2]
    time = np.array(["2000-01-01", "2000-01-03"], "M8[ns]")
    return xr.Dataset({"tas": ("time", [280.0, np.nan]), "name": ("time", ["a", "bc"])}, {"time": time})
""")
    with ReaderClient([*COMMAND, f"{tmp_path / 'source.py'}:made"]) as client:
        file = client.open("any")
        header = client.variables[file]
        assert header["time"]["attributes"]["units"].startswith("days since 2000-01-01")
        np.testing.assert_array_equal(client.read(file, "time"), [0, 2])
        np.testing.assert_array_equal(client.read(file, "tas"), [280, np.nan])
        assert header["name"]["type"] == "string"
        with pytest.raises(ReaderRefused, match="OSError: the tape is torn"):
            client.open("bad")
        with pytest.raises(ReaderRefused, match="the function returned a list; expected an xarray Dataset"):
            client.open("list")


def test_texts_of_one_length(tmp_path):
    (tmp_path / "source.py").write_text("""
import numpy as np
import xarray as xr

def made(file):
    return xr.Dataset({"Times": ("Time", np.array(["2000-01-01_00", "2000-01-02_00"], "S13"))})
""")
    with ReaderClient([*COMMAND, f"{tmp_path / 'source.py'}:made"]) as client:
        file = client.open("any")
        assert client.variables[file]["Times"]["shape"] == [2, 13]
        assert client.read(file, "Times", [1, 0], [1, 10]).tobytes() == b"2000-01-02"
