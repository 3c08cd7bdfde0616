"""Members of an ensemble: components with one configuration. Names have options of the model, or the component."""

import re

import numpy as np
import pytest
import xarray as xr
from support.harness import attached, block_grid, field, model, servers
from support.reading import read
from support.values import put_values

SHAPE, TIMES = (2, 5, 7), [1.0, 2.0, 3.0]
FIELDS = {"state": {"every": "1 step", "names": ["w"]}}


def entry(**more) -> dict:
    return {"write_every": "1 s", "variables": [{"field": "w", "every": "1 step"}]} | more


def configuration(*paths: str, **more) -> dict:
    return {"fields": FIELDS, "output": {path: entry() for path in paths}} | more


def member(name: str, ranks: int = 1, config: dict | None = None, **more):
    grid = block_grid(shape=SHAPE, split=("y",), coordinates=[])
    return model(ranks, config, component=name, grids=[grid], fields=[field("w", "les")], times=TIMES, **more)


def expected() -> np.ndarray:
    return np.array([put_values(0, SHAPE, time, step + 1) for step, time in enumerate(TIMES)])


@pytest.mark.parametrize("serving", [servers(2), attached()], ids=["dedicated", "attached"])
def test_members_that_give_their_number(job, serving):
    result = job(
        member("m0", 2, options={"member": 10}),
        member("m1", 1, options={"member": 11}),
        serving,
        config=configuration("out_{member}.nc"),
    ).finished()
    for number in (10, 11):
        np.testing.assert_array_equal(read(result.path(f"out_{number}.nc")).w.values, expected())
    assert sorted(path.name for path in result.folder.glob("out*.nc")) == ["out_10.nc", "out_11.nc"]


def test_members_that_give_nothing(job):
    """The component and its place among those with the same configuration are known."""
    config = configuration("out_{member}.nc", "of_{component}.nc")
    config["output"]["{component}.zarr"] = entry(format="zarr")
    config["checkpoint"] = {"directory": "restart_{component}", "every": "2 steps", "fields": ["w"]}
    other = configuration("other_{member}.nc")
    folders = job.root / "run"
    result = job(
        member("sea", config=other),
        member("m0", 2, checkpoints=True),
        member("m1", 1, checkpoints=True),
        servers(2),
        config=config,
        folder=folders,
    ).finished()
    names = ["m0.zarr", "m1.zarr", "of_m0.nc", "of_m1.nc", "other_0.nc", "out_0.nc", "out_1.nc"]
    for name in names:
        data = xr.open_zarr(result.path(name), decode_times=False) if "zarr" in name else read(result.path(name))
        np.testing.assert_array_equal(data.w.values, expected())
    made = [path.name for ending in ("nc", "zarr") for path in result.folder.glob(f"*.{ending}")]
    assert sorted(made) == names
    for name in ("m0", "m1"):
        assert list(result.path(f"restart_{name}").rglob("manifest*"))


def test_a_component_has_one_name(job):
    result = job(member("m0", options={"component": 4}), servers(1), config=configuration("{component}.nc"))
    result.failed_with('option "component" is the name of the component, "m0", in a configuration with `{component}`')


@pytest.mark.parametrize("serving", [servers(2), attached()], ids=["dedicated", "attached"])
def test_members_with_the_same_number(job, serving):
    """Known only in `ready`; what the first of them writes is not touched."""
    result = job(
        member("m0", 2, options={"member": 7}),
        member("m1", 1, options={"member": 7}),
        serving,
        config=configuration("out_{member}.nc"),
    )
    message = next(text for _, text in result.errors if "both write" in text)
    assert result.status != 0
    assert '"m0"' in message and '"m1"' in message, message
    assert len(re.findall(r"tailrace\.yaml:\d+:3", message)) == 2, message
    assert "both write the file out_7.nc (the other entry: " in message
    assert "give each its own, such as a name with `{component}` or `{member}`" in message


SAME = {
    "a dot": ("a.nc", "./a.nc"),
    "the way there": ("a.nc", "../run/a.nc"),
    "a link": ("data/a.nc", "same/a.nc"),
    "an option": ("data/a_1.nc", "same/a_{member}.nc"),
}


@pytest.mark.parametrize("case", SAME)
def test_one_file_under_two_names(job, case):
    first, second = SAME[case]
    folder = job.root / "run"
    (folder / "data").mkdir(parents=True)
    (folder / "same").symlink_to("data")
    result = job(
        member("air", config=configuration(first)),
        member("sea", config=configuration(second), options={"member": 1}),
        servers(1),
        config={},
        folder=folder,
    )
    result.failed_with("both write the file", first, second.replace("{member}", "1"), '"air"', '"sea"', code=2)


def test_a_file_inside_a_store(job):
    result = job(
        member("air", config=configuration() | {"output": {"store.zarr": entry(format="zarr")}}),
        member("sea", config=configuration("store.zarr/a.nc")),
        servers(1),
        config={},
    )
    result.failed_with(
        'store.zarr/a.nc of component "sea" lies in store.zarr of component "air"', "which is a dataset", code=2
    )
