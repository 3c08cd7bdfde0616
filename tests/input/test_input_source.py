"""The Python process reads more than files of netCDF: stores, GRIB, files as one, functions of the user."""

import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
import xarray as xr
from support.reader_client import ReaderClient, ReaderGone, ReaderRefused

COMMAND = [sys.executable, "-P", "-m", "tailrace.input_source"]
HEAD = "import numpy as np\nimport xarray as xr\nfrom tailrace import input_source\n\n@input_source\n"


@pytest.fixture
def source(tmp_path):
    """Starts the process with a function `made` of this text."""
    started = []

    def start(text: str, name: str = "made", patience: float = 60.0) -> ReaderClient:
        (tmp_path / "source.py").write_text(HEAD + text)
        started.append(ReaderClient([*COMMAND, f"{tmp_path / 'source.py'}:{name}"], patience))
        return started[-1]

    yield start
    for client in started:
        client.__exit__()


def test_the_decorator_is_cheap_to_import():
    program = (
        "import sys; from tailrace import input_source; print(sorted({'numpy', 'xarray', 'mpi4py'} & {*sys.modules}))"
    )
    shown = subprocess.run([sys.executable, "-P", "-c", program], capture_output=True, text=True, check=True)
    assert shown.stdout == "[]\n"


def test_a_function_whose_dataset_is_decoded(source):
    client = source("""
def made(file):
    time = np.array(["2000-01-01", "2000-01-03"], "M8[ns]")
    return xr.Dataset({"tas": ("time", [280.0, np.nan]), "name": ("time", ["a", "bc"])}, {"time": time})
""")
    file = client.open("any")
    header = client.variables[file]
    assert header["time"]["attributes"]["units"].startswith("days since 2000-01-01")
    np.testing.assert_array_equal(client.read(file, "time"), [0, 2])
    np.testing.assert_array_equal(client.read(file, "tas"), [280, np.nan])
    assert header["name"]["type"] == "string" and not client.more[file]


def test_errors_of_a_function_name_file_line_and_function(source, tmp_path):
    client = source("""
def made(file):
    if "torn" in file:
        complain("the tape is torn")
    if "exit" in file:
        raise SystemExit(3)
    if "none" in file:
        open(file)
    return [1, 2]

def complain(text):
    raise OSError(text)
""")
    name = str(tmp_path / "source.py")
    for file, message in {
        "torn": f"{name}:17, in complain: OSError: the tape is torn",
        "exit": f"{name}:11, in made: SystemExit: 3",
        "list": "the function returned a list; expected an xarray Dataset",
        "none": f"{name}:13, in made: FileNotFoundError: [Errno 2] No such file or directory: 'none'",
    }.items():
        with pytest.raises(ReaderRefused) as refused:
            client.open(file)
        assert str(refused.value) == message
        assert refused.value.trouble == ("absent" if file == "none" else "")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("def mad(file):\n    pass\n", "has no function 'made'. Did you mean 'mad'?"),
        ("def made(file:\n", r"source.py:6: SyntaxError: "),
        ("def made(file):\n    pass\nimport no_such_module\n", "source.py:8, in <module>: ModuleNotFoundError: "),
    ],
)
def test_a_script_that_cannot_be_loaded_is_an_answer(source, text, message):
    client = source(text)
    for _ in range(2):
        with pytest.raises(ReaderRefused) as refused:
            client.open("any")
        assert message in str(refused.value)


def test_a_function_may_print_read_and_raise_a_signal(source, capfd):
    client = source("""
def made(file):
    import os, signal, sys
    print("reading", file, flush=True)
    assert sys.stdin.read() == ""
    os.kill(os.getpid(), signal.SIGINT)
    return xr.Dataset({"tas": ("x", [1.0])})
""")
    np.testing.assert_array_equal(client.read(client.open("any"), "tas"), [1.0])
    shown = capfd.readouterr()
    assert shown.out == "" and "reading any" in shown.err


def test_a_process_whose_function_blocks_ends_with_its_server(source, tmp_path):
    client = source("""
def made(file):
    import pathlib, time
    pathlib.Path(file).touch()
    time.sleep(1000)
""")
    client.socket.send(json.dumps({"do": "open", "file": str(tmp_path / "begun")}).encode())
    while not (tmp_path / "begun").exists():
        assert client.process.poll() is None
        time.sleep(0.01)
    client.socket.close()
    assert client.process.wait(30) == 0


