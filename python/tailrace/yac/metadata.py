"""Attributes of a field from the metadata that its component gave YAC: a text without a fixed form.

ICON writes JSON with an object `cf`, older versions lines of `key: value`; others may write what they like.
"""

from __future__ import annotations

import json
import re

OWN = ("units", "standard_name", "long_name")  # arguments of a declaration; the others are plain attributes
LINE = re.compile(r"([A-Za-z_]\w*):\s+(.+)")


def attributes_of(text: str | None) -> dict[str, str | float]:
    """Texts and numbers that a file can have; empty for a text in another form. Never fails."""
    if not text:
        return {}
    try:
        found = json.loads(text)
    except ValueError:
        lines = [LINE.fullmatch(line.strip()) for line in text.strip().splitlines()]
        found = {line[1]: line[2].strip("'\"") for line in lines if line} if all(lines) else {}
    if isinstance(found, dict) and isinstance(found.get("cf"), dict):
        found = found["cf"]
    if not isinstance(found, dict):
        return {}
    return {name: value for name, value in found.items() if _fits(name, value)}


def _fits(name: str, value: object) -> bool:
    if name in OWN:
        return isinstance(value, str)
    named = re.fullmatch(r"[A-Za-z]\w*", name) is not None and name not in (
        "missing_value",
        "coordinates",
        "cell_methods",
    )
    return named and isinstance(value, str | float | int) and not isinstance(value, bool)
