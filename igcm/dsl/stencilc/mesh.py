"""Meshes: which locations there are, how neighbours are called, and how far they are. Files in `meshes/`."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from pathlib import Path

import yaml

from .messages import StencilError, unknown

FOLDER = Path(__file__).parent / "meshes"
PLURALS = {"cell": "cells", "edge": "edges", "vertex": "vertices"}
LEVELS = {"levels": "full", "half_levels": "half"}


@dataclass(frozen=True)
class Relation:
    name: str  # such as "cell.edge"
    start: str
    to: str
    slots: tuple[str, ...]  # names of the neighbours, or "0", "1", ...
    reach: int  # rings between a cell and where it leads


@dataclass(frozen=True)
class Mesh:
    name: str
    extra_half_levels: int  # half levels less full levels
    per_vertex: dict[str, int]  # how many of each location there are, relative to each other
    sets: dict[str, dict[str, int]]  # by location: rings of neighbours that a set has around the interior
    levels: dict[str, dict[str, tuple[int, int]]]  # full, half: levels left out at the bottom and at the top
    relations: dict[str, Relation]

    def outermost(self, location: str) -> int:
        return max(self.sets[location].values())


def names() -> list[str]:
    return sorted(path.stem for path in FOLDER.glob("*.yaml"))


@functools.cache
def load(name: str) -> Mesh:
    path = FOLDER / f"{name}.yaml"
    if name not in names():
        raise StencilError(None, unknown(name, "mesh", names()))
    data = yaml.safe_load(path.read_text(encoding="utf-8"))
    relations = {}
    for key, value in data["relations"].items():
        start = key.split(".")[0]
        slots = value["slots"] if isinstance(value["slots"], list) else [str(i) for i in range(value["slots"])]
        relations[key] = Relation(key, start, value["to"], tuple(map(str, slots)), value["reach"])
    levels = {kind: {name: tuple(ends) for name, ends in sets.items()} for kind, sets in data["levels"].items()}
    return Mesh(data["mesh"], data["extra_half_levels"], data["per_vertex"], data["sets"], levels, relations)
