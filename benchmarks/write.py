#!/usr/bin/env python3
"""How long it takes until all is on its way to the disk: a model that computes nothing, beside others that write the
same. The contenders take turns, so that what the disk and the neighbours do meets all of them alike. Besides: the same
compressed, beside the codec alone; one slow file beside another; and the longest waits of a model that computes."""

import os
import sys
import threading
import time
from importlib.util import find_spec
from pathlib import Path
from statistics import median

from support import jobs
from support.results import Results, arguments

CONFIGURATION = """
tailrace: 1
servers: {{mode: {mode}{count}}}
fields:
  all: {{every: 1 step, names: [{names}]}}
output:
"""
FILE = """  {path}:
    format: {format}
    compression: {compression}
    variables:
"""
KIB, MIB = 1 << 10, 1 << 20
RANKS = 2
SHAPES = {  # bytes of a field on a rank, fields, steps
    "16 MiB": (16 * MIB, 1, 20),
    "20 fields of 256 KiB": (256 * KIB, 20, 20),
}
OURS = {"dedicated": 1, "attached": 0}  # servers beside the model's ranks
BP5 = "bp5"  # a dedicated server again, which writes with ADIOS2
OTHERS = {  # their program, and what they do
    "pwrite": ("write_others", "pwrite into one file"),
    "netcdf": ("write_others", "netCDF-4, a file for each rank"),
    "netcdf_chunked": ("write_others", "netCDF-4, collective, chunked"),
    "netcdf_contiguous": ("write_others", "netCDF-4, collective, contiguous"),
    "pnetcdf": ("write_pnetcdf", "PnetCDF, collective"),
    "adios": ("write_adios", "ADIOS2 BP5, a file for each rank"),
}
COMPRESSED = "netcdf_compressed"  # as netcdf_chunked, with zlib
SYNCHRONOUS = ("netcdf_chunked", "netcdf_contiguous", "pnetcdf", "adios")  # beside which an output is to take 1/200
Shape = tuple[int, int, int]


def configuration(mode: str, fields: int, paths: list[str], compression: str = "none", format: str = "netcdf") -> str:
    names = [f"f{i}" for i in range(fields)]
    count = f", count: {OURS[mode]}" * (OURS[mode] > 0)
    variables = "".join(f"      - {{field: {name}, time: snapshot, every: 1 step}}\n" for name in names)
    files = "".join(FILE.format(path=path, compression=compression, format=format) + variables for path in paths)
    return CONFIGURATION.format(mode=mode, count=count, names=", ".join(names)) + files


def write_ours(here: Path, mode: str, shape: Shape, text: str, pause: int = 0) -> jobs.Done:
    (here / "write.yaml").write_text(text)
    command = [jobs.program("write_tailrace"), "write.yaml", *shape, pause]
    return jobs.run(command, RANKS + OURS[mode], here, pinned=False)


def write_theirs(here: Path, contender: str, shape: Shape) -> jobs.Done | None:
    program = OTHERS[contender][0] if contender in OTHERS else "write_others"
    if not jobs.program(program).exists():
        return None
    name = [contender] * (program == "write_others")
    done = jobs.run([jobs.program(program), *name, *shape], RANKS, here, pinned=False)
    return None if done.of("absent") else done


def write(contender: str, shape: Shape) -> jobs.Done | None:
    """One run, on a disk that has nothing else to do."""
    os.sync()
    with jobs.folder() as here:
        if contender in (*OTHERS, COMPRESSED):
            return write_theirs(here, contender, shape)
        if contender == BP5:
            text = configuration("dedicated", shape[1], ["out.bp"], format="adios2")
            return write_ours(here, "dedicated", shape, text)
        return write_ours(here, contender, shape, configuration(contender, shape[1], ["out.nc"]))


def seconds(done: jobs.Done) -> float:
    spans = [(float(begin), float(end)) for begin, end in done.of("span")]
    return (max(end for _, end in spans) - min(begin for begin, _ in spans)) / 1e9


def beside_others(results: Results, name: str, shape: Shape, rounds: int) -> None:
    contenders = [*OTHERS, *OURS, *([BP5] if find_spec("adios2") else [])]
    times: dict[str, list[float]] = {contender: [] for contender in contenders}
    waits: dict[str, list[float]] = {contender: [] for contender in contenders}
    for _ in range(rounds):
        for contender in list(contenders):
            done = write(contender, shape)
            if done is None:
                contenders.remove(contender)
                print(f"{OTHERS[contender][1]}: left out, its library was not found when the benchmarks were built")
                continue
            times[contender].append(seconds(done))
            waits[contender].append(done.figures()["step"]["median"])
    results.details.setdefault("seconds", {})[name] = {each: times[each] for each in contenders}
    for contender in contenders:
        pairs = zip(times[contender], times["pwrite"], strict=True)
        ratio = median(one / raw for one, raw in pairs)
        what = OTHERS[contender][1] if contender in OTHERS else f"Tailrace, {contender}"
        target = 1 / 0.9 if contender in OURS else 1 / 0.8 if contender == BP5 else None
        wait = median(waits[contender]) / 1e6
        until = f"{median(times[contender]):.3f} s until closed, at best {min(times[contender]):.3f}"
        note = f"{until}; a step takes {wait:.2f} ms of the model"
        results.add(f"{name}: {what}", ratio, "pwrites", target, note)
    others = {contender: median(waits[contender]) for contender in contenders if contender in OTHERS}
    waits_beside_others(results, name, shape, rounds, others)


