"""Plots the position of the cold front, again at each step of a job: python live_plot.py theta.nc live.png

In a notebook the cells update the picture in place (`display`, `update_display`); as a script each step replaces the
file. The job may run already, begin later, or have ended."""

# %% What is followed
import sys

import matplotlib
import tailrace

if "ipykernel" not in sys.modules:
    matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

source, picture = sys.argv[1:3] if "ipykernel" not in sys.modules else ("theta.nc", "live.png")

# %% An empty picture
figure, (section, history) = plt.subplots(2, 1, figsize=(9, 6), layout="constrained")
figure.suptitle("Density current")
START = np.datetime64("2000-01-01")  # of the model time without a calendar
times, fronts = [], []


# %% One step: the section of now, and the front so far
def show(step):
    theta = step.theta.isel(y=0).squeeze(drop=True).transpose("z", "x") - 300.0
    seconds = (step.time.values[0] - START) / np.timedelta64(1, "s")
    section.clear()
    section.pcolormesh(theta.x / 1000, theta.z / 1000, theta, cmap="YlGnBu_r", vmin=-10, vmax=0)
    section.set(xlabel="x (km)", ylabel="z (km)", xlim=(0, 19.2), ylim=(0, 4.8))
    section.set_title(f"potential temperature below 300 K, {seconds:.0f} s")
    cold = np.flatnonzero(theta.isel(z=0) < -1.0)
    times.append(seconds)
    fronts.append(float(theta.x[cold[-1]]) / 1000 if cold.size else np.nan)
    history.clear()
    history.plot(times, fronts, "o-", color="#12495a")
    history.set(xlabel="time (s)", ylabel="front (km)", xlim=(0, None), ylim=(0, 19.2))
    figure.savefig(picture, dpi=80)


# %% The loop, which ends with the job
for step in tailrace.stream(source, fields=["theta"], timeout=60):
    show(step)
    if "ipykernel" in sys.modules:
        from IPython.display import clear_output, display

        clear_output(wait=True)
        display(figure)
print(f"{len(times)} steps, front at {fronts[-1]:.1f} km")
