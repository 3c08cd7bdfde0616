"""Command lines for several MPIs, and a job run through a fake launcher."""

import json
import os
import signal
import stat
import subprocess
import sys
import time
from pathlib import Path

import made_up
import pytest
import tailrace.run
from tailrace import cli
from tailrace.launch import (
    HYDRA,
    OPEN_MPI,
    OTHER,
    Job,
    Launcher,
    LaunchError,
    Machine,
    command_line,
    detect,
    handed_on,
    kind_of,
    physical_cores,
    stop_signal,
)
from tailrace.run import report_directory_of, run

MODEL = Job(ranks=3, program=("./bubble", "a.nml"), servers=1, server_program=("tailrace", "serve", "c.yaml"))
ROOMY = Machine(cores=(0, 1, 2, 3))
TIGHT = Machine(cores=(0, 1))


def line(kind, job=MODEL, machine=ROOMY, command=("mpirun",)):
    return " ".join(command_line(Launcher(kind, command), job, machine))


def test_open_mpi_gives_each_rank_a_core_and_servers_the_last():
    assert line(OPEN_MPI) == ("mpirun --bind-to core --map-by core -n 3 ./bubble a.nml : -n 1 tailrace serve c.yaml")


def test_too_few_cores_bind_nothing():
    assert line(OPEN_MPI, machine=TIGHT).startswith("mpirun --oversubscribe --bind-to none -n 3")
    assert line(HYDRA, machine=TIGHT).startswith("mpirun -n 3")


def test_root_is_allowed_where_open_mpi_asks():
    root = Machine(cores=(0, 1, 2, 3), is_root=True)
    assert line(OPEN_MPI, machine=root).startswith("mpirun --allow-run-as-root --bind-to core")
    assert "root" not in line(HYDRA, machine=root)
    assert line(OPEN_MPI, machine=root, command=("mpirun", "--allow-run-as-root")).count("root") == 1


def test_servers_of_the_configuration_need_no_second_program():
    alone = Job(ranks=4, program=("./bubble",))
    assert line(OPEN_MPI, job=alone) == "mpirun --bind-to core --map-by core -n 4 ./bubble"


def test_hydra_has_its_own_options_for_binding():
    assert line(HYDRA) == "mpirun -bind-to core -map-by core -n 3 ./bubble a.nml : -n 1 tailrace serve c.yaml"


@pytest.mark.parametrize("given", [("--bind-to", "socket"), ("--map-by=node",), ("--hostfile", "hosts")])
def test_bindings_of_the_user_are_kept(given):
    text = line(OPEN_MPI, machine=TIGHT, command=("mpirun", *given))
    assert text.startswith("mpirun " + " ".join(given) + " -n 3")


def test_a_batch_system_places_the_ranks_itself():
    assert line(OPEN_MPI, machine=Machine(cores=(0,), batch=True)).startswith("mpirun -n 3")


def test_a_model_with_threads_is_not_bound_to_one_core():
    threaded = Job(ranks=1, program=("./m",), environment={"OMP_NUM_THREADS": "3"})
    assert line(OPEN_MPI, job=threaded) == "mpirun --bind-to none -n 1 -x OMP_NUM_THREADS ./m"


def test_open_mpi_passes_our_variables_to_every_program():
    given = handed_on({"TAILRACE_LOG": "debug", "HOME": "/root", "OMP_NUM_THREADS": "1"})
    given.pop("VIRTUAL_ENV", None)  # of the Python that runs this test
    job = Job(ranks=2, program=("./m",), servers=1, server_program=("s",), environment=given)
    assert line(OPEN_MPI, job=job).endswith(
        "-n 2 -x OMP_NUM_THREADS -x TAILRACE_LOG ./m : -n 1 -x OMP_NUM_THREADS -x TAILRACE_LOG s"
    )
    assert "-x" not in line(HYDRA, job=job)


@pytest.mark.parametrize("prefix, base, wanted", [("/env", "/usr", "/env"), ("/usr", "/usr", None)])
def test_servers_find_the_environment_of_the_command(monkeypatch, prefix, base, wanted):
    monkeypatch.setattr("sys.prefix", prefix)
    monkeypatch.setattr("sys.base_prefix", base)
    assert handed_on({}).get("VIRTUAL_ENV") == wanted
    assert handed_on({"VIRTUAL_ENV": "/active"}) == {"VIRTUAL_ENV": "/active"}


