"""Operators in Python that remember earlier steps: one for each cell, and one for the whole field."""

import numpy as np
from tailrace.operators import operator


@operator
def change(a, state):
    """The change since the value two steps before; missing if there is none."""
    past = state["past"]
    older = past[0].copy()
    past[0], past[1] = past[1], a
    return a - older


@operator
def rises(a, state):
    """The number of steps at which the sum was higher than at the step before."""
    total = np.sum(a)
    state["count"] += total > state["total"]  # which is NaN at the first step
    state["total"] = total
    return state["count"]
