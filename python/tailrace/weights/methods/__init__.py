"""Rows of weights by method. What is simple by construction is made here, the rest by YAC or CDO."""

from .choose import METHODS, Made, make_rows

__all__ = ["METHODS", "Made", "make_rows"]
