"""Figures that tell what weights do: sums of rows, coverage, conservation and error of a test function."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from .foreign import Foreign, Side
from .rows import Rows
from .sphere import Floats


def test_function(lat: Floats, lon: Floats) -> Floats:
    """2 + cos(lat)^2 cos(2 lon), as SCRIP's tests have it (Jones 1999)."""
    return 2.0 + np.cos(np.radians(lat)) ** 2 * np.cos(2.0 * np.radians(lon))


@dataclass
class Summary:
    """`lines`: pairs of a name and a text."""

    lines: list[tuple[str, str]] = field(default_factory=list)

    def text(self) -> str:
        width = max(len(name) for name, _ in self.lines)
        return "\n".join(f"{name:{width}}  {text}" for name, text in self.lines)


def summarise(weights: Foreign, rows: Rows) -> Summary:
    made = Summary()

    def say(name: str, text: str) -> None:
        made.lines.append((name, text))

    lengths, sums = np.diff(rows.start), rows.sums()
    filled = lengths > 0
    say("file", f"{weights.path} ({weights.layout}), made by {weights.made_by or 'a program that is not named'}")
    say("method", f"{weights.map_method or 'not named'}, normalization {weights.normalization or 'not named'}")
    say("source", _side_text(weights.source, int(rows.source.max(initial=-1)) + 1))
    say("target", _side_text(weights.target, rows.count))
    say("links", f"{rows.links}, {lengths.min()} to {lengths.max()} a row; {int((~filled).sum())} rows are empty")
    if filled.any():
        say("sums of rows", f"{sums[filled].min():.12g} to {sums[filled].max():.12g}")
        say("weights", f"{rows.weight.min():.6g} to {rows.weight.max():.6g}")
    _say_coverage(weights, sums, filled, say)
    _say_test(weights, rows, sums, filled, say)
    return made


def _side_text(side: Side, least: int) -> str:
    if side.cells is None:
        return f"at least {least} cells (the file does not say how many)"
    return " x ".join(map(str, side.shape)) + f" = {side.cells} cells" if len(side.shape) > 1 else f"{side.cells} cells"


def _say_coverage(weights: Foreign, sums: Floats, filled: np.ndarray, say) -> None:
    area = weights.target.area
    if area is not None and len(area) == len(sums) and area.sum() > 0:
        covered = np.minimum(sums, 1.0) if weights.is_conservative else filled
        say("coverage", f"{100 * np.sum(area * covered) / area.sum():.6g} % of the area of the target")
    else:
        say("coverage", f"{100 * filled.mean():.6g} % of the cells of the target have links")


def _say_test(weights: Foreign, rows: Rows, sums: Floats, filled: np.ndarray, say) -> None:
    if weights.source.centres is None or weights.target.centres is None or not filled.any():
        return
    values = test_function(*weights.source.centres)
    result = rows.apply_to(values)
    error = np.abs(result[filled] / sums[filled] - test_function(*weights.target.centres)[filled])
    say("test function", f"error at most {error.max():.3g}, {np.sqrt(np.mean(error**2)):.3g} in the mean square")
    source, target = weights.source.area, weights.target.area
    if weights.is_conservative and source is not None and target is not None and source.sum() > 0:
        share = np.bincount(rows.source, rows.weight * target[rows.targets()], len(source))
        before, after = np.sum(values * np.minimum(share, source)), np.sum(result * target)
        say("conservation", f"the integral of the covered source changes by {after / before - 1.0:.2g} of itself")
