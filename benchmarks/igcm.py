#!/usr/bin/env python3
"""The tables of the report on icosahedral kernels: lines of source and of generated code beside those by hand, and what
they mean by COCOMO; the speed of each kernel by target, as a share of STREAM's triad and compared with those by hand;
strong and weak scaling of the shallow-water model; and how small igcm's tracer becomes.

Contenders take turns, and the shortest of the rounds counts. Times of kernels are the processor's (igcm/bench). All are
compiled for this processor, and compute in double precision."""

import os
import subprocess
import sys
import time
from pathlib import Path

from support import jobs
from support.results import Results, arguments

IGCM = jobs.TREE / "igcm"
sys.path[:0] = [str(IGCM / "bench"), str(IGCM / "dsl")]

import kernels  # noqa: E402

os.environ.setdefault("OMP_WAIT_POLICY", "passive")
# Arrays have large pages where those by hand have; NumPy reads this when it is imported.
LARGE_PAGES = "hugetlb=1" in kernels.SETTINGS.get("GLIBC_TUNABLES", "")
os.environ.setdefault("NUMPY_MADVISE_HUGEPAGE", str(int(LARGE_PAGES)))

import count_lines  # noqa: E402
import generated  # noqa: E402

BUILD = jobs.BUILD
TARGETS = {"serial": 1, "openmp": 2, "columns": 2, "blocks": 2}  # and their threads; besides, `mpi` on two ranks
AT_MOST = 1 / 0.95
MODEL = """&shallow_water
  case = "williamson5", root = {root}, level = {level}, time_step = {step}, days = {days}, progress = 1
  tendencies = "{tendencies}", configuration = "off.yaml"
/
"""


def lines(results: Results) -> None:
    print(count_lines.printed(), end="\n\n", flush=True)
    rows = count_lines.table()
    results.details["lines"] = {
        "columns": ["stencils", "Fortran by hand", "C++ by hand", *count_lines.CODES], "rows": rows,
    }  # fmt: skip
    own, fortran = rows["all"][:2]
    results.details["cocomo"] = count_lines.efforts(own, fortran)
    results.add("lines of stencils, to Fortran by hand", own / fortran, "", 1 / 3)


class Kernel:
    """A kernel by hand and generated, which take turns."""

    def __init__(self, folder: Path, program: str):
        self.folder, self.program = folder, program
        source, names = generated.FUNCTIONS[program]
        grids = generated.grids_of(folder, program)
        self.calls = {
            target: generated.Prepared(generated.library(folder, source, target), names, grids) for target in TARGETS
        }
        self.best: dict[str, float] = {}

    def round(self) -> None:
        for threads, languages in ((1, ["c++"]), (2, ["fortran", "c++"])):
            self.keep(f"stream, {threads}", 1 / float(kernels.run(threads, BUILD / "igcm/bench/stream")))
            for language in languages:
                spent = generated.seconds_by_hand(BUILD, self.program, language, threads)
                self.keep(f"{language}, {threads}", spent)
        for target, calls in self.calls.items():
            self.keep(target, calls.seconds(TARGETS[target]))
        command = [sys.executable, IGCM / "bench/generated.py", self.folder, BUILD / "igcm/model/libigcm_halo.so"]
        environment = os.environ | {"OMP_NUM_THREADS": "1"}
        line = jobs.free_line([*command, self.program], 2)
        done = subprocess.run(line, capture_output=True, text=True, timeout=600, env=environment)
        self.keep("mpi", float(jobs.done(line, done.returncode, done.stdout, done.stderr, self.folder).lines[-1][0]))

    def keep(self, what: str, seconds: float) -> None:
        self.best[what] = min(seconds, self.best.get(what, seconds))

    def ratio(self, target: str) -> float:
        """Of the times, to C++ by hand on as many threads."""
        return self.best[target] / self.best[f"c++, {TARGETS.get(target, 2)}"]

    def share(self, what: str, size: int) -> float:
        threads = int(what[-1]) if what[-1].isdigit() else TARGETS.get(what, 2)
        return size / self.best[what] / 1e9 * self.best[f"stream, {threads}"]


