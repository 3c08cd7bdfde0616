"""Shows the effect of lossy compression on the variables of sample output: the work of `tailrace advise`."""

from .commands import advise

__all__ = ["advise"]
