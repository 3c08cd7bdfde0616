"""Each process that reads, by the protocol that servers speak with it (src/input/reader/reader_process.hpp): several
files, and what cannot be read. The contents of files are in test_reader_conformance.py."""

import netCDF4
import numpy as np
import pytest
from support.reader_client import ReaderRefused

NO_FORMAT = {
    "netcdf": "cannot open it: NetCDF: Unknown file format",
    "python": "ValueError: did not find a match in any of xarray",
}


def make(path, length, kind="NETCDF3_CLASSIC"):
    with netCDF4.Dataset(path, "w", format=kind) as data:
        data.createDimension("x", length)
        data.createVariable("v", "i4", ("x",))[:] = np.arange(length)
    return path


def test_several_files_at_a_time(client, tmp_path):
    files = [client.open(make(tmp_path / f"{n}.nc", n)) for n in (1, 2, 3)]
    client.close(files[1])
    for n in (2, 0):
        np.testing.assert_array_equal(client.read(files[n], "v"), np.arange(n + 1))
    with pytest.raises(ReaderRefused, match="no file of this number is open"):
        client.close(files[1])


def test_the_same_file_twice(client, tmp_path):
    path = make(tmp_path / "in.nc", 3, "NETCDF4")
    first, second = client.open(path), client.open(path)
    client.close(first)
    np.testing.assert_array_equal(client.read(second, "v"), np.arange(3))


def test_what_is_no_file_is_refused(client, reader, tmp_path):
    (tmp_path / "text.nc").write_text("not a file of netCDF")
    with pytest.raises(ReaderRefused, match=NO_FORMAT[reader[0]]):
        client.open(tmp_path / "text.nc")
    (tmp_path / "empty.nc").touch()
    with pytest.raises(ReaderRefused):
        client.open(tmp_path / "empty.nc")
    with pytest.raises(ReaderRefused, match="there is no request 'dance'"):
        client.ask({"do": "dance"})


def test_texts_cannot_be_read_as_numbers(client, tmp_path):
    with netCDF4.Dataset(tmp_path / "in.nc", "w") as data:
        data.createDimension("x", 2)
        data.createVariable("names", str, ("x",))
    file = client.open(tmp_path / "in.nc")
    with pytest.raises(ReaderRefused, match=r"names:? has the type string, which cannot be read"):
        client.ask({"do": "read", "file": file, "variable": "names", "start": [0], "count": [2]})
