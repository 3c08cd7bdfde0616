#!/usr/bin/env python3
"""The speed of the kernels as a share of STREAM's triad: kernels.py [BUILD] [--json FILE] [KERNEL...]

BUILD is the build's folder that contains igcm (build/release). Each kernel of the fast build runs in Fortran and C++
on OMP_NUM_THREADS threads (2) seven times. Times are the processor's, divided by the number of threads, for the kernels
and for STREAM, so that other work on the machine counts less. Bytes: each array that a call reads or writes
counts once, one that it changes twice, whatever the caches do; arrays are larger than the caches. STREAM counts in
the same way, without the read that a write causes.
"""

import argparse
import json
import math
import os
import re
import subprocess
import sys
from pathlib import Path

ENVIRONMENT = {"OMP_NUM_THREADS": "2", "OMP_WAIT_POLICY": "passive"} | os.environ
IIM, JJM, LLM = 263, 201, 40
GL, REGIONS, KALL = 7, 2, 42
G, H, BLK = 512, 64, 64
CELLS, POINTS, SHEET = IIM * JJM, REGIONS * (2**GL + 2) ** 2, G * G

RHOMBUS = (("iim", IIM), ("jjm", JJM), ("llm", LLM))
DIAMONDS = (("gl", GL), ("rl", 0), ("regions", REGIONS), ("kall", KALL))
BLOCKS = (("G", G), ("H", H), ("blk", BLK))


def rhombus(layered, flat):
    """Bytes of arrays that have so many numbers for each cell and level, and for each cell."""
    return 8 * CELLS * (LLM * layered + flat)


def regions(layered, flat=0):
    return 8 * POINTS * (KALL * layered + flat)


def sheet(cells, edges, flat_cells=0, flat_edges=0):
    """In float; edges are three halves of the cells. Numbers in tables have four bytes, too."""
    return 4 * SHEET * (H * (cells + 1.5 * edges) + flat_cells + 1.5 * flat_edges)


# Program: sizes, bytes of a call, the timer.
KERNELS = {
    # reads T, changes vi
    "icon_vertical_integration": (BLOCKS, sheet(1, 0, 2), "vertical_integration"),
    # reads grad, places and weights of three edges; writes dvg
    "icon_divergence": (BLOCKS, sheet(1, 1, 6), "divergence"),
    # reads T, two places and a weight; writes grad
    "icon_gradient": (BLOCKS, sheet(1, 1, 0, 3), "gradient"),
    # reads T and three places; writes the mean
    "icon_laplacian": (BLOCKS, sheet(2, 0, 3), "laplacian"),
    # reads T, p, four places and a weight; writes the result
    "icon_weighted": (BLOCKS, sheet(1, 1, 1, 5), "weighted"),
    # reads grad, q, three parameters and places; writes the result
    "icon_mixed": (BLOCKS, sheet(2, 1, 6), "mixed"),
    # reads u theta_rhodz | Av de Riv2 fv ps; writes theta rhodz qu qv
    "comp_pvort": (RHOMBUS, rhombus(3 + 1 + 1 + 1 + 3 + 2, 2 + 3 + 6 + 2 + 1), None),
    # reads rhodz theta | ps; writes pk geopot
    "comp_geopot": (RHOMBUS, rhombus(4, 2), None),
    # reads u rhodz qu theta pk geopot | le Ai de Wee; writes hflux convm dtheta_rhodz du
    "comp_caldyn_horiz": (RHOMBUS, rhombus(3 + 1 + 3 + 1 + 1 + 1 + 3 + 1 + 1 + 3, 3 + 1 + 3 + 30), None),
    # reads u theta rhodz; changes convm du dtheta_rhodz; writes wflux wwuu | dps
    "comp_caldyn_vert": (RHOMBUS, rhombus(3 + 1 + 1 + 2 + 6 + 2 + 1 + 3, 1), None),
    # reads scl kh | coef_intp coef_diff; writes dscl
    "dyn_diffusion": (DIAMONDS, regions(3, 18 + 18), None),
    # reads four winds, three metrics, six factors | coef_intp coef_diff; writes three
    "dyn_divdamp": (DIAMONDS, regions(4 + 3 + 6 + 3, 18 + 18), None),
    # reads density and three winds | GMTR_t GMTR_a GMTR_p GRD_xr (what it uses of them); writes flx_h GRD_xc
    "dyn_horiz_adv_flux": (DIAMONDS, regions(4 + 6 + 9, 6 + 9 + 1 + 9), None),
    # both halves: q d ch cmask, Qout_prev; q cmask Qout_post, q_a changed in three faces and written in three
    "dyn_horiz_adv_limiter": (DIAMONDS, regions(1 + 1 + 6 + 3 + 2 + 1 + 3 + 2 + 6 + 3), None),
    # reads q d ck; changes q_h
    "dyn_vert_adv_limiter": (DIAMONDS, regions(1 + 1 + 2 + 2), None),
    # reads 14 fields, changes rhogw at two levels and writes the others
    "dyn_vi_rhow_solver": (DIAMONDS, regions(14 + 1), None),
}


def run(*command):
    return subprocess.run([*map(str, command)], env=ENVIRONMENT, check=True, capture_output=True, text=True).stdout


def seconds(build, program, language):
    sizes, _, timer = KERNELS[program]
    options = [word for name, value in sizes for word in (f"--{name}", value)]
    report = run(build / "igcm/kernels/fast" / program, *options, "--language", language, "--calls", 7)
    times = {
        name: float(total) / int(calls) for name, total, calls in re.findall(r": (\S+) +T= *(\S+) N= *(\d+)", report)
    }
    return times[timer or f"MAIN_{program}"] / int(ENVIRONMENT["OMP_NUM_THREADS"])


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("build", type=Path, nargs="?", default=Path("build/release"))
    parser.add_argument("kernels", nargs="*", metavar="KERNEL")
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    unknown = [name for name in arguments.kernels if name not in KERNELS]
    if unknown:
        sys.exit(f"kernels.py: no kernel {unknown[0]}; there are: {', '.join(KERNELS)}")
    results = {}
    print(f"{'kernel':26} {'MB':>6} {'STREAM':>7}   {'Fortran':>7} share   {'C++':>7} share   (GB/s)")
    for program in arguments.kernels or KERNELS:
        # Beside each kernel, since a shared machine is not equally fast at all times.
        stream = float(run(arguments.build / "igcm/bench/stream"))
        size = KERNELS[program][1]
        speeds = {language: size / seconds(arguments.build, program, language) / 1e9 for language in ("fortran", "c++")}
        shares = {language: speed / stream for language, speed in speeds.items()}
        row = "   ".join(f"{speeds[language]:7.2f} {shares[language]:4.0%} " for language in speeds)
        print(f"{program:26} {math.ceil(size / 1e6):6} {stream:7.2f}   {row}", flush=True)
        results[program] = {"bytes": size, "stream": stream, "shares": shares}
    if arguments.json:
        arguments.json.write_text(json.dumps(results, indent=1) + "\n")


if __name__ == "__main__":
    main()
