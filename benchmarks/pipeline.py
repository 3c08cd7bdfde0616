#!/usr/bin/env python3
"""A forecast and its plots: until the last picture is there, the bubble model with one rank, a section drawn at each
output time. First it runs and writes its history itself, as a model with a synchronous library does, and then the
plots are made; then the same history is written by a server while a Python function beside it draws (in_situ), or while
a reader follows the file as it grows (stream). All contenders draw with the same function, and take turns."""

import statistics
import sys
import time
from pathlib import Path
from subprocess import Popen

from support import jobs
from support.results import Results, arguments

EXAMPLES = jobs.TREE / "examples"
HISTORY = """
  history.nc:
    write_every: {every} s
    sync: true
    compression: {{codec: zlib, level: 4, shuffle: true}}
    variables:
      - {{field: theta, operation: snapshot, every: {every} s}}
      - {{field: u, operation: snapshot, every: {every} s}}
      - {{field: w, operation: snapshot, every: {every} s}}
"""
CONFIGURATION = """
tailrace: 1
servers: {{mode: {mode}}}
model_time: {{calendar: none}}
fields: {{state: {{every: 1 step, names: [theta, u, w]}}}}
output:{history}
"""
ACTION = """
in_situ:
  draw:
    python: section.py
    when_full: wait
    variables: [{{field: theta, operation: snapshot, every: {every} s}}]
"""
LOOP = """
import section
import tailrace

for step in tailrace.stream("history.nc", fields=["theta"], timeout=60):
    section.draw(step)
"""


def lay_out(where: Path, mode: str, every: float, acts: bool, end: float) -> list:
    history = HISTORY.format(every=every)
    text = CONFIGURATION.format(mode=mode, history=history) + (ACTION.format(every=every) if acts else "")
    (where / "run.yaml").write_text(text)
    settings = (EXAMPLES / "bubble" / "demo.nml").read_text()
    (where / "run.nml").write_text(settings.replace("t_end = 900", f"t_end = {end:g}"))
    (where / "section.py").write_text((EXAMPLES / "streams" / "section.py").read_text())
    (where / "loop.py").write_text(LOOP)
    return [jobs.BUILD / "examples/bubble/bubble", "run.nml"]


def plots(where: Path) -> Popen:
    return Popen([sys.executable, "loop.py"], cwd=where)


def run_then_plot(where: Path, every: float, end: float) -> None:
    jobs.run(lay_out(where, "inline", every, False, end), 1, where)
    if plots(where).wait():
        raise SystemExit("the plots failed")


def beside_the_server(where: Path, every: float, end: float) -> None:
    jobs.run(lay_out(where, "dedicated", every, True, end), 2, where)


def following_the_file(where: Path, every: float, end: float) -> None:
    command = lay_out(where, "dedicated", every, False, end)
    reader = plots(where)
    jobs.run(command, 2, where)
    if reader.wait():
        raise SystemExit("the plots failed")


CONTENDERS = {"run then plot": run_then_plot, "in situ": beside_the_server, "stream": following_the_file}


def main() -> None:
    asked = arguments(__doc__, every=5.0, end=900.0, rounds=3)
    seconds: dict[str, list[float]] = {name: [] for name in CONTENDERS}
    expected = int(asked.end / asked.every)
    for _ in range(int(asked.rounds)):
        for name, contender in CONTENDERS.items():
            with jobs.folder() as here:
                begin = time.monotonic()
                contender(here, asked.every, asked.end)
                seconds[name].append(time.monotonic() - begin)
                drawn = len(list((here / "pictures").glob("*.png")))
                if drawn != expected:
                    raise SystemExit(f"{name}: {drawn} pictures, not {expected}")
    results = Results("pipeline")
    base = statistics.median(seconds["run then plot"])
    results.add("run then plot", base, "s")
    for name, target in (("in situ", 0.5), ("stream", None)):
        took = statistics.median(seconds[name])
        results.add(name, took, "s")
        results.add(f"{name} / run then plot", took / base, "of the time to solution", target)
    results.finish(asked.json)


if __name__ == "__main__":
    sys.exit(main())
