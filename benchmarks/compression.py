#!/usr/bin/env python3
"""How long it takes to write a field of an icosahedral mesh, and how large its file becomes, without compression,
without loss and within four bounds: the table with which AIMES showed SCIL, its compression within a named bound.

The field has 327,680 triangles with 64 levels of float32, sums of waves of 24 to 200 cells with noise of 1e-3, in
[-10, 55]. The model computes nothing, so all of the time is output. The settings take turns, and each round begins with
another one; the times of a round are compared with each other. A time ends when the bytes are on the disk (fsync), not
in the memory of the system. A run without a file shows what of a time is not the disk's. With --disk a second table has
the same for a disk that takes no more than so many MB a second, as the share of a server in a busy file system."""

import os
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

import h5py
from support import jobs
from support.results import Results, arguments

MEGABYTE = 1e6
CONFIGURATION = """\
tailrace: 1
servers: {{mode: dedicated, count: 1}}
fields: {{state: {{every: 1 step, names: [t]}}}}
output:
  slow.nc:
    format: {format}
    compression: {compression}
    variables: [{{field: t, operation: snapshot, every: 600 s}}]
"""
BOUNDS = ("absolute: 1", "absolute: 0.1", "relative: 1 %", "relative: 0.1 %")


@dataclass(frozen=True)
class Setting:
    title: str
    compression: str
    format: str = "netcdf"


NONE = Setting("none", "none")
SETTINGS = (
    NONE,
    Setting("copied, no file (memcopy)", "none", format='"null"'),
    Setting("lossless, zstd 1 (for lz4)", "{codec: zstd}"),
    Setting("lossless, lorenzo 1", "{codec: lorenzo}"),
    *(
        Setting(f"{bound}, {codec} 1", f"{{codec: {codec}, keep: {{{bound}}}}}")
        for bound in BOUNDS
        for codec in ("zstd", "lorenzo")
    ),
)


@dataclass
class Run:
    """Of one setting in one round. Seconds from the first step on."""

    steps: float  # until the model had handed all over
    closed: float
    on_disk: float
    bytes: int
    bytes_of_field: int  # without the mesh
    processor: float  # of all threads, without the disk


@dataclass
class Case:
    steps: int
    divisions: int
    levels: int
    disk: float  # MB a second; 0: as fast as it is
    runs: dict[str, list[Run]] = field(default_factory=lambda: {setting.title: [] for setting in SETTINGS})

    def values(self) -> int:
        return self.steps * self.levels * 20 * 4**self.divisions * 4

    def environment(self) -> dict[str, str]:
        """slow_file knows the file by its name."""
        if not self.disk:
            return {}
        return {"LD_PRELOAD": str(jobs.program("slow_file.so")), "SLOW_FILE_MB_S": str(self.disk)}


def synchronise(path: Path) -> float:
    begin = time.perf_counter()
    descriptor = os.open(path, os.O_RDONLY)
    os.fsync(descriptor)
    os.close(descriptor)
    return time.perf_counter() - begin


def one_run(case: Case, setting: Setting) -> Run:
    with jobs.folder() as here:
        text = CONFIGURATION.format(format=setting.format, compression=setting.compression)
        (here / "run.yaml").write_text(text)
        os.sync()
        words = ["run.yaml", case.steps, case.divisions, case.levels, "waves"]
        slow = ["env", *(f"{name}={value}" for name, value in case.environment().items())]
        done = jobs.run([*slow, jobs.program("icosahedron"), *words], 2, here, pinned=False)
        ((steps, _),), ((closed,),) = done.of("steps"), done.of("done")
        path = here / "slow.nc"
        synchronised = size = of_field = 0
        if path.exists():
            synchronised, size = synchronise(path), path.stat().st_size
            with h5py.File(path) as file:
                of_field = file["t"].id.get_storage_size()
        used = sum(float(seconds) for (seconds,) in done.of("used"))
    return Run(float(steps), float(closed), float(closed) + synchronised, size, of_field, used)


def add_rows(results: Results, case: Case) -> None:
    """Lossy settings are to be faster than none, and no other one slower."""
    disk = f"{case.disk:g} MB/s: " if case.disk else ""
    plain = case.runs[NONE.title]
    for setting in SETTINGS:
        runs = case.runs[setting.title]
        share = median(run.on_disk / none.on_disk for run, none in zip(runs, plain, strict=True))
        seconds = median(run.on_disk for run in runs)
        speed = case.values() / MEGABYTE / seconds
        ratio = f"{case.values() / runs[0].bytes_of_field:.1f}:1" if runs[0].bytes else "no file"
        note = (
            f"{seconds:.2f} s, at best {min(run.on_disk for run in runs):.2f}; "
            f"{runs[0].bytes / MEGABYTE:.0f} MB, {ratio}; {speed:.0f} MB/s of values; "
            f"{1 / share:.2f} times as fast as none; {median(run.processor for run in runs):.2f} s of the processor"
        )
        results.add(disk + setting.title, share, "of the time of none", None if setting is NONE else 1.0, note)
    results.details.setdefault("runs", {})[disk] = {
        title: [vars(run) for run in runs] for title, runs in case.runs.items()
    }


def main() -> None:
    asked = arguments(__doc__, rounds=5, steps=8, divisions=7, levels=64, disk=0.0)
    disks = [0.0, asked.disk] if asked.disk else [0.0]
    cases = [Case(asked.steps, asked.divisions, asked.levels, disk) for disk in disks]
    for number in range(asked.rounds):
        first = number % len(SETTINGS)
        for case in cases:
            for setting in SETTINGS[first:] + SETTINGS[:first]:
                case.runs[setting.title].append(one_run(case, setting))
            spent = ", ".join(f"{runs[-1].on_disk:.2f}" for runs in case.runs.values())
            print(f"round {number + 1}, load {os.getloadavg()[0]:.1f}: {spent} s", flush=True)
    results = Results("compression")
    for case in cases:
        add_rows(results, case)
    results.finish(asked.json)


if __name__ == "__main__":
    sys.exit(main())