def waits_beside_others(results: Results, name: str, shape: Shape, rounds: int, others: dict[str, float]) -> None:
    """What an output takes of a model that computes between two of them, as long as the slowest other takes for one."""
    pause = int(max(others.values()) / 1e6) + 1
    format, path = ("adios2", "out.bp") if find_spec("adios2") else ("netcdf", "out.nc")
    with jobs.folder() as here:
        text = configuration("dedicated", shape[1], [path], format=format)
        wait = median(
            write_ours(here, "dedicated", shape, text, pause).figures()["step"]["median"] for _ in range(rounds)
        )
    for contender, theirs in others.items():
        what = f"{name}: an output of a model that computes, beside {OTHERS[contender][1]}"
        note = f"{wait / 1e6:.3f} ms beside {theirs / 1e6:.2f} ms: {theirs / wait:.0f} times shorter"
        results.add(what, wait / theirs, "of its wait", 1 / 200 if contender in SYNCHRONOUS else None, note)


def compressed(results: Results, rounds: int) -> None:
    """Beside the time that all worker threads would need for the codec alone, and beside a model that compresses."""
    shape, ratios, rates, theirs, ours = SHAPES["16 MiB"], [], [], [], []
    text = configuration("dedicated", 1, ["out.nc"], "zlib")
    for _ in range(rounds):
        with jobs.folder() as here:
            done = write_ours(here, "dedicated", shape, text)
            servers = done.report()["servers"]
        encoding = sum(server["phases"]["encode"]["seconds"] for server in servers)
        ratios.append(seconds(done) / (encoding / sum(server["threads"] for server in servers)))
        rates.append(RANKS * shape[0] * shape[1] * shape[2] / MIB / seconds(done))
        if other := write(COMPRESSED, shape):
            theirs.append(other.figures()["step"]["median"])
            with jobs.folder() as here:
                done = write_ours(here, "dedicated", shape, text, pause=int(theirs[-1] / 1e6) + 1)
            ours.append(done.figures()["step"]["median"])
    results.add("compressed (zlib), dedicated", median(ratios), "codecs", 1 / 0.9, f"{median(rates):.0f} MiB/s")
    if theirs:
        what = "16 MiB, zlib: an output of a model that computes, beside netCDF-4, collective, chunked, with zlib"
        wait, beside = median(ours), median(theirs)
        note = f"{wait / 1e6:.3f} ms beside {beside / 1e6:.2f} ms: {beside / wait:.0f} times shorter"
        results.add(what, wait / beside, "of its wait", 1 / 200, note)


class Watch:
    """Notes when a file's latest commit was logged."""

    def __init__(self, log: Path, path: str) -> None:
        self.log, self.path, self.last, self.ended = log, path, 0, threading.Event()
        self.thread = threading.Thread(target=self.look)

    def look(self) -> None:
        known = 0
        while not self.ended.wait(0.002):
            lines = self.log.read_text().splitlines() if self.log.exists() else []
            if any(f'"path":"{self.path}"' in line for line in lines[known:]):
                self.last = time.clock_gettime_ns(time.CLOCK_MONOTONIC)
            known = len(lines)

    def __enter__(self) -> "Watch":
        self.thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.ended.set()
        self.thread.join()


def time_of_the_fast(milliseconds: int) -> float:
    """Seconds from the first step to the last commit of a file, beside one where each write takes so long."""
    os.environ |= {"LD_PRELOAD": str(jobs.program("slow_file.so")), "SLOW_FILE_MS": str(milliseconds)}
    try:
        with jobs.folder() as here, Watch(here / "tailrace_report" / "commits.jsonl", "fast.nc") as watch:
            text = configuration("dedicated", 4, ["slow.nc", "fast.nc"])
            done = write_ours(here, "dedicated", (256 * KIB, 4, 40), text, pause=10)
    finally:
        del os.environ["LD_PRELOAD"], os.environ["SLOW_FILE_MS"]
    return (watch.last - min(float(begin) for begin, _ in done.of("span"))) / 1e9


def one_slow_file(results: Results, rounds: int) -> None:
    pairs = [(time_of_the_fast(20), time_of_the_fast(0)) for _ in range(rounds)]
    note = f"{median(slow for slow, _ in pairs):.2f} s beside {median(fast for _, fast in pairs):.2f} s"
    ratio = median(slow / fast for slow, fast in pairs)
    results.add("commits beside a file with 20 ms a write", ratio, "times without it", 1.1, note)


def longest_waits(results: Results, mode: str, rounds: int) -> None:
    """Of a model that computes, so that the buffer is never full."""
    ratios = []
    for _ in range(rounds):
        with jobs.folder() as here:
            done = write_ours(here, mode, (MIB, 1, 300), configuration(mode, 1, ["out.nc"]), pause=5)
        middle = median(float(line[1]) for line in done.of("figure") if line[0] == "step")
        ratios.append(median(float(line[0]) for line in done.of("slowest")) / middle)
    results.add(f"1 MiB a step, {mode}: p99 of the waits", median(ratios), "medians", 3)


def main() -> None:
    asked = arguments(__doc__, rounds=7)
    results = Results("write")
    for name, shape in SHAPES.items():
        beside_others(results, name, shape, asked.rounds)
    few = max(1, asked.rounds // 2)
    compressed(results, few)
    one_slow_file(results, few)
    for mode in OURS:
        longest_waits(results, mode, few)
    results.finish(asked.json)


if __name__ == "__main__":
    sys.exit(main())
