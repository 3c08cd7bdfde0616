"""Fields of child domains that are laid over those of their parents on the target (`merge`)."""

import numpy as np
import pytest
import tailrace
from support.harness import Job, field, model, servers
from support.reading import read
from support.regridding import lat_lon_grid, nest_grid, weights_of
from support.values import History, missing_cells, varying_times

TIMES = varying_times(14, seed=5)
GLOBE, NEST, INNER, EAST = (3, 13, 24), (3, 17, 21), (3, 11, 9), (3, 7, 8)
FILL = -999.0
T, T_NEST, T_INNER = 0, 1, 2  # numbers of the fields below
LACKING = [2, 3, 7]  # steps without the innermost field
BOXES, LEVEL = {"latlon": "10 deg"}, {"healpix": {"level": 3}}
# No box of these is in a child.
ELSEWHERE = {"latlon": {"lat": [-60.0, -50.0], "lon": [200.0, 215.0, 230.0]}}
WINDS = [["u", "v"], ["u_nest", "v_nest"]]


def file(to: dict, variables: list[dict], **more) -> dict:
    return {"regrid": {"to": to} | more, "variables": variables}


def of(name: str, *kinds: str) -> list[dict]:
    return [{"field": name, "name": f"{name}_{kind}", "time": kind, "every": "4 s"} for kind in kinds]


def snapshot(*names: str, every: str = "4 s") -> list[dict]:
    return [{"field": name, "time": "snapshot", "every": every} for name in names]


CONFIG = {
    "fields": {
        "state": {"every": "1 step", "names": ["t", "t_nest", "u", "v", "u_nest", "v_nest", "kind", "kind_nest"]},
        "of_the_east": {"every": "1 step", "names": ["q_east"]},
        "innermost": {"every": "1 step", "names": ["t_inner"], "optional": True},
        "absent": {"every": "1 step", "names": ["t_absent"], "optional": True},
        "slow": {"every": "2 steps", "names": ["q"]},
    },
    "output": {
        "merged.nc": file(BOXES, of("t", "snapshot", "mean", "max"), merge=[["t", "t_nest", "t_inner"]],
                          with_fraction=True, coverage=0.7),
        "elsewhere.nc": file(ELSEWHERE, of("t", "snapshot"), merge=[["t", "t_nest"]]),
        "elsewhere_parent.nc": file(ELSEWHERE, of("t", "snapshot")),
        "over.nc": file(LEVEL, snapshot("u", "v", "t"), method="bilinear", with_fraction=True, vectors=WINDS,
                        merge=[["u", "u_nest"], ["v", "v_nest"], ["t", "t_nest", "t_absent"]]),
        "apart.nc": file(LEVEL, snapshot("u", "v", "u_nest", "v_nest", "t", "t_nest"), method="bilinear",
                         with_fraction=True, vectors=WINDS),
        "kinds.nc": file(BOXES, snapshot("kind"), method="largest_area", merge=[["kind", "kind_nest"]]),
        "kinds_apart.nc": file(BOXES, snapshot("kind", "kind_nest"), method="largest_area"),
        "slow.nc": file(BOXES, snapshot("q", every="2 steps"), merge=[["q", "q_east"]]),
        "slow_apart.nc": file(BOXES, snapshot("q", "q_east", every="2 steps")),
    },
}  # fmt: skip
SCENARIO = {
    "grids": [
        lat_lon_grid("globe", GLOBE),
        nest_grid("nest", NEST, -30.0, 40.0, 3.0),
        nest_grid("inner", INNER, -11.0, 61.0, 2.0),
        nest_grid("east", EAST, 20.0, 150.0, 6.0),
    ],
    "fields": [
        field("t", "globe"),
        field("t_nest", "nest", fill_value=FILL),
        field("t_inner", "inner", missing_steps=LACKING, missing_ranks=[1]),
        field("u", "globe"),
        field("v", "globe"),
        field("u_nest", "nest"),
        field("v_nest", "nest"),
        field("kind", "globe", "int32"),
        field("kind_nest", "nest", "int32", fill_value=-1),
        field("q", "globe", "float32", fill_value=-5.0),
        field("q_east", "east", "float32"),
    ],
    "times": TIMES,
}


@pytest.fixture(scope="module")
def done(tmp_path_factory):
    play = model(3, **SCENARIO)
    return Job(tmp_path_factory.mktemp("merged"))(play, servers(2), config=CONFIG, timeout=180).finished()


def cells(values: np.ndarray, dims: tuple[str, ...]) -> np.ndarray:
    return values.reshape(*values.shape[:-2], -1) if dims[-1] == "lon" else values