RECORDS = """
def made(file):
    kind, _, length = file.partition(":")
    for day in range(int(length)):
        values, time = np.full((20, 5), day, "f4"), np.datetime64("2000-01-01", "ns") + np.timedelta64(day, "D")
        if kind == "datasets":
            tas, z = (("time", "y", "x"), values[None], {"units": "K"}), ("y", np.arange(20.0))
            yield xr.Dataset({"tas": tas, "z": z}, {"time": [time]})
        elif kind == "arrays of xarray":
            yield xr.DataArray(values, {"time": time}, ("y", "x"), "tas", {"units": "K"})
        else:
            yield time, {"tas": values}
"""


def test_records_one_after_the_other(source):
    client = source(RECORDS)
    for kind in ("datasets", "arrays of xarray", "plain arrays"):
        check_records(client, client.open(f"{kind}:4"))


def check_records(client, file):
    assert client.more[file] and client.variables[file]["tas"]["shape"] == [1, 20, 5]
    assert client.variables[file]["tas"]["type"] == "float"
    for records in (2, 3, 4):
        assert client.extend(file)
        assert client.variables[file]["tas"]["shape"] == [records, 20, 5]
        assert client.variables[file]["time"]["shape"] == [records]
    assert not client.extend(file)
    wanted = np.broadcast_to(np.arange(4, dtype="f4")[:, None, None], (4, 20, 5))
    np.testing.assert_array_equal(client.read(file, "tas", [1, 3, 0], [3, 2, 5]), wanted[1:, 3:5])
    time = xr.Variable("time", client.read(file, "time"), client.variables[file]["time"]["attributes"])
    decoded = xr.conventions.decode_cf_variable("time", time).values
    np.testing.assert_array_equal(decoded, np.arange("2000-01-01", "2000-01-05", dtype="M8[D]").astype("M8[ns]"))
    assert not client.extend(file, needed={"time": 2})
    with pytest.raises(ReaderRefused, match="tas: the records before 2 were given back") as refused:
        client.read(file, "tas", [1, 0, 0], [1, 20, 5])
    assert refused.value.trouble == "passed"
    np.testing.assert_array_equal(client.read(file, "tas", [2, 0, 0], [2, 20, 5]), wanted[2:])
    assert client.read(file, "time").shape == (4,), "times are kept"


def test_a_record_is_made_only_when_it_is_asked_for(source, tmp_path):
    """And a wait for one ends without it, while others are read."""
    client = source("""
def made(file):
    import pathlib, time
    for n in range(5):
        while n == 2 and not (pathlib.Path(file) / "go").exists():
            time.sleep(0.01)
        (pathlib.Path(file) / str(n)).touch()
        yield n + 0.5, {"tas": np.full(3, n)}
        if n == 3:
            raise ValueError("the well is dry")
""")
    file = client.open(tmp_path)
    assert client.extend(file) and (tmp_path / "1").exists()
    assert client.extend(file, 0.05) and client.variables[file]["tas"]["shape"] == [2, 3]
    np.testing.assert_array_equal(client.read(file, "tas"), [[0] * 3, [1] * 3])
    (tmp_path / "go").touch()
    assert client.extend(file) and client.variables[file]["tas"]["shape"] == [3, 3]
    assert not (tmp_path / "3").exists()
    np.testing.assert_array_equal(client.read(file, "time"), [0.5, 1.5, 2.5])
    assert client.extend(file)
    with pytest.raises(ReaderRefused, match=r"source\.py:15, in made: ValueError: the well is dry"):
        client.extend(file)
    np.testing.assert_array_equal(client.read(file, "tas", [3, 0], [1, 3]), [[3] * 3])
    assert not client.extend(file)


def test_records_that_are_none(source):
    client = source("""
def made(file):
    if file == "number":
        yield 3
    if file == "no name":
        yield xr.DataArray([1.0], {"time": 1.0}, ("x",))
    if file == "no time":
        yield xr.Dataset({"tas": ("x", [1.0])})
    if file == "shapes":
        yield 1.0, {"a": [1, 2]}
        yield 2.0, {"a": [1]}
""")
    for file, message in {
        "number": "the function yielded a int; expected a Dataset or DataArray of xarray",
        "no name": "a DataArray without a name",
        "no time": "a record has no time; expected a coordinate 'time'",
        "shapes": r"a: a record has the shape \[1\]; expected \[2\]",
        "nothing": "it ended without a record",
    }.items():
        with pytest.raises(ReaderRefused, match=message):
            client.extend(client.open(file))