def kernels_by_target(results: Results, folder: Path, rounds: int) -> None:
    generated.save_sheet(BUILD, folder)
    for source in generated.SOURCES:
        for target in (*TARGETS, "mpi"):
            generated.compile_for(folder, source, target)
    shown = ["fortran, 2", "c++, 1", "c++, 2", *TARGETS, "mpi"]
    titles = ["Fortran, 2", "C++, 1", "C++, 2", "serial", *(f"{name}, 2" for name in [*list(TARGETS)[1:], "mpi"])]
    print(f"{'share of the triad':26}" + "".join(f"{title:>12}" for title in titles) + "   (threads or ranks)")
    table = results.details["kernels"] = {}
    for program in generated.FUNCTIONS:
        kernel = Kernel(folder, program)
        for _ in range(rounds):
            kernel.round()
        size = generated.bytes_of(program)
        ratios = {target: kernel.ratio(target) for target in (*TARGETS, "mpi")}
        shares = {what: kernel.share(what, size) for what in shown}
        cells = [f"{shares[what]:.0%}" + (f" {ratios[what]:.2f}" if what in ratios else "") for what in shown]
        print(f"{program:26}" + "".join(f"{cell:>12}" for cell in cells), flush=True)
        table[program] = {"bytes": size, "seconds": kernel.best, "shares": shares, "time to C++ by hand": ratios}
        for target, ratio in ratios.items():
            results.add(f"{program}, {target}: time, to C++ by hand", ratio, "", AT_MOST)
    print("The second figure is the time, compared with that of C++ by hand on as many threads.\n", flush=True)


def model_seconds(folder: Path, ranks: int, root: int, level: int, tendencies: str, steps: int) -> float:
    """Of a step: what a run takes longer than one of a single step."""
    program, step = BUILD / "igcm/model/shallow_water", 60
    spent = []
    for count in (1, steps + 1):
        text = MODEL.format(root=root, level=level, step=step, days=count * step / 86400, tendencies=tendencies)
        (folder / "run.nml").write_text(text)
        start = time.monotonic()
        jobs.run([program, "run.nml"], ranks, folder)
        spent.append(time.monotonic() - start)
    return (spent[1] - spent[0]) / steps


def scaling(results: Results, folder: Path, rounds: int, steps: int) -> None:
    """Strong: 64,002 hexagons on one and two ranks. Weak: 31,362 on one, and 64,002, 2.04 times as many, on two."""
    (folder / "off.yaml").write_text("tailrace: 1\nservers: {mode: off}\n")
    os.environ["OMP_NUM_THREADS"] = "1"
    runs = {"small, 1": (1, 7, 3), "large, 1": (1, 5, 4), "large, 2": (2, 5, 4)}  # ranks, root, level
    best: dict[str, float] = {}
    for _ in range(rounds):
        for tendencies in ("hand", "stencils"):
            for name, (ranks, root, level) in runs.items():
                spent = model_seconds(folder, ranks, root, level, tendencies, steps)
                key = f"{tendencies}, {name}"
                best[key] = min(spent, best.get(key, spent))
    del os.environ["OMP_NUM_THREADS"]
    hexagons = {"small": 10 * 7**2 * 4**3 + 2, "large": 10 * 5**2 * 4**4 + 2}
    results.details["model"] = {"seconds of a step": best, "hexagons": hexagons}
    grown = hexagons["large"] / hexagons["small"] / 2
    for tendencies in ("hand", "stencils"):
        one, two, small = (best[f"{tendencies}, {name}"] for name in ("large, 1", "large, 2", "small, 1"))
        results.add(f"model, {tendencies}: strong scaling, 2 ranks", one / two, "times as fast")
        results.add(f"model, {tendencies}: weak scaling, 2 ranks", 100 * small / two * grown, "%")
    ratio = best["stencils, large, 1"] / best["hand, large, 1"]
    results.add("model: step of stencils, to that by hand", ratio, "", AT_MOST, "on one rank")


def compression(results: Results, folder: Path) -> None:
    """igcm/model/columns.yaml with fewer columns: 40,962 of 64 levels instead of 1,049,762."""
    text = (IGCM / "model/columns.nml").read_text()
    if "root = 81" not in text:
        raise SystemExit("columns.nml has another grid now; the benchmark makes that of root = 81 smaller")
    (folder / "columns.nml").write_text(text.replace("root = 81", "root = 16"))
    (folder / "columns.yaml").write_text((IGCM / "model/columns.yaml").read_text())
    jobs.run([BUILD / "igcm/model/shallow_water", "columns.nml"], 2, folder)
    sizes = {path.stem: path.stat().st_size for path in sorted(folder.glob("*.nc")) if path.stem != "sheet"}
    results.details["compression"] = {"bytes": sizes}
    for name, size in sizes.items():
        if name != "plain":
            results.add(f"tracer, {name}: size", 100 * size / sizes["plain"], "%", None, f"{size / 1e6:.1f} MB")


def main() -> None:
    asked = arguments(__doc__, rounds=2, steps=40, calls=generated.CALLS)
    generated.CALLS = asked.calls
    if not (BUILD / "igcm/bench/stream").exists():
        raise SystemExit(f"igcm is not built in {BUILD}; expected ./quickstart bench igcm, which builds it")
    results = Results("igcm")
    lines(results)
    with jobs.folder() as folder:
        kernels_by_target(results, folder, asked.rounds)
        scaling(results, folder, asked.rounds, asked.steps)
        compression(results, folder)
    results.finish(asked.json)


if __name__ == "__main__":
    main()
