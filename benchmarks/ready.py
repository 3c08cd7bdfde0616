#!/usr/bin/env python3
"""What `ready` uses of the processor of a rank: under the configuration files of a large-eddy model, and as the number
of declared fields grows; and what `tailrace check` takes for diagnostics in long chains and calls."""

import json
import os
import resource
import subprocess
import sys
from pathlib import Path

from support import jobs
from support.results import Results, arguments

RANKS, SERVERS = 3, 1
IMPLICIT = 3  # at the head of each definition: no fields
DECLARED = 2040  # by the large-eddy model, of which its configuration names a tenth

SHARED = jobs.TREE.parent / "shared" / "data"
TRACE = SHARED / "monc_trace"
XML = SHARED / "monc" / "io" / "io_cfg_files" / "data_write_1file.xml"
MONC = """\
tailrace: 1
include: ["{xml}"]
servers: {{mode: dedicated, count: {servers}, report: false}}
"""

MANY = """\
tailrace: 1
servers: {{mode: dedicated, count: {servers}, report: false}}
fields:
  there: {{every: 1 step, names: [{there}]}}
  absent: {{every: 1 step, optional: true, names: [{absent}]}}
groups:
  written: [{written}]
output:
  some.nc:
    write_every: 100 s
    variables: [{{group: written, every: 10 s}}]
"""

STYLE = jobs.TREE / "examples" / "monc_style" / "fields.txt"
STYLES = {"column": "plane", "plane": "plane", "block": "block", "block_zn": "block", "levels": "profile"}
STYLES |= {"contribution": "part", "sum": "part", "scalar": "number", "integer": "number"}
OPTIONS = {"sampling_frequency": "5", "3d_sampling_frequency": "40", "checkpoint_frequency": "0", "mm": "20.0"}
OPTIONS |= {"mm1": "5.0", "diag_write_freq": "100.0", "x_size": "32", "y_size": "24", "z_size": "20"}
KINDS = {"scalar": "number", "y,x": "plane", "z": "profile", "z,y,x": "block", "zn,y,x": "block"}


def with_more(lines: list[str]) -> list[str]:
    lines = list(dict.fromkeys(lines))
    return lines + [f"part more.tendency_of_{i}_total" for i in range(DECLARED - len(lines))]


def monc_fields() -> list[str]:
    """Those that a run of the model declared, and as many more as it takes; without a recorded run, those of the
    example behind its configuration files."""
    if not TRACE.exists():
        words = [line.split() for line in STYLE.read_text().splitlines() if line and line[0] != "#"]
        return with_more([f"{STYLES[kind]} {space + '.' if space != '-' else ''}{name}" for space, name, kind in words])
    index = json.loads((TRACE / "index.json").read_text())
    lines = []
    for definition in index["definitions"]:
        space = definition["namespace"]
        for field in definition["declared"][IMPLICIT:]:
            if not field["present"]:
                continue
            kind = "scalar" if field["type"] == "scalar" else field["size"]
            lines.append(f"{KINDS.get(kind, 'part')} {space + '.' if space else ''}{field['name']}")
    return with_more(lines)


def one_run(here: Path, configuration: str, fields: list[str], options: dict[str, str]) -> jobs.Done:
    (here / "ready.yaml").write_text(configuration)
    lines = [f"option {name} {value}" for name, value in options.items() if value] + fields
    (here / "declared").write_text("\n".join(lines) + "\n")
    command = [jobs.program("declarations"), "ready.yaml", "declared"]
    return jobs.run(command, RANKS + SERVERS, here)


def stages(configuration: str, fields: list[str], options: dict[str, str], repeats: int) -> dict[str, float]:
    """Seconds of the processor, the least of some runs of the slowest rank."""
    least: dict[str, float] = {}
    with jobs.folder() as here:
        for _ in range(repeats):
            done = one_run(here, configuration, fields, options)
            ranks = [[float(word) for word in line] for line in done.of("rank")]
            seen = dict(zip(("start", "declare", "ready", "wall"), map(max, zip(*ranks, strict=True)), strict=True))
            seen["server"] = max(float(line[0]) for line in done.of("server"))
            least = {name: min(least.get(name, value), value) for name, value in seen.items()}
    return least


