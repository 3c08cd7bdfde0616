"""How a function becomes a source of input."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

Function = TypeVar("Function", bound=Callable)


def input_source(function: Function) -> Function:
    """Marks a function as a source of input (`source: {python: file.py:function}` of the configuration).

    It takes the name of a file of the configuration, and returns an xarray Dataset, whose values are loaded when a
    record needs them; or it yields the records one after the other, in the order of their times: each an xarray
    Dataset, a DataArray with a name, or a pair of a time and arrays by name, `(time, {"tas": array})`.
    """
    function.is_input_source = True  # type: ignore[attr-defined]
    return function
