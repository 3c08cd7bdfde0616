"""Files agree with NumPy for the same puts, for any grid, type and way of putting."""

import h5py
import hdf5plugin  # noqa: F401 (registers zstd with h5py)
import numpy as np
import pytest
from support.harness import block_grid, field, indexed_grid, model, off, replicated_grid, servers
from support.reading import bounds_of, read, time_of
from support.values import History, varying_times

pytestmark = pytest.mark.mpich

TIMES = varying_times(40, seed=3)
EVERY = 7.0
KINDS = ("mean", "min", "max", "sum", "std")
GRIDS = {
    "block": block_grid("g"),
    "block_in_rows": block_grid("g", shape=(6, 9), split=("y",), dims=("y", "x")),
    "indexed": indexed_grid("g"),
    "replicated": replicated_grid("g"),
    "scalar": None,
}
TOLERANCE = {"float64": 1e-12, "float32": 2e-6, "int32": 0, "int64": 0}


def configuration(variables: list[dict], write_every="10 s", **file_options) -> dict:
    fields = sorted({variable["field"] for variable in variables})
    return {
        "fields": {"state": {"every": "1 step", "names": fields}},
        "output": {"out.nc": {"write_every": write_every, "variables": variables, **file_options}},
    }


def assert_close(got: np.ndarray, expected: np.ndarray, relative: float) -> None:
    assert got.shape == expected.shape
    scale = np.maximum(np.abs(expected), 1e-6)
    assert np.all(np.abs(got - expected) <= relative * scale), np.max(np.abs(got - expected) / scale)


def shape_of(grid: dict | None) -> tuple[int, ...]:
    return tuple(grid["shape"]) if grid else ()


@pytest.mark.parametrize("name", GRIDS)
def test_each_reduction_on_each_grid(job, name):
    grid = GRIDS[name]
    variables = [{"field": "w", "name": f"w_{kind}", "time": kind, "every": f"{EVERY} s"} for kind in KINDS]
    player = model(3, grids=[grid] if grid else [], fields=[field("w", "g" if grid else "")], times=TIMES)
    result = job(player, servers(2), config=configuration(variables)).finished()

    data = read(result.path("out.nc"))
    history = History.of(0, shape_of(grid), TIMES)
    for kind in KINDS:
        # A standard deviation is computed from a difference of large numbers, which loses digits.
        assert_close(data[f"w_{kind}"].values, history.reduced(kind, EVERY), 1e-9 if kind == "std" else 1e-12)


def test_windows_are_aligned_and_the_last_is_cut_off(job):
    variables = [{"field": "w", "time": "mean", "every": f"{EVERY} s"}]
    player = model(2, grids=[block_grid("g")], fields=[field("w", "g")], times=TIMES)
    data = read(job(player, servers(1), config=configuration(variables)).finished().path("out.nc"))
    windows = History.of(0, (), TIMES).windows(EVERY)
    np.testing.assert_allclose(bounds_of(data, data.w), windows, rtol=0, atol=1e-9)
    np.testing.assert_allclose(time_of(data.w), [0.5 * (begin + end) for begin, end in windows], rtol=0, atol=1e-9)


def test_a_step_longer_than_windows_contributes_to_each_of_them(job):
    times = [1.0, 11.0, 11.5, 12.0]  # the second step spans five windows of 2 s
    variables = [{"field": "w", "name": f"w_{kind}", "time": kind, "every": "2 s"} for kind in KINDS]
    player = model(1, grids=[block_grid("g")], fields=[field("w", "g")], times=times)
    data = read(job(player, servers(1), config=configuration(variables)).finished().path("out.nc"))
    history = History.of(0, (3, 7, 11), times)
    assert data.sizes["time"] == 6
    for kind in KINDS:
        assert_close(data[f"w_{kind}"].values, history.reduced(kind, 2.0), 1e-9 if kind == "std" else 1e-12)


def test_snapshots_take_the_first_step_at_or_past_their_time(job):
    variables = [
        {"field": "w", "name": "each", "time": "snapshot", "every": "1 step"},
        {"field": "w", "name": "third", "time": "snapshot", "every": "3 steps"},
        {"field": "w", "name": "timed", "time": "snapshot", "every": "4 s"},
    ]
    player = model(3, grids=[block_grid("g")], fields=[field("w", "g")], times=TIMES)
    data = read(job(player, servers(2), config=configuration(variables)).finished().path("out.nc"))
    history = History.of(0, (3, 7, 11), TIMES)
    np.testing.assert_array_equal(data.each.values, np.array(history.values))
    np.testing.assert_array_equal(time_of(data.each), TIMES)
    np.testing.assert_array_equal(data.third.values, np.array(history.values)[2::3])
    times, values = history.snapshots(4.0)
    np.testing.assert_array_equal(time_of(data.timed), times)
    np.testing.assert_array_equal(data.timed.values, values)


