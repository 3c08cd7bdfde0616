"""Each process that reads files, by the protocol that servers speak with it (src/input/reader/reader_process.hpp)."""

import random
from pathlib import Path

import netCDF4
import numpy as np
import pytest
from support.reader_client import ReaderClient, ReaderGone, ReaderRefused

KINDS = ["NETCDF3_CLASSIC", "NETCDF3_64BIT_OFFSET", "NETCDF3_64BIT_DATA", "NETCDF4_CLASSIC", "NETCDF4"]
CLASSIC_TYPES = ["i1", "i2", "i4", "f4", "f8"]
NEW_TYPES = ["u1", "u2", "u4", "i8", "u8"]

# How each process says it.
MESSAGES = {
    "netcdf": {
        "outside": "v_i4: 4 cells from 0 along time are outside: it has 3",
        "none": "^No such file or directory",
        "no format": "cannot open it: NetCDF: Unknown file format",
    },
    "python": {
        "outside": "v_i4: 4 cells from 0 along time are outside: it has 3",
        "none": "^No such file or directory",
        "no format": "ValueError: did not find a match in any of xarray",
    },
}


@pytest.fixture
def client(reader):
    with ReaderClient(reader[1]) as client:
        yield client


def types_of(kind):
    return CLASSIC_TYPES + (NEW_TYPES if kind in ("NETCDF3_64BIT_DATA", "NETCDF4") else [])


def make(path: Path, kind: str, seed: int = 1) -> dict[str, np.ndarray]:
    """A file with a variable of each type, an unlimited dimension, a scalar and texts."""
    rng = np.random.default_rng(seed)
    values = {}
    with netCDF4.Dataset(path, "w", format=kind) as data:
        data.set_auto_maskandscale(False)
        for name, length in (("time", None), ("lat", 5), ("lon", 7), ("width", 19)):
            data.createDimension(name, length)
        for kind_of_number in types_of(kind):
            variable = data.createVariable(f"v_{kind_of_number}", kind_of_number, ("time", "lat", "lon"))
            info = np.iinfo(kind_of_number) if kind_of_number[0] in "iu" else None
            given = (
                rng.integers(info.min, info.max, (3, 5, 7), dtype=kind_of_number, endpoint=True)
                if info
                else rng.normal(size=(3, 5, 7)).astype(kind_of_number)
            )
            if not info:
                given[0, 0, :3] = np.nan, np.inf, -np.inf
            variable[:] = given
            values[variable.name] = given
        scalar = data.createVariable("height", "f8", ())
        scalar[...] = 2.5
        values["height"] = np.float64(2.5)
        times = data.createVariable("Times", "S1", ("time", "width"))
        times[:] = netCDF4.stringtochar(np.array([f"2000-01-0{n}_00:00:00" for n in (1, 2, 3)], "S19"))
        values["Times"] = np.array([list(f"2000-01-0{n}_00:00:00") for n in (1, 2, 3)], "S1")
        data["v_f4"].setncatts({"units": "K", "_about": "grün", "valid_range": np.array([-9.0, np.inf], "f4")})
        data["v_i2"].setncatts({"scale_factor": 0.5, "add_offset": np.float32(3)})
    return values


@pytest.mark.parametrize("kind", KINDS)
def test_all_types_of_all_kinds(client, tmp_path, kind):
    values = make(tmp_path / "in.nc", kind)
    file = client.open(tmp_path / "in.nc")
    assert list(client.variables[file]) == list(values)
    for name, given in values.items():
        got = client.read(file, name)
        assert got.shape == given.shape
        expected = given if given.dtype.kind == "S" else given.astype(got.dtype)
        assert got.tobytes() == expected.tobytes(), name
    header = client.variables[file]
    assert header["v_f4"]["dims"] == ["time", "lat", "lon"] and header["v_f4"]["shape"] == [3, 5, 7]
    assert header["height"]["shape"] == []
    assert header["v_f4"]["attributes"] == {"units": "K", "_about": "grün", "valid_range": [-9.0, "inf"]}
    assert header["v_i2"]["attributes"] == {"scale_factor": [0.5], "add_offset": [3.0]}
    assert bool(header["v_f4"]["chunk"]) == kind.startswith("NETCDF4")


