"""Whose turn it is among the steps that a reader asks for."""

from dataclasses import dataclass


@dataclass
class Turn:
    """Counts the steps with a record of a field that is asked for. Of those behind `left_out` each `every`-th is given:
    whoever has got n steps one by one goes on behind n."""

    left_out: int = 0
    every: int = 1
    number: int = 0  # of the step whose turn it may be

    def has_come(self) -> bool:
        return self.number >= self.left_out and (self.number - self.left_out) % self.every == 0

    def go_on(self) -> None:
        self.number += 1