def test_srun_cannot_start_two_programs():
    with pytest.raises(LaunchError, match=r"srun starts two programs only from a --multi-prog file: use mpirun"):
        line(OTHER, command=("srun", "--mpi=pmix"))
    assert line(OTHER, job=Job(ranks=4, program=("./m",)), command=("srun",)) == "srun -n 4 ./m"


def test_launchers_are_identified_by_their_output():
    assert kind_of("mpirun (Open MPI) 4.1.4\n") == OPEN_MPI
    assert kind_of("HYDRA build details:\n    Version: 4.0.2") == HYDRA
    assert kind_of("Intel(R) MPI Library for Linux* OS, Version 2021.11") == HYDRA
    assert kind_of("slurm 23.02") == OTHER


def test_a_missing_launcher_names_the_remedy(monkeypatch):
    with pytest.raises(LaunchError, match="there is no nompi on the PATH, which --mpirun names: install it"):
        detect("nompi --fast")
    with pytest.raises(LaunchError, match=r"/no/such/mpirun, which --mpirun names, is not a program"):
        detect("/no/such/mpirun")
    with pytest.raises(LaunchError, match=r"--mpirun \"mpirun 'x\" is not a command: No closing quotation"):
        detect("mpirun 'x")
    with pytest.raises(LaunchError, match="--mpirun names no command"):
        detect("")
    monkeypatch.setenv("PATH", "")
    with pytest.raises(LaunchError, match=r"there is no mpirun or mpiexec on the PATH: install Open MPI or MPICH"):
        detect()


def test_hardware_threads_of_a_core_count_once(tmp_path):
    for thread in range(4):
        folder = tmp_path / f"cpu{thread}" / "topology"
        folder.mkdir(parents=True)
        (folder / "thread_siblings_list").write_text(f"{thread % 2},{thread % 2 + 2}\n")
    assert physical_cores([0, 1, 2, 3], tmp_path) == [0, 1]
    assert physical_cores([1, 3], tmp_path) == [1]
    assert physical_cores([7, 8], tmp_path) == [7, 8], "with an unknown topology each counts"


@pytest.mark.parametrize(
    ("servers", "directory"),
    [
        ("servers:\n  report_directory: out/seen   # there\n", "out/seen"),
        ("servers: {mode: inline, report_directory: 'a b'}\n", "a b"),
        ("servers:\n  # report_directory: old\n  count: 1\n", "tailrace_report"),
        ("servers: {report: false}\n", None),
        ("servers: {mode: 'off'}\n", None),
    ],
)
@pytest.mark.parametrize("included", [False, True])
def test_where_the_report_will_be(tmp_path, servers, directory, included):
    config = tmp_path / "c.yaml"
    (tmp_path / "site.yaml").write_text(servers)
    config.write_text("tailrace: 1\n" + ("include: [site.yaml]\n" if included else servers))
    assert report_directory_of(config) == (None if directory is None else Path(directory))


@pytest.fixture
def launcher(tmp_path, monkeypatch):
    """A launcher that takes `-n RANKS PROGRAM ARGS...` and runs the program once, in the test's folder."""
    path = tmp_path / "launch"
    path.write_text('#!/bin/sh\n[ "$1" = --version ] && { echo my launcher; exit; }\nshift 2\nexec "$@"\n')
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "c.yaml").write_text("tailrace: 1\n")
    return str(path)


def test_the_status_of_the_job_is_returned(launcher):
    assert run("c.yaml", ["sh", "-c", "exit 0"], ranks=1, mpirun=launcher) == 0
    assert run("c.yaml", ["sh", "-c", "exit 7"], ranks=1, mpirun=launcher) == 7
    assert run("c.yaml", ["sh", "-c", "kill -9 $$"], ranks=1, mpirun=launcher) == 137


def test_a_new_report_is_shown_and_an_old_one_is_not(launcher, tmp_path, capsys):
    made_up.write(made_up.report(), tmp_path / "tailrace_report" / "report.json")
    assert run("c.yaml", ["true"], ranks=1, mpirun=launcher) == 0
    assert "straka.yaml" not in capsys.readouterr().out
    made_up.write(made_up.report(), tmp_path / "new.json")
    assert run("c.yaml", ["cp", "new.json", "tailrace_report/report.json"], ranks=1, mpirun=launcher) == 0
    assert "straka.yaml" in capsys.readouterr().out
    assert (tmp_path / "tailrace_report" / "report.html").exists()


def test_a_broken_report_does_not_spoil_a_good_run(launcher, tmp_path, capfd):
    (tmp_path / "tailrace_report").mkdir()
    (tmp_path / "half").write_text("{")
    assert run("c.yaml", ["cp", "half", "tailrace_report/report.json"], ranks=1, mpirun=launcher) == 0
    assert "tailrace: no report: tailrace_report/report.json:1:2: not JSON" in capfd.readouterr().err


