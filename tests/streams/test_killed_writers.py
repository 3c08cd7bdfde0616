"""tailrace.stream on BP datasets of a killed job: all complete steps, then the end, with or without a report."""

import shutil
import threading

import numpy as np
import pytest
import tailrace
from support import adios2_reading
from support.harness import block_grid, field, model, servers
from support.stream_reader import Reader, wait_until
from support.values import put_values
from tailrace.streams import JobEnded, StreamError, StreamTimeout

SHAPE = (3, 7, 11)
BEFORE_THE_KILL = 20  # steps
ENGINES = ["bp4", "bp5"]


def start(job, folder):
    """Starts a job that is killed before its end."""
    what = {"format": "adios2", "variables": [{"field": "w", "operation": "snapshot", "every": "1 step"}]}
    config = {
        "model_time": {"calendar": "standard", "start": "2026-01-01"},
        "fields": {"state": {"every": "1 step", "names": ["w"]}},
        "output": {f"{one}.bp": what | {"write_every": "2 s", "adios2": {"engine": one}} for one in ENGINES},
    }
    times = [1.0 * (i + 1) for i in range(4000)]
    player = model(2, grids=[block_grid(shape=SHAPE)], fields=[field("w", "les")], times=times, pace=0.02)
    return job.start(player, servers(1), config=config, folder=folder)


def check(steps, path) -> None:
    """Compares steps with those of ADIOS2 and with the values of the model."""
    records = adios2_reading.read(path)[0]["w"]
    assert len(steps) == len(records) >= BEFORE_THE_KILL
    for number, (step, record) in enumerate(zip(steps, records, strict=True)):
        assert np.array_equal(step.w[0], record)
        assert np.array_equal(step.w[0], put_values(0, SHAPE, number + 1.0, number + 1))


def to_the_end(path, seconds: float = 60.0, **options) -> list:
    """The steps of a reader without `timeout`, which must end."""
    steps, errors = [], []

    def read() -> None:
        try:
            steps.extend(tailrace.stream(path, **options))
        except BaseException as error:
            errors.append(error)

    reading = threading.Thread(target=read, daemon=True)
    reading.start()
    reading.join(seconds)
    assert not reading.is_alive(), "the reader does not end"
    if errors:
        raise errors[0]
    return steps


def test_a_killed_job_ends_the_loop_after_all_complete_steps(job, tmp_path):
    folder = tmp_path / "run"
    folder.mkdir()
    with start(job, folder) as running:
        readers = {one: Reader(folder / f"{one}.bp") for one in ENGINES}
        wait_until(lambda: all(len(reader.steps) >= BEFORE_THE_KILL for reader in readers.values()))
        running.kill()
    for one, reader in readers.items():
        with pytest.raises(JobEnded, match=rf"{one}\.bp: its job ended early: it was killed"):
            reader.got()
        check(reader.steps, folder / f"{one}.bp")
        with pytest.raises(JobEnded, match="it was killed"):
            to_the_end(folder / f"{one}.bp")
        copied = tmp_path / "elsewhere" / f"{one}.bp"
        shutil.copytree(folder / f"{one}.bp", copied)
        check(to_the_end(copied), copied)
        assert len(to_the_end(copied, start="last")) == 1


def test_a_reader_without_a_report_follows_the_mark(job, tmp_path):
    """While the job runs it waits; when it is killed it ends."""
    folder = tmp_path / "run"
    folder.mkdir()
    with start(job, folder) as running:
        wait_until(lambda: (folder / "bp5.bp" / "md.idx").exists())
        report = folder / "tailrace_report"
        wait_until(report.exists)
        report.rename(folder / "hidden")
        readers = {one: Reader(folder / f"{one}.bp") for one in ENGINES}
        wait_until(lambda: all(len(reader.steps) >= BEFORE_THE_KILL for reader in readers.values()))
        assert all(reader.is_alive() for reader in readers.values())
        running.kill()
    for one, reader in readers.items():
        check(reader.got(), folder / f"{one}.bp")


def test_an_index_without_its_head_is_not_a_dataset(tmp_path, monkeypatch):
    """The state that a writer leaves if it is killed while it creates the dataset."""
    (tmp_path / "cut.bp").mkdir()
    (tmp_path / "cut.bp" / "md.idx").touch()
    with pytest.raises(StreamTimeout, match=r"cut\.bp: waited 0\.1 s for it to be created"):
        next(tailrace.stream(tmp_path / "cut.bp", timeout=0.1))
    monkeypatch.setattr("tailrace.streams.adios_source.HEAD_PATIENCE", 0.2)
    with pytest.raises(StreamError, match=r"cut\.bp: cannot be read: its index has no head, and nobody writes it"):
        to_the_end(tmp_path / "cut.bp")
    (tmp_path / "cut.bp" / "md.idx").write_bytes(b"\3" * 64)
    with pytest.raises(StreamError, match=r"cut\.bp: it is of version 3 of BP; expected BP4 or BP5"):
        to_the_end(tmp_path / "cut.bp")
