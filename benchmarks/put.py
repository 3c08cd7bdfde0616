#!/usr/bin/env python3
"""What handing a field over costs the model: one model rank and one server, a core each."""

import sys

from support import jobs
from support.results import Results, arguments

RING = 256 << 20

CONFIGURATION = """
tailrace: 1
servers: {{mode: dedicated, count: 1, buffer: 256 MiB, when_full: wait}}
fields:
  always: {{every: 1 step, names: [{always}]}}
  rarely: {{every: 1000000 steps, names: [{rarely}], optional: true}}
output:
  nowhere:
    format: 'null'
    variables:
{variables}
"""


def configuration(always: list[str], rarely: list[str]) -> str:
    lines = [f"      - {{field: {name}, time: snapshot, every: 1 step}}" for name in always]
    lines += [f"      - {{field: {name}, time: snapshot, every: 1000000 steps}}" for name in rarely]
    return CONFIGURATION.format(always=", ".join(always), rarely=", ".join(rarely), variables="\n".join(lines))


SMALL = [f"small_{i}" for i in range(64)]
PUTS = [f"{way}_{size}" for way in ("put", "view") for size in ("1k", "64k", "1m", "4m", "16m")]
SLOTS = [f"slot_{size}" for size in ("1k", "1m", "16m")]


def measure(name: str, always: list[str], rarely: list[str], *words: object) -> tuple[jobs.Done, dict]:
    with jobs.folder() as here:
        (here / "put.yaml").write_text(configuration(always, rarely))
        done = jobs.run([jobs.program(name), "put.yaml", *words], 2, here)
        return done, done.report()


def main() -> None:
    asked = arguments(__doc__, steps=150)
    results = Results("put")
    cpp, report = measure("put_cpp", PUTS + SLOTS + SMALL, ["rare"], RING, asked.steps)
    c, _ = measure("put_c", SMALL, ["rare"], 4 * asked.steps)
    fortran, _ = measure("put_fortran", [*SMALL, "interior"], ["rare"], 4 * asked.steps)
    figures = {"cpp": cpp.figures(), "c": c.figures(), "fortran": fortran.figures()}

    for size in ("64k", "1m", "4m", "16m"):
        for way in ("put", "view"):
            one, other = figures["cpp"][f"{way}_{size}"], figures["cpp"][f"memcpy_{size}"]
            ratio = one["median"] / other["median"]
            note = f"{one['median'] / 1e3:.1f} us to {other['median'] / 1e3:.1f} us"
            what = f"C++ put of {size.upper()}B{' as an ArrayView' * (way == 'view')}"
            results.add(what, ratio, "memcpys", None if size == "64k" else 1.15, note)
    results.add("C++ put of 1 KB", figures["cpp"]["small"]["median"], "ns", 1000)
    results.add("C put of 1 KB", figures["c"]["small"]["median"], "ns", 1000)
    results.add("Fortran put of 1 KB", figures["fortran"]["small"]["median"], "ns", 1000)
    results.add("Fortran put of 1 KB by name", figures["fortran"]["small_by_name"]["median"], "ns", 1000)
    halo = figures["fortran"]["interior_1m"]["median"] / figures["fortran"]["interior_copy_1m"]["median"]
    results.add("Fortran put of 1 MB without its halo", halo, "array copies")
    for size in ("1k", "1m", "16m"):
        results.add(f"C++ acquire and publish of {size.upper()}B", figures["cpp"][f"slot_{size}"]["median"], "ns", 3000)
    results.add("C++ put of a field not wanted now", figures["cpp"]["rare"]["median"], "ns", 50)
    results.add("C++ put of a field never wanted", figures["cpp"]["unused"]["median"], "ns", 50)
    results.add("C put of a field never wanted", figures["c"]["unused"]["median"], "ns", 50)
    results.add("Fortran put of a field never wanted", figures["fortran"]["unused"]["median"], "ns", 50)
    results.add("the same of a cube without its halo", figures["fortran"]["unused_cube"]["median"], "ns", 50)
    results.add("the same by name", figures["fortran"]["unused_by_name"]["median"], "ns")
    results.add("Fortran wants by name", figures["fortran"]["wants_by_name"]["median"], "ns")
    results.add("C++ wants", figures["cpp"]["wants"]["median"], "ns")
    results.add("C++ step", figures["cpp"]["step"]["median"], "ns")
    results.add("reading the clock (inside each time above)", figures["cpp"]["clock"]["median"], "ns")
    client = report["clients"][0]
    filled = client["buffer_high_water_bytes"] / client["buffer_capacity_bytes"]
    note = f"the ring was {100 * filled:.0f} % full at most"
    if filled < 0.9:
        results.add("times the model waited for room", client["stalls"], "stalls", 0, note)
    else:
        results.add("times the model waited for room", client["stalls"], "stalls", None, note)
    results.details = {"nanoseconds": figures}
    results.finish(asked.json)


if __name__ == "__main__":
    sys.exit(main())
