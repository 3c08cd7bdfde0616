"""Tailrace as a component of a run that YAC couples: `tailrace serve --yac COUPLING CONFIG`.

Each process of the component is a rank of a virtual model whose servers run in the same processes (mode attached). It
gets what other components put, at their coupling times, and puts that into a session of Tailrace; what they get comes
from `input`. So the pipeline of the servers knows nothing of YAC.
"""

from .component import serve

__all__ = ["serve"]
