"""The numbers of servers that are compared, the cheapest of them, and its lines for a batch script."""

from __future__ import annotations

import math
import shlex
from collections.abc import Sequence
from dataclasses import dataclass

from tailrace._text import plural, seconds_text

from .errors import SizingError
from .predict import Layout, Prediction

EQUAL = 0.02  # relative: runs whose cost differs less are taken as equally cheap


def layouts(ranks: int, cores: int, server_cores: int, nodes: int | None, most: int) -> list[Layout]:
    """Fewer servers than nodes: 1, 2, 4, ...; then 1 to `most` on each node. Without `nodes`, a node has no more ranks
    and servers than cores, so the number of nodes grows with that of servers."""
    if server_cores > cores:
        raise SizingError(
            f"a node has {plural(cores, 'core')} by the machine's file, and a server takes {server_cores}, so that it "
            "has no room there; expected fewer `servers: threads`"
        )
    if nodes is None and ranks >= cores:
        return _growing(ranks, cores, server_cores, most)
    fixed = nodes or 1
    if fixed > ranks:
        raise SizingError(f"--nodes {fixed}: with {plural(ranks, 'rank')}; expected at most as many nodes as ranks")
    few = [Layout(ranks, count, fixed, None) for count in _powers_below(fixed)]
    return few + [Layout(ranks, fixed * each, fixed, each if fixed > 1 else None) for each in range(1, most + 1)]


def _growing(ranks: int, cores: int, server_cores: int, most: int) -> list[Layout]:
    found = []
    for servers in _powers_below(math.ceil(ranks / cores)):
        found.append(Layout(ranks, servers, math.ceil((ranks + servers * server_cores) / cores), None))
    for each in range(1, most + 1):
        left = cores - each * server_cores
        if left < 1:
            break
        nodes = math.ceil(ranks / left)
        found.append(Layout(ranks, nodes * each, nodes, each))
    # A server that takes a whole node leaves no rank there, and two nodes have no power of two below their number.
    return found or [Layout(ranks, 1, math.ceil((ranks + server_cores) / cores), None)]


def _powers_below(limit: int) -> list[int]:
    return [1 << power for power in range(limit.bit_length()) if 1 << power < limit]


@dataclass(frozen=True)
class Choice:
    best: Prediction | None
    reason: str


def cheapest(predictions: Sequence[Prediction], deadline: float | None) -> Choice:
    """The fewest node-hours within the deadline, and of equally cheap ones the fewest servers. A choice whose memory
    does not suffice is taken with the option that it needs."""
    in_time = [one for one in predictions if deadline is None or one.seconds <= deadline]
    if not in_time:
        fastest = min(predictions, key=lambda one: one.seconds)
        assert deadline is not None
        servers = plural(fastest.layout.servers, "server")
        return Choice(
            None,
            f"no choice ends within {seconds_text(deadline)}: the fastest, with {servers}, takes "
            f"{seconds_text(fastest.seconds)}; expected more ranks or a later deadline",
        )
    least = min(one.node_hours for one in in_time)
    equal = [one for one in in_time if one.node_hours <= (1.0 + EQUAL) * least]
    best = min(equal, key=lambda one: (one.layout.servers, one.node_hours))
    where = f" of those within {seconds_text(deadline)}" if deadline is not None else ""
    return Choice(best, f"the fewest node-hours{where}, and of equal ones the fewest servers")


def batch_lines(best: Prediction, config: str, server_cores: int) -> tuple[list[str], str]:
    """The two lines for a batch script of Slurm, and the section of the configuration that they need."""
    layout = best.layout
    tasks = layout.ranks + layout.servers
    on_node = math.ceil(tasks / layout.nodes)
    option = f"per_node: {layout.per_node}" if layout.per_node else f"count: {layout.servers}"
    threads = f", threads: {server_cores}" if server_cores > 1 else ""
    memory = "" if best.memory_suffices else f", memory: {math.ceil(best.option_bytes / 2**20)} MiB"
    return (
        [
            f"#SBATCH --nodes={layout.nodes} --ntasks={tasks} --ntasks-per-node={on_node}",
            f"tailrace run -n {tasks} {shlex.quote(config)} -- ./model",
        ],
        f"servers: {{mode: dedicated, {option}{threads}{memory}}}",
    )
