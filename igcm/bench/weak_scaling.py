#!/usr/bin/env python3
"""How much longer a step of the model takes on more ranks with as many cells each:
weak_scaling.py [BUILD] [--ranks N...] [--side N] [--mesh MESH] [--tracer-levels N] [--rounds N] [--json FILE]

BUILD is the build's folder that contains igcm (build/release). One rank has the grid whose triangles divide the edge of
the icosahedron by SIDE (10 SIDE^2 + 2 points), N ranks the grid nearest to N times as many points. There is no output.
A step includes the waits for other ranks, but not the making of the grid.

Columns of the table, with times of a step divided by the points of a rank:
  alone    one rank, with nothing beside it
  beside   one rank, with N - 1 others of its kind beside it, which do not know of each other: what cores share
  ranks    N ranks of one model
  alone/ranks    the efficiency of weak scaling
  beside/ranks   the same without what cores share: the cost of halos and of waiting

The three follow each other in each round, and of each the fastest round counts.
"""

import argparse
import json
import math
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

STEPS = 30


def start(program: Path, folder: Path, ranks: int, side: int, arguments: argparse.Namespace) -> subprocess.Popen:
    step = 5000 / side  # s; a gravity wave passes a third of an edge
    settings = {
        "case": "williamson6",
        "root": side,
        "level": 0,
        "mesh": arguments.mesh,
        "time_step": step,
        "days": STEPS * step / 86400,
        "tracer_levels": arguments.tracer_levels,
        "progress": 1,
        "configuration": "off.yaml",
    }
    folder.mkdir(parents=True)
    (folder / "igcm.nml").write_text(
        "&shallow_water\n" + "".join(f"  {k} = {v!r}\n" for k, v in settings.items()) + "/\n"
    )
    (folder / "off.yaml").write_text("tailrace: 1\nservers: {mode: 'off'}\n")
    # Not bound: several jobs would be bound to the same first core.
    command = ["mpirun", "--bind-to", "none", "-n", str(ranks), str(program), "igcm.nml"]
    environment = {"OMP_NUM_THREADS": "1"} | os.environ
    return subprocess.Popen(
        command, cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )


def seconds(process: subprocess.Popen) -> float:
    """How long a step takes."""
    text = process.communicate()[0]
    found = re.search(r"^(\d+) steps in ([\d.]+) s$", text, re.MULTILINE)
    if process.returncode or not found:
        sys.exit(f"weak_scaling.py: {' '.join(process.args)}: status {process.returncode}\n{text}")
    return float(found[2]) / int(found[1])


def points(side: int) -> int:
    return 10 * side**2 + 2


def one_round(program: Path, folder: Path, ranks: int, arguments: argparse.Namespace) -> dict[str, float]:
    """Nanoseconds of a step for a point of a rank."""
    one, wide = arguments.side, round(arguments.side * math.sqrt(ranks))
    alone = seconds(start(program, folder / "alone", 1, one, arguments))
    copies = [start(program, folder / f"beside{n}", 1, one, arguments) for n in range(ranks)]
    beside = max(seconds(copy) for copy in copies)
    together = seconds(start(program, folder / "ranks", ranks, wide, arguments))
    return {
        "alone": alone / points(one) * 1e9,
        "beside": beside / points(one) * 1e9,
        "ranks": together / points(wide) * ranks * 1e9,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("build", type=Path, nargs="?", default=Path("build/release"))
    parser.add_argument("--ranks", type=int, nargs="+", default=[2])
    parser.add_argument("--side", type=int, default=64)
    parser.add_argument("--mesh", choices=("hexagons", "triangles"), default="hexagons")
    parser.add_argument("--tracer-levels", type=int, default=0)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    program = arguments.build.resolve() / "igcm/model/shallow_water"
    if not program.exists():
        sys.exit(f"weak_scaling.py: {program} is not built: run ./quickstart build")
    results = {}
    print("ranks   alone  beside   ranks (ns)   alone/ranks  beside/ranks")
    for ranks in arguments.ranks:
        with tempfile.TemporaryDirectory() as folder:
            rounds = [one_round(program, Path(folder) / str(n), ranks, arguments) for n in range(arguments.rounds)]
        best = {name: min(one[name] for one in rounds) for name in rounds[0]}
        shares = best["alone"] / best["ranks"], best["beside"] / best["ranks"]
        times = " ".join(f"{best[name]:7.1f}" for name in best)
        print(f"{ranks:5} {times}        {shares[0]:8.0%}      {shares[1]:8.0%}", flush=True)
        results[ranks] = {"rounds": rounds, "best": best, "efficiency": shares[0], "without_sharing": shares[1]}
    if arguments.json:
        arguments.json.write_text(json.dumps(results, indent=1) + "\n")


if __name__ == "__main__":
    main()
