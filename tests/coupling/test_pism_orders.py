"""PISM's orders without PISM: what is understood, and what is refused."""

import json
from types import SimpleNamespace

import numpy as np
import pytest
from tailrace.pism.aside import move_aside, move_back
from tailrace.pism.file import text_of
from tailrace.pism.files import Files
from tailrace.pism.first import in_first
from tailrace.pism.orders import Action, Order, parse
from tailrace.pism.partner import GridPart
from tailrace.pism.service import ANY_FILE, check_request
from tailrace.pism.variables import Contents
from tailrace.yac.errors import CouplingError
from tailrace.yac.request import read_request_with


def order(action, **info):
    return Order(action, {"file_name": "a.nc", **info})


def variable(name, dims, kind="f8", **attributes):
    return order(Action.DEFINE_VARIABLE, variable_name=name, dimensions=dims, dtype=kind, attributes=attributes, tag=0)


def files_with(*orders, partner=None):
    files = Files(None, SimpleNamespace(rank=0), {})
    for each in orders:
        files.take(each, partner)
    return files


def dimensions(**lengths):
    return [order(Action.DEFINE_DIMENSION, name=name, length=length) for name, length in lengths.items()]


TIME = [*dimensions(time=0), variable("time", ["time"], units="seconds since 1-1-1", calendar="360_day")]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b'{"action": 15, "info": {}}', "PISM gave the order number 15, which is unknown; expected 1 to 14"),
        (b"hello", "is no JSON object with `action` and `info`: 'hello' (5 bytes)"),
        (b'{"action": 12}', "is no JSON object with `action` and `info`"),
        (b"\xff[]", "is no JSON object with `action` and `info`"),
    ],
)
def test_texts_that_are_no_orders_are_refused(text, message):
    with pytest.raises(CouplingError) as found:
        parse(text)
    assert message in str(found.value)


def test_an_order_without_something_says_what_it_has():
    assert parse(b'{"action": 13, "info": null}').action == Action.FINISH
    with pytest.raises(CouplingError, match=r"the order APPEND_TIME of PISM has no file_name \(it has time\)"):
        files_with(Order(Action.APPEND_TIME, {"time": 1.0}))


@pytest.mark.parametrize(
    ("orders", "message"),
    [
        ([order(Action.OPEN_FILE)], "PISM is to append to a.nc, which `tailrace serve --pism` cannot do"),
        (
            [*TIME, Order(Action.APPEND_TIME, {"file_name": "./a.nc", "time": 0.0})],
            "PISM opens ./a.nc, which is open as",
        ),
        ([variable("thk", ["y", "x"])], "PISM defines thk along y, a dimension that it has not defined"),
        ([*TIME, *dimensions(id=1), variable("s", ["id", "time"])], "expected time first, so leave out `output.experi"),
        ([*TIME, variable("s", ["time"], "u2")], "PISM defines s with the type 'u2'; expected one of f8, f4, i4"),
        ([*TIME, order(Action.SEND_GRIDDED_VARIABLE, variable_name="h")], "a.nc: PISM writes h, which it has not"),
        (
            [*TIME, variable("s", ["time"]), order(Action.SEND_GRIDDED_VARIABLE, variable_name="s")],
            "a.nc: PISM writes s before the first time of the file",
        ),
        (
            [
                *TIME,
                *dimensions(x=4),
                variable("x", ["x"]),
                order(Action.SEND_VARIABLE, variable_name="x", start=[1], count=[3], tag=2),
            ],
            "a.nc: PISM writes 3 values of x from [1] on; expected a whole record, [4] from [0] on",
        ),
    ],
    ids=["append", "two names", "dimension", "experiment", "type", "undefined", "no time", "a part"],
)
def test_what_a_file_cannot_have_is_refused(orders, message):
    partner = SimpleNamespace(field=lambda name: np.zeros((1, 1, 1)), array=lambda tag, count, text: np.zeros(count))
    with pytest.raises(CouplingError) as found:
        files_with(*orders, partner=partner)
    assert message in str(found.value)


def test_files_that_are_not_open_may_be_closed_and_orders_repeated():
    files = files_with(order(Action.CLOSE_FILE), *TIME, *TIME, order(Action.APPEND_HISTORY, history="a"))
    assert files.sessions() == []


