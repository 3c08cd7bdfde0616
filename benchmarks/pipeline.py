#!/usr/bin/env python3
"""A forecast and its plots: until the last picture is there, the bubble model with one rank on a core, and one process
that draws a section at each output time. First as with a synchronous library: the model writes its history itself, and
then the plots are made. Then the model has a server on a second core, where the plots are made too: by a reader of the
same history as it grows (NetCDF, BP), or with no file at all, by a reader over SST and by a function beside the server
(in_situ). All contenders draw with the same function, and take turns; each counts by its quickest run, since whatever
else the machine does only adds to it.

Two cores save half of the time at best, where the forecast takes as long as the plots: the time between two outputs is
measured out for that first."""

import importlib.util
import json
import os
import resource
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from subprocess import PIPE, Popen

from support import jobs
from support.results import Results, arguments

EXAMPLES = jobs.TREE / "examples"
BASE = "run then plot"
TARGET = 0.5  # of its time
FIELDS = ("theta", "u", "w")
SERVER = 1.1  # the work of the plots and of the server beside them, by that of the plots alone
MOST_MISSED = 2  # pictures of what a stream sends before its reader has connected: nobody waits for one
TRIAL_PICTURES, TRIAL_SECONDS = 6, 90.0  # of model time
LOOP = """
import json, sys, time

import section
import tailrace

steps = tailrace.stream(sys.argv[1], fields=["theta"], timeout=120)
loaded = time.process_time()
print("loaded", flush=True)
pictures = 0
for step in steps:
    section.draw(step)
    pictures += 1
print(json.dumps({"start": loaded, "picture": (time.process_time() - loaded) / pictures}))
"""


@dataclass(frozen=True)
class Forecast:
    every: float  # seconds of model time between two pictures
    pictures: int

    def variables(self, *names: str) -> str:
        each = ", ".join(f"{{field: {name}, operation: snapshot, every: {self.every:g} s}}" for name in names)
        return f"variables: [{each}]"

    def history(self, name: str, options: str) -> str:
        return f"output:\n  {name}: {{write_every: {self.every:g} s, {options}, {self.variables(*FIELDS)}}}\n"

    def action(self) -> str:
        options = f"python: section.py, when_full: wait, queue: {self.pictures}"
        return f"in_situ:\n  draw: {{{options}, {self.variables('theta')}}}\n"

    def lay_out(self, where: Path, mode: str, output: str) -> list:
        (where / "run.yaml").write_text(
            f"tailrace: 1\nservers: {{mode: {mode}}}\nmodel_time: {{calendar: none}}\n"
            f"fields: {{state: {{every: 1 step, names: [{', '.join(FIELDS)}]}}}}\n{output}"
        )
        settings = (EXAMPLES / "bubble" / "demo.nml").read_text()
        (where / "run.nml").write_text(settings.replace("t_end = 900", f"t_end = {self.every * self.pictures:g}"))
        (where / "section.py").write_text((EXAMPLES / "streams" / "section.py").read_text())
        (where / "loop.py").write_text(LOOP)
        return [jobs.BUILD / "examples/bubble/bubble", "run.nml"]


class Plots:
    """The loop that draws, on the last core."""

    def __init__(self, where: Path, source: str) -> None:
        core = max(os.sched_getaffinity(0))
        line = ["taskset", "-c", str(core), sys.executable, "loop.py", source]
        self.process = Popen(line, cwd=where, stdout=PIPE, text=True)

    def wait_until_loaded(self) -> None:
        self.process.stdout.readline()

    def finish(self) -> dict[str, float]:
        """Seconds of the processor for its start and for a picture."""
        told = self.process.stdout.read()
        if self.process.wait():
            raise SystemExit("the plots failed")
        return json.loads(told.splitlines()[-1])


def netcdf(forecast: Forecast) -> str:
    return forecast.history("history.nc", "compression: none")


def run_then_plot(forecast: Forecast, where: Path) -> dict[str, float]:
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    begin = time.monotonic()
    jobs.run(forecast.lay_out(where, "inline", netcdf(forecast)), 1, where)
    ran = time.monotonic() - begin
    processor = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
    plots = Plots(where, "history.nc").finish()
    return plots | {"model": ran, "model_processor": processor, "plots": time.monotonic() - begin - ran}