def test_without_a_terminal_there_are_plain_lines(launcher, tmp_path, capfd, monkeypatch):
    monkeypatch.setattr(tailrace.run, "PLAIN_LINE_EVERY", 0.1)
    made_up.write(made_up.status(), tmp_path / "now.json")
    script = "mkdir tailrace_report; cp now.json tailrace_report/status.json; sleep 1.5; echo model says"
    assert run("c.yaml", ["sh", "-c", script], ranks=1, mpirun=launcher) == 0
    out, err = capfd.readouterr()
    assert out == "model says\n"
    assert err.count("tailrace: bubble step 120, t = 43.25 s") == 1, "once, since nothing changed"


def test_on_a_terminal_output_scrolls_above_the_line(launcher, tmp_path):
    made_up.write(made_up.status(), tmp_path / "now.json")
    script = "mkdir tailrace_report; cp now.json tailrace_report/status.json; echo model [b]says[/b]; sleep 1; exit 3"
    text, code = on_a_terminal(["sh", "-c", script], launcher)
    assert code == 3
    assert "model [b]says[/b]" in text
    assert "bubble step 120, t = 43.25 s" in text


def on_a_terminal(program, launcher):
    arguments = json.dumps({"program": program, "mpirun": launcher})
    script = (
        "import json, sys; from tailrace.run import run; a = json.loads(sys.argv[1]);"
        "sys.exit(run('c.yaml', a['program'], ranks=1, mpirun=a['mpirun']))"
    )
    master, slave = os.openpty()
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "TERM": "xterm", "COLUMNS": "200"}
    job = subprocess.Popen(
        [sys.executable, "-c", script, arguments], stdin=slave, stdout=slave, stderr=slave, env=environment
    )
    os.close(slave)
    said = b""
    try:
        while part := os.read(master, 4096):
            said += part
    except OSError:  # the other end is closed
        pass
    os.close(master)
    return said.decode(errors="replace"), job.wait(30)


HEARING = """
import pathlib, signal, sys, time
got = []
for number in (signal.SIGINT, signal.SIGTERM):
    signal.signal(number, lambda number, frame: got.append(number))
pathlib.Path("ready").touch()
enough, end = int(sys.argv[1]), time.monotonic() + 20
while len(got) < enough and time.monotonic() < end:
    time.sleep(0.01)
time.sleep(0.3)
print("GOT", *(signal.Signals(number).name for number in got), flush=True)
sys.exit(40 + len(got))
"""


