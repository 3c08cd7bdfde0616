"""The table of trials, the lines for a configuration, and both as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .trials import SHARE, Advice, Trial

HEAD = ("codec", "bound", "ratio", "MB/s", "MB/s read", "largest", "relative", "RMS", "SSIM", "error passes signal")


def text_of(all_advice: Sequence[Advice], bounds: Sequence[str]) -> str:
    parts = [_of_variable(advice) for advice in all_advice]
    return "\n\n".join([*parts, _lines(all_advice, bounds)])


def _of_variable(advice: Advice) -> str:
    sample = advice.sample
    size = sum(chunk.nbytes for chunk in sample.chunks)
    kind = sample.chunks[0].dtype
    lines = [
        f"{sample.file}: {sample.name} ({kind}{f', {sample.units}' if sample.units else ''}), "
        f"{len(sample.chunks)} chunks of {size / 1e6:.3g} MB together"
    ]
    if advice.bits is None:
        lines.append("  no information in its bits: it is constant or noise")
    else:
        lines.append(
            f"  {advice.information:.2f} bits of information a value; {advice.bits} bits of the mantissa keep "
            f"{100 * SHARE:g} % of it"
        )
    rows = [HEAD, *(_cells(trial) for trial in advice.trials)]
    widths = [max(len(row[i]) for row in rows) for i in range(len(HEAD))]
    for row in rows:
        cells = [
            cell.ljust(width) if i < 2 else cell.rjust(width)
            for i, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        lines.append("  " + "  ".join(cells).rstrip())
    failed = [trial for trial in advice.trials if trial.exact_chunks]
    lines += [
        f"  {trial.codec}, {trial.bound}: {trial.exact_chunks} of {trial.chunks} chunks failed the check and are exact"
        for trial in failed
    ]
    return "\n".join(lines)


def _cells(trial: Trial) -> tuple[str, ...]:
    errors, ssim, passing = trial.errors, trial.ssim, trial.spectra.passing
    told = (f"{errors.largest:.3g}", f"{100 * errors.largest_relative:.3g} %", f"{errors.rms:.3g}")
    where = "-" if trial.spectra.signal is None else "nowhere" if passing is None else f"below {passing:.1f} cells"
    return (
        trial.codec,
        trial.bound or "exact",
        f"{trial.ratio:.1f}",
        f"{trial.speed:.0f}",
        f"{trial.reading_speed:.0f}",
        *(told if trial.bound else ("0", "0", "0")),
        "-" if ssim is None else f"{ssim:.6f}",
        where,
    )


def _lines(all_advice: Sequence[Advice], bounds: Sequence[str]) -> str:
    """For each variable the codec that makes it smallest for readers without plugins. The first bound is in force; the
    others are comments."""
    lines = ["variables:   # choose the bound; add `operation` and `every`, and the field where it has another name"]
    for advice in all_advice:
        for number, bound in enumerate(bounds):
            own, best = advice.smallest(bound, True), advice.smallest(bound, False)
            if best is None:
                best, own = own, None
            if best is None:
                continue
            note = f"{best.ratio:.1f}:1"
            if own is not None and own.ratio > best.ratio:
                note += f"; {own.ratio:.1f}:1 with `codec: {own.codec}`, for readers with its plugin"
            mark = "  - " if number == 0 else "  # - "
            lines.append(f"{mark}{{field: {advice.sample.name}, compression: {best.settings}}}   # {note}")
    return "\n".join(lines)


def json_of(all_advice: Sequence[Advice]) -> list[dict[str, Any]]:
    return [
        {
            "file": str(advice.sample.file),
            "variable": advice.sample.name,
            "information_bits": advice.information,
            "mantissa_bits": advice.bits,
            "trials": [
                {
                    "codec": trial.codec,
                    "bound": trial.bound,
                    "compression": trial.settings,
                    "ratio": trial.ratio,
                    "encoded_megabytes_per_second": trial.speed,
                    "decoded_megabytes_per_second": trial.reading_speed,
                    "largest_absolute_error": trial.errors.largest,
                    "largest_relative_error": trial.errors.largest_relative,
                    "rms_error": trial.errors.rms,
                    "ssim": trial.ssim,
                    "error_passes_signal_below_cells": trial.spectra.passing,
                    "chunks": trial.chunks,
                    "exact_chunks": trial.exact_chunks,
                }
                for trial in advice.trials
            ],
        }
        for advice in all_advice
    ]
