"""The density current of Straka et al. (1993), from the file of snapshots that the bubble model wrote."""

import importlib.util
import io
import re
from pathlib import Path

import matplotlib
import numpy as np
from drawing import style

matplotlib.use("Agg")
import matplotlib.pyplot as plt

TREE = Path(__file__).resolve().parents[2]
TIMES = (60.0, 300.0, 600.0, 900.0)  # seconds; the snapshot that is nearest
INK, EDGE = "#010101", "#020202"  # drawn in these, and then given the names of the palette
LOOK = {
    "svg.fonttype": "none",
    "svg.hashsalt": "density_current",
    "font.size": 10,
    "text.color": INK,
    "axes.labelcolor": INK,
    "axes.edgecolor": EDGE,
    "xtick.color": INK,
    "ytick.color": INK,
}


def draw(snapshots: Path) -> str:
    plot = example_plot()
    theta = plot.sections(snapshots)
    with plt.rc_context(LOOK):
        figure, panels = plt.subplots(2, 2, figsize=(9.6, 3.1), sharex=True, sharey=True, layout="constrained")
        figure.get_layout_engine().set(w_pad=0.12, h_pad=0.1)
        for axes, time in zip(panels.flat, TIMES, strict=True):
            picture = plot.draw(axes, theta.sel(time=time, method="nearest"))
            axes.set_ylabel("")
        for axes in panels[-1]:
            axes.set_xlabel("x (km)")
            axes.set_xticks(range(5, 20, 5))
        for axes in panels[:, 0]:
            axes.set_ylabel("z (km)")
        bar = figure.colorbar(picture, ax=panels, fraction=0.025, pad=0.02, ticks=np.arange(-10, 0, 3))
        bar.set_label("deviation of θ (K)")
        buffer = io.StringIO()
        figure.savefig(buffer, format="svg", transparent=True, metadata={"Date": None, "Creator": None})
        plt.close(figure)
    return in_the_palette(buffer.getvalue())


def example_plot():
    """examples/bubble/plot.py, which draws one section."""
    path = TREE / "examples" / "bubble" / "plot.py"
    found = importlib.util.spec_from_file_location("bubble_plot", path)
    module = importlib.util.module_from_spec(found)
    found.loader.exec_module(module)
    return module


def in_the_palette(svg: str) -> str:
    svg = svg[svg.index("<svg") :]
    svg = re.sub(r"<metadata>.*?</metadata>\s*", "", svg, flags=re.DOTALL)
    svg = re.sub(r'(<svg [^>]*?)width="[^"]*" ?', r"\1", svg, count=1)
    svg = re.sub(r'(<svg [^>]*?)height="[^"]*" ?', r"\1", svg, count=1)
    svg = re.sub(r' d="([^"]*)"', lambda path: f' d="{shortened(path.group(1))}"', svg)
    svg = re.sub(r"\s*\n\s*", "\n", svg).replace(" \n", "\n")
    svg = (
        svg.replace(INK, "var(--ink)")
        .replace(EDGE, "var(--soft)")
        .replace("font: 10px 'sans-serif'", "font-size: 10px")
    )
    width, height = re.search(r'viewBox="0 0 ([\d.]+) ([\d.]+)"', svg).groups()
    sheet = f'<rect class="paper" x="0.5" y="0.5" width="{float(width) - 1:g}" height="{float(height) - 1:g}" rx="8"/>'
    return re.sub(r"(<svg [^>]*>)", rf"\1<style>{style()}</style>{sheet}", svg, count=1)


def shortened(path: str) -> str:
    """The same outline of straight pieces, to a tenth of a point, without the points that it does not need for that."""
    pieces = []
    for piece in re.findall(r"M[^M]*", path):
        if re.search("[A-KN-Y]", piece):  # a curve
            return path
        numbers = [float(number) for number in re.findall(r"-?\d+(?:\.\d+)?", piece)]
        points = np.array(numbers).reshape(-1, 2)
        kept = points[needed(points, 0.12)]
        pieces.append("M" + " ".join(f"{x:.1f} {y:.1f}" for x, y in kept) + ("z" if "z" in piece.lower() else ""))
    return "".join(pieces)


def needed(points: np.ndarray, tolerance: float) -> list[int]:
    """Indices of the points without which the outline would be off by more than the tolerance (Douglas and Peucker)."""
    kept, spans = {0, len(points) - 1}, [(0, len(points) - 1)]
    while spans:
        first, last = spans.pop()
        if last - first < 2:
            continue
        along = points[last] - points[first]
        away = points[first + 1 : last] - points[first]
        length = np.hypot(*along)
        off = np.abs(along[0] * away[:, 1] - along[1] * away[:, 0]) / length if length else np.hypot(*away.T)
        farthest = int(off.argmax())
        if off[farthest] > tolerance:
            kept.add(first + 1 + farthest)
            spans += [(first, first + 1 + farthest), (first + 1 + farthest, last)]
    return sorted(kept)
