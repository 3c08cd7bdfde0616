"""Where a kernel needs values that other ranks have, for code with MPI.

Each point belongs to one rank, which alone computes its values; a loop runs over the rank's own points of its set. So
an own point has the value of a run on one rank at any time, and a value at a neighbour has it after an exchange that
follows its last write. An exchange is due before the first loop that reads a field at a neighbour after a write, or
for the first time; what a kernel does not write before joins its first exchange. Fields that no kernel of the file
writes or names in `exchange`, and that have no levels or have values at neighbours, are geometry: their halo is the
caller's, once.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from .analysis import Analysis
from .messages import StencilError
from .nodes import Beyond, Field, Foreach
from .places import Branches, Facts, Loop


@dataclass
class Exchanges:
    """before: by the id of a foreach or a statement `exchange`, the fields that are exchanged for it. geometry: fields
    whose halo the caller fills."""

    before: dict[int, list[Field]] = field(default_factory=dict)
    geometry: set[str] = field(default_factory=set)

    @property
    def fields(self) -> set[str]:
        return {found.name for fields in self.before.values() for found in fields}

    def of(self, node: Foreach | Beyond) -> list[Field]:
        return self.before.get(id(node), [])


class Search:
    def __init__(self, analysis: Analysis, facts: Facts):
        self.facts, self.result = facts, Exchanges()
        self.changing = set().union(*(changing(one) for one in analysis.kernels))
        self.fresh: set[str] = set()  # fields whose halo has the values of their owners
        self.touched: set[str] = set()  # fields that were written
        self.first: Foreach | Beyond | None = None  # the first exchange, outside of branches
        self.depth = 0  # of branches
        self.waiting: dict[str, Beyond] = {}  # statements `exchange` of fields that nothing has read since

    def run(self) -> Exchanges:
        self.order(self.facts.order)
        return self.result

    def order(self, order: list[Loop | Beyond | Branches]):
        """A statement `exchange` waits for the first loop that reads the field, which then computes meanwhile. Where
        there is none before the next write or the end, the exchange is where the statement is."""
        for step in order:
            if isinstance(step, Branches):
                self.settle(set(self.waiting))
                self.branches(step)
            elif isinstance(step, Loop):
                self.loop(step)
            elif step.word == "exchange":
                self.waiting |= {name.name: step for name in step.fields if name.name not in self.fresh}
        self.settle(set(self.waiting))

    def settle(self, names: set[str]):
        for name in sorted(names & set(self.waiting)):
            self.exchange(self.waiting[name], {name: self.facts.fields[name]})

    def branches(self, step: Branches):
        before, ends = self.fresh, []
        self.depth += 1
        for order in (step.yes, step.no):
            self.fresh = set(before)
            self.order(order)
            ends.append(self.fresh)
        self.depth -= 1
        self.fresh = ends[0] & ends[1]

    def loop(self, loop: Loop):
        wanted = {}
        for use in loop.uses:
            if use.point is None or not use.point.steps:
                continue
            found, name = use.field, use.field.name
            if name not in self.changing and (found.kind is None or found.relation):
                self.result.geometry.add(name)
            elif found.relation:
                raise StencilError(
                    use.at,
                    f'"{name}" is written, and read at a neighbour: code with MPI would have to send its values at '
                    "neighbours, which no exchange does; expected a field of points",
                )
            else:
                wanted[name] = found
        self.exchange(loop.foreach, wanted)
        written = {use.field.name for use in loop.uses if use.write}
        self.settle(written)
        self.fresh -= written
        self.touched |= written

    def exchange(self, node: Foreach | Beyond, wanted: dict[str, Field]):
        """A field that has not been written yet joins the first exchange of the kernel: one message instead of two."""
        stale = [found for name, found in wanted.items() if name not in self.fresh]
        if stale and self.depth == 0 and self.first is None:
            self.first = node
        for found in stale:
            joins = self.depth == 0 and found.name not in self.touched
            self.result.before.setdefault(id(self.first if joins else node), []).append(found)
        self.fresh |= set(wanted)
        for name in wanted:
            self.waiting.pop(name, None)


def changing(facts: Facts) -> set[str]:
    """Fields that a kernel writes, or names in `exchange`."""
    names = {use.field.name for loop in facts.loops for use in loop.uses if use.write}
    named = (step for step in facts.steps if isinstance(step, Beyond) and step.word == "exchange")
    return names | {name.name for step in named for name in step.fields}


def find(analysis: Analysis, facts: Facts) -> Exchanges:
    """Raises StencilError for a kernel that needs what no exchange sends."""
    return Search(analysis, facts).run()


def most_steps(analysis: Analysis) -> int:
    """Steps to neighbours that a part's halo must have for all kernels of a file."""
    uses = (use for facts in analysis.kernels for loop in facts.loops for use in loop.uses)
    return max((len(use.point.steps) for use in uses if use.point), default=0)
