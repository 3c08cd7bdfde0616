"""Reads datasets of ADIOS2 with its own Python package, as docs/formats/adios2.md has them."""

from pathlib import Path

import numpy as np
import pytest

adios2 = pytest.importorskip("adios2", reason="ADIOS2 is not installed")

NAMES = "__xarray_dimensions__"
GROWING = "__unlimited_dimensions__"


def has_blosc() -> bool:
    """Whether the library was built with this operator; that of the wheel was not."""
    try:
        adios2.Adios().define_operator("own", "blosc")
    except Exception:  # of whatever kind: it has it or not
        return False
    return True


def attributes_of(file) -> dict[str, object]:
    """By full name: numbers and texts, or arrays of them."""
    found = {}
    for name, about in file.available_attributes().items():
        found[name] = file.read_attribute_string(name) if about["Type"] == "string" else file.read_attribute(name)
    return found


def records_by_step(path: Path) -> dict[str, list[np.ndarray]]:
    """Of each variable, what each step that has it holds. (Asked for a step of a whole file, ADIOS2 2.12 tells wrong
    shapes in BP4, where steps are not all of the same size.)"""
    found: dict[str, list[np.ndarray]] = {}
    with adios2.Stream(str(path), "r") as stream:
        while stream.begin_step(timeout=0.0) == adios2.bindings.StepStatus.OK:  # no waiting for a writer that is gone
            for name in stream.available_variables():
                shape = stream.inquire_variable(name).shape()
                values = stream.read(name, start=[0] * len(shape), count=shape) if shape else stream.read(name)
                found.setdefault(name, []).append(np.asarray(values).reshape(shape))
            stream.end_step()
    return found


def read(path: Path) -> tuple[dict[str, np.ndarray], dict[str, object]]:
    """Variables, growing ones along all steps, and attributes."""
    with adios2.FileReader(str(path)) as file:
        attributes = attributes_of(file)
    growing = attributes.get(GROWING, [])
    variables = {}
    for name, steps in records_by_step(path).items():
        dims = attributes.get(f"{name}/{NAMES}", [])
        variables[name] = np.concatenate(steps) if dims and dims[0] in growing else steps[-1]
    return variables, attributes
