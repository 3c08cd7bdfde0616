"""Units as exponents of base units, so that sums, comparisons and assignments can be checked.

None is an unknown unit: nothing about it is checked. Factors such as km are no concern of the language: every unit is a
product of powers of SI's base and derived units, "kg m-2 s-1".
"""

from __future__ import annotations

import re

Unit = tuple[tuple[str, float], ...]

BASE = ("kg", "m", "s", "K", "mol", "A", "cd")
DERIVED = {
    "N": "kg m s-2", "J": "kg m2 s-2", "W": "kg m2 s-3", "Pa": "kg m-1 s-2", "Hz": "s-1", "C": "A s",
    "V": "kg m2 s-3 A-1", "rad": "1",
}  # fmt: skip
NONE: Unit = ()


def product(one: Unit | None, other: Unit | None, power: float = 1) -> Unit | None:
    """one * other**power."""
    if one is None or other is None:
        return None
    exponents = dict(one)
    for symbol, exponent in other:
        exponents[symbol] = exponents.get(symbol, 0) + power * exponent
    return tuple(sorted((symbol, exponent) for symbol, exponent in exponents.items() if exponent))


def parse(text: str) -> Unit:
    """Raises ValueError with what is wrong."""
    result: Unit = NONE
    for word in text.split():
        if word == "1":
            continue
        match = re.fullmatch(r"([A-Za-z]+)\^?([+-]?\d{1,3})?", word)
        if not match:
            raise ValueError(f'"{word}" is no power of a unit; expected such as "kg m-2 s-1", or "1"')
        symbol, exponent = match[1], float(match[2] or 1)
        if symbol in DERIVED:
            result = product(result, parse(DERIVED[symbol]), exponent)
        elif symbol in BASE:
            result = product(result, ((symbol, 1.0),), exponent)
        else:
            raise ValueError(f'"{symbol}" is no unit (known: {", ".join(sorted((*BASE, *DERIVED)))})')
    return result


def show(unit: Unit | None) -> str:
    if unit is None:
        return "unknown"
    return " ".join(symbol + ("" if exponent == 1 else f"{exponent:g}") for symbol, exponent in unit) or "1"
