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


def read_records(file, name: str, about: dict) -> np.ndarray:
    """Of all steps, one behind the other."""
    variable = file.inquire_variable(name)
    steps = []
    for step in range(int(about["AvailableStepsCount"])):
        variable.set_step_selection([step, 1])
        shape = list(variable.shape(step))
        if shape:
            variable.set_selection([[0] * len(shape), shape])
        steps.append(np.asarray(file.read(variable)).reshape(shape))
    return steps


def read(path: Path) -> tuple[dict[str, np.ndarray], dict[str, object]]:
    """Variables, growing ones along all steps, and attributes."""
    with adios2.FileReader(str(path)) as file:
        attributes = attributes_of(file)
        growing = attributes.get(GROWING, [])
        variables = {}
        for name, about in file.available_variables().items():
            dims = attributes.get(f"{name}/{NAMES}", [])
            steps = read_records(file, name, about)
            variables[name] = np.concatenate(steps) if dims and dims[0] in growing else steps[-1]
        return variables, attributes
