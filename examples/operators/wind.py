"""Operators in Python: one cell by cell, one that needs columns whole, one with a dimension of its own."""

import numpy as np
from tailrace.operators import operator


@operator
def wind_speed_py(u, v):
    return np.hypot(u, v)


@operator
def column_median(a):
    """The median over the first dimension."""
    return np.median(a, axis=0)


@operator
def edges(a):
    """The lowest and the highest level."""
    return np.stack([a[0], a[-1]])
