"""Files that are late, or are not the ones that were opened: each process tells which of it, and goes on."""

import os
import shutil

import numpy as np
import pytest
import xarray as xr
from support.reader_client import ReaderRefused


@pytest.fixture
def path(tmp_path):
    return make(tmp_path / "in.nc", 3)


def make(path, length, format="NETCDF3_CLASSIC"):
    data = xr.Dataset({"v": ("x", np.arange(length, dtype="f4"))})
    data.to_netcdf(path, format=format)
    return path


def grow(path):
    with path.open("ab") as file:
        file.write(b"more")


def touch(path):
    found = path.stat()
    os.utime(path, ns=(found.st_atime_ns, found.st_mtime_ns + 1))


def replace(path):
    make(path.with_name("new.nc"), 3).rename(path)


def truncate(path):
    os.truncate(path, path.stat().st_size - 4)


CHANGES = {
    "grown": (grow, "was changed since it was opened: it has {now} bytes of "),
    "touched": (touch, "was changed since it was opened: it has {now} bytes of "),
    "replaced": (replace, "was replaced since it was opened: it has {now} bytes of "),
    "truncated": (truncate, "was truncated since it was opened: it has {now} bytes of "),
    "removed": (os.remove, "was removed since it was opened"),
}


@pytest.mark.parametrize("change", CHANGES)
def test_a_file_that_is_not_the_one_that_was_opened(client, path, tmp_path, change):
    other = make(tmp_path / "other.nc", 5)
    file, beside = client.open(path), client.open(other)
    np.testing.assert_array_equal(client.read(file, "v"), [0, 1, 2])
    size, do, message = path.stat().st_size, *CHANGES[change]
    do(path)
    for _ in range(2):
        with pytest.raises(ReaderRefused) as refused:
            client.read(file, "v")
        assert refused.value.trouble == "changed"
        now = path.stat().st_size if path.exists() else 0
        assert str(refused.value).startswith(message.format(now=now)), refused.value
        assert f"; expected the file of {size} bytes of 20" in str(refused.value)
    np.testing.assert_array_equal(client.read(beside, "v"), np.arange(5), "others go on")
    with pytest.raises(ReaderRefused) as refused:
        client.open(path, client.identity[file])
    assert refused.value.trouble == "changed"
    client.close(file)


def test_the_same_file_again(client, path):
    file = client.open(path)
    again = client.open(path, client.identity[file])
    np.testing.assert_array_equal(client.read(again, "v"), [0, 1, 2])
    assert client.identity[file] == client.identity[again] != ""


def test_a_file_that_comes_late(client, path, tmp_path):
    late = tmp_path / "folder" / "late.nc"
    for _ in range(2):
        with pytest.raises(ReaderRefused, match="No such file or directory") as refused:
            client.open(late)
        assert refused.value.trouble == "absent"
        late.parent.mkdir(exist_ok=True)
    shutil.copy(path, late)
    np.testing.assert_array_equal(client.read(client.open(late), "v"), [0, 1, 2])


def test_a_file_that_is_there_in_part(client, path):
    """Not taken for one that is absent, nor read as zeros."""
    whole = path.read_bytes()
    path.write_bytes(whole[:-4])
    with pytest.raises(ReaderRefused) as refused:
        client.open(path)
    assert str(refused.value) == (
        f"it is truncated: it has {len(whole) - 4} bytes; expected at least {len(whole)} by its header"
    )
    assert refused.value.trouble == ""
    path.write_bytes(whole)
    np.testing.assert_array_equal(client.read(client.open(path), "v"), [0, 1, 2])


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("reader", ["python"], indirect=True)
@pytest.mark.parametrize("version", [2, 3])
def test_a_store_that_is_written_anew(client, tmp_path, version):
    data, path = xr.Dataset({"v": ("x", np.arange(3.0))}), tmp_path / "in.zarr"
    with pytest.raises(ReaderRefused) as refused:
        client.open(path)
    assert refused.value.trouble == "absent"
    data.to_zarr(path, zarr_format=version)
    file = client.open(path)
    np.testing.assert_array_equal(client.read(file, "v"), np.arange(3.0))
    data.to_zarr(path, zarr_format=version, mode="w")
    with pytest.raises(ReaderRefused, match=r"was (replaced|changed) since it was opened") as refused:
        client.read(file, "v")
    assert refused.value.trouble == "changed"
    shutil.rmtree(path)
    with pytest.raises(ReaderRefused, match="was removed since it was opened"):
        client.read(file, "v")