@pytest.mark.parametrize(
    ("units", "start"),
    [
        ("seconds since 1-1-1", "0001-01-01T00:00:00"),
        ("second since 1850-01-01 12:30", "1850-01-01T12:30:00"),
        ("seconds since 2000-3-2T01:02:03", "2000-03-02T01:02:03"),
    ],
)
def test_time_counts_from_pisms_date(units, start):
    contents = Contents({"time": 0})
    contents.add_variable(variable("time", ["time"], units=units, calendar="365_day"))
    assert contents.model_time() == {"calendar": "365_day", "start": start}


def test_time_in_another_unit_is_refused():
    contents = Contents({"time": 0})
    contents.add_variable(variable("time", ["time"], units="years since 1-1-1"))
    with pytest.raises(
        CouplingError, match="PISM counts its time in 'years since 1-1-1'; expected seconds since a date"
    ):
        contents.model_time()


def test_the_text_of_a_file_has_what_pism_defined():
    contents = Contents({"time": 0, "y": 3, "x": 4})
    for each in (*TIME[1:], variable("topg", ["y", "x"]), variable("flag", ["time"], "i1"), variable("x", ["x"])):
        contents.add_variable(each)
    made = json.loads(text_of("out/{a}.nc", contents))
    assert made["fields"]["pism_fixed"]["names"] == ["topg"]
    assert {"field": "flag", "type": "int8", "every": "1 step"} in made["output"]["{file}"]["variables"]
    assert made["servers"]["report_directory"] == "tailrace_report/out%2F%7Ba%7D.nc"
    assert made["model_time"] == {"calendar": "360_day", "start": "0001-01-01T00:00:00"}


@pytest.mark.parametrize(
    ("section", "message"),
    [
        ("input: {sea: {files: a.nc, fields: {sst: {}}}}", "input: PISM gets no fields from Tailrace"),
        ("checkpoint: {every: 1 h}", "checkpoint: PISM restarts from files of its own"),
        (
            "servers: {mode: dedicated}",
            "servers.mode: dedicated cannot be used with --pism; expected attached or inline",
        ),
    ],
)
def test_sections_without_a_meaning_are_refused(tmp_path, section, message):
    config = tmp_path / "run.yaml"
    config.write_text(f"tailrace: 1\n{section}\n")
    with pytest.raises(CouplingError) as found:
        check_request(read_request_with(config, ANY_FILE))
    assert message in str(found.value) and "run.yaml" in str(found.value)


def test_a_grid_needs_a_row_for_each_process():
    assert [GridPart("y-x", 7, 5, rank, 3).rows for rank in range(3)] == [2, 2, 3]
    with pytest.raises(CouplingError, match="the grid y-x of PISM has 2 rows, for 3 processes"):
        GridPart("y-x", 2, 5, 0, 3)
    with pytest.raises(CouplingError, match="have 3 points of the grid y-x; expected each of its 2 x 2 points once"):
        GridPart("y-x", 2, 2, 0, 1).define(np.array([0, 1, 3]), np.zeros(3), np.zeros(3))


def test_a_folder_is_not_moved_aside(tmp_path):
    assert move_aside(tmp_path / "no.nc") is None
    (tmp_path / "a.nc").mkdir()
    with pytest.raises(CouplingError, match=r"a.nc is a folder, and PISM makes a file of this name"):
        move_aside(tmp_path / "a.nc")


def test_a_file_that_was_moved_comes_back_only_to_a_free_name(tmp_path):
    path = tmp_path / "a.nc"
    path.write_text("of another\n")
    aside = move_aside(path)
    assert aside == tmp_path / "a.nc~" and not path.exists()
    path.write_text("of a third\n")
    assert not move_back(aside, path)
    assert (path.read_text(), aside.read_text()) == ("of a third\n", "of another\n")
    path.unlink()
    assert move_back(aside, path) and path.read_text() == "of another\n" and not aside.exists()


def test_a_failure_of_the_first_process_is_that_of_all():
    problems = []
    other = SimpleNamespace(rank=1, bcast=lambda given: (None, problems[0]))
    first = SimpleNamespace(rank=0, bcast=lambda given: problems.append(given[1]) or given)
    for comm in (first, other):
        with pytest.raises(CouplingError, match="modulo by zero"):
            in_first(comm, lambda: 1 // 0)
    assert in_first(SimpleNamespace(rank=0, bcast=lambda given: given), lambda: 3) == 3
