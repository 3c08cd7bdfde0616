"""The common parts of the figures: one palette, one font, shapes as SVG text. The same calls give the same bytes.

Every figure lies on a sheet of its own, so it can be read on light and dark pages alike; where the reader's system is
dark, the sheet is dark.
"""

from html import escape

# class: (light, dark); see the rules below for what is filled and what is drawn.
COLOURS = {
    "paper": ("#fbfcfc", "#14202a"),
    "edge": ("#d5dfe2", "#2c4150"),
    "ink": ("#1c2b33", "#e3ecef"),
    "soft": ("#5b6f78", "#9db3bd"),
    "model": ("#d7edf2", "#164a5a"),
    "model-line": ("#1d8096", "#5cc3d6"),
    "server": ("#fde7cd", "#5c3d17"),
    "server-line": ("#c06f12", "#f2ae5c"),
    "file": ("#e2eedb", "#2c4a2a"),
    "file-line": ("#568343", "#9cc98a"),
    "alarm": ("#b23a48", "#ff8f9b"),
}
FONT = "system-ui,-apple-system,'Segoe UI','Helvetica Neue','Noto Sans','DejaVu Sans',sans-serif"
RULES = f"""text{{font-family:{FONT};font-size:14px;fill:var(--ink)}}
.soft{{fill:var(--soft)}}.small{{font-size:12px}}.big{{font-size:16px;font-weight:650}}.bold{{font-weight:650}}
.code{{font-family:ui-monospace,'SF Mono',Menlo,Consolas,'DejaVu Sans Mono',monospace;font-size:13px}}
.mid{{text-anchor:middle}}.end{{text-anchor:end}}
.paper{{fill:var(--paper);stroke:var(--edge)}}.plain{{fill:none;stroke:var(--edge);stroke-width:1.5}}
.model{{fill:var(--model);stroke:var(--model-line);stroke-width:1.5}}
.server{{fill:var(--server);stroke:var(--server-line);stroke-width:1.5}}
.block{{fill:var(--model-line)}}
.file{{fill:var(--file);stroke:var(--file-line);stroke-width:1.5}}
.line{{fill:none;stroke:var(--ink);stroke-width:1.6}}
.thin{{fill:none;stroke:var(--soft);stroke-width:1;stroke-dasharray:4 4}}
.model-line{{fill:none;stroke:var(--model-line);stroke-width:2}}
.server-line{{fill:none;stroke:var(--server-line);stroke-width:2}}
.alarm{{fill:var(--alarm)}}.alarm-line{{fill:none;stroke:var(--alarm);stroke-width:2}}.tip{{fill:context-stroke}}"""


def style() -> str:
    light, dark = (
        "svg{" + "".join(f"--{name}:{pair[which]};" for name, pair in COLOURS.items()) + "}" for which in (0, 1)
    )
    return f"{light}@media (prefers-color-scheme:dark){{{dark}}}\n{RULES}"


class Drawing:
    """Collects shapes; lengths are in pixels, y downwards."""

    def __init__(self, width: int, height: int, title: str, style: str = style()):
        self.lines = [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img" aria-labelledby="t">',
            f'<title id="t">{escape(title)}</title>',
            f"<style>{style}</style>",
            '<defs><marker id="tip" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="7" markerHeight="7" '
            'orient="auto-start-reverse"><path class="tip" d="M0 0 10 5 0 10z"/></marker></defs>',
        ]
        self.box(0.5, 0.5, width - 1, height - 1, "paper", 10)

    def box(self, x: float, y: float, width: float, height: float, kind: str, round: float = 6) -> None:
        self.lines.append(
            f'<rect class="{kind}" x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" rx="{round:g}"/>'
        )

    def text(self, x: float, y: float, words: str, kind: str = "") -> None:
        """Several lines where `words` has line ends; x, y is where the first begins (or its middle or end)."""
        for number, line in enumerate(words.split("\n")):
            looks = f' class="{kind}"' if kind else ""
            self.lines.append(f'<text{looks} x="{x:g}" y="{y + 18 * number:g}">{escape(line, quote=False)}</text>')

    def path(self, d: str, kind: str = "line", tip: bool = False) -> None:
        end = ' marker-end="url(#tip)"' if tip else ""
        self.lines.append(f'<path class="{kind}" d="{d}"{end}/>')

    def arrow(self, x1: float, y1: float, x2: float, y2: float, kind: str = "line") -> None:
        self.path(f"M{x1:g} {y1:g} {x2:g} {y2:g}", kind, tip=True)

    def sheet(self, x: float, y: float, width: float, height: float) -> None:
        """A file: a page with a turned corner."""
        fold = 14
        right, low = x + width, y + height
        self.path(f"M{x:g} {y:g}H{right - fold:g}L{right:g} {y + fold:g}V{low:g}H{x:g}z", "file")
        self.path(f"M{right - fold:g} {y:g}V{y + fold:g}H{right:g}", "file")

    def svg(self) -> str:
        return "\n".join([*self.lines, "</svg>"]) + "\n"
