"""The output that MONC's configuration files request, computed with NumPy and exact sums from the values of each rank.
An independent implementation, for well-formed files and the correct semantics only (time weights, fixed windows)."""

import math
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np


@dataclass
class Diagnostic:
    name: str
    space: str
    rules: dict[str, dict] = field(default_factory=dict)  # by result


class Rules:
    def __init__(self, path: Path, options: dict[str, str]):
        self.options, self.diagnostics, self.groups, self.includes = options, {}, {}, []
        self.fields = {}  # (namespace, name) -> frequency in steps
        self.read(self.expanded(path))

    def expanded(self, path: Path) -> str:
        """The text with included files inserted and without comments."""
        text = re.sub(r"<!--.*?-->", "", path.read_text(), flags=re.DOTALL)
        return re.sub(
            r'^.*#include "([^"]*)".*$',
            lambda match: self.expanded(path.parent / Path(match[1]).name),
            text,
            flags=re.MULTILINE,
        )

    def filled(self, text: str) -> str:
        return re.sub(r"\{(\w+)\}", lambda match: self.options[match[1]], text)

    def attributes(self, tag: str) -> dict[str, str]:
        return {key: self.filled(a or b) for key, a, b in re.findall(r'(\w+)=(?:"([^"]*)"|([^\s/>]+))', tag)}

    def read(self, text: str) -> None:
        space = diagnostic = group = definition = None
        for tag in re.findall(r"<(/?[\w-]+[^>]*)>", text):
            word, *_ = tag.split()
            found = self.attributes(tag)
            if word == "data-definition":
                definition = (found.get("namespace", ""), int(found["frequency"]))
            elif word == "field":
                self.fields.setdefault((definition[0], found["name"]), definition[1])
            elif word == "data-handling":
                space = found.get("namespace", "")
            elif word == "diagnostic":
                diagnostic = Diagnostic(found["field"], space)
                self.diagnostics[space, found["field"]] = diagnostic
            elif word in ("operator", "communication"):
                diagnostic.rules[found["result"]] = found
            elif word == "group":
                group = self.groups.setdefault(found["name"], [])
                group_space = found.get("namespace", "")
            elif word == "member":
                group.append((group_space, found["name"]))
            elif word == "include" and "group" in found:
                self.includes.append(
                    (found["group"], found["time_manipulation"], float(found.get("output_frequency", 0)))
                )

    def source_frequency(self, space: str, name: str) -> int:
        """In steps."""
        if (space, name) in self.fields:
            return self.fields[space, name]
        return max(self.fields[self.place_of(space, leaf)] for leaf in self.leaves(self.diagnostics[space, name]))

    def place_of(self, space: str, name: str) -> tuple[str, str]:
        """Rules have no namespaces: a name is in the diagnostic's own namespace, or else in the first that has it."""
        return (space, name) if (space, name) in self.fields else next(key for key in self.fields if key[1] == name)

    def leaves(self, diagnostic: Diagnostic) -> set[str]:
        used = set()
        for rule in diagnostic.rules.values():
            equation = re.sub(r"(?<!\w)\d[\w.]*", " ", rule.get("equation", ""))
            used |= set(re.findall(r"[A-Za-z_]\w*", equation)) | ({rule["field"]} if "field" in rule else set())
        return used - set(diagnostic.rules)

    def value(self, diagnostic: Diagnostic, put: dict) -> np.ndarray:
        """The value at one step. put: (namespace, name) -> the values of each rank."""

        def each(name):
            """The values by rank; a reduced value is the same on all."""
            if name not in diagnostic.rules:
                return put[self.place_of(diagnostic.space, name)]
            rule = diagnostic.rules[name]
            if rule["name"] == "localreduce":
                return [reduce_all(rule["operator"], [part]) for part in each(rule["field"])]
            if rule["name"] == "arithmetic":
                return [whole(name)]
            raise AssertionError(f"no rank has a {name} of its own")

        def whole(name):
            rule = diagnostic.rules[name]
            if rule["name"] == "reduction":
                source = diagnostic.rules.get(rule["field"])
                if source is not None and source["name"] == "localreduce":
                    assert source["operator"] == rule["operator"]
                    return reduce_all(rule["operator"], each(source["field"]))
                return over_ranks(rule["operator"], each(rule["field"]))
            assert rule["name"] == "arithmetic"
            names = {word: whole(word) for word in re.findall(r"[A-Za-z_]\w*", rule["equation"])}
            return eval(rule["equation"], {"__builtins__": {}}, names)

        return np.asarray(whole(diagnostic.name))


def reduce_all(kind: str, parts: list[np.ndarray]) -> float:
    cells = np.concatenate([np.ravel(part) for part in parts])
    if kind in ("min", "max"):
        return getattr(cells, kind)()
    total = math.fsum(cells)
    return total / cells.size if kind == "mean" else total


def over_ranks(kind: str, parts: list[np.ndarray]) -> np.ndarray:
    """Cell by cell."""
    together = np.array(parts)
    if kind in ("min", "max"):
        return getattr(together, kind)(axis=0)
    flat = together.reshape(len(parts), -1)
    totals = np.array([math.fsum(column) for column in flat.T]).reshape(together.shape[1:])
    return totals / len(parts) if kind == "mean" else totals


def records(manipulation: str, every: float, samples: list[tuple[float, Callable]]) -> list[tuple[float, np.ndarray]]:
    """(time, value) of each record, from samples (time, function that returns the value). A window ends with the first
    sample at or after a multiple of `every` seconds; an incomplete window at the end of the run gives no record."""
    made, weights, values, before, due = [], [], [], 0.0, every
    for time, value_of in samples:
        closes = time >= due - 1e-9 * every
        if closes:
            due = (math.floor(time / every + 1e-9) + 1) * every
        if manipulation == "instantaneous":
            if closes:
                made.append((time, value_of()))
            continue
        weights.append(time - before)
        values.append(value_of())
        before = time
        if closes:
            made.append((time, mean(weights, values)))
            weights, values = [], []
    return made


def mean(weights: list[float], values: list[np.ndarray]) -> np.ndarray:
    flat = np.array([np.ravel(value) for value in values])
    total = math.fsum(weights)
    means = [math.fsum(np.array(weights) * column) / total for column in flat.T]
    return np.array(means).reshape(np.shape(values[0]))
