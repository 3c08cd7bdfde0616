"""The choices as a plot: time to solution and its error, margin, memory."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from .choices import Choice
from .predict import Prediction


def draw(predictions: Sequence[Prediction], choice: Choice, deadline: float | None, path: Path, name: Path) -> None:
    """`path`: the new file, in the format of the suffix of `name`, by default PNG."""
    from matplotlib.figure import Figure

    servers = [one.layout.servers for one in predictions]
    figure = Figure(figsize=(7, 8), layout="constrained")
    above, middle, below = figure.subplots(3, sharex=True)
    times = [one.seconds for one in predictions]
    errors = [one.seconds * one.error for one in predictions]
    above.errorbar(servers, times, yerr=errors, fmt="o-", capsize=3, color="#0072b2", label="run")
    stalls = [one.stall_seconds for one in predictions]
    above.plot(servers, stalls, "s--", color="#d55e00", label="stall of the model")
    if deadline is not None:
        above.axhline(deadline, color="#666666", linewidth=1, label="deadline")
    if choice.best is not None:
        above.axvline(choice.best.layout.servers, color="#009e73", linewidth=1, label="choice")
    above.set_ylabel("seconds")
    above.legend(frameon=False)
    middle.plot(servers, [100 * one.margin for one in predictions], "o-", color="#0072b2")
    middle.axhline(0.0, color="#666666", linewidth=1)
    middle.set_ylabel("margin in %")
    below.plot(servers, [one.server_memory / 2**20 for one in predictions], "o-", color="#0072b2")
    below.set_ylabel("memory of a server in MiB")
    below.set_xlabel("servers")
    if len(servers) > 1 and servers[-1] > 16 * servers[0]:
        below.set_xscale("log", base=2)
    figure.savefig(path, format=name.suffix[1:].lower() or "png", dpi=150)
