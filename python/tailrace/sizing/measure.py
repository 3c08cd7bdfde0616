"""The figures of this node, measured within a minute: copies in memory, codecs, a disk, and messages by MPI."""

from __future__ import annotations

import contextlib
import os
import platform
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import numpy as np

from tailrace import launch
from tailrace._text import bytes_text
from tailrace.launch import LaunchError
from tailrace.weights.placing import check_place, folder_beside, folder_in, put

from . import machine as machines
from .errors import SizingError
from .machine import Codec, Disk, Machine, Network

MIB = 1 << 20
COPIED = 128 * MIB  # beyond the caches of a processor
BLOCK = 4 * MIB  # of a write, as of a chunk
SMALL = 64 * 1024  # of a commit
CODECS = ("zlib", "zstd", "lorenzo")
TRIES = 5
PINGPONG_SECONDS = 60.0  # after which the job with two processes is given up
PREFIX = "tailrace_pingpong"  # of its line

Say = Callable[[str], None]


def measure(output: Path, directory: Path, *, size: int, mpirun: str | None, force: bool, say: Say) -> Machine:
    """Writes `output`. The file for the disk is made in a folder of its own in `directory`, and removed."""
    check_place(output, force)
    with folder_in(directory, "measure"):
        pass  # whether it can be written, before a minute of work
    load = os.getloadavg()[0]
    cores = len(launch.this_machine().cores)
    if load > 0.5 * cores:
        say(f"warning: the load of this node is {load:.1f}, so its figures will be too low")
    memory = _memory()
    found = network(mpirun, say)  # first: --mpirun may be wrong
    say("memcpy")
    copied = memcpy()
    codecs = {}
    for name in CODECS:
        say(f"codec {name}")
        codecs[name] = codec(name)
    say(f"disk of {directory}, with {bytes_text(size)}")
    made = Machine(
        cores=cores,
        memory=memory,
        memcpy=copied,
        codecs=codecs,
        disk=disk(directory, size),
        network=found,
        path=str(output),
    )
    date = datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC")
    with folder_beside(output) as folder:
        text = machines.text_of(made, platform.node(), date, load)
        (folder / output.name).write_text(text, encoding="utf-8")
        put(folder / output.name, output, force)
    return made


def memcpy() -> float:
    """Bytes a second that one core copies."""
    source = np.ones(COPIED // 8)
    target = np.zeros_like(source)  # whose pages are there
    return COPIED / statistics.median(_seconds(lambda: np.copyto(target, source)) for _ in range(TRIES))


def codec(name: str) -> Codec:
    """Compresses values like those of a model: waves with noise of a thousandth, in single precision."""
    from tailrace import _core

    axes = np.ogrid[0:16, 0:256, 0:256]
    waves = 20.0 * np.sin(axes[0] / 5.0) + 15.0 * np.sin(axes[1] / 17.0) * np.cos(axes[2] / 23.0)
    noise = 1e-3 * np.random.default_rng(1).standard_normal(waves.shape)
    chunk = (waves + noise).astype(np.float32)
    compression = _core.Compression(f"{{codec: {name}}}")
    stored = np.empty_like(chunk)
    tries = [compression.try_on(chunk, stored) for _ in range(TRIES)]
    seconds = statistics.median(one.encode_seconds for one in tries)
    return Codec(chunk.nbytes / max(seconds, 1e-9), chunk.nbytes / tries[0].bytes)


def disk(directory: Path, size: int) -> Disk:
    """Raises SizingError where nothing can be written."""
    block = np.random.default_rng(2).bytes(BLOCK)
    try:
        with folder_in(directory, "measure") as folder:
            file = os.open(folder / "block", os.O_CREAT | os.O_WRONLY)
            try:
                begin, worked = time.perf_counter(), time.process_time()
                for place in range(0, max(size, BLOCK), BLOCK):
                    _write(file, block, place)
                cached, worked = time.perf_counter() - begin, time.process_time() - worked
                os.fsync(file)
                lasting = time.perf_counter() - begin
                written = max(size, BLOCK) // BLOCK * BLOCK
                commits = [_seconds(lambda: _commit(file, block[:SMALL])) for _ in range(2 * TRIES)]
            finally:
                os.close(file)
    except OSError as error:
        raise SizingError(f"{directory}: cannot be written: {error.strerror}; expected --directory") from None
    return Disk(
        bytes_per_second=written / cached,
        sustained=written / lasting,
        commit_seconds=statistics.median(commits),
        processor=min(1.0, worked / cached),
        directory=str(directory.resolve()),
    )


def _write(file: int, block: bytes, place: int) -> None:
    rest = memoryview(block)
    while rest:  # a system may take less at a time
        done = os.pwrite(file, rest, place)
        rest, place = rest[done:], place + done


def _commit(file: int, block: bytes) -> None:
    _write(file, block, 0)
    os.fdatasync(file)


def network(mpirun: str | None, say: Say) -> Network | None:
    """Between two processes of a job; None, with the reason said, where there is none by the launcher that was found.
    Raises SizingError where there is none by `mpirun`."""
    try:
        launcher = launch.detect(mpirun)
        program = (sys.executable, "-m", "tailrace.sizing.pingpong")
        job = launch.Job(ranks=2, program=program, environment=launch.handed_on(os.environ))
        line = launch.command_line(launcher, job, launch.this_machine())
    except LaunchError as error:
        if mpirun is not None:
            raise SizingError(str(error)) from None
        return _without_network(None, str(error), say)
    say("network, by MPI between two processes")
    try:
        done = subprocess.run(
            line, capture_output=True, text=True, timeout=PINGPONG_SECONDS, stdin=subprocess.DEVNULL, check=False
        )
    except OSError as error:
        return _without_network(mpirun, f"{line[0]}: {error.strerror}", say)
    except subprocess.TimeoutExpired:
        return _without_network(mpirun, f"the job of two processes did not end within {PINGPONG_SECONDS:.0f} s", say)
    for text in done.stdout.splitlines():
        words = text.split()
        if words[:1] == [PREFIX] and len(words) == 4:
            with contextlib.suppress(ValueError):
                if words[3] == "1":
                    say(
                        "warning: both processes were on this node, so these are the figures of its memory; for those "
                        "of the network give --mpirun with options for two nodes"
                    )
                return Network(float(words[1]), float(words[2]))
    told = (done.stderr or done.stdout).strip().splitlines()
    reason = told[-1] if told else f"it told no times, with status {done.returncode}"
    return _without_network(mpirun, f"the job of two processes failed: {reason}", say)


def _without_network(mpirun: str | None, why: str, say: Say) -> None:
    if mpirun is not None:
        raise SizingError(f"--mpirun {mpirun}: {why}; expected a command that starts two processes of MPI")
    say(f"network: left out: {why}")


def _memory() -> float:
    return float(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"))


def _seconds(work: Callable[[], object]) -> float:
    begin = time.perf_counter()
    work()
    return max(time.perf_counter() - begin, 1e-9)
