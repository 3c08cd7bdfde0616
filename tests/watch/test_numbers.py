"""The numbers of a run, from made-up status files."""

import json
import os

import made_up
import pytest
from status_pages import NOW, commit, server
from tailrace.watch.commits import CommitLog
from tailrace.watch.numbers import NoRun, Run, memory_share, model_seconds, report_directory


def look(folder, *pages, age=1.0, run=None, **options):
    """The numbers of status files that were written `age` seconds ago."""
    for page in pages:
        name = f"status.{page['server']}.json" if page["server"] else "status.json"
        path = made_up.write(page, folder / name)
        os.utime(path, (NOW - age, NOW - age))
    return (run or Run(folder, clock=lambda: NOW, **options)).look()


def test_nothing_before_a_server_has_written(tmp_path):
    assert Run(tmp_path).look() is None
    with pytest.raises(NoRun, match=r"no run has reported here; expected a report directory"):
        report_directory(tmp_path)


def test_a_run_is_found_by_its_job_or_its_report(tmp_path):
    report = tmp_path / "tailrace_report"
    made_up.write(server(), report / "status.json")
    assert report_directory(tmp_path) == report_directory(report) == report


def test_how_far_it_gets_in_a_day_and_when_it_ends(tmp_path):
    page = server()
    page["components"][0]["model_seconds_per_second"] = 4.0
    one = look(tmp_path, page, until=443.25).components[0]
    assert one.simulated_per_day == 4.0 * 86400
    assert one.seconds_to_end == 100.0
    assert look(tmp_path, page).components[0].seconds_to_end is None
    assert look(tmp_path, page, until=10.0).components[0].seconds_to_end == 0.0, "it is past that"
    page["components"][0]["model_seconds_per_second"] = 0.0
    assert look(tmp_path, page, until=443.25).components[0].seconds_to_end is None, "it stands still"
    page["components"][0]["model_seconds_per_second"] = 4.0
    assert look(tmp_path, page | {"state": "complete"}, until=443.25).components[0].seconds_to_end is None


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("86400", 86400), ("1 day", 86400), ("30 days", 30 * 86400), ("6h", 21600), ("1.5e3 s", 1500), ("10 min", 600)],
)
def test_lengths_of_time(text, seconds):
    assert model_seconds(text) == seconds


@pytest.mark.parametrize("text", ["", "x", "5 weeks", "-3", "nan", "inf", "1e", "0", "1e999", "1 h 2 min"])
def test_what_is_no_length_of_time(text):
    with pytest.raises(ValueError, match="is no length of time; expected seconds"):
        model_seconds(text)


def test_the_load_is_that_since_the_last_look(tmp_path):
    run = Run(tmp_path, clock=lambda: NOW)
    assert look(tmp_path, server(seconds=5.0), run=run).servers[0].load == 2.0 / 5.0, "since the start"
    busy = {"write": 3.0, "encode": 2.0, "idle": 4.0}
    for _ in range(2):  # a look without a new status changes nothing
        assert look(tmp_path, server(seconds=7.0, phases=busy), run=run).servers[0].load == 1.5
    assert len(run.history) == 2
    again = look(tmp_path, server(seconds=1.0, phases={"write": 0.5}), run=run)
    assert again.servers[0].load == 0.5 and len(run.history) == 1, "another run"


def test_memory_against_its_bound(tmp_path):
    full = look(tmp_path, server(pending_bytes=950))
    assert memory_share(full.servers[0]) == 0.95
    assert [text for text in full.warnings if "95 % of its memory" in text and "servers: memory:" in text]
    # Without the option, what the plan must hold comes on top of the default, so there is no share.
    unbounded = look(tmp_path, server(pending_bytes=950, memory_bounds_all=False))
    assert memory_share(unbounded.servers[0]) is None and unbounded.warnings == ()
    assert memory_share(look(tmp_path, made_up.status()).servers[0]) is None, "of an older Tailrace"


def test_a_full_buffer_is_a_warning_with_a_remedy(tmp_path):
    assert look(tmp_path, server(buffer_used=0.9)).warnings == ()
    (warning,) = look(tmp_path, server(buffer_used=0.95)).warnings
    assert "95 % full" in warning and "Raise `servers: buffer:`" in warning
    assert look(tmp_path, server(buffer_used=0.95, state="complete")).warnings == (), "too late for a remedy"


def test_what_servers_logged(tmp_path):
    told = {"count": 7, "last": ["the disk is slow", "a.nc is skipped"]}
    warnings = look(tmp_path, server(), server(1, warnings=told)).warnings
    assert warnings[:2] == ("Server 1: the disk is slow", "Server 1: a.nc is skipped")
    assert "5 earlier warnings" in warnings[2]


