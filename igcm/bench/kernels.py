#!/usr/bin/env python3
"""The speed of the kernels as a share of STREAM's triad:
kernels.py [--json FILE] [--slots N] [--cached] [BUILD] [KERNEL...]

BUILD is the build's folder that contains igcm (build/release). Each kernel of the fast build runs in Fortran and C++
on OMP_NUM_THREADS threads (2) seven times. Times are the processor's, divided by the number of threads, for the kernels
and for STREAM, so that other work on the machine counts less. Bytes: each array that a call reads or writes
counts once, one that it changes twice, whatever the caches do; arrays are larger than the caches. STREAM counts in
the same way, without the read that a write causes. Flops: additions, multiplications, divisions, minima and maxima of
the formulas; a power counts once.

--cached: fields of some 100 kB, which stay in the caches, by one thread, compared with the same share of STREAM that a
thread has. A kernel that is no faster than STREAM here is bound by its core, not by memory.
--slots: as the option of ICON's kernels (by default `blk`).
"""

import argparse
import json
import math
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

# Pages of 2 MiB where the system gives them to those who ask: small ones are too many for a processor's table.
SETTINGS = {"OMP_NUM_THREADS": "2", "OMP_WAIT_POLICY": "passive", "GLIBC_TUNABLES": "glibc.malloc.hugetlb=1"}
# Families: the options of their programs, large and in the cache.
LARGE = {
    "rhombus": {"iim": 263, "jjm": 201, "llm": 40},
    "regions": {"gl": 7, "rl": 0, "regions": 2, "kall": 42},
    "sheet": {"G": 512, "H": 64, "blk": 64},
}
CACHED = {
    "rhombus": {"iim": 43, "jjm": 31, "llm": 10},
    "regions": {"gl": 4, "rl": 0, "regions": 1, "kall": 42},
    "sheet": {"G": 32, "H": 64, "blk": 64},
}


class Kernel(NamedTuple):
    family: str
    layered: float  # numbers for each cell and level that a call reads and writes
    flat: float  # ... for each cell
    flops: float  # for each cell and level
    timer: str | None = None

    def size(self, sizes: dict[str, int]) -> tuple[int, int, int]:
        """Cells, levels, bytes of a number. Places in the tables of the sheet have four bytes, too."""
        if self.family == "rhombus":
            return sizes["iim"] * sizes["jjm"], sizes["llm"], 8
        if self.family == "regions":
            return sizes["regions"] * (2 ** sizes["gl"] + 2) ** 2, sizes["kall"], 8
        return sizes["G"] ** 2, sizes["H"], 4

    def bytes(self, sizes: dict[str, int]) -> float:
        cells, levels, number = self.size(sizes)
        return number * cells * (levels * self.layered + self.flat)

    def intensity(self, sizes: dict[str, int]) -> float:
        """Flops for a byte."""
        cells, levels, _ = self.size(sizes)
        return cells * levels * self.flops / self.bytes(sizes)


