"""Output streams that a model opens at any time, with grids, files and steps of their own."""

import netCDF4
import pytest
from output_streams.support import FILES, check_file, do, run, steps, stream
from support.harness import attached, inline, servers

OWN_FILE = {
    "fields": {"all": {"every": "1 step", "names": ["*"]}},
    "output": {"own.nc": {"variables": [{"fields": "*", "every": "1 step"}]}},
}
SERVINGS = {
    "1": servers(1),
    "3": servers(3),
    "mpi": servers(2, transport="mpi"),
    "attached": attached(),
    "inline": inline(),
}


def session(fields: int = 2) -> list[dict]:
    return [do("declare", nx=11, ny=6, fields=fields), do("ready")]


@pytest.mark.parametrize("serving", SERVINGS.values(), ids=SERVINGS.keys())
def test_a_stream_opens_between_the_steps_of_others(tmp_path, serving):
    """On ranks in another order, while the session and another stream go on undisturbed."""
    some = {"ranks": [3, 0, 2]} if serving.mode != "inline" else {}
    actions = session() + steps("", [1, 2])
    actions += [*stream("first"), do("open_file", "first", path="first_a.nc"), *steps("first", [2])]
    actions += steps("", [3])
    actions += stream("late", nx=9, ny=8, fields=3, grids=2, nz=2, **some)
    actions += [do("open_file", "late", path="late_a.nc"), *steps("late", [3, 5]), *steps("first", [3, 7])]
    actions += [do("open_file", "late", path="late_b.nc"), *steps("late", [6])]
    actions += [*steps("", [4]), do("finish", "late"), *steps("first", [8]), do("finish", "first"), do("finish")]
    run(tmp_path, actions, ranks=4, serving=serving, config=OWN_FILE).finished()
    check_file(tmp_path / "own.nc", [1, 2, 3, 4], nx=11, ny=6)
    check_file(tmp_path / "first_a.nc", [2, 3, 7, 8])
    check_file(tmp_path / "late_a.nc", [3, 5], fields=3, nx=9, ny=8, nz=2)
    check_file(tmp_path / "late_b.nc", [6], fields=3, nx=9, ny=8, nz=2)


def test_nests_on_other_ranks_have_several_files_open_at_one_time(tmp_path):
    """The session declares nothing and never calls ready, as a model with an I/O layer of its own."""
    nests = {"d01": None, "d02": [0, 1, 2, 3], "d03": [4, 5], "d04": [5, 1]}
    actions = []
    for name, ranks in nests.items():
        actions += [*stream(name, ranks=ranks, ny=6), do("open_file", name, path=f"wrfout_{name}")]
    for number in [1, 2]:
        for name in nests:
            actions += steps(name, [number])
    actions += [do("finish", name) for name in reversed(nests)] + [do("finish")]
    run(tmp_path, actions, ranks=6, serving=servers(2)).finished()
    for name in nests:
        check_file(tmp_path / f"wrfout_{name}", [1, 2], ny=6)


def test_a_stream_that_is_left_open_ends_with_the_session(tmp_path):
    actions = [*stream("history"), do("open_file", "history", path="a.nc"), *steps("history", [1, 2])]
    actions += [do("open", name="never_ready", text=FILES), do("finish")]
    run(tmp_path, actions).finished()
    check_file(tmp_path / "a.nc", [1, 2])


def test_a_name_is_free_again_after_finish(tmp_path):
    actions = []
    for number in [1, 2]:
        actions += [*stream("history"), do("open_file", "history", path=f"{number}.nc"), *steps("history", [number])]
        actions += [do("finish", "history"), do("free", "history")]
    run(tmp_path, [*actions, do("finish")]).finished()
    check_file(tmp_path / "1.nc", [1])
    check_file(tmp_path / "2.nc", [2])


def test_the_user_has_the_last_word(tmp_path):
    """On files of the model, and on files that only the user wants; `defaults` at the top hold for streams."""
    extra = {"variables": [{"field": "f0", "operation": "mean", "every": "2 steps"}]}
    mine = {"attributes": {"TITLE": "mine"}, "variables": [{"field": "f1", "every": "1 step"}]}
    config = {
        "defaults": {"compression": {"codec": "zlib", "level": 1}},
        "streams": {"history": {"output": {"{file}": mine, "{stream}_means.nc": extra}}},
    }
    config["streams"]["history"]["output"]["{file}.cf.nc"] = {"variables": [{"field": "f0", "every": "1 step"}]}
    actions = [*stream("history"), do("attribute", "history", name="TITLE", value="the model's")]
    actions += [do("open_file", "history", path="a"), *steps("history", [1, 2, 3, 4]), do("finish")]
    run(tmp_path, actions, config=config).finished()
    with netCDF4.Dataset(tmp_path / "a") as file:
        assert file.TITLE == "mine"
        assert "f0" not in file.variables and list(file["time"][:]) == [10, 20, 30, 40]
        assert file["f1"].filters()["zlib"]
    with netCDF4.Dataset(tmp_path / "a.cf.nc") as file:
        assert list(file.variables["f0"].shape) == [4, 1, 5, 7]
    with netCDF4.Dataset(tmp_path / "history_means.nc") as file:
        assert file["f0"].shape[0] == 2
        assert file["f0"][0, 0, 0, 0] == pytest.approx(15.0)
