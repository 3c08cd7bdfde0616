"""The rule of time windows, with the worked example of docs/guide/time.md: steps that span two windows, and more."""

from drawing import Drawing

ENDS, VALUES, WINDOW = (4.0, 12.0, 13.0, 35.0), (1.0, 2.0, 3.0, 4.0), 10.0
LEFT, SCALE = 146, 21.8  # pixels, pixels a second


def at(seconds: float) -> float:
    return LEFT + SCALE * seconds


def overlap(begin: float, end: float, window: int) -> float:
    return max(0.0, min(end, WINDOW * (window + 1)) - max(begin, WINDOW * window))


def draw() -> str:
    d = Drawing(960, 388, "Steps of any length shared out among windows of ten seconds by the time they cover")
    begins = (0.0, *ENDS[:-1])
    windows = range(4)
    for window in windows:
        d.path(f"M{at(WINDOW * window):g} 40V312", "thin")
    d.path(f"M{at(ENDS[-1]):g} 40V312", "thin")
    steps(d, begins)
    pieces(d, begins, windows)
    records(d, begins, windows)
    axis(d)
    d.text(24, 374, "A step that spans several windows counts in each, by the seconds it covers there.", "small soft")
    return d.svg()


def steps(d: Drawing, begins: tuple[float, ...]) -> None:
    d.text(24, 64, "steps", "bold")
    d.text(24, 82, "put at their ends", "small soft")
    for begin, end, value in zip(begins, ENDS, VALUES, strict=True):
        d.box(at(begin) + 1, 48, SCALE * (end - begin) - 2, 40, "model", 4)
        d.text(at((begin + end) / 2), 73, f"{value:g}", "mid bold")
        d.path(f"M{at(end):g} 48V88", "model-line")


def pieces(d: Drawing, begins: tuple[float, ...], windows: range) -> None:
    """Each step cut at the edges of the windows, with the seconds that it counts there."""
    d.text(24, 134, "weights", "bold")
    d.text(24, 152, "seconds", "small soft")
    for begin, end in zip(begins, ENDS, strict=True):
        for window in windows:
            weight = overlap(begin, end, window)
            if weight:
                start = max(begin, WINDOW * window)
                d.box(at(start) + 1, 118, SCALE * weight - 2, 40, "server", 4)
                d.text(at(start + weight / 2), 143, f"{weight:g}", "mid")
                d.path(f"M{at((begin + end) / 2):g} 90L{at(start + weight / 2):g} 114", "model-line", tip=True)


def records(d: Drawing, begins: tuple[float, ...], windows: range) -> None:
    d.text(24, 206, "operation: mean", "code")
    d.text(24, 224, "every: 10 s", "code soft")
    d.text(24, 282, "operation: snapshot", "code")
    for window in windows:
        begin, end = WINDOW * window, min(WINDOW * (window + 1), ENDS[-1])
        weights = [overlap(b, e, window) for b, e in zip(begins, ENDS, strict=True)]
        mean = sum(w * v for w, v in zip(weights, VALUES, strict=True)) / sum(weights)
        d.box(at(begin) + 3, 188, SCALE * (end - begin) - 6, 44, "file", 4)
        d.text(at((begin + end) / 2), 208, f"{mean:g}", "mid bold")
        words = " + ".join(f"{w:g}·{v:g}" for w, v in zip(weights, VALUES, strict=True) if w)
        d.text(at((begin + end) / 2), 225, f"({words}) / {sum(weights):g}", "mid small soft")
    taken = {next(k for k, end in enumerate(ENDS) if end >= point) for point in (10.0, 20.0, 30.0)}
    for number in sorted(taken):
        d.box(at(ENDS[number]) - 15, 262, 30, 30, "file", 15)
        d.text(at(ENDS[number]), 282, f"{VALUES[number]:g}", "mid bold")
    d.text(at(ENDS[1]) + 24, 282, "the first step at or past 10 s", "small soft")
    d.text(at(ENDS[3]) - 24, 282, "at or past 20 s and 30 s: one record", "small soft end")


def axis(d: Drawing) -> None:
    d.arrow(LEFT, 318, at(35) + 34, 318)
    for seconds in (0, 4, 10, 12, 13, 20, 30, 35):
        edge = seconds % 10 == 0
        d.path(f"M{at(seconds):g} {312 if edge else 315:g}V{324 if edge else 321:g}")
        shift = {12: -4, 13: 4}.get(seconds, 0)
        words = f"{seconds} s" if seconds == 35 else f"{seconds}"
        d.text(at(seconds) + shift, 340, words, "mid bold" if edge else "mid small soft")
