#!/usr/bin/env python3
"""Measures streams over SST.

The cost of a consumer for the model: in one run, a Python consumer is started and killed repeatedly, and the steps in
its presence are compared with the steps between. The speed from a put to the consumer (`when_full: block`), compared
with a bare loopback socket and with one copy in memory. The processor seconds of each process show which one is the
bottleneck."""

import multiprocessing
import os
import random
import socket
import statistics
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
from support import jobs
from support.results import Results, arguments

PROGRAMS = Path(__file__).parent / "programs"
CONFIGURATION = """
tailrace: 1
servers: {{mode: dedicated, buffer: {buffer} MiB, memory: {memory} MiB}}
fields: {{state: {{every: 1 step, names: [q]}}}}
output:
  live:
    format: adios2
    adios2: {{engine: sst, queue: 4, when_full: {when_full}}}
    write_every: 1 step
    variables: [{{field: q, time: snapshot, every: 1 step}}]
"""
MIB = 1 << 20


def start(where: Path, steps: int, cells: int, repeats: int, when_full: str, megabytes: int) -> subprocess.Popen:
    text = CONFIGURATION.format(buffer=2 * megabytes + 32, memory=12 * megabytes + 256, when_full=when_full)
    (where / "run.yaml").write_text(text)
    command = [sys.executable, PROGRAMS / "stream_model.py", "run.yaml", steps, cells, repeats]
    line = jobs.command_line(command, 2)
    return subprocess.Popen(line, cwd=where, stdout=(where / "model.txt").open("w"), stderr=subprocess.STDOUT)


def consume(where: Path, into: str) -> subprocess.Popen:
    last = max(os.sched_getaffinity(0))  # beside the server, so that the model has its core
    command = ["taskset", "-c", str(last), sys.executable, PROGRAMS / "stream_reader.py", "live.sst"]
    return subprocess.Popen(command, cwd=where, stdout=(where / into).open("w"), stderr=subprocess.STDOUT)


def lines(path: Path, word: str) -> list[list[float]]:
    found = [line.split() for line in path.read_text().splitlines()]
    return [list(map(float, line[1:])) for line in found if line and line[0] == word]


def wait_for_line(path: Path, model: subprocess.Popen) -> None:
    while not lines(path, "got") and model.poll() is None:
        time.sleep(0.01)


def repeats_for(seconds: float) -> int:
    work = np.linspace(0.0, 1.0, 8192)
    begin, count = time.perf_counter(), 0
    while time.perf_counter() - begin < 0.5:
        work = np.sin(work)
        count += 1
    return max(1, round(count * seconds / 0.5))


