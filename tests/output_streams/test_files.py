"""Files that the model opens, names and closes."""

import netCDF4
import numpy as np
import pytest
from output_streams.support import FILES, check_file, do, run, start, steps, stream
from support.harness import SURVIVORS_LIVE, inline, needs_survivors_of_signals, servers

WRF = (
    "fields: {all: {every: 1 step, names: ['*']}}\nmodel_time: {start: 2000-01-24T12:00:00, calendar: standard}\n"
    "output: {'{file}': {layout: wrf, variables: [{fields: '*', every: 1 step}]}}\n"
)


def test_each_file_has_its_records_and_attributes(tmp_path):
    """Those that were set before it was opened; and a file without a step is not made."""
    actions = [*stream("history"), do("attribute", "history", name="TITLE", value="first")]
    actions += [do("attribute", "history", name="GRID_ID", value=1), do("open_file", "history", path="a.nc")]
    actions += [
        do("attribute", "history", name="TITLE", value="second"),
        do("attribute", "history", name="DT", value=1.5),
    ]
    actions += [*steps("history", [1, 4]), do("close_file", "history"), do("open_file", "history", path="none.nc")]
    actions += [do("open_file", "history", path="b.nc"), *steps("history", [6]), do("close_file", "history")]
    actions += [do("open_file", "history", path="c.nc"), *steps("history", [7]), do("finish", "history"), do("finish")]
    run(tmp_path, actions, serving=servers(2)).finished()
    first, second = check_file(tmp_path / "a.nc", [1, 4]), check_file(tmp_path / "b.nc", [6])
    check_file(tmp_path / "c.nc", [7])
    assert first.TITLE == "first" and first.GRID_ID == 1 and "DT" not in first.ncattrs()
    assert second.TITLE == "second" and second.GRID_ID.dtype == np.int32 and second.DT.dtype == np.float32
    assert not (tmp_path / "none.nc").exists()
    assert first["f0"].chunking()[0] == 1


def test_a_file_of_wrf(tmp_path):
    actions = [*stream("wrfout", text=WRF), do("attribute", "wrfout", name="MMINLU", value="")]
    actions += [do("open_file", "wrfout", path="wrfout_d01"), *steps("wrfout", [1, 361]), do("finish")]
    run(tmp_path, actions).finished()
    with netCDF4.Dataset(tmp_path / "wrfout_d01") as file:
        dates = [b"".join(text).decode() for text in file["Times"][:].data]
        assert dates == ["2000-01-24_12:00:10", "2000-01-24_13:00:10"]
        assert file.MMINLU == "\0" or file.MMINLU == ""


def test_written_says_that_a_record_is_on_the_disk(tmp_path):
    """Also the record of the latest step, which no later call completes."""
    beside = FILES + "  fixed.nc: {variables: [{fields: '*', every: 1 step}]}\n"
    actions = [*stream("history", beside), do("open_file", "history", path="a.nc"), *steps("history", [1, 2])]
    actions += [do("written", "history", step=2), do("wait_for", path="go"), do("finish")]
    with start(tmp_path, actions, ranks=3, serving=servers(2)) as running:
        running.wait_for("WAITS for go")
        check_file(tmp_path / "a.nc", [1, 2]).close()
        (tmp_path / "go").touch()
        running.wait().finished()


REFUSED = {
    "step without a file": ([do("step", "h", step=1, time=1.0, refused=True)], "step 1", "call open_file"),
    "close without a file": ([do("close_file", "h", refused=True)], "close_file", "no file is open"),
    "written too early": ([do("written", "h", step=1, refused=True)], "has made no step yet"),
    "an empty path": ([do("open_file", "h", path="", refused=True)], "expected the path of a file"),
    "a file of another": (
        [do("open_file", "h", path="others.nc", refused=True)],
        "others.nc exists",
        "if_exists: replace",
    ),
    "another path on a rank": (
        [do("open_file", "h", path="a.nc", other="b.nc", refused=True)],
        'open_file of "a.nc", but another rank of the stream opens "b.nc"',
    ),
    "open_file of a session": ([do("ready"), do("open_file", path="a.nc", refused=True)], "was called for a session"),
    "written of a session": ([do("ready"), do("written", step=0, refused=True)], "was called for a session"),
    "a stream in a stream": ([do("open", "h", name="inner", text=FILES, refused=True)], "a stream opens no stream"),
    "the same name": ([do("open", name="h", text=FILES, refused=True)], "a stream of this name is open"),
    "a path as name": ([do("open", name="a/b", text=FILES, refused=True)], "without `/`"),
    "options of the session": (
        [do("open", name="t", text="servers: {count: 2}\n", refused=True)],
        "servers",
        "belongs to the session",
    ),
    "a misspelt option": ([do("open", name="t", text="outptu: {}\n", refused=True)], "<stream t>:1:1", '"output"'),
    "a mistake of the user": ([do("open", name="user", text=FILES, refused=True)], "tailrace.yaml:", '"compression"'),
    "a mean in such a file": (
        [do("open", name="t", text=FILES.replace("every", "operation: mean, every"), refused=True)],
        "expected `operation: snapshot`",
    ),
    "skip of such a file": (
        [do("open", name="t", text=FILES.replace("{vari", "{on_error: skip, vari"), refused=True)],
        "output.{file}.on_error",
        "expected `stop` or `retry`",
    ),
    "a series of such files": (
        [do("open", name="t", text=FILES.replace("{vari", "{new_file_every: 1 h, vari"), refused=True)],
        "expected no `file_per_write`",
    ),
    "no such file": (
        [*stream("t", text=FILES.replace("{file}", "t.nc")), do("open_file", "t", path="a", refused=True)],
        "no file of the stream is opened by the model",
    ),
}


