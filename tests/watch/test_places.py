"""Files outside the run's directories are not opened, whatever the run lists and whatever leads there."""

import pytest
from tailrace.watch.places import Places, Refused


@pytest.fixture
def job(tmp_path):
    (tmp_path / "job" / "tailrace_report").mkdir(parents=True)
    (tmp_path / "secret.nc").write_bytes(b"\x89HDF")
    (tmp_path / "job" / "mine.nc").write_bytes(b"\x89HDF")
    return tmp_path / "job"


def refusal(job, path, *more) -> str:
    with pytest.raises(Refused) as error:
        Places.of(job / "tailrace_report", more).find(path)
    return str(error.value)


def test_a_file_of_the_run(job):
    places = Places.of(job / "tailrace_report")
    assert places.find("mine.nc") == places.find(str(job / "mine.nc")) == job / "mine.nc"


def test_a_path_that_leads_out(job):
    for path in ("../secret.nc", str(job.parent / "secret.nc"), "tailrace_report/../../secret.nc"):
        assert "is outside the run's directories; allow its directory by --data DIR" in refusal(job, path)
    assert Places.of(job / "tailrace_report", [job.parent]).find("../secret.nc") == job.parent / "secret.nc"


def test_a_link_that_leads_out(job):
    (job / "link.nc").symlink_to(job.parent / "secret.nc")
    (job / "folder").symlink_to(job.parent)
    for path in ("link.nc", "folder/secret.nc"):
        assert "outside" in refusal(job, path)
    (job / "inside.nc").symlink_to(job / "mine.nc")
    assert Places.of(job / "tailrace_report").find("inside.nc") == job / "mine.nc"


@pytest.mark.parametrize("where", ["t", "t/c", "t/zarr.json"])
def test_a_store_with_a_link_that_leads_out(job, where):
    store = job / "a.zarr"
    (store / "t" / "c").mkdir(parents=True)
    for name in ("zarr.json", "t/zarr.json"):
        (store / name).write_text("{}")
    assert Places.of(job / "tailrace_report").find("a.zarr") == store
    place = store / where
    if place.is_dir():
        place.rename(job.parent / "aside")
    else:
        place.unlink()
    place.symlink_to(job.parent)
    assert "is a link that leads out of the store" in refusal(job, "a.zarr")


def test_what_is_not_there_and_what_is_not_drawn(job):
    assert "is not there yet" in refusal(job, "later.nc")
    (job / "a.bp").mkdir()
    assert "only NetCDF files and Zarr stores are drawn" in refusal(job, "a.bp")
    (job / "folder.nc").mkdir()
    assert "is no file" in refusal(job, "folder.nc")
    (job / "file.zarr").write_text("")
    assert "is no store" in refusal(job, "file.zarr")
