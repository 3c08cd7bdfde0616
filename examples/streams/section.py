"""Plots a section of the potential temperature at each step: the function of an action, or of a loop over a stream."""

from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

START = np.datetime64("2000-01-01")  # of the model time without a calendar, as the units of `time` tell
SURROUNDINGS = 300.0  # K
LEVELS = np.arange(-10.0, 0.0, 1.0)  # K below it; a step at 0 would only show rounding


def draw(ds, folder="pictures"):
    """`ds`: one step with `theta` (K) along z and x (m), and y, whose first row is drawn."""
    theta = ds.theta.isel(y=0).squeeze(drop=True).transpose("z", "x") - SURROUNDINGS
    seconds = (ds.time.values[0] - START) / np.timedelta64(1, "s")
    figure, axes = plt.subplots(figsize=(9, 3), layout="constrained")
    picture = axes.contourf(theta.x / 1000, theta.z / 1000, theta, LEVELS, cmap="YlGnBu_r", extend="min")
    axes.set(xlabel="x (km)", ylabel="z (km)", xlim=(0, 19.2), ylim=(0, 4.8), title=f"{seconds:.0f} s")
    figure.colorbar(picture, ax=axes, label="deviation (K)")
    Path(folder).mkdir(exist_ok=True)
    figure.savefig(Path(folder) / f"theta_{seconds:05.0f}s.png", dpi=100)
    plt.close(figure)
