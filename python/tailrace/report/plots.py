"""The report's pictures as inline SVG whose colours follow the page (light or dark)."""

from __future__ import annotations

import io
import math
import re
from collections.abc import Callable
from typing import Any

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, MultipleLocator

from tailrace._text import bytes_text, seconds_text
from tailrace.report.facts import BUSY_PHASES, Report, compression

MOST_BARS = 16

# Drawn in these colours, which nothing else uses, and then replaced by the page's variables.
VARIABLES = {
    "#010101": "var(--ink)",
    "#020202": "var(--faint)",
    **{f"#0303{k:02x}": f"var(--c{k})" for k in range(8)},
}
INK, FAINT = "#010101", "#020202"
COLOURS = [f"#0303{k:02x}" for k in range(8)]

STYLE: Any = {
    "text.parse_math": False,  # a dollar in a name is a dollar
    "svg.fonttype": "none",  # text stays text: the page's font, selectable
    "font.family": "sans-serif",
    "font.size": 10,
    "text.color": INK,
    "axes.labelcolor": INK,
    "axes.edgecolor": FAINT,
    "axes.linewidth": 0.8,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.spines.left": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": FAINT,
    "grid.linewidth": 0.5,
    "xtick.color": INK,
    "ytick.color": INK,
    "xtick.major.size": 0,
    "ytick.major.size": 0,
    "legend.frameon": False,
    "legend.fontsize": 9,
}

Draw = Callable[[Axes], None]


def picture(name: str, description: str, height: float, draw: Draw) -> str:
    """One plot as an <svg> element. `name` keeps its ids apart from those of other plots on the page."""
    with mpl.rc_context({**STYLE, "svg.hashsalt": name}):
        figure = Figure(figsize=(7.6, height), layout="constrained")
        FigureCanvasSVG(figure)
        draw(figure.add_subplot())
        buffer = io.StringIO()
        figure.savefig(buffer, format="svg", transparent=True, metadata={"Date": None})
    return _inline(buffer.getvalue(), name, description)


def _inline(svg: str, name: str, description: str) -> str:
    svg = svg[svg.index("<svg") :]
    svg = re.sub(r"<metadata>.*?</metadata>", "", svg, flags=re.DOTALL)
    svg = re.sub(r'(id="|url\(#|href="#)', rf"\1{name}-", svg)
    svg = re.sub(r'<svg ([^>]*?)width="[^"]*pt"', r"<svg \1", svg, count=1)
    svg = re.sub(r'<svg ([^>]*?)height="[^"]*pt"', r"<svg \1", svg, count=1)
    for colour, variable in VARIABLES.items():
        svg = svg.replace(colour, variable)
    svg = re.sub(r"font: ([0-9.]+)px [^;\"]*", r"font-size: \1px", svg)
    label = description.replace("&", "&amp;").replace('"', "&quot;").replace("<", "&lt;")
    return svg.replace("<svg ", f'<svg role="img" aria-label="{label}" ', 1).strip()


def _bars_height(count: int) -> float:
    return 0.9 + 0.28 * min(max(count, 1), MOST_BARS)


def _label(names: list[str], axes: Axes) -> None:
    axes.set_yticks(range(len(names)), [_shortened(name) for name in names])
    axes.invert_yaxis()
    axes.grid(axis="y", visible=False)


def _shortened(name: str) -> str:
    return name if len(name) <= 28 else name[:13] + "…" + name[-14:]


def _seconds_axis(axes: Axes) -> None:
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: seconds_text(value)))


def _bytes_axis(axes: Axes) -> None:
    """Ticks at round numbers of KiB, MiB, ..."""
    most = max(axes.get_xlim()[1], 1.0)
    axes.xaxis.set_major_locator(MultipleLocator(2.0 ** math.ceil(math.log2(most / 6))))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: bytes_text(value)))


def _beside(axes: Axes, value: float, row: float, text: str) -> None:
    axes.annotate(text, (value, row), xytext=(4, 0), textcoords="offset points", va="center", fontsize=9)


def _legend(axes: Axes, columns: int) -> None:
    axes.legend(loc="lower left", bbox_to_anchor=(0, 1), ncols=columns, borderaxespad=0.2, handlelength=1)


def put_total(report: Report) -> str:
    """Seconds in puts by field, copying and waiting apart."""
    fields = _costly_fields(report)
    copied = [max(field["put"]["seconds"] - field["stall"]["seconds"], 0.0) for field in fields]
    waited = [field["stall"]["seconds"] for field in fields]

    def draw(axes: Axes) -> None:
        axes.barh(range(len(fields)), copied, color=COLOURS[0], label="copying")
        axes.barh(range(len(fields)), waited, left=copied, color=COLOURS[1], label="waiting for room (stalls)")
        _label([field["name"] for field in fields], axes)
        _seconds_axis(axes)
        _legend(axes, 2)

    return picture("puttotal", "Seconds spent in puts, by field", _bars_height(len(fields)), draw)


