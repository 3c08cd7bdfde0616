"""Operators of one's own in Python: functions over NumPy arrays that the expressions of a configuration call.

    from tailrace.operators import operator

    @operator
    def wind_speed(u, v):
        return np.hypot(u, v)

    operators:
      wind_speed: {python: mine.py, arguments: 2, result: {dims: same, units: m s-1}}

The servers call the function with read-only float64 arrays over their own memory, which it must not keep. It returns an
array of numbers of the declared shape. If it raises an exception, the diagnostic is missing at that step, and the
exception is the reported reason.

An operator that remembers earlier steps declares its state and takes one more argument, `state`: a dict with an array
for each name, which it may read and change.

    @operator
    def peak(a, state):
        state["highest"] = np.fmax(state["highest"], a)
        return state["highest"]

    operators:
      peak: {python: mine.py, state: {highest: {dims: same}}, result: {dims: same, units: same}}
"""

import functools
import inspect

import numpy as np


def operator(function):
    """Marks a function as an operator, and checks its calls outside of servers as a server does: use it in tests."""
    parameters = inspect.signature(function).parameters.values()
    usual = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    odd = [one.name for one in parameters if one.kind not in usual and one.name != "state"]
    if odd:
        raise TypeError(f"operator {function.__name__}: arguments are positional only, but {odd[0]} is not")

    @functools.wraps(function)
    def checked(*arrays, **state):
        given = [_read_only(array) for array in arrays]
        result = np.asarray(function(*given, **state))
        if result.dtype.kind not in "buif":
            raise TypeError(f"{function.__name__} returned values of type {result.dtype}; expected numbers")
        return result

    return checked


def _read_only(array) -> np.ndarray:
    view = np.asarray(array, dtype=np.float64, order="C").view()
    view.flags.writeable = False
    return view