def test_regions(client, reader, tmp_path):
    values = make(tmp_path / "in.nc", "NETCDF4")
    file = client.open(tmp_path / "in.nc")
    got = client.read(file, "v_i4", [1, 2, 3], [2, 1, 4])
    np.testing.assert_array_equal(got, values["v_i4"][1:3, 2:3, 3:7])
    with pytest.raises(ReaderRefused, match=MESSAGES[reader[0]]["outside"]):
        client.read(file, "v_i4", [0, 0, 0], [4, 1, 1])
    assert client.read(file, "height") == 2.5, "the process goes on after an error"


@pytest.mark.parametrize("reader", ["netcdf"], indirect=True)
def test_groups(client, tmp_path):
    with netCDF4.Dataset(tmp_path / "in.nc", "w") as data:
        inner = data.createGroup("forcing").createGroup("land")
        inner.createDimension("x", 1000)
        inner.createVariable("runoff", "f4", ("x",), zlib=True, shuffle=True, chunksizes=(100,))[:] = np.arange(1000)
    file = client.open(tmp_path / "in.nc")
    assert client.variables[file]["forcing/land/runoff"]["chunk"] == [100]
    np.testing.assert_array_equal(client.read(file, "forcing/land/runoff", [250], [3]), [250, 251, 252])


def test_several_files_at_a_time(client, tmp_path):
    values = [make(tmp_path / f"{n}.nc", "NETCDF3_CLASSIC", n) for n in range(3)]
    files = [client.open(tmp_path / f"{n}.nc") for n in range(3)]
    client.close(files[1])
    for n in (2, 0):
        np.testing.assert_array_equal(client.read(files[n], "v_i4"), values[n]["v_i4"])
    with pytest.raises(ReaderRefused):
        client.close(files[1])


def test_what_is_no_file_is_refused(client, reader, tmp_path):
    with pytest.raises(ReaderRefused, match=MESSAGES[reader[0]]["none"]):
        client.open(tmp_path / "none.nc")
    (tmp_path / "text.nc").write_text("not a file of netCDF")
    with pytest.raises(ReaderRefused, match=MESSAGES[reader[0]]["no format"]):
        client.open(tmp_path / "text.nc")
    with netCDF4.Dataset(tmp_path / "in.nc", "w") as data:
        data.createDimension("x", 2)
        data.createVariable("names", str, ("x",))
    file = client.open(tmp_path / "in.nc")
    with pytest.raises(ReaderRefused, match=r"names:? has the type string, which cannot be read"):
        client.ask({"do": "read", "file": file, "variable": "names", "start": [0], "count": [2]})
    with pytest.raises(ReaderRefused):
        client.ask({"do": "dance"})


def damaged(good: bytes, dice: random.Random) -> bytes:
    """Cut off, with flipped bytes, or with an absurd number in the header."""
    bad = bytearray(good)
    how = dice.randrange(3)
    if how == 0:
        return bytes(bad[: dice.randrange(len(bad))])
    for _ in range(dice.choice([1, 3, 30])):
        at = dice.randrange(min(len(bad), 4000 if dice.random() < 0.7 else len(bad)))
        if how == 1:
            bad[at] ^= 1 << dice.randrange(8)
        else:
            bad[at : at + 8] = b"\xff" * min(8, len(bad) - at)
    return bytes(bad)


@pytest.mark.parametrize("kind", ["NETCDF3_CLASSIC", "NETCDF3_64BIT_DATA", "NETCDF4"])
def test_damaged_files_end_the_process_at_worst(reader, tmp_path, kind):
    """Each answer is an error or values; a process that ends or hangs is started anew, and the test runs on."""
    make(tmp_path / "good.nc", kind)
    good, dice, refused, gone = (tmp_path / "good.nc").read_bytes(), random.Random(5), 0, 0
    client = ReaderClient(reader[1], patience=10.0)
    for n in range(70):
        path = tmp_path / f"{n}.nc"
        path.write_bytes(damaged(good, dice))
        try:
            file = client.open(path)
            for name, variable in client.variables[file].items():
                if np.prod(variable["shape"], dtype=float) < 1e6 and variable["type"] != "string":
                    client.read(file, name)
            client.close(file)
        except ReaderRefused as error:
            refused += 1
            assert str(error)
        except (ReaderGone, TimeoutError, ConnectionError):
            gone += 1
            client.__exit__()
            client = ReaderClient(reader[1], patience=10.0)
    client.__exit__()
    assert refused > 10, (refused, gone)