EDGES = 1.5  # for each cell of the sheet
KERNELS = {
    # reads T, changes vi
    "icon_vertical_integration": Kernel("sheet", 1, 2, 2, "vertical_integration"),
    # reads grad, places and weights of three edges; writes dvg
    "icon_divergence": Kernel("sheet", 1 + EDGES, 6, 6, "divergence"),
    # reads T, two places and a weight; writes grad
    "icon_gradient": Kernel("sheet", 1 + EDGES, 3 * EDGES, 2 * EDGES, "gradient"),
    # reads T and three places; writes the mean
    "icon_laplacian": Kernel("sheet", 2, 3, 3, "laplacian"),
    # reads T, p, four places and a weight; writes the result
    "icon_weighted": Kernel("sheet", 1 + EDGES, 1 + 5 * EDGES, 4 * EDGES, "weighted"),
    # reads grad, q, three parameters and places; writes the result
    "icon_mixed": Kernel("sheet", 2 + EDGES, 6, 9, "mixed"),
    # reads u theta_rhodz | Av de Riv2 fv ps; writes theta rhodz qu qv
    "comp_pvort": Kernel("rhombus", 3 + 1 + 1 + 1 + 3 + 2, 2 + 3 + 6 + 2 + 1, 38),
    # reads rhodz theta | ps; writes pk geopot
    "comp_geopot": Kernel("rhombus", 4, 2, 11),
    # reads u rhodz qu theta pk geopot | le Ai de Wee; writes hflux convm dtheta_rhodz du
    "comp_caldyn_horiz": Kernel("rhombus", 3 + 1 + 3 + 1 + 1 + 1 + 3 + 1 + 1 + 3, 3 + 1 + 3 + 30, 216),
    # reads u theta rhodz; changes convm du dtheta_rhodz; writes wflux wwuu | dps
    "comp_caldyn_vert": Kernel("rhombus", 3 + 1 + 1 + 2 + 6 + 2 + 1 + 3, 1, 35),
    # reads scl kh | coef_intp coef_diff; writes dscl
    "dyn_diffusion": Kernel("regions", 3, 18 + 18, 144),
    # reads four winds, three metrics, six factors | coef_intp coef_diff; writes three
    "dyn_divdamp": Kernel("regions", 4 + 3 + 6 + 3, 18 + 18, 118),
    # reads density and three winds | GMTR_t GMTR_a GMTR_p GRD_xr (what it uses of them); writes flx_h GRD_xc
    "dyn_horiz_adv_flux": Kernel("regions", 4 + 6 + 9, 6 + 9 + 1 + 9, 124),
    # both halves: q d ch cmask, Qout_prev; q cmask Qout_post, q_a changed in three faces and written in three
    "dyn_horiz_adv_limiter": Kernel("regions", 1 + 1 + 6 + 3 + 2 + 1 + 3 + 2 + 6 + 3, 0, 237),
    # reads q d ck; changes q_h
    "dyn_vert_adv_limiter": Kernel("regions", 1 + 1 + 2 + 2, 0, 70),
    # reads 14 fields, changes rhogw at two levels and writes the others
    "dyn_vi_rhow_solver": Kernel("regions", 14 + 1, 0, 32),
}


def run(threads: int, *command):
    environment = SETTINGS | os.environ | {"OMP_NUM_THREADS": str(threads)}
    return subprocess.run([*map(str, command)], env=environment, check=True, capture_output=True, text=True).stdout


def seconds(build, program, language, sizes, calls, threads):
    """How long a call takes."""
    options = [word for name, value in sizes.items() for word in (f"--{name}", value)]
    report = run(threads, build / "igcm/kernels/fast" / program, *options, "--language", language, "--calls", calls)
    times = {
        name: float(total) / int(calls) for name, total, calls in re.findall(r": (\S+) +T= *(\S+) N= *(\d+)", report)
    }
    return times[KERNELS[program].timer or f"MAIN_{program}"] / threads


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("build", type=Path, nargs="?", default=Path("build/release"))
    parser.add_argument("kernels", nargs="*", metavar="KERNEL")
    parser.add_argument("--json", type=Path)
    parser.add_argument("--slots", type=int, default=0)
    parser.add_argument("--cached", action="store_true")
    arguments = parser.parse_args()
    unknown = [name for name in arguments.kernels if name not in KERNELS]
    if unknown:
        sys.exit(f"kernels.py: no kernel {unknown[0]}; there are: {', '.join(KERNELS)}")
    all_threads = int((SETTINGS | os.environ)["OMP_NUM_THREADS"])
    threads, calls, families = (1, 2000, CACHED) if arguments.cached else (all_threads, 7, LARGE)
    results = {}
    print(f"{'kernel':26} {'MB':>6} {'flop/B':>6} {'STREAM':>7}   {'Fortran':>7} share   {'C++':>7} share   (GB/s)")
    for program in arguments.kernels or KERNELS:
        kernel = KERNELS[program]
        sizes = families[kernel.family] | ({"slots": arguments.slots} if kernel.family == "sheet" else {})
        # Beside each kernel, since a shared machine is not equally fast at all times.
        stream = float(run(all_threads, arguments.build / "igcm/bench/stream")) * threads / all_threads
        size = kernel.bytes(sizes)
        speeds = {
            language: size / seconds(arguments.build, program, language, sizes, calls, threads) / 1e9
            for language in ("fortran", "c++")
        }
        shares = {language: speed / stream for language, speed in speeds.items()}
        row = "   ".join(f"{speeds[language]:7.2f} {shares[language]:4.0%} " for language in speeds)
        flops = kernel.intensity(sizes)
        print(f"{program:26} {math.ceil(size / 1e6):6} {flops:6.2f} {stream:7.2f}   {row}", flush=True)
        results[program] = {"bytes": size, "flops_per_byte": flops, "stream": stream, "shares": shares}
    if arguments.json:
        arguments.json.write_text(json.dumps(results, indent=1) + "\n")


if __name__ == "__main__":
    main()