def signalled(launcher, folder, wanted: int, numbers: list[int], options="{}", last="") -> tuple[int, str, str]:
    """Runs a program that ends after `wanted` signals; sends signals to `tailrace run`, each when the one before has
    been announced. Returns the status and what was printed."""
    (folder / "program.py").write_text(HEARING)
    (folder / "c.yaml").write_text(f"tailrace: 1\nservers: {options}\n")
    script = (
        f"import sys, tailrace.run; from tailrace.run import run; {last}\n"
        f"sys.exit(run('c.yaml', [{sys.executable!r}, 'program.py', '{wanted}'], ranks=1, mpirun={launcher!r}))"
    )
    job = subprocess.Popen(
        [sys.executable, "-c", script],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    end = time.monotonic() + 20
    while not (folder / "ready").exists() and time.monotonic() < end:
        time.sleep(0.02)
    said = ""
    for i, number in enumerate(numbers):
        if i == 1:
            said = job.stderr.readline()
        job.send_signal(number)
    out, err = job.communicate(timeout=30)
    return job.returncode, out, said + err


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_becomes_one_order_to_stop(launcher, tmp_path, number):
    """SIGTERM, for a launcher that is neither Open MPI's nor srun."""
    code, out, err = signalled(launcher, tmp_path, 1, [number])
    assert (code, out) == (41, "GOT SIGTERM\n"), err
    assert f"tailrace: {number.name}: the job is ordered to stop (SIGTERM) and has 20 s to end" in err


def test_a_second_signal_is_passed_on(launcher, tmp_path):
    sooner = "tailrace.run.Stopping.TOGETHER = 0.0"
    code, out, _ = signalled(launcher, tmp_path, 2, [signal.SIGTERM, signal.SIGINT], last=sooner)
    assert (code, sorted(out.split())) == (42, ["GOT", "SIGINT", "SIGTERM"])


def test_signals_that_come_together_count_once(launcher, tmp_path):
    """As after scancel, where Slurm and the trap of a batch script send one each."""
    code, out, _ = signalled(launcher, tmp_path, 1, [signal.SIGTERM, signal.SIGTERM])
    assert (code, out) == (41, "GOT SIGTERM\n")


def test_without_handlers_in_the_job_signals_are_passed_on(launcher, tmp_path):
    code, out, err = signalled(launcher, tmp_path, 1, [signal.SIGINT], "{signals: none}")
    assert (code, out, err) == (41, "GOT SIGINT\n", "")


def test_the_launcher_is_ended_when_the_grace_is_over(launcher, tmp_path):
    sooner = "tailrace.run.Stopping.FOR_THE_LAST = tailrace.run.Stopping.FOR_THE_LAUNCHER = 0.3"
    begin = time.monotonic()
    code, out, _ = signalled(launcher, tmp_path, 9, [signal.SIGTERM], "{grace: 1 s}", sooner)
    assert (code, out) == (128 + signal.SIGKILL, "")
    assert 1.6 <= time.monotonic() - begin < 15


def test_the_signal_that_each_launcher_passes_on():
    assert stop_signal(Launcher(OPEN_MPI, ("mpirun",))) == signal.SIGUSR2
    assert stop_signal(Launcher(OTHER, ("/usr/bin/srun", "--mpi=pmix"))) == signal.SIGUSR2
    assert stop_signal(Launcher(HYDRA, ("mpiexec",))) == signal.SIGTERM
    assert stop_signal(Launcher(OTHER, ("jsrun",))) == signal.SIGTERM


@pytest.mark.parametrize(
    ("program", "ranks", "message"),
    [
        ([], 1, "no program was given: tailrace run -n RANKS CONFIG -- PROGRAM ARGS..."),
        (["./no/such"], 1, "there is not a program ./no/such"),
        (["true"], 0, "a job needs at least one model rank"),
    ],
)
def test_a_job_that_cannot_start_is_reported(launcher, program, ranks, message):
    with pytest.raises(LaunchError, match=message):
        run("c.yaml", program, ranks=ranks, mpirun=launcher)


def test_a_missing_configuration_is_reported_before_the_start(launcher):
    with pytest.raises(tailrace.Error, match=r"none\.yaml: .*No such file"):
        run("none.yaml", ["touch", "started"], ranks=1, mpirun=launcher)
    assert not Path("started").exists()


def test_a_wrong_configuration_is_reported_before_the_start(launcher):
    Path("c.yaml").write_text("tailrace: 1\nservers: {report_dictionary: here, count: many}\n")
    with pytest.raises(tailrace.Error) as error:
        run("c.yaml", ["touch", "started"], ranks=1, mpirun=launcher)
    assert error.value.code == "configuration"
    said = str(error.value)
    assert 'c.yaml:2:11  servers.report_dictionary: this key is unknown. Did you mean "report_directory"?' in said
    assert "servers.count" in said, "all mistakes at once"
    assert not Path("started").exists()


def test_without_a_report_none_is_looked_for(launcher, tmp_path, capsys):
    (tmp_path / "c.yaml").write_text("tailrace: 1\nservers: {report: false}\n")
    made_up.write(made_up.report(), tmp_path / "new.json")
    script = "mkdir tailrace_report; cp new.json tailrace_report/report.json; exit 5"
    assert run("c.yaml", ["sh", "-c", script], ranks=1, mpirun=launcher) == 5
    assert "straka.yaml" not in capsys.readouterr().out


def test_the_command_line_passes_the_launcher_on(launcher, tmp_path, capsys):
    (tmp_path / "other").mkdir()
    Path(launcher).rename(tmp_path / "other" / "launch")
    with pytest.raises(SystemExit) as ended:
        cli.main(["run", "-n", "1", "--mpirun", "other/launch", "c.yaml", "--", "sh", "-c", "exit 6"])
    assert ended.value.code == 6
    with pytest.raises(SystemExit) as ended:
        cli.main(["run", "-n", "1", "--mpirun", "other/launch_it", "c.yaml", "--", "true"])
    assert ended.value.code == 1
    assert "other/launch_it, which --mpirun names, is not a program" in capsys.readouterr().err


def test_the_help_explains_the_number_of_ranks(capsys):
    with pytest.raises(SystemExit):
        cli.main(["run", "--help"])
    said = " ".join(capsys.readouterr().out.split())
    assert (
        "Number of ranks of PROGRAM. Without --servers it includes the ranks that become servers (servers: count)."
        in said
    )
    assert "mpirun or mpiexec on the PATH" in said
