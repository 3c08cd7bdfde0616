#!/usr/bin/env python3
"""Measures what input costs a model: the time that the time loop of the example forced spends on it, reading by itself
and through Tailrace, in runs that take turns; the bytes that Tailrace's readers take from the files, compared with what
the chunks hold that the run needs; `get` of records that are there, compared with memcpy; and the memory of a server
with 500 input fields."""

import datetime
import statistics
import subprocess
import sys
from pathlib import Path

import netCDF4
import numpy as np
from support import jobs
from support.chunks import stored_bytes
from support.read_bytes import ReadBytes
from support.results import Results, arguments

EXAMPLE = jobs.TREE / "examples" / "forced"
PROGRAMS = jobs.BUILD / "examples" / "forced"
MIB = float(1 << 20)
LEAD = 2  # records, by default
MEMORY = 64  # MiB, in the run with many fields
OWN_MEMORY = 96  # MiB, of a server with its libraries that has nothing to do
READER = jobs.BUILD / "bindings" / "c" / "tailrace_read_netcdf"
START = datetime.date(2001, 7, 1)

sys.path.insert(0, str(EXAMPLE))
import make_forcing  # noqa: E402


def lay_out(where: Path, hours: int) -> None:
    for name in ("forced.yaml", "inputs.yaml"):
        (where / name).write_text((EXAMPLE / name).read_text())
    (where / "forced.nml").write_text(f"&forced variables = '{EXAMPLE / 'variables.txt'}', hours = {hours} /\n")


def needed_records(line: make_forcing.Line, count: int, hours: int) -> set[int]:
    """The records between which the run lies, and those that are read ahead of it."""
    if line.times == "monthly":
        return {(5 + i) % count for i in range(2 + LEAD)}  # the run begins on 1 July
    length = {"hourly": 1, "6hourly": 6, "daily": 24, "3hourly_means": 3, "daily_means": 24}[line.times]
    is_mean = line.times.endswith("means")
    last = (hours - 1) // length + is_mean + (line.rule == "linear") + LEAD
    return set(range(0 if line.rule == "linear" else int(is_mean), min(last + 1, count)))


def needed_bytes(folder: Path, hours: int) -> int:
    total = 0
    for line in make_forcing.table():
        times = make_forcing.times_of(line, START, hours)
        records = needed_records(line, len(times[1]), hours) if times else set()
        total += stored_bytes(folder / f"{line.name}.nc", line.variable, records)
    return total


def one_run(where: Path, way: str, ranks: int) -> dict[str, str | int]:
    """The results of a run, and with Tailrace what its readers read and how many records were late."""
    servers = 1 if way == "tailrace" else 0
    with ReadBytes(READER) as read:
        done = jobs.run([PROGRAMS / f"forced_{way}", "forced.nml"], ranks + servers, where)
    results: dict[str, str | int] = {line[0]: line[1] for line in done.of("result")}
    if servers:
        inputs = done.report()["inputs"]
        results["read"] = read.total()
        results["read_by_report"] = sum(one["bytes_read"] for one in inputs)
        results["late"] = sum(one["late"]["count"] for one in inputs)
    return results


def compare_ways(results: Results, where: Path, rounds: int, hours: int, ranks: int) -> None:
    runs: dict[str, list[dict[str, str | int]]] = {"own": [], "tailrace": []}
    for number in range(rounds):
        for way in ("own", "tailrace") if number % 2 == 0 else ("tailrace", "own"):
            runs[way].append(one_run(where, way, ranks))
        spent = ", ".join(f"{way} {float(of[-1]['input_seconds']):.3f} s" for way, of in runs.items())
        print(f"round {number + 1}: {spent}", flush=True)
    if len({run["checksum"] for of in runs.values() for run in of}) != 1:
        raise SystemExit("the runs did not compute the same")

    def median(way: str, what: str) -> float:
        return statistics.median(float(run[what]) for run in runs[way])

    own, ours = median("own", "input_seconds"), median("tailrace", "input_seconds")
    note = f"{own:.3f} s and {ours:.3f} s of time loops of {median('own', 'loop_seconds'):.2f} s and "
    note += f"{median('tailrace', 'loop_seconds'):.2f} s: {own / ours:.1f} times less"
    results.add("input in the time loop, compared with the model by itself", ours / own, "", 1 / 20, note)
    needed = needed_bytes(where / "forcing", hours)
    read, reported = (max(run[what] for run in runs["tailrace"]) for what in ("read", "read_by_report"))
    note = f"{read / MIB:.1f} MiB ({reported / MIB:.1f} by the report); the chunks hold {needed / MIB:.1f} MiB"
    results.add("bytes read, compared with the chunks that are needed", read / needed, "", 1.05, note)
    late = statistics.median(run["late"] for run in runs["tailrace"])
    results.add("records that the model waited for", late, "", None, "those from before the time loop among them")
    results.details["runs"] = runs