def test_texts_of_one_length(source):
    client = source("""
def made(file):
    return xr.Dataset({"Times": ("Time", np.array(["2000-01-01_00", "2000-01-02_00"], "S13"))})
""")
    file = client.open("any")
    assert client.variables[file]["Times"]["shape"] == [2, 13]
    assert client.read(file, "Times", [1, 0], [1, 10]).tobytes() == b"2000-01-02"


def parts(folder: Path) -> np.ndarray:
    """Three files that are one in time."""
    values = np.random.default_rng(4).normal(size=(7, 3, 4)).astype("f4")
    for name, cut in {"a": slice(0, 2), "b": slice(2, 3), "c": slice(3, 7)}.items():
        time = ("time", np.arange(7.0)[cut], {"units": "days since 2000-01-01"})
        data = xr.Dataset({"tas": (("time", "y", "x"), values[cut])}, {"time": time})
        data.to_netcdf(folder / f"{name}.nc", encoding={"tas": {"chunksizes": (1, 3, 4)}})
    return values


def test_several_files_as_one(source, tmp_path):
    values = parts(tmp_path)
    client = source("""
def made(pattern):
    import glob
    return xr.concat([xr.open_dataset(file) for file in sorted(glob.glob(pattern))], "time")
""")
    file = client.open(tmp_path / "?.nc")
    np.testing.assert_array_equal(client.read(file, "tas"), values)
    np.testing.assert_array_equal(client.read(file, "time"), np.arange(7))


def test_references_to_several_files(tmp_path):
    pytest.importorskip("kerchunk")
    from kerchunk.combine import MultiZarrToZarr
    from kerchunk.hdf import SingleHdf5ToZarr

    values = parts(tmp_path)
    single = [SingleHdf5ToZarr(str(tmp_path / f"{name}.nc")).translate() for name in "abc"]
    whole = MultiZarrToZarr(single, concat_dims=["time"], identical_dims=["x", "y"], coo_map={"time": "data:time"})
    (tmp_path / "whole.json").write_text(json.dumps(whole.translate()))
    with ReaderClient(COMMAND) as client:
        file = client.open(tmp_path / "whole.json")
        np.testing.assert_array_equal(client.read(file, "tas", [1, 0, 0], [4, 3, 4]), values[1:5])


def test_grib(tmp_path):
    eccodes = pytest.importorskip("eccodes")
    pytest.importorskip("cfgrib")
    values = np.random.default_rng(5).normal(280.0, 9.0, (2, 5, 8))
    with (tmp_path / "in.grib").open("wb") as file:
        for day, one in enumerate(values):
            message = eccodes.codes_grib_new_from_samples("regular_ll_sfc_grib2")
            for key, value in {
                "Ni": 8,
                "Nj": 5,
                "iDirectionIncrementInDegrees": 45,
                "jDirectionIncrementInDegrees": 45,
                "latitudeOfFirstGridPointInDegrees": 90,
                "longitudeOfFirstGridPointInDegrees": 0,
                "latitudeOfLastGridPointInDegrees": -90,
                "longitudeOfLastGridPointInDegrees": 315,
                "dataDate": 20000101 + day,
                "shortName": "2t",
            }.items():
                eccodes.codes_set(message, key, value)
            eccodes.codes_set(message, "bitsPerValue", 24)
            eccodes.codes_set_values(message, one.ravel())
            eccodes.codes_write(message, file)
            eccodes.codes_release(message)
    with ReaderClient(COMMAND) as client:
        file = client.open(tmp_path / "in.grib")
        assert client.variables[file]["t2m"]["dims"] == ["time", "latitude", "longitude"]
        np.testing.assert_allclose(client.read(file, "t2m", [1, 1, 2], [1, 3, 4])[0], values[1, 1:4, 2:6], rtol=1e-6)
        np.testing.assert_array_equal(client.read(file, "latitude"), np.linspace(90, -90, 5))
        assert np.diff(client.read(file, "time")).tolist() == [86400]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["in.grib"], "nothing was written beside it"


def test_a_function_that_ends_the_process(source):
    client = source("""
def made(file):
    import os, signal
    os.kill(os.getpid(), signal.SIGKILL)
""")
    with pytest.raises(ReaderGone):
        client.open("any")
    assert client.process.returncode == -signal.SIGKILL