def beside_the_server(forecast: Forecast, where: Path) -> None:
    jobs.run(forecast.lay_out(where, "dedicated", forecast.action()), 2, where)


def beside_the_server_and_a_file(forecast: Forecast, where: Path) -> None:
    jobs.run(forecast.lay_out(where, "dedicated", netcdf(forecast) + forecast.action()), 2, where)


def following(source: str, output: Callable[[Forecast], str]) -> Callable[[Forecast, Path], None]:
    def contender(forecast: Forecast, where: Path) -> None:
        command = forecast.lay_out(where, "dedicated", output(forecast))
        plots = Plots(where, source)
        if source.endswith(".sst"):
            plots.wait_until_loaded()  # what is sent before it connects is lost to it
        jobs.run(command, 2, where)
        plots.finish()

    return contender


def bp(forecast: Forecast) -> str:
    return forecast.history("history.bp", "format: adios2")


def sst(forecast: Forecast) -> str:
    stream = f"{{engine: sst, queue: {forecast.pictures}, when_full: block}}"
    return forecast.history("live", f"format: adios2, adios2: {stream}")


CONTENDERS = {
    BASE: run_then_plot,
    "NetCDF + stream": following("history.nc", netcdf),
    "BP + stream": following("history.bp", bp),
    "NetCDF + in situ": beside_the_server_and_a_file,
    "SST + stream": following("live.sst", sst),
    "in situ": beside_the_server,
}


def timed(name: str, forecast: Forecast) -> tuple[float, dict[str, float] | None]:
    with jobs.folder() as here:
        begin = time.monotonic()
        parts = CONTENDERS[name](forecast, here)
        took = time.monotonic() - begin
        drawn = len(list((here / "pictures").glob("*.png")))
        missed = forecast.pictures - drawn
        if missed < 0 or missed > (MOST_MISSED if name.startswith("SST") else 0):
            raise SystemExit(f"{name}: {drawn} pictures, not {forecast.pictures}")
    return took, parts


def balanced(pictures: int) -> Forecast:
    """With as much work of the model as of the plots and a server, which share a core, by the processor's time, which
    other programs do not stretch."""
    trial = Forecast(TRIAL_SECONDS / TRIAL_PICTURES, TRIAL_PICTURES)
    _, parts = timed(BASE, trial)
    second = parts["model_processor"] / TRIAL_SECONDS
    every = SERVER * (parts["start"] / pictures + parts["picture"]) / second
    return Forecast(max(1.0, round(every)), pictures)


def main() -> None:
    asked = arguments(__doc__, pictures=60, rounds=2)
    contenders = [
        name for name in CONTENDERS if importlib.util.find_spec("adios2") or not name.startswith(("BP", "SST"))
    ]
    forecast = balanced(asked.pictures)
    seconds: dict[str, float] = {}
    parts: dict[str, float] = {}
    for _ in range(asked.rounds):
        for name in contenders:
            took, told = timed(name, forecast)
            if took < seconds.get(name, float("inf")):
                seconds[name] = took
                parts = told or parts
    results = Results("pipeline")
    results.add("pictures", forecast.pictures, "", note=f"one in {forecast.every:g} s of the model")
    for what, part in (("the model, and its writing", "model"), ("the plots", "plots")):
        results.add(f"{BASE}: {what}", parts[part], "s")
    results.add("plots: start of Python, xarray and matplotlib", parts["start"], "s of a core")
    results.add("plots: one picture", parts["picture"], "s of a core")
    results.add(BASE, seconds[BASE], "s")
    for name, took in seconds.items():
        if name != BASE:
            results.add(f"{name} / {BASE}", took / seconds[BASE], "", TARGET if name == "in situ" else None)
    bound = max(parts["model"], parts["plots"]) / (parts["model"] + parts["plots"])
    results.add("the bound: the longer of both parts / both", bound, "")
    results.finish(asked.json)


if __name__ == "__main__":
    sys.exit(main())
