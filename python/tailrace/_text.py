"""Numbers as people read them."""

from __future__ import annotations


def bytes_text(count: float) -> str:
    """1536 -> '1.5 KiB'."""
    for unit in ("B", "KiB", "MiB", "GiB", "TiB"):
        if abs(count) < 1024 or unit == "TiB":
            break
        count /= 1024
    return f"{count:.0f} {unit}" if unit == "B" or abs(count) >= 100 else f"{count:.1f} {unit}"


def seconds_text(seconds: float) -> str:
    """0.0000012 -> '1.2 µs', 3725 -> '1 h 02 min'."""
    if seconds == 0:
        return "0 s"
    magnitude = abs(seconds)
    for limit, factor, unit in ((1e-6, 1e9, "ns"), (1e-3, 1e6, "µs"), (1, 1e3, "ms"), (60, 1, "s")):
        if magnitude < limit:
            value = seconds * factor
            return f"{value:.0f} {unit}" if abs(value) >= 100 else f"{value:.3g} {unit}"
    minutes, rest = divmod(round(magnitude), 60)
    sign = "-" if seconds < 0 else ""
    if minutes < 60:
        return f"{sign}{minutes} min {rest:02d} s"
    return f"{sign}{minutes // 60} h {minutes % 60:02d} min"


def count_text(count: int) -> str:
    """1234567 -> '1 234 567' (with narrow spaces)."""
    return f"{count:,}".replace(",", "\u202f")


def percent_text(fraction: float) -> str:
    """0.0123 -> '1.2 %'."""
    percent = 100 * fraction
    if 0 < percent < 0.1:
        return "under 0.1 %"
    return f"{percent:.0f} %" if percent >= 10 else f"{percent:.1f} %"


def plural(count: int, word: str) -> str:
    return f"{count_text(count)} {word}{'' if count == 1 else 's'}"