def of_monc(repeats: int) -> dict[str, float] | None:
    if not XML.exists():
        return None
    options = json.loads((TRACE / "options.json").read_text()) if TRACE.exists() else OPTIONS
    options |= {"diagnostic_file": "monc.nc", "checkpoint_file": "checkpoint.nc"}
    configuration = MONC.format(xml=os.fspath(XML), servers=SERVERS)
    return stages(configuration, monc_fields(), options, repeats)


def of_many(count: int, repeats: int) -> dict[str, float]:
    """The configuration names all declared fields, and half as many that are not there; a hundred are written."""
    names = [f"state_variable_{i}" for i in range(count)]
    configuration = MANY.format(
        there=", ".join(names),
        absent=", ".join(f"state_varieble_{i}" for i in range(count // 2)),
        written=", ".join(names[:100]),
        servers=SERVERS,
    )
    return stages(configuration, [f"plane {name}" for name in names], {}, repeats)


CHAIN = 20000
DIAGNOSTICS = """\
tailrace: 1
fields: {{state: {{every: 1 step, names: [w]}}}}
diagnostics:
{diagnostics}
output:
  a.nc: {{variables: [{{field: {last}, every: 1 step, time: snapshot}}]}}
"""
LINE = {"name": "line", "kind": "block", "dims": ["x"], "shape": [7], "ranks": [{"count": [7], "offset": [0]}]}
DECLARED_BY = {
    "schema": "tailrace-declared",
    "version": 1,
    "component": "model",
    "options": {},
    "grids": [LINE],
    "fields": [{"name": "w", "grid": "line", "type": "float64"}],
}


def seconds_of_check(here: Path, diagnostics: list[str], repeats: int) -> float:
    """Of the processor; the least."""
    lines = [f'  d{i}: {{is: "{text}"}}' for i, text in enumerate(diagnostics)]
    text = DIAGNOSTICS.format(diagnostics="\n".join(lines), last=f"d{len(lines) - 1}")
    (here / "check.yaml").write_text(text)
    (here / "declared.json").write_text(json.dumps(DECLARED_BY))
    took = []
    for _ in range(repeats):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(
            ["tailrace", "check", "--declared", "declared.json", "check.yaml"],
            cwd=here,
            capture_output=True,
            timeout=300,
        )
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        took.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return min(took)


def of_checks(results: Results, repeats: int) -> dict[str, float]:
    """Less what the shortest configuration takes; a call with too many arguments is refused."""
    with jobs.folder() as here:
        least = seconds_of_check(here, ["w + 1"], repeats)

        def growth(made_of) -> tuple[float, float]:
            tenth, whole = (seconds_of_check(here, made_of(count), repeats) - least for count in (CHAIN // 10, CHAIN))
            return whole, whole / max(tenth, 0.02)

        chain, chain_growth = growth(lambda count: ["w + 1", *(f"d{i} + 1" for i in range(count - 1))])
        call, call_growth = growth(lambda count: [f"max({', '.join(['w'] * count)})"])
    results.add(f"{CHAIN} diagnostics in a chain: check", chain, "s", 2.0)
    results.add("as many times as long as for a tenth of them", chain_growth, "x", 20.0)
    results.add(f"a call with {CHAIN} arguments: check", call, "s", 2.0)
    results.add("as many times as long as for a tenth of them", call_growth, "x", 20.0)
    return {"chain": chain, "call": call}


def main() -> None:
    asked = arguments(__doc__, fields=100000, repeats=3)
    results = Results("ready")
    details = {}
    if monc := of_monc(asked.repeats):
        details["monc"] = monc
        note = f"start {1e3 * monc['start']:.0f} ms, server {1e3 * monc['server']:.0f} ms until its end"
        results.add(f"MONC's files, {DECLARED} fields: ready", 1e3 * monc["ready"], "ms of a rank", 50.0, note)
    tenth, many = (of_many(count, asked.repeats) for count in (asked.fields // 10, asked.fields))
    details |= {"tenth": tenth, "many": many}
    ready = many["declare"] + many["ready"]
    note = f"start {many['start']:.2f} s, server {many['server']:.2f} s until its end"
    results.add(f"{asked.fields} fields: to declare them, and ready", ready, "s of a rank", 2.0, note)
    growth = ready / (tenth["declare"] + tenth["ready"])
    results.add("as many times as long as for a tenth of them", growth, "x", 20.0)
    details["checks"] = of_checks(results, asked.repeats)
    results.details = details
    results.finish(asked.json)


if __name__ == "__main__":
    sys.exit(main())