def test_wrong_calls_are_refused(tmp_path):
    """In one job, which goes on after each; the stream that was misused still writes."""
    (tmp_path / "others.nc").write_text("of another program")
    actions = stream("h")
    ready_once = False
    for calls, *_ in REFUSED.values():
        actions += [call for call in calls if not (call["do"] == "ready" and call["of"] == "" and ready_once)]
        ready_once = ready_once or any(call["do"] == "ready" and call["of"] == "" for call in calls)
    actions += [do("open_file", "h", path="a.nc"), *steps("h", [1]), do("close_file", "h")]
    actions += [do("step", "h", step=2, time=20.0, refused=True), do("open_file", "h", path="a.nc", refused=True)]
    actions += [do("open_file", "h", path="./a.nc", refused=True), do("finish")]
    config = {"streams": {"user": {"output": {"{file}": {"compresion": "none"}}}}}
    result = run(tmp_path, actions, config=config).finished()
    refusals = [line for line in result.output.splitlines() if line.startswith("REFUSED")]
    text = result.output
    for name, (_, *pieces) in REFUSED.items():
        assert all(piece in text for piece in pieces), f"{name}: {pieces}\n{text}"
    assert len(refusals) == len(REFUSED) + 3
    assert (tmp_path / "others.nc").read_text() == "of another program"
    check_file(tmp_path / "a.nc", [1])


def test_a_file_is_replaced_where_the_user_says_so(tmp_path):
    (tmp_path / "a.nc").write_text("old")
    config = {"streams": {"h": {"output": {"{file}": {"if_exists": "replace"}}}}}
    actions = [*stream("h"), do("open_file", "h", path="a.nc"), *steps("h", [1]), do("finish")]
    run(tmp_path, actions, config=config).finished()
    check_file(tmp_path / "a.nc", [1])


def test_streams_are_refused_beside_checkpoints_and_on_some_ranks_inline(tmp_path):
    actions = [do("open", name="h", text=FILES, refused=True)]
    result = run(
        tmp_path / "checkpoint", [*actions, do("ready"), do("finish")], config={"checkpoint": {"every": "1 h"}}
    )
    assert "which do not hold streams" in result.finished().output
    actions = [do("open", name="h", text=FILES, ranks=[0, 1], refused=True), do("finish")]
    result = run(tmp_path / "inline", actions, ranks=3, serving=inline())
    assert "got 2 of 3 ranks" in result.finished().output


def test_a_full_disk_reaches_the_next_call(tmp_path):
    """Here: a folder that vanished after the file was opened."""
    (tmp_path / "there").mkdir()
    actions = [
        *stream("h"),
        do("open_file", "h", path="there/a.nc"),
        do("wait_for", path="go"),
        *steps("h", range(1, 3)),
    ]
    actions += [do("finish")]
    with start(tmp_path, actions) as running:
        running.wait_for("WAITS for go")
        (tmp_path / "there").rmdir()
        (tmp_path / "go").touch()
        running.wait().failed_with("there", code=3)


@needs_survivors_of_signals
def test_the_death_of_a_rank_ends_the_stream_and_keeps_what_is_written(tmp_path):
    actions = [do("ready"), *stream("h"), do("open_file", "h", path="a.nc"), *steps("h", [1])]
    actions += [do("written", "h", step=1), do("meet"), do("kill", rank=1), *steps("h", range(2, 2000)), do("finish")]
    with start(tmp_path, actions, launcher=SURVIVORS_LIVE) as running:
        result = running.wait()
    assert any(code == 4 and "rank 1" in message for code, message in result.errors), result.output
    with netCDF4.Dataset(tmp_path / "a.nc") as file:
        assert file["time"][0] == 10.0


@needs_survivors_of_signals
@pytest.mark.parametrize("while_opening", [True, False])
def test_the_death_of_a_rank_before_ready_is_no_wait_without_end(tmp_path, while_opening):
    opened = stream("h")
    killed = [do("meet"), do("kill", rank=2)]
    actions = [do("ready"), *(killed + opened if while_opening else opened[:2] + killed + opened[2:])]
    with start(tmp_path, [*actions, do("finish")], launcher=SURVIVORS_LIVE) as running:
        result = running.wait()
    assert any(code == 4 and "rank 2" in message for code, message in result.errors), result.output
