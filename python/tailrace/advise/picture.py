"""Ratios by codec and bound, and the spectra of the signal and of the errors, a row for each variable."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from .errors import AdviceError
from .trials import Advice

ROWS = 12  # variables in a picture


def draw(all_advice: Sequence[Advice], path: Path, name: Path) -> None:
    """`path`: the new file, in the format of the suffix, by default PNG; `name`: what messages call it."""
    from matplotlib.figure import Figure

    shown = all_advice[:ROWS]
    figure = Figure(figsize=(11, 0.6 + 3.2 * len(shown)), layout="constrained")
    for (ratios, spectra), advice in zip(figure.subplots(len(shown), 2, squeeze=False), shown, strict=True):
        _draw_ratios(ratios, advice)
        _draw_spectra(spectra, advice)
    try:
        figure.savefig(path, dpi=110, format=path.suffix[1:] or "png")
    except (OSError, ValueError) as error:
        raise AdviceError(f"{name}: the picture cannot be written: {error}") from None


def _draw_ratios(axes, advice: Advice) -> None:
    from matplotlib.ticker import LogLocator, NullFormatter

    bounds = list(dict.fromkeys(trial.bound for trial in advice.trials))
    codecs = list(dict.fromkeys(trial.codec for trial in advice.trials))
    height = 0.8 / len(codecs)
    for number, codec in enumerate(codecs):
        trials = [trial for trial in advice.trials if trial.codec == codec]
        places = np.array([bounds.index(trial.bound) for trial in trials]) + (number + 0.5) * height - 0.4
        bars = axes.barh(places, [trial.ratio for trial in trials], height, label=codec)
        axes.bar_label(bars, [f"{trial.ratio:.1f}" for trial in trials], fontsize=7, padding=2)
    axes.set_yticks(range(len(bounds)), [bound or "exact" for bound in bounds], fontsize=8)
    axes.invert_yaxis()
    axes.set_xscale("log")
    axes.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    axes.xaxis.set_major_formatter("{x:g}")
    axes.xaxis.set_minor_formatter(NullFormatter())
    axes.margins(x=0.15)
    axes.set_xlabel("times smaller")
    axes.set_title(advice.sample.name, fontsize=10)
    axes.legend(fontsize=7)


def _draw_spectra(axes, advice: Advice) -> None:
    """The errors of one codec: those of the others within the same bound are alike."""
    codec = advice.trials[0].codec
    trials = [trial for trial in advice.trials if trial.bound and trial.codec == codec and trial.spectra.cells]
    axes.set_title(f"power along rows, errors of {codec}", fontsize=10)
    if not trials:
        axes.text(0.5, 0.5, "no rows without missing values", ha="center", va="center", transform=axes.transAxes)
        return
    signal, cells = trials[0].spectra.signal, trials[0].spectra.cells
    waves = cells / np.arange(1, len(signal) + 1)
    axes.loglog(waves, signal, "k", label="signal")
    for trial in trials:
        if trial.spectra.error.any():
            axes.loglog(waves, trial.spectra.error, label=trial.bound, linewidth=1)
    axes.invert_xaxis()
    axes.set_xlabel("wave length in cells")
    axes.legend(fontsize=7)