def add_get(results: Results) -> None:
    """The program get_input compares `get` of records that are there with memcpy."""
    done = jobs.run([jobs.program("get_input")], 1, jobs.BUILD)
    for rule, at_most in (("exact", 1.1), ("linear", 1.5)):
        for name, ratio in (line[1:] for line in done.of("ratio") if line[0] == rule):
            results.add(f"get, {rule}, {name.replace('_', ' ')}", float(ratio), "memcpys", at_most)


def lay_out_many(where: Path, fields: int, hours: int) -> int:
    """All fields are of one variable, so that their records are what counts. Returns the bytes of all records."""
    nx, ny, nz = 24, 12, 10
    names = ["u", "v", *(f"q{i}" for i in range(fields - 2))]
    (where / "variables.txt").write_text("".join(f"{name} volume '1' linear q -\n" for name in names))
    (where / "many.nml").write_text(f"&forced nx = {nx}, ny = {ny}, nz = {nz}, substeps = 1, hours = {hours} /\n")
    asked = "".join(f"      {name}: {{variable: q}}\n" for name in names)
    (where / "forced.yaml").write_text(
        f"tailrace: 1\nservers: {{mode: dedicated, count: 1, memory: {MEMORY} MiB}}\n"
        "model_time: {calendar: standard, start: 2001-07-01}\n"
        f"input:\n  all:\n    files: q.nc\n    lead: {hours} h\n    fields:\n{asked}"
    )
    line = make_forcing.Line(
        "q", "volume", "1", "linear", "q", "-", "netcdf4", "float32", "time:lev:lat:lon", "hourly", "-"
    )
    times = make_forcing.times_of(line, START, hours)
    with netCDF4.Dataset(where / "q.nc", "w") as data:
        make_forcing.add_axes(data, line, make_forcing.axes([nx, ny, nz]), times)
        variable = data.createVariable("q", "f4", ("time", "lev", "lat", "lon"))
        variable.units = "1"
        variable[:] = np.random.default_rng(1).random([len(times[1]), nz, ny, nx])
    return fields * len(times[1]) * nx * ny * nz * 8


def add_many_fields(results: Results, fields: int, hours: int) -> None:
    with jobs.folder() as where:
        whole = lay_out_many(where, fields, hours) / MIB
        report = jobs.run([PROGRAMS / "forced_tailrace", "many.nml"], 3, where).report()
    most = max(server["resident_high_water_bytes"] for server in report["servers"]) / MIB
    note = f"{fields} fields, of which all records take {whole:.0f} MiB"
    results.add("most memory of a server with many fields", most, "MiB", float(MEMORY + OWN_MEMORY), note)


def main() -> None:
    asked = arguments(__doc__, rounds=4, hours=12, ranks=1, fields=500)
    results = Results("input")
    with jobs.folder() as where:
        make = [sys.executable, EXAMPLE / "make_forcing.py", "forcing", "--hours", asked.hours]
        subprocess.run(list(map(str, make)), cwd=where, check=True)
        lay_out(where, asked.hours)
        compare_ways(results, where, asked.rounds, asked.hours, asked.ranks)
    add_get(results)
    add_many_fields(results, asked.fields, 48)
    results.finish(asked.json)


if __name__ == "__main__":
    sys.exit(main())
