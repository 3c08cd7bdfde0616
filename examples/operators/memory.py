"""Operators in Python that remember: one of each cell, and one of the whole field."""

import numpy as np
from tailrace.operators import operator


@operator
def change(a, state):
    """From the value two steps before; missing where there is none."""
    past = state["past"]
    older = past[0].copy()
    past[0], past[1] = past[1], a
    return a - older


@operator
def rises(a, state):
    """At how many steps the sum was higher than at the step before."""
    total = np.sum(a)
    state["count"] += total > state["total"]  # which is NaN at the first step
    state["total"] = total
    return state["count"]
