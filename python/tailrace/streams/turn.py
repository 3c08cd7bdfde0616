"""Decides which steps a reader gets."""

from dataclasses import dataclass


@dataclass
class Turn:
    """Counts the steps that have a record of a requested field. Behind `left_out` steps, every `every`-th one is given.
    A reader that has got n steps one by one can therefore continue with `start=n`."""

    left_out: int = 0
    every: int = 1
    number: int = 0  # of the step whose turn it may be

    def has_come(self) -> bool:
        return self.number >= self.left_out and (self.number - self.left_out) % self.every == 0

    def go_on(self) -> None:
        self.number += 1
