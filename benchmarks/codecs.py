#!/usr/bin/env python3
"""How much smaller chunks become within a bound on the error, and how fast, on one core: for a sum of waves with
noise, and for fields of three of our models: the example bubble, the example sedimentation, which has a mesh, and
shallow water on the sphere (igcm), whose records are one behind the other. A model that is not built is left out."""

import sys
from collections.abc import Callable
from pathlib import Path

import netCDF4
import numpy as np
from support import jobs
from support.results import Results, arguments

BUBBLE = jobs.BUILD / "examples" / "bubble" / "bubble"
BUBBLE_CASE = """&bubble
  case = 'warm_bubble', nx = 320, ny = 96, nz = 64, dx = 125, dy = 125, dz = 125
  viscosity = 5, noise = 0.5, steps = {steps}
/
"""
BUBBLE_OUTPUT = """
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
SEDIMENTATION = jobs.BUILD / "examples" / "sedimentation" / "sedimentation_tailrace"
SHALLOW_WATER = jobs.BUILD / "igcm" / "model" / "shallow_water"
SHALLOW_WATER_CASE = """&shallow_water
  case = "williamson5", root = 2, level = 4, days = 2.0, tracer_levels = 64
  configuration = "shallow_water.yaml"
/
"""
SHALLOW_WATER_OUTPUT = """
tailrace: 1
servers: {mode: inline}
fields: {state: {every: 1 step, names: [surface, vorticity, tracer]}}
output:
  fields.nc:
    variables:
      - {field: vorticity, operation: snapshot, every: 1 h}
      - {field: tracer, operation: snapshot, every: 2 day}
"""
LOSSLESS_SPEED = 500.0  # MB/s of zstd at level 1 with shuffle


Fields = dict[str, np.ndarray]  # by name, each with three dims


def read(path: Path, names: dict[str, Callable[[np.ndarray], np.ndarray]]) -> Fields:
    """The variables, each cut by its function."""
    with netCDF4.Dataset(path) as data:
        data.set_auto_mask(False)
        return {name: cut(data[name]) for name, cut in names.items()}


def fields_of_bubble(where: Path, steps: int) -> Fields:
    (where / "bubble.nml").write_text(BUBBLE_CASE.format(steps=steps))
    (where / "bubble.yaml").write_text(BUBBLE_OUTPUT)
    jobs.run([BUBBLE, "bubble.nml", "bubble.yaml"], 1, where)
    return read(where / "fields.nc", dict.fromkeys(("w", "u", "theta"), lambda values: values[-1]))


def fields_of_sedimentation(where: Path, steps: int) -> Fields:
    """Of the last step, in ug kg-1: layers by triangles."""
    (where / "sedimentation.nml").write_text(f"&sedimentation steps = {steps} /\n")
    source = jobs.TREE / "examples" / "sedimentation" / "sedimentation.yaml"
    (where / "sedimentation.yaml").write_text(source.read_text())
    jobs.run([SEDIMENTATION, "sedimentation.nml"], 2, where)
    last = dict.fromkeys(("O3", "ash"), lambda values: 1e9 * np.expand_dims(values[-1], 1))
    return read(where / "sedimentation.nc", last)


def fields_of_shallow_water(where: Path, steps: int) -> Fields:
    """Vorticity of each hour, in 1e-5 s-1: hours by corners. The tracer of the end: levels by columns."""
    (where / "shallow_water.nml").write_text(SHALLOW_WATER_CASE)
    (where / "shallow_water.yaml").write_text(SHALLOW_WATER_OUTPUT)
    jobs.run([SHALLOW_WATER, "shallow_water.nml"], 1, where)
    cuts = {
        "vorticity": lambda values: 1e5 * np.expand_dims(values[:], 1),
        "tracer": lambda values: np.expand_dims(values[-1], 1),
    }
    return read(where / "fields.nc", cuts)


MODELS = {
    "bubble": (BUBBLE, fields_of_bubble),
    "sedimentation": (SEDIMENTATION, fields_of_sedimentation),
    "shallow water": (SHALLOW_WATER, fields_of_shallow_water),
}


def fields_of_models(where: Path, steps: int) -> list[str]:
    """The words for keep_speed."""
    words = []
    for model, (program, make) in MODELS.items():
        if not program.exists():
            print(f"{model} is not built: its fields are left out", file=sys.stderr)
            continue
        for name, values in make(where, steps).items():
            path = where / f"{name}.f32"
            np.ascontiguousarray(values, dtype="f4").tofile(path)
            words += [name, str(path), *map(str, values.shape)]
    return words


def main() -> None:
    asked = arguments(__doc__, steps=200)
    results = Results("codecs")
    with jobs.folder() as folder:
        words = fields_of_models(folder, asked.steps)
        done = jobs.run([jobs.program("keep_speed"), *words], 1, folder)
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