def put_each(report: Report) -> str:
    """The time of one put: the median, the mean and the longest, on a logarithmic axis."""
    fields = _costly_fields(report)

    def draw(axes: Axes) -> None:
        for row, field in enumerate(fields):
            put = field["put"]
            axes.plot([put["median_seconds"], put["most_seconds"]], [row, row], color=FAINT, linewidth=2, zorder=1)
        for key, word, colour, marker in (
            ("median_seconds", "median", COLOURS[0], "o"),
            ("mean_seconds", "mean", COLOURS[2], "D"),
            ("most_seconds", "longest", COLOURS[1], "s"),
        ):
            values = [field["put"][key] for field in fields]
            axes.scatter(values, range(len(fields)), s=36, color=colour, marker=marker, label=word, zorder=2)
        axes.set_ylim(-0.6, len(fields) - 0.4)
        if any(field["put"]["median_seconds"] > 0 for field in fields):
            axes.set_xscale("log")
            axes.minorticks_off()
        _label([field["name"] for field in fields], axes)
        _seconds_axis(axes)
        _legend(axes, 3)

    return picture("puteach", "Duration of a put, by field", _bars_height(len(fields)), draw)


def _costly_fields(report: Report) -> list[dict[str, Any]]:
    put = [field for field in report["fields"] if field["put"]["count"]]
    return sorted(put, key=lambda field: -field["put"]["seconds"])[:MOST_BARS]


def phases(report: Report) -> str:
    """Seconds of thread time by server and phase; idle time is left out."""
    servers = report["servers"][:MOST_BARS]

    def draw(axes: Axes) -> None:
        left = [0.0] * len(servers)
        for colour, phase in zip(COLOURS, BUSY_PHASES, strict=False):
            seconds = [server["phases"].get(phase, {"seconds": 0.0})["seconds"] for server in servers]
            axes.barh(range(len(servers)), seconds, left=left, color=colour, label=phase)
            left = [a + b for a, b in zip(left, seconds, strict=True)]
        _label([f"server {server['rank']}" for server in servers], axes)
        _seconds_axis(axes)
        _legend(axes, len(BUSY_PHASES))

    return picture("phases", "Busy time of the servers, by phase", _bars_height(len(servers)), draw)


def lag(report: Report) -> str:
    """Lag over the run, a line per server."""
    servers = [server for server in report["servers"] if server["lag_series"]][: len(COLOURS)]

    def draw(axes: Axes) -> None:
        for colour, server in zip(COLOURS, servers, strict=False):
            at, value = zip(*server["lag_series"], strict=True)
            # A dot for each commit: files that commit at the same moment would make a line jump up and down.
            size = 4 if len(at) < 200 else 2
            axes.plot(at, value, color=colour, linestyle="", marker="o", ms=size, label=f"server {server['rank']}")
        axes.set_ylim(bottom=0)
        axes.set_xlim(left=0)
        _seconds_axis(axes)
        axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: seconds_text(value)))
        axes.tick_params(axis="x", pad=7)  # its first label and that of the other axis share one corner
        axes.set_xlabel("time since the start of the run")
        if len(servers) > 1:
            _legend(axes, 4)

    return picture("lag", "Lag from put to disk over the run", 2.8, draw)


def files(report: Report) -> str:
    """Bytes by file, before and after encoding."""
    largest = sorted(report["files"], key=lambda file: -file["raw_bytes"])[: MOST_BARS // 2]
    rows = range(len(largest))

    def draw(axes: Axes) -> None:
        raw = [file["raw_bytes"] for file in largest]
        small = [file["encoded_bytes"] for file in largest]
        axes.barh([row - 0.19 for row in rows], raw, height=0.36, color=COLOURS[0], label="as it came")
        axes.barh([row + 0.19 for row in rows], small, height=0.36, color=COLOURS[2], label="encoded")
        for row, file in zip(rows, largest, strict=True):
            ratio = compression(file["raw_bytes"], file["encoded_bytes"])
            _beside(axes, file["encoded_bytes"], row + 0.19, f"{ratio:.1f} to 1")
        axes.margins(x=0.12)
        _label([file["path"] for file in largest], axes)
        _bytes_axis(axes)
        _legend(axes, 2)

    return picture("files", "Bytes by file before and after encoding", _bars_height(2 * len(largest)), draw)


def memory(report: Report) -> str:
    """High-water marks: of servers, and of the largest model rank of each component."""
    bars = [(f"server {server['rank']}", server["resident_high_water_bytes"], 0) for server in report["servers"]]
    bars = sorted(bars, key=lambda bar: -bar[1])[: MOST_BARS - 4]
    for component in sorted({client["component"] for client in report["clients"]}):
        ranks = [client for client in report["clients"] if client["component"] == component]
        largest = max(client["resident_high_water_bytes"] for client in ranks)
        buffer = max(client["buffer_high_water_bytes"] for client in ranks)
        bars.append((f"{component}, largest rank", largest, 3))
        bars.append((f"{component}, fullest buffer", buffer, 4))

    def draw(axes: Axes) -> None:
        axes.barh(range(len(bars)), [bar[1] for bar in bars], color=[COLOURS[bar[2]] for bar in bars])
        for row, (_, value, _) in enumerate(bars):
            _beside(axes, value, row, bytes_text(value))
        axes.margins(x=0.14)
        _label([bar[0] for bar in bars], axes)
        _bytes_axis(axes)

    return picture("memory", "High-water marks of memory", _bars_height(len(bars)), draw)
