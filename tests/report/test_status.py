"""The status of a running job, from what its servers wrote."""

import os

import made_up
from tailrace import status


def test_nothing_before_the_first_server_wrote(tmp_path):
    assert status.read(tmp_path) is None
    assert status.read(tmp_path / "nowhere") is None


def test_servers_are_combined(tmp_path):
    made_up.write(made_up.status(0), tmp_path / "status.json")
    made_up.write(made_up.status(1), tmp_path / "status.1.json")
    run = status.read(tmp_path)
    assert run.components == (status.Component("bubble", 120, 43.25, 12.34),), "that of the slowest"
    assert [file.path for file in run.files] == ["out/file0.nc", "out/file1.nc"]
    assert run.bytes_out == 6 << 20
    assert run.bytes_out_per_second == 2 << 20
    assert run.lag_seconds == 0.04
    assert run.buffer_used == 0.24
    assert run.pending_bytes == 14
    assert run.state == "running"


def test_the_line(tmp_path):
    made_up.write(made_up.status(0), tmp_path / "status.json")
    made_up.write(made_up.status(1), tmp_path / "status.1.json")
    assert status.line(status.read(tmp_path)) == (
        "bubble step 120, t = 43.25 s, 12.3 steps/s | out 2.0 MiB/s (6.0 MiB) | lag 40 ms | buffer 24 % | "
        "file0.nc to 40 s and 1 more"
    )


def test_the_line_shows_undrained_checkpoints():
    durable = {"seconds_to_durable": 2.5, "bytes": 3 << 20, "bytes_per_second": 1.2 * (1 << 20), "model_seconds": 0.25}
    one = {"component": "bubble", "count": 0, "step": 0, "time": 0.0} | durable
    buffer = {"step": 9, "seconds_to_nodes": 0.5, "waiting": 2, "waiting_bytes": 7 << 20}
    text = status.line(status.merge([made_up.status(checkpoints=[one | {"burst_buffer": buffer}])]))
    assert text.endswith(" | checkpoint 9 on the nodes in 500 ms, 7.0 MiB wait in burst buffers"), text
    one |= {"count": 1, "step": 6, "burst_buffer": buffer | {"waiting": 0}}
    text = status.line(status.merge([made_up.status(checkpoints=[one])]))
    assert text.endswith(" | checkpoint 6: 3.0 MiB durable in 2.5 s (1.2 MiB/s), the model paid 250 ms in all"), text


def test_the_line_shows_what_was_read():
    one = {"component": "bubble", "field": "sst", "reads": 3, "bytes_read": 2 << 20, "late": 0, "late_seconds": 0.0}
    other = one | {"field": "ozone", "reads": 4}
    text = status.line(status.merge([made_up.status(inputs=[one]), made_up.status(1, inputs=[other])]))
    assert text.endswith(" | read 7 records (4.0 MiB)"), text
    late = one | {"late": 2, "late_seconds": 0.25}
    text = status.line(status.merge([made_up.status(inputs=[late, other])]))
    assert text.endswith(" | read 7 records (4.0 MiB), 2 late (the last by 250 ms)"), text
    assert "read" not in status.line(status.merge([made_up.status(inputs=[one | {"reads": 0}])]))


def test_two_components_are_shown_side_by_side():
    ocean = {"name": "ocean", "step": 3, "time": 10.0, "steps_per_second": 0.5}
    page = made_up.status()
    page["components"].append(ocean)
    text = status.line(status.merge([page]))
    assert text.startswith("bubble step 120, t = 43.25 s, 12.3 steps/s | ocean step 3, t = 10 s, 0.5 steps/s | ")


def test_a_speed_that_is_not_known_yet_is_left_out():
    page = made_up.status()
    page["components"][0]["steps_per_second"] = None
    assert status.line(status.merge([page])).startswith("bubble step 120, t = 43.25 s | out ")


def test_faults_come_first():
    pages = [made_up.status(0, state="running"), made_up.status(1, state="disk full")]
    assert status.line(status.merge(pages)).startswith("disk full | bubble")
    assert status.merge([made_up.status(k, state="complete") for k in range(2)]).state == "complete"
    assert status.merge([made_up.status(0, state="complete"), made_up.status(1)]).state == "running"


def test_an_earlier_run_is_ignored(tmp_path):
    path = made_up.write(made_up.status(0), tmp_path / "status.json")
    stale = status.status_files(tmp_path)
    assert status.read(tmp_path, stale) is None
    made_up.write(made_up.status(0), path)
    os.utime(path, ns=(0, stale[path] + 1))
    assert status.read(tmp_path, stale) is not None


def test_foreign_and_broken_files_are_ignored(tmp_path):
    (tmp_path / "status.json").write_text("{ half")
    made_up.write({"schema": "other"}, tmp_path / "status.1.json")
    made_up.write(made_up.status(2, version=2), tmp_path / "status.2.json")
    assert status.read(tmp_path) is None
