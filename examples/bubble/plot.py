"""Pictures of the density current from its file of snapshots: python plot.py demo_snapshots.nc OUTDIR

Writes OUTDIR/theta_0060s.png and so on, one for each snapshot of `theta`, and OUTDIR/density_current.png, a sheet
with six of them: the deviation of potential temperature in the x-z section at the first row along y."""

import argparse
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
import xarray as xr

THETA_0 = 300.0  # K, the surroundings
LEVELS = np.arange(-10.0, 0.0, 1.0)  # K; a step at 0 would only show rounding


def sections(file):
    """The deviation of theta as (time, z, x), and the times in seconds."""
    with xr.open_dataset(file, decode_times=False) as data:
        return (data["theta"].isel(y=0).transpose("time", "z", "x") - THETA_0).load()


def draw(axes, section):
    """One section; returns what a colour bar needs."""
    x, z = section["x"] / 1000, section["z"] / 1000
    picture = axes.contourf(x, z, section, LEVELS, cmap="YlGnBu_r", extend="min")
    axes.contour(x, z, section, [-1.0], colors="#12495a", linewidths=0.6, linestyles="solid")
    axes.set(
        xlim=(float(x.min()), min(19.2, float(x.max()))),
        ylim=(float(z.min()), min(4.8, float(z.max()))),
        aspect="equal",
    )
    axes.text(0.99, 0.94, f"{float(section.time):.0f} s", transform=axes.transAxes, ha="right", va="top")
    axes.set_ylabel("z (km)")
    return picture


def finish(figure, axes, picture, path):
    figure.colorbar(picture, ax=axes, label="deviation of potential temperature (K)", fraction=0.03, pad=0.02)
    figure.savefig(path, dpi=110)
    plt.close(figure)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=Path)
    parser.add_argument("outdir", type=Path)
    arguments = parser.parse_args()
    arguments.outdir.mkdir(parents=True, exist_ok=True)
    theta = sections(arguments.file)

    for section in theta:
        figure, axes = plt.subplots(figsize=(10, 3), layout="constrained")
        picture = draw(axes, section)
        axes.set_xlabel("x (km)")
        finish(figure, axes, picture, arguments.outdir / f"theta_{float(section.time):04.0f}s.png")

    chosen = np.unique(np.linspace(theta.sizes["time"] / 6, theta.sizes["time"], 6).round().astype(int) - 1)
    figure, panels = plt.subplots(
        len(chosen), 1, figsize=(9, 2.4 * len(chosen)), sharex=True, squeeze=False, layout="constrained"
    )
    for axes, index in zip(panels[:, 0], chosen, strict=True):
        picture = draw(axes, theta[max(index, 0)])
    panels[-1, 0].set_xlabel("x (km)")
    finish(figure, panels[:, 0], picture, arguments.outdir / "density_current.png")
    print(f"{theta.sizes['time']} frames and density_current.png in {arguments.outdir}")


if __name__ == "__main__":
    main()
