"""Reads ADIOS2 datasets in the form of docs/formats/adios2.md, with ADIOS2's Python package."""

from pathlib import Path

import numpy as np
import pytest

adios2 = pytest.importorskip("adios2", reason="ADIOS2 is not installed")

NAMES = "__xarray_dimensions__"
GROWING = "__unlimited_dimensions__"


def has_blosc() -> bool:
    """Whether the library was built with this operator, unlike that of the wheel."""
    try:
        adios2.Adios().define_operator("own", "blosc")
    except Exception:  # any exception means that it lacks the operator
        return False
    return True


def attributes_of(file) -> dict[str, object]:
    """Attributes by full name: numbers and texts, or arrays of them."""
    found = {}
    for name, about in file.available_attributes().items():
        found[name] = file.read_attribute_string(name) if about["Type"] == "string" else file.read_attribute(name)
    return found


def records_by_step(path: Path) -> dict[str, list[np.ndarray]]:
    """The values of each variable in each step that has it. (For single steps of an open file ADIOS2 2.12 reports wrong
    shapes in BP4 if the sizes of steps differ.)"""
    found: dict[str, list[np.ndarray]] = {}
    with adios2.Stream(str(path), "r") as stream:
        while stream.begin_step(timeout=0.0) == adios2.bindings.StepStatus.OK:  # do not wait for a writer
            for name in stream.available_variables():
                shape = stream.inquire_variable(name).shape()
                values = stream.read(name, start=[0] * len(shape), count=shape) if shape else stream.read(name)
                found.setdefault(name, []).append(np.asarray(values).reshape(shape))
            stream.end_step()
    return found


def read(path: Path) -> tuple[dict[str, np.ndarray], dict[str, object]]:
    """Variables, concatenated over all steps if they grow, and attributes."""
    with adios2.FileReader(str(path)) as file:
        attributes = attributes_of(file)
    growing = attributes.get(GROWING, [])
    variables = {}
    for name, steps in records_by_step(path).items():
        dims = attributes.get(f"{name}/{NAMES}", [])
        variables[name] = np.concatenate(steps) if dims and dims[0] in growing else steps[-1]
    return variables, attributes
