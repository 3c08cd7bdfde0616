"""Regridded files have the same bits for any number of ranks and servers, any mode and transport, and any delays, and
across a restart on other ranks."""

import importlib.util

import pytest
from support.harness import Job, attached, field, indexed_grid, inline, model, replicated_grid, servers
from support.reading import differences, every_bit
from support.regridding import lat_lon_grid, nest_grid
from support.values import varying_times

REGIONAL = {"latlon": {"lat": [0.1, 0.4, 0.8], "lon": [1.0, 4.5, 9.0, 12.5, 19.0]}}
# The rows of a mesh that are not simple come from YAC.
OF_A_MESH = "conservative" if importlib.util.find_spec("yac") else "nearest"
# Steps after a checkpoint within windows of both stages.
STEPS, CUT = 17, 9
CONFIG = {
    "fields": {"state": {"every": "1 step", "names": ["w", "ice", "t", "kind", "w_nest"]}},
    "output": {
        "healpix.nc": {
            "regrid": {"to": {"healpix": {"level": 3}}, "method": "bilinear", "with_fraction": True},
            "pyramid": {"levels": 2},
            "write_every": "5 s",
            "variables": [
                {"field": "w", "name": "w_mean", "time": "mean", "every": "4 s"},
                {"field": "w", "name": "w_max", "time": "max", "every": "4 s"},
                {"field": "ice", "name": "ice_mean", "time": "mean", "every": "6 s"},
                {"field": "ice", "time": "snapshot", "every": "3 s"},
            ],
        },
        "boxes.nc": {
            "regrid": {"to": {"latlon": "20 deg"}, "method": "conservative"},
            "variables": [
                {"field": "w", "name": "w_std", "time": "std", "every": "5 s"},
                {"field": "kind", "time": "snapshot", "every": "3 s", "regrid": {"to": {"latlon": "20 deg"}}
                 | {"method": "largest_area"}},
            ],
        },
        "merged.nc": {
            "regrid": {"to": {"healpix": {"level": 3}}, "method": "bilinear", "with_fraction": True}
            | {"merge": [["w", "w_nest"]]},
            "variables": [
                {"field": "w", "name": "w_mean", "time": "mean", "every": "4 s"},
                {"field": "w", "time": "snapshot", "every": "3 s"},
            ],
        },
        "region.nc": {
            "regrid": {"to": REGIONAL, "method": OF_A_MESH, "coverage": 0.2},
            "variables": [{"field": "t", "name": "t_mean", "time": "mean", "every": "5 s"}],
        },
    },
    "checkpoint": {"every": f"{CUT} steps", "fields": ["w", "ice", "t", "kind", "w_nest"]},
}  # fmt: skip
SCENARIO = {
    "grids": [
        lat_lon_grid(),
        lat_lon_grid("flat", (11, 19)),
        indexed_grid(mesh=True),
        replicated_grid(),
        nest_grid("nest", (3, 17, 21), -30.0, 40.0, 3.0),
    ],
    "fields": [
        field("w", "globe", how="strided"),
        field("ice", "globe", fill_value=-999.0),
        field("t", "ico", "float32"),
        field("kind", "flat", "int32"),
        field("w_nest", "nest", fill_value=-9.0),
    ],
    "checkpoints": True,
    "got": ["w", "ice", "t", "kind", "w_nest"],
}
TIMES = varying_times(STEPS, seed=8)
FILES = ("healpix.nc", "healpix_z2.nc", "healpix_z1.nc", "boxes.nc", "region.nc", "merged.nc")
PLAYERS = [
    (1, servers(1)),
    (2, servers(3, transport="mpi")),
    (3, servers(2, transport="shm")),
    (5, servers(3, transport="shm")),
    (6, servers(2, transport="mpi")),
    (3, attached()),
    (4, inline()),
]


def play(ranks: int, steps: int = STEPS):
    return model(ranks, **SCENARIO, times=TIMES[:steps])


@pytest.fixture(scope="module")
def reference(tmp_path_factory):
    """One rank that does everything itself, without delays; its cache has the weights for the others."""
    result = Job(tmp_path_factory.mktemp("reference"))(play(1), inline(), config=CONFIG, timeout=180).finished()
    return result.folder, {name: every_bit(result.path(name)) for name in FILES}


def config_of(folder) -> dict:
    return CONFIG | {"regrid": {"cache": str(folder / ".tailrace" / "weights")}}


def assert_same(folder, expected: dict) -> None:
    for name in FILES:
        assert differences(every_bit(folder / name), expected[name]) == [], name


@pytest.mark.parametrize(("ranks", "serving"), PLAYERS)
def test_same_bits(job, reference, ranks, serving):
    folder, expected = reference
    delays = {"TAILRACE_RANDOM_DELAYS": f"{ranks}:3000"}
    result = job(play(ranks), serving, config=config_of(folder), environment=delays).finished()
    assert not (result.folder / ".tailrace").exists()
    assert_same(result.folder, expected)


def test_same_bits_with_weights_that_servers_make_together(job, reference):
    result = job(play(2), servers(3), config=CONFIG, timeout=180).finished()
    assert_same(result.folder, reference[1])


@pytest.mark.parametrize(
    ("first", "then"), [((3, servers(2)), (2, servers(1))), ((1, inline()), (4, servers(3, transport="mpi")))]
)
def test_same_bits_across_a_restart(job, reference, first, then):
    folder, expected = reference
    config = config_of(folder)
    begun = job(play(first[0], CUT), first[1], config=config).finished()
    assert "CHECKPOINT" in begun.output
    ended = job(play(then[0]), then[1], config=config, folder=begun.folder).finished()
    assert "RESTARTED" in ended.output
    assert_same(ended.folder, expected)


def test_same_bits_of_axes_that_ranks_give_in_parts(job):
    """Their bounds come in parts too: conservative weights are made of them."""
    config = {
        "fields": {"state": {"every": "1 step", "names": ["w"]}},
        "output": {
            "boxes.nc": {
                "regrid": {"to": {"latlon": "20 deg"}, "method": "conservative"},
                "variables": [{"field": "w", "time": "mean", "every": "4 s"}],
            }
        },
    }
    found = {}
    for ranks, part in ((2, False), (5, True)):
        grid = lat_lon_grid(shape=(13, 24))
        for coordinate in grid["coordinates"]:
            coordinate["part"] = part
        scenario = {"grids": [grid], "fields": [field("w", "globe")], "times": TIMES[:9]}
        result = job(model(ranks, **scenario), servers(2), config=config).finished()
        found[part] = every_bit(result.path("boxes.nc"))
    assert differences(found[True], found[False]) == []
