"""The metrics, as Prometheus' own parsers read them."""

import stat

import made_up
import pytest
from click.testing import CliRunner
from status_pages import NOW, commit, server
from tailrace.cli import cli
from tailrace.watch import metrics
from tailrace.watch.numbers import Run
from tailrace.watch.serve import keep_metrics

parser = pytest.importorskip("prometheus_client.parser")
openmetrics = pytest.importorskip("prometheus_client.openmetrics.parser")


def samples(text: str, is_open: bool) -> dict[str, float]:
    read = (openmetrics if is_open else parser).text_string_to_metric_families
    found = {}
    for family in read(text):
        assert family.documentation.endswith("."), family.name
        for sample in family.samples:
            labels = ",".join(f"{key}={value}" for key, value in sorted(sample.labels.items()))
            found[f"{sample.name}{{{labels}}}"] = sample.value
    return found


@pytest.fixture
def folder(tmp_path):
    lag = made_up.timings(5, 1.5) | {"histogram": [[1e-9 * 2**20, 1], [1e-9 * 2**25, 2], [1000.0, 2]]}
    made_up.write(server(lag=lag, pending_bytes=500), tmp_path / "status.json")
    odd = 'we"ird\\name\nof.nc'
    (tmp_path / "commits.jsonl").write_text(
        commit("a.nc", 10.0) + "\n" + commit("a.nc", 20.0) + "\n" + commit(odd, 1.0) + "\n"
    )
    return tmp_path


@pytest.mark.parametrize("is_open", [False, True])
def test_parsers_accept_them_and_read_the_same_numbers(folder, is_open):
    run = Run(folder, until=443.25, clock=lambda: NOW)
    numbers = run.look()
    found = samples(metrics.text_of(metrics.families_of(numbers, run.snapshot), is_open), is_open)
    assert found["tailrace_step{component=bubble}"] == 120
    assert found["tailrace_model_time_seconds{component=bubble}"] == 43.25
    assert found["tailrace_file_safe_time_seconds{path=a.nc}"] == 20.0
    assert found["tailrace_file_commits_total{path=a.nc}"] == 2
    assert found['tailrace_file_commits_total{path=we"ird\\name\nof.nc}'] == 1
    assert found["tailrace_server_held_bytes{host=node0,server=0}"] == 500
    assert found["tailrace_server_memory_ratio{host=node0,server=0}"] == 0.5
    assert found["tailrace_server_phase_seconds_total{host=node0,phase=write,server=0}"] == 2.0
    assert found["tailrace_server_written_bytes_total{host=node0,server=0}"] == 3 << 20
    states = {key: value for key, value in found.items() if key.startswith("tailrace_run_state")}
    assert len(states) == 4 and sum(states.values()) == 1


@pytest.mark.parametrize("is_open", [False, True])
def test_buckets_of_lag_are_cumulative_and_exact(folder, is_open):
    run = Run(folder)
    found = samples(metrics.text_of(metrics.families_of(run.look(), run.snapshot), is_open), is_open)
    buckets = {key: value for key, value in found.items() if key.startswith("tailrace_commit_lag_seconds_bucket")}
    counts = [
        buckets[f"tailrace_commit_lag_seconds_bucket{{host=node0,le={edge:.12g},server=0}}"]
        for edge in metrics.LAG_EDGES
    ]
    assert counts[0] == 1, "an upper edge belongs to its bucket"
    assert counts == sorted(counts) and counts[-1] == 3
    assert buckets["tailrace_commit_lag_seconds_bucket{host=node0,le=+Inf,server=0}"] == 5
    assert found["tailrace_commit_lag_seconds_sum{host=node0,server=0}"] == 1.5


def test_an_older_status_has_fewer_of_them(tmp_path):
    made_up.write(made_up.status(), tmp_path / "status.json")
    run = Run(tmp_path)
    found = samples(metrics.text_of(metrics.families_of(run.look(), run.snapshot), True), True)
    assert not any("lag" in name or "memory" in name or "phase" in name for name in found)


def test_a_file_for_node_exporter(folder):
    path = folder / "tailrace.prom"
    path.write_text("# HELP tailrace_run_state from before\n")
    done = CliRunner().invoke(cli, ["watch", str(folder), "--metrics", str(path), "--once"])
    assert done.exit_code == 0, done.output
    assert samples(path.read_text(), False)["tailrace_step{component=bubble}"] == 120
    assert stat.S_IMODE(path.stat().st_mode) == 0o644
    assert [one.name for one in folder.iterdir() if ".prom" in one.name] == ["tailrace.prom"], "nothing is left over"


def test_the_file_is_kept_up_to_date_until_the_run_has_ended(folder):
    made_up.write(server(state="complete"), folder / "status.json")
    path = folder / "tailrace.prom"
    done = CliRunner().invoke(cli, ["watch", str(folder), "--metrics", str(path)])
    assert done.exit_code == 0, done.output
    assert samples(path.read_text(), False)["tailrace_run_state{state=complete}"] == 1


def test_it_may_be_started_before_the_run(tmp_path):
    path = tmp_path / "tailrace.prom"
    report = tmp_path / "tailrace_report"
    said = []

    def begin_run(text):
        said.append(text)
        made_up.write(server(state="complete"), report / "status.json")

    report.mkdir()
    keep_metrics(tmp_path, path, until=None, every=0.1, once=False, say=begin_run)
    assert len(said) == 1 and said[0].endswith("; waiting for one")
    assert samples(path.read_text(), False)["tailrace_run_state{state=complete}"] == 1


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (["--metrics", "nowhere/x.prom"], "expected a file in a directory that is there"),
        (["--metrics", "results.nc", "--once"], "not made by `tailrace watch`, so it is not replaced"),
        (["--metrics", "/dev/null", "--once"], "not made by `tailrace watch`, so it is not replaced"),
        (["--once"], "--once needs --metrics"),
    ],
)
def test_mistakes(folder, arguments, text, monkeypatch):
    monkeypatch.chdir(folder)
    (folder / "results.nc").write_text("of the user")
    done = CliRunner().invoke(cli, ["watch", *arguments])
    assert done.exit_code != 0 and text in done.output + str(done.exception)
    assert (folder / "results.nc").read_text() == "of the user"