@pytest.mark.parametrize("how", ["dense", "strided", "acquire"])
@pytest.mark.parametrize("dtype", ["float32", "float64", "int32", "int64"])
def test_each_type_in_each_way(job, dtype, how):
    variables = [{"field": "w", "name": kind, "time": kind, "every": "5 s"} for kind in ("snapshot", "max", "mean")]
    fields = [field("unused", "g"), field("w", "g", dtype, how=how)]
    player = model(2, grids=[block_grid("g")], fields=fields, times=TIMES[:12])
    data = read(job(player, servers(1), config=configuration(variables)).finished().path("out.nc"))
    history = History.of(1, (3, 7, 11), TIMES[:12], dtype)
    assert data["snapshot"].dtype == dtype
    assert data["mean"].dtype == ("float64" if dtype.startswith("int") else dtype)
    np.testing.assert_array_equal(data["snapshot"].values, history.snapshots(5.0)[1])
    np.testing.assert_array_equal(data["max"].values, history.reduced("max", 5.0))
    assert_close(data["mean"].values, history.reduced("mean", 5.0), TOLERANCE[str(data["mean"].dtype)])


@pytest.mark.parametrize(("codec", "filters"), [("none", set()), ("zlib", {"1"}), ("zstd", {"32015"})])
def test_compression_changes_the_size_and_no_value(job, codec, filters):
    variables = [{"field": "w", "time": "snapshot", "every": "1 step"}]
    config = configuration(variables, compression={"codec": codec} if codec != "none" else "none")
    player = model(2, grids=[block_grid("g", shape=(4, 16, 32))], fields=[field("w", "g")], times=TIMES[:8])
    result = job(player, servers(2), config=config).finished()
    with h5py.File(result.path("out.nc")) as file:
        w = file["w"]
        found = {str(w.id.get_create_plist().get_filter(i)[0]) for i in range(w.id.get_create_plist().get_nfilters())}
        assert found - {"2"} == filters  # 2 is shuffle
        np.testing.assert_array_equal(w[()], np.array(History.of(0, (4, 16, 32), TIMES[:8]).values))
        if codec != "none":
            assert w.id.get_storage_size() < w.size * 8


def test_chunks_of_the_configuration(job):
    variables = [{"field": "w", "time": "snapshot", "every": "1 step", "chunk": [3, 2, 7, 5]}]
    player = model(3, grids=[block_grid("g")], fields=[field("w", "g")], times=TIMES[:8])
    result = job(player, servers(2), config=configuration(variables, write_every="1 step")).finished()
    with h5py.File(result.path("out.nc")) as file:
        assert file["w"].chunks == (3, 2, 7, 5)
        np.testing.assert_array_equal(file["w"][()], np.array(History.of(0, (3, 7, 11), TIMES[:8]).values))


def test_several_files_and_axes(job):
    config = {
        "fields": {
            "often": {"every": "1 step", "names": ["w"]},
            "seldom": {"every": "4 steps", "names": ["t"]},
        },
        "groups": {"both": ["w", "t"]},
        "output": {
            "a.nc": {
                "write_every": "20 s",
                "variables": [
                    {"group": "both", "time": "mean", "every": "10 s"},
                    {"field": "t", "name": "t_now", "time": "snapshot", "every": "4 steps"},
                ],
            },
            "b.nc": {"write_every": "1 step", "variables": [{"field": "t", "time": "max", "every": "20 s"}]},
        },
    }
    fields = [field("w", "les"), field("t", "ico", "float32")]
    player = model(3, grids=[block_grid(), indexed_grid()], fields=fields, times=TIMES)
    result = job(player, servers(2), config=config).finished()
    a, b = read(result.path("a.nc")), read(result.path("b.nc"))
    assert_close(a.w.values, History.of(0, (3, 7, 11), TIMES).reduced("mean", 10.0), 1e-12)
    every_fourth = [(time, i + 1) for i, time in enumerate(TIMES) if (i + 1) % 4 == 0]
    from support.values import put_values

    sent = [put_values(1, (2, 43), time, step, "float32").astype(float) for time, step in every_fourth]
    np.testing.assert_array_equal(a.t_now.values, np.array(sent))
    history = History(0.0, [time for time, _ in every_fourth], sent)
    assert_close(b.t.values, history.reduced("max", 20.0), 0)


def test_mode_off_writes_nothing(job):
    variables = [{"field": "w", "time": "snapshot", "every": "1 step"}]
    player = model(2, grids=[block_grid("g")], fields=[field("w", "g")], times=TIMES[:5])
    result = job(player, off(), config=configuration(variables)).finished()
    assert not result.path("out.nc").exists()


def test_servers_as_separate_programs(job):
    variables = [{"field": "w", "time": "snapshot", "every": "1 step"}]
    player = model(2, grids=[block_grid("g")], fields=[field("w", "g")], times=TIMES[:5])
    result = job(player, servers(2, own_program=True), config=configuration(variables)).finished()
    assert result.output.count("SERVED") == 2
    values = read(result.path("out.nc")).w.values
    np.testing.assert_array_equal(values, np.array(History.of(0, (3, 7, 11), TIMES[:5]).values))