def cost_of_a_consumer(results: Results, kills: int, pause: float) -> None:
    """Both kinds of time follow each other in one run, so what changes slowly meets both. A consumer's begins before
    its start, and ends behind its death, which comes at any moment; a step that takes long counts with all of it."""
    moments = random.Random(3)
    with jobs.folder() as where:
        model = start(where, steps=1 << 30, cells=MIB // 8, repeats=repeats_for(0.01), when_full="discard", megabytes=8)
        there, away = [], []
        for number in range(kills):
            begin = time.monotonic()
            consumer = consume(where, f"got{number}.txt")
            wait_for_line(where / f"got{number}.txt", model)
            time.sleep(moments.uniform(0.0, 2.0 * pause))
            consumer.kill()
            consumer.wait()
            time.sleep(0.3)
            there.append((begin, time.monotonic()))
            begin = time.monotonic()
            time.sleep(pause)
            away.append((begin, time.monotonic()))
        if model.poll() is not None:
            raise SystemExit((where / "model.txt").read_text()[-2000:])
        model.terminate()
        model.wait()
        steps = lines(where / "model.txt", "step")
    ends = [end for _, end in steps]
    with_consumer, without = (sum(b < end <= e for end in ends for b, e in of) for of in (there, away))
    seconds = [sum(e - b for b, e in of) for of in (there, away)]
    ratio = (seconds[0] / with_consumer) / (seconds[1] / without)
    results.add("steps with a consumer / without", ratio, "of the mean time", 1.02, f"{kills} consumers killed")
    results.details["steps"] = {"with": with_consumer, "without": without}


def seconds_of(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def processes_in(where: Path) -> dict[str, list[int]]:
    found: dict[str, list[int]] = {"model and server": [], "tailrace_sst": [], "consumer": []}
    for path in Path("/proc").glob("[0-9]*"):
        try:
            if (path / "cwd").readlink() != where:
                continue
            command = (path / "cmdline").read_bytes()
        except OSError:
            continue
        kinds = {b"tailrace_sst": "tailrace_sst", b"stream_reader": "consumer", b"stream_model": "model and server"}
        for word, kind in kinds.items():
            if word in command and not command.startswith(b"mpirun"):
                found[kind].append(int(path.name))
                break
    return found


def end_to_end(results: Results, megabytes: int, steps: int) -> float:
    """Bytes in a second, from the first to the last step that the consumer got."""
    with jobs.folder() as where:
        model = start(where, 100000, megabytes * MIB // 8, 0, "block", megabytes)
        consumer = consume(where, "got.txt")
        wait_for_line(where / "got.txt", model)
        of = processes_in(where)
        before = {kind: sum(map(seconds_of, pids)) for kind, pids in of.items()}
        first = len(lines(where / "got.txt", "got"))
        while len(got := lines(where / "got.txt", "got")) < first + steps and model.poll() is None:
            time.sleep(0.02)
        took = {kind: sum(map(seconds_of, pids)) - before[kind] for kind, pids in of.items()}
        if model.poll() is not None:
            raise SystemExit((where / "model.txt").read_text()[-2000:] + (where / "got.txt").read_text()[-2000:])
        consumer.kill()
        model.terminate()
        model.wait()
    numbers = [line[0] for line in got]
    if numbers != list(range(int(numbers[0]), int(numbers[0]) + len(numbers))):
        raise SystemExit(f"steps are missing: {numbers}")
    bytes_got = sum(line[1] for line in got[first:])
    for kind, seconds in took.items():
        results.add(f"processor seconds of {kind}", seconds / (bytes_got / 1e9), "s for 1 GB")
    return bytes_got / (got[-1][2] - got[first - 1][2])


def send(port: int, chunk: int, total: int) -> None:
    with socket.create_connection(("127.0.0.1", port)) as peer:
        data = memoryview(bytes(chunk))
        for _ in range(total // chunk):
            peer.sendall(data)


def loopback(total: int) -> float:
    """Bytes in a second between two processes, into memory that is used again."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        sender = multiprocessing.Process(target=send, args=(listener.getsockname()[1], 4 * MIB, total))
        sender.start()
        peer, _ = listener.accept()
        into, got = memoryview(bytearray(4 * MIB)), 0
        got += peer.recv_into(into)
        begin = time.perf_counter()
        while count := peer.recv_into(into):
            got += count
        seconds = time.perf_counter() - begin
        sender.join()
    return got / seconds


def copy(megabytes: int) -> float:
    source, target = np.ones(megabytes * MIB // 8), np.ones(megabytes * MIB // 8)
    times = []
    for _ in range(10):
        begin = time.perf_counter()
        np.copyto(target, source)
        times.append(time.perf_counter() - begin)
    return source.nbytes / statistics.median(times)


def main() -> None:
    asked = arguments(__doc__, kills=20, pause=2.0, megabytes=64, steps=60)
    results = Results("stream")
    cost_of_a_consumer(results, asked.kills, asked.pause)
    wire = loopback(4 << 30)
    memory = copy(asked.megabytes)
    stream = end_to_end(results, asked.megabytes, asked.steps)
    wire = statistics.mean([wire, loopback(4 << 30)])
    results.add("server to consumer", stream / 1e9, "GB/s")
    results.add("a bare socket", wire / 1e9, "GB/s")
    results.add("a copy in memory", memory / 1e9, "GB/s")
    results.add("a bare socket / server to consumer", wire / stream, "of the speed", 1 / 0.6)
    results.add("a copy in memory / server to consumer", memory / stream, "of the speed")
    results.finish(asked.json)


if __name__ == "__main__":
    main()
