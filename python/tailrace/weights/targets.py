"""Target grids by the words of `to:` of a configuration: "latlon: 1 deg", "healpix: {level: 8, order: nested}"."""

from __future__ import annotations

import difflib
import errno
import re
from pathlib import Path
from typing import Any

from .errors import WrongWords

KINDS = ("latlon", "gaussian", "healpix", "file")
TOKEN = re.compile(r"\s*([\[\]{},]|:(?=\s|$)|(?:[^\s\[\]{},:]|:(?!\s|$)| (?=[^\s\[\]{},:]))+)")
EXPECTED = (
    'expected a NetCDF file with a grid, or words such as "latlon: 1 deg", "gaussian: F128", "healpix: {level: 8}"'
)


def is_file(words: str) -> bool:
    """Also of words that are longer than the name of a file may be, such as a list of latitudes."""
    try:
        return Path(words).is_file()
    except OSError as error:
        if error.errno == errno.ENAMETOOLONG:
            return False
        raise


def spec_of(text: str) -> dict[str, Any]:
    """The target of a request (maker.py) for the words, or for the path of a file. Raises WrongWords."""
    if is_file(text):
        return {"kind": "file", "path": text}
    words = text.strip()
    value = _Flow(words if words.startswith("{") else f"{{{words}}}", text).read()
    if len(value) != 1:
        raise WrongWords(f"TARGET {text!r}: {EXPECTED}")
    kind, what = next(iter(value.items()))
    match kind, what:
        case "latlon", str():
            return _even(what, text)
        case "latlon", {"lat": list(lat), "lon": list(lon)}:
            return {
                "kind": "latlon",
                "lat": [_number(each, text) for each in lat],
                "lon": [_number(each, text) for each in lon],
            }
        case "gaussian", str() if re.fullmatch(r"F[1-9]\d{0,4}", what):
            return {"kind": "gaussian", "number": int(what[1:])}
        case "healpix", {"level": str(level), **rest} if level.isdigit() and set(rest) <= {"order"}:
            return {"kind": "healpix", "level": int(level), "order": rest.get("order", "nested")}
        case "file", str() if is_file(what):
            return {"kind": "file", "path": str(Path(what).absolute())}
        case "file", str():
            raise WrongWords(f"TARGET {text!r}: there is no file {what}")
    if kind in KINDS:
        raise WrongWords(f"TARGET {text!r}: {what!r} is no {kind}; {EXPECTED}")
    near = difflib.get_close_matches(kind, KINDS, 1)
    hint = f" Did you mean {near[0]!r}?" if near else ""
    raise WrongWords(f"TARGET {text!r}: {EXPECTED}; there is no such file.{hint}")


def _even(size: str, text: str) -> dict[str, Any]:
    """Cells of one size from the South Pole and from longitude 0, as in a configuration."""
    found = re.fullmatch(r"([0-9.]+) *deg", size)
    step = _number(found[1], text) if found else 0.0
    rows = 180.0 / step if step > 0 else 0.0
    if rows < 1 or rows > 65536 or abs(rows - round(rows)) > 1e-6 * rows:
        raise WrongWords(f"TARGET {text!r}: expected a size in degrees that divides 180, such as 1 deg")
    count = round(rows)
    step = 180.0 / count
    return {
        "kind": "latlon",
        "lat": [-90.0 + (i + 0.5) * step for i in range(count)],
        "lon": [(i + 0.5) * step for i in range(2 * count)],
    }


def _number(word: Any, text: str) -> float:
    try:
        return float(word)
    except (TypeError, ValueError):
        raise WrongWords(f"TARGET {text!r}: {word!r} is no number") from None


class _Flow:
    """Flow mappings and lists of YAML, as they stand in one line of a configuration."""

    def __init__(self, words: str, text: str):
        self.text, self.at = text, 0
        self.tokens = [word.strip() for word in TOKEN.findall(words)]

    def read(self) -> dict[str, Any]:
        value = self._value()
        if self.at != len(self.tokens) or not isinstance(value, dict):
            self._refuse()
        return value

    def _next(self) -> str:
        if self.at == len(self.tokens):
            self._refuse()
        self.at += 1
        return self.tokens[self.at - 1]

    def _value(self) -> Any:
        match self._next():
            case "{":
                return dict(self._items("}", self._entry))
            case "[":
                return self._items("]", self._value)
            case word if word not in "]},:":
                return word
        self._refuse()

    def _entry(self) -> tuple[str, Any]:
        key = self._next()
        if self._next() != ":":
            self._refuse()
        return key, self._value()

    def _items(self, end: str, read) -> list[Any]:
        items = []
        while self.at < len(self.tokens) and self.tokens[self.at] != end:
            items.append(read())
            if self.at < len(self.tokens) and self.tokens[self.at] == ",":
                self.at += 1
            elif self.at == len(self.tokens) or self.tokens[self.at] != end:
                self._refuse()
        self._next()
        return items

    def _refuse(self) -> None:
        hint = "" if ": " in self.text else "; there is no such file"
        raise WrongWords(f"TARGET {self.text!r}: {EXPECTED}{hint}")
