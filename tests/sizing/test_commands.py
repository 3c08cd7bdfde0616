"""`tailrace plan`, `measure` and `check --machine` on the report of a real run."""

import contextlib
import io
import json
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import made_up_runs as made
import pytest
from support.harness import Job, block_grid, field, model, mpi_environment, replicated_grid, servers
from tailrace import _core
from tailrace.cli import main
from tailrace.sizing.machine import read, text_of
from tailrace.sizing.workload import workload_of

RANKS, STEPS, SECONDS = 2, 12, 2.5
CONFIG = {
    "fields": {
        "state": {"every": "1 step", "names": ["w", "u"]},
        "slow": {"every": "3 steps", "names": ["n"]},
    },
    "output": {
        "steps.nc": {
            "write_every": "2 steps",
            "variables": [{"field": "w", "every": "1 step"}, {"field": "n", "every": "3 steps"}],
        },
        "means.nc": {
            "write_every": "10 s",
            "compression": "zlib",
            "variables": [{"field": "u", "operation": "mean", "every": "5 s"}],
        },
    },
}


@dataclass(frozen=True)
class Done:
    returncode: int
    stdout: str
    stderr: str


def tailrace(*arguments: str, cwd: Path) -> Done:
    """The command, within this process: a Python for each would take most of the time of these tests."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.chdir(cwd), contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            main(list(arguments))
        except SystemExit as ended:
            return Done(int(ended.code or 0), out.getvalue(), err.getvalue())
    raise AssertionError("the command did not end")


@dataclass(frozen=True)
class Ran:
    folder: Path

    @property
    def config(self) -> Path:
        return self.folder / "tailrace.yaml"

    @property
    def declared(self) -> Path:
        (path,) = self.folder.glob("tailrace_report/declared.*.json")
        return path

    @property
    def report(self) -> dict:
        return json.loads((self.folder / "tailrace_report" / "report.json").read_text())

    def machine(self, **changes) -> Path:
        path = self.folder / f"machine{len(list(self.folder.glob('machine*')))}.yaml"
        path.write_text(text_of(made.machine(**changes), "node0", "2026-11-27", 0.0))
        return path

    def plan(self, *arguments: str, config: Path | None = None, machine: Path | None = None, ranks: int = 8):
        required = (
            "--declared",
            str(self.declared),
            "--machine",
            str(machine or self.machine()),
            "--ranks",
            str(ranks),
        )
        return tailrace("plan", str(config or self.config), *required, *arguments, cwd=self.folder)


@pytest.fixture(scope="module")
def ran(tmp_path_factory) -> Ran:
    job = Job(tmp_path_factory.mktemp("sizing"))
    result = job(
        model(
            RANKS,
            grids=[block_grid(), replicated_grid()],
            fields=[field("w", "les"), field("u", "les", "float32"), field("n", "column")],
            times=[SECONDS * step for step in range(1, STEPS + 1)],
            pace=0.05,
        ),
        servers(1),
        config=CONFIG,
    ).finished()
    return Ran(result.folder)


def load_of(ran, **changes):
    arguments = dict(steps=STEPS, step_seconds=SECONDS, ranks=RANKS, servers=[1, 2], options={}) | changes
    return workload_of(ran.config, ran.declared, **arguments)


def test_the_clocks_without_a_model_say_what_the_run_did(ran):
    load, report = load_of(ran), ran.report
    assert load.bytes_in == sum(field["bytes"] for field in report["fields"])
    assert load.component == report["clients"][0]["component"]
    raw = {file["path"]: file["raw_bytes"] for file in report["files"]}
    commits = {file["path"]: file["commits"] for file in report["files"]}
    for number, file in enumerate(load.files):
        due = [c for kind, n in zip(load.kinds, load.times, strict=True) for c in kind.commits * n if c.file == number]
        assert sum(load.bytes_of(commit) for commit in due) == raw[file.path], file.path
        assert len(due) >= commits[file.path] > 0, "a server that is behind joins commits"
    cells = 3 * 7 * 11
    assert load.bytes_in == STEPS * cells * 12 + STEPS // 3 * 5 * 8


def test_fields_of_several_ranks_and_of_one(ran):
    for ranks in (2, 7):
        load = load_of(ran, ranks=ranks)
        assert load.packets == STEPS * (ranks + 2 * ranks) + STEPS // 3 + ranks  # steps, w and u; n; the end
        assert load.ranks == ranks


def test_memory_and_buffers_are_those_of_check_and_of_the_run(ran):
    load, report = load_of(ran, servers=[1]), ran.report
    assert report["clients"][0]["buffer_capacity_bytes"] >= load.buffer_bytes == 1 << 20
    told = _core.check(ran.config, {}, ran.declared)
    assert load.memory[1].suffices and "memory: about" in told
    assert load.memory[1].option_bytes > load.memory[1].held_bytes > 0


@pytest.mark.parametrize(
    "changes",
    [
        {"steps": 0},
        {"step_seconds": 0.0},
        {"step_seconds": float("nan")},
        {"step_seconds": float("inf")},
        {"ranks": 0},
        {"servers": [0]},
    ],
)
def test_a_run_of_nothing_is_refused(ran, changes):
    with pytest.raises(_core.Error, match="at least one step, rank and server"):
        arguments = dict(steps=4, step_seconds=1.0, ranks=1, servers=[1]) | changes
        _core.workload(ran.config, ran.declared, **arguments)


def test_the_table(ran):
    done = ran.plan("--most", "3")
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[0].startswith("8 ranks, 12 steps; a step of the model takes")
    assert [line.split()[0] for line in lines[3:6]].count(">") == 1
    assert "#SBATCH --nodes=1 --ntasks=9 --ntasks-per-node=9" in lines
    assert f"tailrace run -n 9 {ran.config} -- ./model" in lines
    assert "with servers: {mode: dedicated, count: 1}" in lines
    assert any(line.startswith("note: all reports have the same number of ranks") for line in lines)


def test_json_is_the_same_for_programs_and_a_longer_run_is_longer(ran):
    machine = ran.machine()
    short = json.loads(ran.plan("--json", machine=machine).stdout)
    long = json.loads(ran.plan("--json", "--length", "1 h", machine=machine).stdout)
    assert short["schema"] == "tailrace-plan" and short["best"] == 1
    assert [one["servers"] for one in short["choices"]] == list(range(1, 9))
    assert short["choices"][0]["steps"] == STEPS and long["choices"][0]["steps"] == 1440
    assert long["choices"][0]["loop_seconds"] == pytest.approx(120 * short["choices"][0]["loop_seconds"], rel=0.05)
    assert all(one["seconds"] > 0 for one in short["choices"])
    assert {"receive", "accumulate", "assemble", "commit", "write", "put"} <= set(short["costs"])


def test_the_twin_of_a_run_that_keeps_up_takes_as_long(ran):
    machine = ran.machine()
    arguments = ("--json", "--most", "2", "--length", "10 min")
    formula = json.loads(ran.plan(*arguments, machine=machine).stdout)["choices"]
    twin = json.loads(ran.plan(*arguments, "--twin", machine=machine).stdout)
    for one, other in zip(formula, twin["choices"], strict=True):
        assert one["keeps_up"] and one["seconds"] == pytest.approx(other["seconds"], rel=0.05)
    assert "times, stalls and lags are those of the twin" in twin["notes"]


def test_a_deadline(ran):
    assert "no choice ends within 1 s" in ran.plan("--step", "1", "--deadline", "1").stdout
    assert "of those within 1 h 00 min" in ran.plan("--deadline", "1 h").stdout


def test_a_plot_is_drawn_and_replaces_nothing(ran):
    for name in ("plan.svg", "plan"):
        assert ran.plan("--plot", name).returncode == 0
        assert (ran.folder / name).stat().st_size > 1000
    again = ran.plan("--plot", "plan.svg")
    assert again.returncode == 1 and "plan.svg: exists; expected another file, or --force" in again.stderr
    assert ran.plan("--plot", "plan.svg", "--force").returncode == 0
    assert "expected the suffix of a picture" in ran.plan("--plot", "plan.nc").stderr


def changed(ran, name: str, old: str, new: str) -> Path:
    text = ran.config.read_text()
    assert old in text
    (ran.folder / name).write_text(text.replace(old, new))
    return ran.folder / name


def test_what_cannot_be_planned_is_refused(ran):
    attached = changed(ran, "attached.yaml", "mode: dedicated", "mode: attached")
    done = ran.plan(config=attached)
    assert done.returncode == 2 and "mode` is not dedicated" in done.stderr, done.stderr
    broken = changed(ran, "broken.yaml", "operation: mean", "operation: meen")
    done = ran.plan(config=broken)
    assert done.returncode == 2 and 'Did you mean "mean"' in done.stderr, done.stderr
    done = ran.plan(machine=ran.machine(codecs={}))
    assert done.returncode == 2 and "the cost of codec zlib is not known" in done.stderr, "so small a file shrinks not"
    (ran.folder / "alone.json").write_text(ran.declared.read_text())
    given = ("--machine", str(ran.machine()), "--ranks", "4")
    done = tailrace("plan", str(ran.config), "--declared", "alone.json", *given, cwd=ran.folder)
    assert done.returncode == 2 and "report.json" in done.stderr
    assert "`tailrace plan --report` names another" in done.stderr
    done = tailrace("plan", str(ran.config), "--declared", str(ran.config), *given, cwd=ran.folder)
    assert done.returncode == 2 and "is not the declarations of a model" in done.stderr
    twice = ran.plan("--declared", str(ran.declared))
    assert twice.returncode == 2 and "several components share cannot be planned" in twice.stderr
    (ran.folder / "damaged.json").write_text(json.dumps(ran.report | {"files": [{"path": "steps.nc"}]}))
    damaged = ran.plan("--report", "damaged.json")
    assert damaged.returncode == 2 and "damaged.json: is damaged" in damaged.stderr
    assert "--nodes 9: with 8 ranks; expected" in ran.plan("--nodes", "9").stderr
    (ran.folder / "binary.json").write_bytes(b"\xff\xfe")
    assert "binary.json is not a Tailrace report" in ran.plan("--report", "binary.json").stderr


@pytest.mark.parametrize(
    ("options", "piece"),
    [
        (("--step", "inf"), "'inf' is no length of time"),
        (("--step", "nan"), "'nan' is no length of time"),
        (("--step", "0"), "'0' is no length of time"),
        (("--length", "1e200"), "--length: a run of 1e+200 s has 4e+199 steps of 2.5 s; expected 1e+15"),
        (("--length", "1e308"), "--length: a run of 1e+308 s"),
        (("--ranks", str(2**31)), "is not in the range 1<=x<=2147483647"),
    ],
)
def test_numbers_out_of_range_are_refused(ran, options, piece):
    done = ran.plan(*options)
    assert done.returncode == 2 and piece in done.stderr
    assert ran.plan("--length", "1e15").returncode == 0


def test_another_component_is_named_with_the_known_ones(ran):
    other = json.loads(ran.declared.read_text()) | {"component": "ocean"}
    (ran.folder / "ocean.json").write_text(json.dumps(other))
    report = ("--report", str(ran.declared.parent))
    given = ("--declared", "ocean.json", "--machine", str(ran.machine()), "--ranks", "4", *report)
    done = tailrace("plan", str(ran.config), *given, cwd=ran.folder)
    assert done.returncode == 2 and 'no report has component "ocean" (known: ' in done.stderr


def test_more_servers_than_ranks_are_told(ran):
    many = changed(ran, "many.yaml", "count: 1", "count: 3")
    given = ("--declared", str(ran.declared), "--machine", str(ran.machine()), "--ranks")
    told = "`servers: count` asks for 3 servers for 2 ranks; expected at most one for each rank, so 2 of them"
    assert told in tailrace("check", str(many), *given, "2", cwd=ran.folder).stderr
    assert "asks for" not in tailrace("check", str(many), *given, "3", cwd=ran.folder).stderr


def test_check_warns_where_servers_cannot_keep_up(ran):
    given = ("check", str(ran.config), "--declared", str(ran.declared), "--machine")
    quiet = tailrace(*given, str(ran.machine()), "--ranks", "4", cwd=ran.folder)
    assert quiet.returncode == 0 and "cannot keep up" not in quiet.stderr, quiet.stderr
    slow = str(ran.machine(file_system=10.0))
    loud = tailrace(*given, slow, "--ranks", "4", cwd=ran.folder)
    assert loud.returncode == 0 and "memory: about" in loud.stdout
    assert "warning: 1 server cannot keep up with 4 ranks on this machine" in loud.stderr
    assert "Expected more servers" in loud.stderr
    by_report = tailrace(*given, slow, cwd=ran.folder)
    assert "with 2 ranks" in by_report.stderr
    alone = tailrace("check", str(ran.config), "--machine", slow, cwd=ran.folder)
    assert alone.returncode == 2 and "--machine needs --declared" in alone.stderr
    assert "--ranks needs --machine" in tailrace("check", str(ran.config), "--ranks", "4", cwd=ran.folder).stderr


def test_measure_makes_a_file_that_is_read_and_leaves_nothing_else(tmp_path):
    done = tailrace("measure", "--megabytes", "16", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["MACHINE.yaml"]
    machine = read(tmp_path / "MACHINE.yaml")
    assert machine.cores >= 1 and machine.memcpy > 1e8 and set(machine.codecs) == {"zlib", "zstd", "lorenzo"}
    assert machine.disk.bytes_per_second >= machine.disk.sustained > 0
    again = tailrace("measure", "--megabytes", "16", cwd=tmp_path)
    assert again.returncode != 0 and "MACHINE.yaml: exists" in again.stderr


@pytest.mark.parametrize(
    ("options", "piece"),
    [
        (("--mpirun", "true"), "--mpirun true: the job of two processes failed: it told no times, with status 0"),
        (("--mpirun", "no_such_launcher"), "no_such_launcher"),
        (("--directory", "/proc"), "/proc: cannot be written: "),
    ],
    ids=["no job", "no launcher", "directory"],
)
def test_measure_refuses_what_cannot_work_before_it_measures(tmp_path, options, piece):
    done = tailrace("measure", *options, cwd=tmp_path)
    assert done.returncode != 0 and piece in done.stderr and "memcpy" not in done.stderr
    assert not list(tmp_path.iterdir())


FIND_NETWORK = """
from tailrace.sizing.measure import network
told = []
found = network(None, told.append)
print(*told, sep="\\n")
print("found", found.bytes_per_second, found.latency)
"""


def test_measure_finds_the_network(tmp_path):
    """In a process of its own, as by the command: a process that has started MPI cannot start a job."""
    command = [sys.executable, "-c", FIND_NETWORK]
    done = subprocess.run(
        command, cwd=tmp_path, env=mpi_environment(), capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, (done.stdout, done.stderr)
    (found,) = (line.split()[1:] for line in done.stdout.splitlines() if line.startswith("found "))
    assert 1e6 < float(found[0]) < 1e12 and 1e-8 < float(found[1]) < 1.0
    assert "both processes were on this node" in done.stdout


def test_metrics_in_a_configuration_are_refused_with_the_command(tmp_path):
    (tmp_path / "run.yaml").write_text("tailrace: 1\nmetrics: {file: run.prom}\n")
    done = tailrace("check", "run.yaml", cwd=tmp_path)
    assert done.returncode == 2
    assert "run.yaml:2:1" in done.stderr and "tailrace watch DIR --metrics FILE" in done.stderr