def found(done, file: str, variable: str) -> np.ndarray:
    """(record, level, cell), NaN where it is missing."""
    data = read(done.path(file))[variable]
    values = cells(data.values.astype(np.float64), data.dims)
    fill = data.attrs.get("_FillValue")
    return values if fill is None else np.where(values == fill, np.nan, values)


def samples(done) -> tuple[list[np.ndarray], list[np.ndarray]]:
    """The merged samples, and their valid shares, by NumPy with the weights of the cache."""
    made, shares = [], []
    of_each = [
        (weights_of(done.folder, "conservative", shape[1] * shape[2], 648), number, shape)
        for number, shape in ((T, GLOBE), (T_NEST, NEST), (T_INNER, INNER))
    ]
    for step in range(1, len(TIMES) + 1):
        value, share = np.full((3, 648), np.nan), np.zeros((3, 648))
        for weights, number, shape in of_each:
            own = History.of(number, shape, TIMES).values[step - 1]
            if number == T_NEST:
                own = np.where(missing_cells(shape, step), np.nan, own)
            if number == T_INNER and step in LACKING:
                own[:, :, 3:6] = np.nan  # the columns of rank 1 of 3
            own = own.reshape(3, -1)
            on_target = weights.apply(own, coverage=0.7)
            over = ~np.isnan(on_target)
            own_share = np.array([weights.shares(~np.isnan(level)) for level in own])
            value, share = np.where(over, on_target, value), np.where(over | (number == T), own_share, share)
        made.append(value)
        shares.append(share)
    return made, shares


@pytest.fixture(scope="module")
def merged(done):
    return samples(done)


def test_samples_are_merged_before_windows(done, merged):
    """With a child that has missing cells, and an inner one that lacks parts at some steps."""
    value, share = merged
    _, at = History(0.0, TIMES, value).snapshots(4.0)
    own = History.of(T, GLOBE, TIMES).snapshots(4.0)[1].reshape(-1, 3, GLOBE[1] * GLOBE[2])
    parent = weights_of(done.folder, "conservative", GLOBE[1] * GLOBE[2], 648).apply(own)
    assert 0.02 < (at != parent).mean() < 0.2, "some cells are of children"
    for kind, expected in [("snapshot", at)] + [
        (kind, History(0.0, TIMES, value).reduced(kind, 4.0)) for kind in ("mean", "max")
    ]:
        np.testing.assert_allclose(found(done, "merged.nc", f"t_{kind}"), expected, rtol=1e-12)
    for kind, expected in [
        ("snapshot", History(0.0, TIMES, share).snapshots(4.0)[1]),
        ("mean", History(0.0, TIMES, share).reduced("mean", 4.0)),
    ]:
        np.testing.assert_allclose(found(done, "merged.nc", f"t_{kind}_fraction"), expected, rtol=1e-6)


def test_a_child_beside_the_target_changes_nothing(done):
    values = found(done, "elsewhere.nc", "t_snapshot")
    assert values.shape[1:] == (3, 6) and np.isfinite(values).all()
    np.testing.assert_array_equal(values, found(done, "elsewhere_parent.nc", "t_snapshot"))


@pytest.mark.parametrize(
    ("file", "apart", "parent", "child"),
    [
        ("over.nc", "apart.nc", "t", "t_nest"),
        ("over.nc", "apart.nc", "u", "u_nest"),
        ("over.nc", "apart.nc", "v", "v_nest"),
        ("kinds.nc", "kinds_apart.nc", "kind", "kind_nest"),
        ("slow.nc", "slow_apart.nc", "q", "q_east"),
    ],
)
def test_each_cell_is_that_of_the_child_or_of_the_parent(done, file, apart, parent, child):
    """With a fill value of either, vectors, classes, and a child that is sent more often."""
    own, of_child = found(done, apart, parent), found(done, apart, child)
    over = ~np.isnan(of_child)
    assert 0.005 < over.mean() < 0.3
    np.testing.assert_array_equal(found(done, file, parent), np.where(over, of_child, own))
    if file == "over.nc":
        shares = (found(done, apart, f"{name}_fraction") for name in (child, parent))
        np.testing.assert_array_equal(found(done, file, f"{parent}_fraction"), np.where(over, *shares))


def declared_by(done) -> str:
    (path,) = done.path(".").glob("**/declared.*.json")
    return str(path)


def test_check_and_files_tell_what_is_merged(done):
    text = tailrace.check(str(done.path("tailrace.yaml")), {}, declared_by(done))
    (line,) = (line for line in text.splitlines() if "t_mean: mean" in line)
    how = "lat-lon 18 x 36, conservative (coverage 0.7, fracarea), t_nest over it, t_inner over it; cells from"
    assert how in line and "each sample: fields of children are merged" in line
    assert read(done.path("merged.nc"))["t_mean"].attrs["regridding"].startswith(how)
