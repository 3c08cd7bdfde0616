"""How a function becomes a sink of records."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import TypeVar

NO_LOOPS = (inspect.isgeneratorfunction, inspect.iscoroutinefunction, inspect.isasyncgenfunction)
Function = TypeVar("Function", bound=Callable)


def sink(function: Function) -> Function:
    """Marks the function of an action (`in_situ:` of the configuration) as a sink: an output service of the user's own.

    A sink is called once, with an iterator over all records, each an xarray Dataset; without the decorator the function
    is called for each record. So a sink can open something, add each record to it, and close it when the run is over:

        @tailrace.sink
        def archive(records):
            with open("archive.txt", "w") as file:
                for record in records:
                    print(record.time.values[0], float(record.h.max()), file=file)

    `archive(tailrace.stream("wave.nc"))` does the same with the records of a file or a stream.
    """
    if any(is_other(function) for is_other in NO_LOOPS):
        raise TypeError(f"the sink {function.__name__} has a `yield` or is `async`; expected a function with a loop")
    function.is_sink = True  # type: ignore[attr-defined]
    return function