def test_a_run_that_was_killed_is_silent(tmp_path):
    assert look(tmp_path, server(), age=29.0).state == "running"
    silent = look(tmp_path, server(), age=31.0)
    assert silent.state == "silent" and not silent.has_ended
    assert "for 31 s" in silent.faults[0] and "commits.jsonl" in silent.faults[0]
    assert look(tmp_path, server(state="complete"), age=1e6).state == "complete"


def test_how_it_ended(tmp_path):
    failed = look(tmp_path, server(state="disk full"))
    assert failed.faults == ("The run ended: disk full",) and failed.has_ended
    stopped = look(tmp_path, server(state="ended by SIGTERM"))
    assert stopped.faults == () and stopped.warnings == ("The run ended: ended by SIGTERM",)


def test_the_report_comes_at_the_end(tmp_path):
    skipped = made_up.file("maps.nc", skipped="no room on the device")
    made_up.write(
        made_up.report(files=[skipped], fields=[made_up.field("u", count=0, unwanted=5)]), tmp_path / "report.json"
    )
    assert look(tmp_path, server()).headline == (), "of an earlier run"
    numbers = look(tmp_path, server(state="complete"))
    assert ("lag", "20 ms", "from put to disk, at most 30 ms") in numbers.headline
    assert numbers.faults == ("maps.nc was given up: no room on the device",)
    assert any("never wanted by any file: u" in text for text in numbers.warnings)
    (tmp_path / "report.json").write_text('{"schema": "tailrace-rep')  # being written
    assert look(tmp_path, server(state="complete")).headline == ()


def test_actions_that_fail(tmp_path):
    action = {"name": "plot", "outcome": "running", "failed": {"raised": 2}, "last_error": "division by zero"}
    made_up.write(action, tmp_path / "in_situ.plot.json")
    made_up.write(action | {"name": "b", "outcome": "given up: it crashed"}, tmp_path / "in_situ.b.json")
    (tmp_path / "in_situ.half.json").write_text('{"name"')
    assert look(tmp_path, server()).warnings == (
        "Action b: given up: it crashed",
        "Action plot: 2 steps failed (division by zero)",
    )


def test_the_log_of_commits_is_read_once(tmp_path):
    log, path = CommitLog(tmp_path), tmp_path / "commits.jsonl"
    assert log.look() == {}
    path.write_text(
        commit("a.nc", 10.0) + "\n" + commit("b.nc", 5.0) + "\nno line of ours\n" + commit("a.nc", 20.0)[:9]
    )
    found = {one.path: (one.commits, one.model_time) for one in log.look().values()}
    assert found == {"a.nc": (1, 10.0), "b.nc": (1, 5.0)}
    path.write_text(path.read_text() + commit("a.nc", 20.0)[9:] + "\n")
    assert log.look()["a.nc"].commits == 2 and log.look()["a.nc"].model_time == 20.0
    path.unlink()
    path.write_text(commit("c.nc", 1.0) + "\n")
    assert list(log.look()) == ["c.nc"], "another run"


def test_files_of_a_series_and_files_without_a_commit(tmp_path):
    (tmp_path / "commits.jsonl").write_text(commit("day_1.nc", 10.0) + "\n" + commit("day_2.nc", 20.0) + "\n")
    named = [{"path": "day.nc", "commits": 2, "model_time": 20.0}, {"path": "late.nc", "commits": 0, "model_time": 0.0}]
    files = look(tmp_path, server(files=named)).files
    assert [(file.path, file.commits, file.safe_time) for file in files] == [
        ("day_1.nc", 1, 10.0),
        ("day_2.nc", 1, 20.0),
        ("late.nc", 0, None),
    ]


def test_the_page_is_json_whatever_the_numbers_are(tmp_path):
    page = server(lag_seconds=float("nan"), bytes_out_per_second=float("inf"))
    assert '"lag_seconds": null' in json.dumps(look(tmp_path, page).page(), allow_nan=False)


def test_a_report_with_members_missing_takes_no_other_number_away(tmp_path):
    made_up.write(server(state="complete"), tmp_path / "status.json")
    made_up.write({"schema": "tailrace-report", "version": 1}, tmp_path / "report.json")
    numbers = Run(tmp_path).look()
    assert numbers.components[0].step == 120 and numbers.headline == ()
    assert any("report.json is damaged, or of another Tailrace" in text for text in numbers.warnings)
