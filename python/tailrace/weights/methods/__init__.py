"""Rows of weights by method: those that are simple by construction are made here, the others by YAC or CDO."""

from .choose import METHODS, Made, make_rows, rows_of_others

__all__ = ["METHODS", "Made", "make_rows", "rows_of_others"]
