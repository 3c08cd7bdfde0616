#!/usr/bin/env python3
"""How much smaller chunks become within a bound on the error, and how fast, on one core: for a sum of waves with
noise, and for three fields of the example bubble."""

import sys

import netCDF4
import numpy as np
from support import jobs
from support.results import Results, arguments

BUBBLE = jobs.BUILD / "examples" / "bubble" / "bubble"
CASE = """&bubble
  case = 'warm_bubble', nx = 320, ny = 96, nz = 64, dx = 125, dy = 125, dz = 125
  viscosity = 5, noise = 0.5, steps = {steps}
/
"""
CONFIGURATION = """
tailrace: 1
servers: {mode: inline}
fields: {state: {every: 1 step, names: [u, v, w, theta, p], optional: true}}
output:
  fields.nc:
    write_every: 1000000 steps
    variables:
      - {field: w, operation: snapshot, every: 10 steps, type: float32}
      - {field: u, operation: snapshot, every: 10 steps, type: float32}
      - {field: theta, operation: snapshot, every: 10 steps, type: float32}
"""
LOSSLESS_SPEED = 500.0  # MB/s of zstd at level 1 with shuffle


def fields_of_bubble(folder, steps: int) -> list[str]:
    """The words for keep_speed; none where the example is not built."""
    if not BUBBLE.exists():
        return []
    (folder / "bubble.nml").write_text(CASE.format(steps=steps))
    (folder / "bubble.yaml").write_text(CONFIGURATION)
    jobs.run([BUBBLE, "bubble.nml", "bubble.yaml"], 1, folder)
    words = []
    with netCDF4.Dataset(folder / "fields.nc") as data:
        for name in ("w", "u", "theta"):
            values = np.ascontiguousarray(data[name][-1], dtype="f4")
            values.tofile(folder / f"{name}.f32")
            words += [name, str(folder / f"{name}.f32"), *map(str, values.shape)]
    return words


def main() -> None:
    asked = arguments(__doc__, steps=200)
    results = Results("codecs")
    with jobs.folder() as folder:
        words = fields_of_bubble(folder, asked.steps)
        done = jobs.run([jobs.program("keep_speed"), *words], 1, folder)
    if not words:
        print("the example bubble is not built: its fields are left out", file=sys.stderr)
    for field, setting, *numbers in done.of("figure"):
        ratio, rounded, checked, decoded, absolute, relative = map(float, numbers)
        what = f"{field}: {setting.replace('_', ' ')}"
        note = f"{checked:.0f} MB/s checked, {rounded:.0f} unchecked, {decoded:.0f} read"
        if absolute > 0.0:
            note += f"; largest errors {absolute:.3g}, {100 * relative:.3g} %"
        results.add(what, ratio, "times smaller", note=note)
        if field == "sines" and setting == "lossless_zstd_1":
            results.add("sines: lossless zstd 1", 4e3 / rounded, "ns a value", 4e3 / LOSSLESS_SPEED)
        results.details[f"{field} {setting}"] = {
            "ratio": ratio,
            "rounded_megabytes_per_second": rounded,
            "checked_megabytes_per_second": checked,
            "decoded_megabytes_per_second": decoded,
            "largest_absolute_error": absolute,
            "largest_relative_error": relative,
        }
    results.finish(asked.json)


if __name__ == "__main__":
    main()
