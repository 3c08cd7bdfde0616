"""The prices of the parts of a run, fitted to the counters of reports, or else from the machine's figures.

Each price is the sum of the seconds of all reports over the sum of what they were spent on, so a long run counts more
than a short one. docs/guide/how_many_servers.md has the formulas and says how far they hold.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tailrace._text import plural

from .errors import SizingError
from .machine import Machine
from .workload import Variable

Report = dict[str, Any]

LEAST_ERROR = 0.05  # relative: two equal runs differ by as much
SINGLE = 0.15  # of a price that one report has: the spread between short runs that were compared
FROM_MACHINE = 0.35  # of a price that only the machine's figures have
WITHOUT_CODEC = 0.5  # of the compression of values that nobody has tried
# Files that shrink less are taken as not compressed: their headers are counted with them.
COMPRESSED = 1.02


@dataclass(frozen=True)
class Price:
    value: float  # seconds for each unit
    error: float  # relative
    source: str  # reports, or the machine

    def of(self, amount: float) -> float:
        return self.value * amount


@dataclass(frozen=True)
class Model:
    """The seconds of a step without output: `fixed` + `shared` / ranks."""

    fixed: float
    shared: float
    error: float
    ranks: tuple[int, ...]  # of the reports
    is_given: bool = False

    def step(self, ranks: int) -> float:
        return self.fixed + self.shared / ranks


@dataclass(frozen=True)
class Costs:
    receive: Price  # for each packet, on a server
    accumulate: Price  # for each byte that is put: sums, diagnostics, regridding
    assemble: Price  # for each byte of a record
    message: Price  # for each byte between servers
    commit: Price  # for each commit, on its home
    write: Price  # for each byte that is stored
    put: Price  # for each byte that is put, on its rank
    encode: Price | None  # for each byte of a compressed record; None: no report has compressed files
    ratios: dict[str, float]  # of compression, by the path of a file of the reports
    ratio: float | None  # of all their compressed files
    model: Model
    ready: float  # seconds
    notes: tuple[str, ...]

    def encoding(self, variable: Variable, machine: Machine) -> Price:
        """The price of the reports, where some file in them is compressed; otherwise that of the machine."""
        if variable.codec == "none":
            return Price(0.0, 0.0, "")
        if self.encode is not None:
            return self.encode
        if variable.codec not in machine.codecs:
            raise SizingError(
                f"the cost of codec {variable.codec} is not known: expected the report of a run that compresses, or "
                f"`codecs: {variable.codec}` in {machine.path}"
            )
        return Price(1.0 / machine.codecs[variable.codec].bytes_per_second, FROM_MACHINE, "the machine")

    def stored_share(self, path: str, variable: Variable, machine: Machine) -> float:
        """The share of the bytes of a record that is written."""
        if variable.codec == "none":
            return 1.0
        if (ratio := self.ratios.get(path) or self.ratio) is not None:
            return 1.0 / ratio
        return 1.0 / machine.codecs[variable.codec].ratio if variable.codec in machine.codecs else 1.0

    def compression_error(self, variable: Variable) -> float:
        """Relative, of what is written."""
        if variable.codec == "none":
            return 0.0
        return LEAST_ERROR if self.ratio is not None else WITHOUT_CODEC


def fit(reports: Sequence[Report], machine: Machine, component: str, step: float | None = None) -> Costs:
    """`step`: the seconds of a step without output, if the user knows them. Raises SizingError."""
    mine = [report for report in reports if any(c["component"] == component for c in report["clients"])]
    if not mine:
        known = sorted({client["component"] for report in reports for client in report["clients"]})
        raise SizingError(
            f'no report has component "{component}" (known: {", ".join(known) or "none"}); expected the report of a '
            "short run of this model"
        )
    totals = [_totals(report) for report in mine]
    commit, write = _commits(mine, machine)
    compressed = [file for report in mine for file in report["files"] if _is_compressed(file)]
    encode = _price([t["encode"] for t in totals], [t["compressed"] for t in totals]) if compressed else None
    ratios = {
        path: sum(f["raw_bytes"] for f in compressed if f["path"] == path)
        / sum(f["encoded_bytes"] for f in compressed if f["path"] == path)
        for path in {file["path"] for file in compressed}
    }
    stored = sum(f["encoded_bytes"] for f in compressed)
    # The codec `none` passes chunks on, which belongs to their assembly.
    assembled = [t["assemble"] + (0.0 if t["compressed"] else t["encode"]) for t in totals]
    copy = Price(2.0 / machine.memcpy, FROM_MACHINE, "the machine")
    return Costs(
        receive=_price([t["receive"] for t in totals], [t["packets"] for t in totals])
        or Price(1e-6, FROM_MACHINE, "a guess"),
        accumulate=_price([t["accumulate"] for t in totals], [t["bytes_in"] for t in totals]) or copy,
        assemble=_price(assembled, [t["raw"] for t in totals]) or copy,
        message=_price([t["message"] for t in totals], [t["sent"] for t in totals]) or copy,
        commit=commit,
        write=write,
        put=_price([t["put"] for t in totals], [t["bytes_in"] for t in totals]) or copy,
        encode=encode,
        ratios=ratios,
        ratio=sum(f["raw_bytes"] for f in compressed) / stored if stored else None,
        model=_model(mine, component, step),
        ready=max(client.get("ready_seconds", 0.0) for report in mine for client in report["clients"]),
        notes=tuple(_notes(mine, machine, component)),
    )


def step_seconds(reports: Sequence[Report], component: str) -> float | None:
    """The model time of a step, in the newest report with the component; None if none covers any model time."""
    for report in reversed(reports):
        for client in report["clients"]:
            if client["component"] == component and client["steps"] > 0 and client["model_time"] > 0:
                return client["model_time"] / client["steps"]
    return None


def _is_compressed(file: dict[str, Any]) -> bool:
    return file["encoded_bytes"] > 0 and file["raw_bytes"] > COMPRESSED * file["encoded_bytes"]


def _totals(report: Report) -> dict[str, float]:
    def phase(*names: str) -> float:
        return sum(
            server["phases"][name]["seconds"]
            for server in report["servers"]
            for name in names
            if name in server["phases"]
        )

    def counter(name: str) -> float:
        return float(sum(server[name] for server in report["servers"]))

    return {
        "receive": phase("receive"),
        "accumulate": phase("accumulate", "analyse", "regrid"),
        "assemble": phase("assemble"),
        "encode": phase("encode"),
        "message": phase("message"),
        "bytes_in": counter("bytes_in"),
        "packets": counter("packets_in"),
        "raw": counter("raw_bytes_out"),
        "sent": counter("message_bytes_sent"),
        "compressed": float(sum(file["raw_bytes"] for file in report["files"] if _is_compressed(file))),
        "put": sum(client["put_seconds"] - client["stall_seconds"] for client in report["clients"]),
    }


def _price(seconds: Sequence[float], amounts: Sequence[float]) -> Price | None:
    """None where nothing was spent on it."""
    pairs = [(spent, amount) for spent, amount in zip(seconds, amounts, strict=True) if amount > 0]
    if not pairs:
        return None
    value = max(0.0, sum(spent for spent, _ in pairs) / sum(amount for _, amount in pairs))
    return Price(value, _spread([spent / amount for spent, amount in pairs]), plural(len(pairs), "report"))


def _spread(values: Sequence[float]) -> float:
    if len(values) < 2:
        return SINGLE
    mean = sum(values) / len(values)
    return max(LEAST_ERROR, 0.5 * (max(values) - min(values)) / mean) if mean > 0 else LEAST_ERROR


def _commits(reports: Sequence[Report], machine: Machine) -> tuple[Price, Price]:
    """The cost of a commit and of a byte in it: seconds = a · commits + b · bytes, neither negative, over all files. If
    they cannot be separated, a byte costs what it costs on the machine, and the rest is for the commits."""
    rows = [
        (file["commits"], file["encoded_bytes"], file["write"]["seconds"])
        for report in reports
        for file in report["files"]
        if file["commits"] > 0
    ]
    by_machine = 1.0 / machine.disk.bytes_per_second
    if not rows:
        return (
            Price(machine.disk.commit_seconds, FROM_MACHINE, "the machine"),
            Price(by_machine, FROM_MACHINE, "the machine"),
        )
    commits, stored, seconds = (np.array(column, dtype=float) for column in zip(*rows, strict=True))
    a, b, source = 0.0, by_machine, "the machine"
    sizes = stored / commits
    timed = seconds > 0.0  # a relative error needs some time
    if timed.sum() > 1 and sizes[timed].max() > 4.0 * sizes[timed].min():
        amounts = np.column_stack([commits, stored])[timed]
        fitted = np.linalg.lstsq(amounts / seconds[timed, None], np.ones(len(amounts)), rcond=None)
        a, b = (float(value) for value in fitted[0])
        source = plural(len(reports), "report")
    if not (a >= 0.0 and b > 0.0) or source == "the machine":
        b = min(by_machine, float(seconds.sum() / max(1.0, stored.sum())))
        a, source = float(max(0.0, seconds.sum() - b * stored.sum()) / commits.sum()), "the machine"
    error = _spread([float(s / (a * n + b * e)) for n, e, s in rows if a * n + b * e > 0])
    return Price(a, error, plural(len(reports), "report")), Price(b, error, source)


def _model(reports: Sequence[Report], component: str, step: float | None) -> Model:
    """Seconds of a step outside Tailrace's calls, over the ranks of the component."""
    points: list[tuple[int, float]] = []
    for report in reports:
        clients = [c for c in report["clients"] if c["component"] == component and c["steps"] > 0]
        if not clients:
            continue
        own = [
            c["run_seconds"]
            - c["put_seconds"]
            - c["step_seconds"]
            - c.get("checkpoint_seconds", 0.0)
            - c.get("get_seconds", 0.0)
            for c in clients
        ]
        points.append((len(clients), max(0.0, sum(own)) / sum(c["steps"] for c in clients)))
    ranks = tuple(sorted({count for count, _ in points}))
    if step is not None:
        return Model(step, 0.0, LEAST_ERROR, ranks, is_given=True)
    if not points:
        raise SizingError(
            f'no report of component "{component}" has a step, so the time of a step is not known: expected the '
            "report of a run that went on to its end (`tailrace plan --step SECONDS` needs none)"
        )
    points = [one for one in points if one[1] > 0.0] or points  # a relative error needs some time
    if len({count for count, _ in points}) == 1 or points[0][1] == 0.0:
        shared = [count * seconds for count, seconds in points]
        return Model(0.0, sum(shared) / len(shared), _spread(shared), ranks)
    counts, seconds = (np.array(column, dtype=float) for column in zip(*points, strict=True))
    rows = np.column_stack([np.ones(len(points)), 1.0 / counts]) / seconds[:, None]
    fixed, shared = (float(value) for value in np.linalg.lstsq(rows, np.ones(len(points)), rcond=None)[0])
    if fixed < 0.0 or shared < 0.0:  # the nearest of the two that has a meaning
        fixed, shared = (0.0, float(np.mean(seconds * counts))) if fixed < 0.0 else (float(np.mean(seconds)), 0.0)
    made = Model(fixed, shared, 0.0, ranks)
    off = max(abs(made.step(count) / second - 1.0) for count, second in points)
    return Model(fixed, shared, max(LEAST_ERROR, off), ranks)


def _notes(reports: Sequence[Report], machine: Machine, component: str) -> list[str]:
    notes = []
    for report in reports:
        on_node: Counter[str] = Counter()
        for client in report["clients"]:
            on_node[client["host"]] += 1
        if report["run"]["mode"] == "dedicated":
            for server in report["servers"]:
                on_node[server["host"]] += 1
        name, most = max(on_node.items(), key=lambda one: one[1], default=("", 0))
        if most > machine.cores:
            notes.append(
                f"a report has {most} ranks on {name}, which has {plural(machine.cores, 'core')} by {machine.path}: "
                "its times contain waits for a core, and predictions are too slow. Expected the report of a run with "
                "fewer ranks"
            )
        if report["run"]["outcome"] != "complete":
            notes.append(f"a report is of a run that did not complete: {report['run']['outcome']}")
    if len({sum(c["component"] == component for c in report["clients"]) for report in reports}) < 2:
        notes.append(
            "all reports have the same number of ranks, so the model is taken to scale perfectly: a report with "
            "another number, or --step SECONDS, tells how it does"
        )
    return notes
