"""The work of `tailrace plan` and of `tailrace check --machine`."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tailrace._json import finite
from tailrace._text import plural, seconds_text
from tailrace.report.facts import ReportError, load
from tailrace.weights.placing import check_place, folder_beside, put

from . import machine as machines
from .choices import batch_lines, cheapest, layouts
from .costs import Costs, Report, fit, step_seconds
from .damage import lacking
from .errors import SizingError
from .machine import Machine
from .predict import Layout, Prediction, predict
from .table import memory_note, page_of, text_of
from .workload import Workload, followed, workload_of

MOST_STEPS = 1e15  # of a run; they are counted in floating-point numbers too


@dataclass(frozen=True)
class Request:
    config: Path
    declared: Path
    machine: Path
    ranks: int
    reports: Sequence[Path] = ()
    options: Mapping[str, str] = field(default_factory=dict)
    length: float | None = None  # seconds of model time
    deadline: float | None = None  # seconds of wall clock
    nodes: int | None = None
    most: int = 8
    step: float | None = None  # seconds of wall clock
    twin: bool = False  # times, stalls and lags by replaying the runs


@dataclass(frozen=True)
class Sized:
    workload: Workload
    costs: Costs
    machine: Machine
    steps: int
    predictions: tuple[Prediction, ...]
    notes: tuple[str, ...]


def plan(
    request: Request,
    *,
    as_json: bool = False,
    plot: Path | None = None,
    force: bool = False,
) -> str:
    inputs = [request.config, request.declared, request.machine, *request.reports]
    if plot is not None:
        check_place(plot, force, inputs)
        _check_format(plot)
    sized = size(request)
    choice = cheapest(sized.predictions, request.deadline)
    cores = max(1, sized.workload.threads)
    lines = batch_lines(choice.best, str(request.config), cores) if choice.best else None
    notes = [*sized.notes, *memory_note(sized.predictions)]
    if plot is not None:
        from .picture import draw

        with folder_beside(plot) as folder:
            draw(sized.predictions, choice, request.deadline, folder / plot.name, plot)
            put(folder / plot.name, plot, force)
    if as_json:
        return json.dumps(finite(page_of(sized.predictions, choice, lines, sized.costs, notes)), indent=1)
    return text_of(sized.predictions, choice, lines, sized.costs, notes)


def size(request: Request) -> Sized:
    """Raises SizingError, and tailrace.Error with the mistakes of the configuration."""
    machine = machines.read(request.machine)
    component = component_of(request.declared)
    reports = reports_of(request.declared, request.reports)
    costs = fit(reports, machine, component, request.step)
    model_step = step_seconds(reports, component)
    if model_step is None:
        raise SizingError(
            f'no report says how long a step of component "{component}" is in model time; expected the report of a run '
            "of at least one step"
        )
    steps = steps_of(request.length, model_step, reports, component)
    declared = _workload(request, 1, model_step, [1])
    if not declared.is_dedicated:
        raise SizingError(
            f"{request.config}: `servers: mode` is not dedicated, so there is no number of servers to choose; expected "
            "mode: dedicated (what was measured in another mode serves as a report)"
        )
    places = layouts(request.ranks, machine.cores, max(1, declared.threads), request.nodes, request.most)
    places = [one for one in places if one.servers <= request.ranks]
    workload = _workload(request, steps, model_step, [one.servers for one in places])
    predictions = tuple(predict(workload, costs, machine, one, steps) for one in places)
    notes = _notes(workload, costs, machine, steps)
    if request.twin:
        from .twin.replay import replay

        twins = [replay(workload, costs, machine, one, steps) for one in places]
        predictions = tuple(one.replayed(twin) for one, twin in zip(predictions, twins, strict=True))
        least = min(twin.steps for twin in twins)
        notes.append("times, stalls and lags are those of the twin")
        if least < steps:
            notes.append(f"the twin replayed {least} steps or more of {steps}, and took the others to be like them")
    return Sized(workload, costs, machine, steps, predictions, tuple(notes))


def _workload(request: Request, steps: int, model_step: float, servers: Sequence[int]) -> Workload:
    return workload_of(
        request.config,
        request.declared,
        steps=steps,
        step_seconds=model_step,
        ranks=request.ranks,
        servers=servers,
        options=request.options,
    )


def reports_of(declared: Path, given: Sequence[Path]) -> list[Report]:
    """Those that were given, else the one beside the declarations. Raises SizingError."""
    paths = list(given) or [declared.parent / "report.json"]
    found = []
    for path in paths:
        try:
            report = load(path)
        except ReportError as error:
            hint = "" if given else f" Expected a report beside {declared} (`tailrace plan --report` names another)."
            raise SizingError(f"{error}{hint}") from None
        if not report.get("clients") or not report.get("servers"):
            raise SizingError(f"{path}: is the report of a run without ranks or servers, which says nothing of costs")
        if (what := lacking(report)) is not None:
            raise SizingError(f"{path}: is damaged, or of another Tailrace: {what}; expected the report of a new run")
        found.append(report)
    return found


def component_of(declared: Path) -> str:
    """Raises SizingError."""
    try:
        page = json.loads(declared.read_text(encoding="utf-8"))
        if page["schema"] != "tailrace-declared":
            raise ValueError
        return str(page["component"])
    except (OSError, ValueError, KeyError, TypeError):
        raise SizingError(
            f"{declared}: is not the declarations of a model; expected declared.COMPONENT.json of a report directory"
        ) from None


def steps_of(length: float | None, model_step: float, reports: Sequence[Report], component: str) -> int:
    """The number of steps of the run that is planned: by its length, else that of the newest report."""
    if length is not None:
        steps = length / model_step
        if steps > MOST_STEPS:
            raise SizingError(
                f"--length: a run of {length:.3g} s has {steps:.3g} steps of {seconds_text(model_step)}; expected "
                f"{MOST_STEPS:.0e} of them at most"
            )
        return max(1, math.ceil(steps - 1e-9))
    for report in reversed(reports):
        steps = max((c["steps"] for c in report["clients"] if c["component"] == component), default=0)
        if steps > 0:
            return int(steps)
    raise SizingError(
        f'no report has a step of component "{component}"; expected the report of a longer run (`tailrace plan '
        "--length` needs none)"
    )


def check_servers(
    config: Path, declared: Path, machine: Path, ranks: int | None, options: Mapping[str, str]
) -> list[str]:
    """The warnings of `tailrace check --machine`: none where the servers of the configuration, as it is, keep up.
    `ranks`: by default those, and the nodes, of the report beside the declarations."""
    nodes = None
    if ranks is None:
        component = component_of(declared)
        (report,) = reports_of(declared, ())
        mine = [client for client in report["clients"] if client["component"] == component]
        ranks, nodes = max(1, len(mine)), max(1, len({client["host"] for client in mine}))
    request = Request(config, declared, machine, ranks, options=options, nodes=nodes, most=1)
    sized = size(request)
    layout = _layout_of(sized.workload, ranks, nodes, sized.machine)
    if layout is None:
        return ["`servers: per_domain`: the number of NUMA domains of a node is not known, so it is not checked"]
    workload = _workload(request, sized.steps, sized.workload.step_seconds, [layout.servers])
    found = predict(workload, sized.costs, sized.machine, layout, sized.steps)
    return [*_too_many(sized.workload, layout), *_warnings(found, sized.costs)]


def _layout_of(workload: Workload, ranks: int, nodes: int | None, machine: Machine) -> Layout | None:
    """That of the configuration; None where it depends on the domains of a node. Without `nodes` each rank and server
    has cores of its own."""
    if workload.per_domain:
        return None
    each, cores = workload.per_node, max(1, workload.threads)
    if nodes is None and each:
        nodes = math.ceil(ranks / max(1, machine.cores - each * cores))
    elif nodes is None:
        nodes = math.ceil((ranks + workload.count * cores) / machine.cores)
    nodes = min(nodes, ranks)
    return Layout(ranks, min(ranks, nodes * each if each else workload.count), nodes, each or None)


def _too_many(workload: Workload, layout: Layout) -> list[str]:
    wanted = layout.nodes * workload.per_node if workload.per_node else workload.count
    if wanted <= layout.ranks:
        return []
    option = "per_node" if workload.per_node else "count"
    return [
        f"`servers: {option}` asks for {plural(wanted, 'server')} for {plural(layout.ranks, 'rank')}; expected at most "
        f"one for each rank, so {layout.servers} of them are checked"
    ]


def _warnings(found: Prediction, costs: Costs) -> list[str]:
    crowded = [note for note in costs.notes if note.startswith("a report")]
    if found.keeps_up:
        return crowded
    layout = found.layout
    return [
        f"{plural(layout.servers, 'server')} cannot keep up with {plural(layout.ranks, 'rank')} on this machine: the "
        f"busiest needs {seconds_text(found.server_seconds)} for what the model puts in "
        f"{seconds_text(found.loop_seconds - found.stall_seconds)}, mostly to {_largest(found)}; {_wait(found)}. "
        "Expected more servers "
        "(`tailrace plan` says how many), fewer records, or less compression",
        *crowded,
    ]


def _wait(found: Prediction) -> str:
    if found.stall_seconds > 0.0:
        return f"the model would wait {seconds_text(found.stall_seconds)}"
    return f"the buffers have room for the rest, which takes {seconds_text(found.finish_seconds)} after the last step"


def _largest(found: Prediction) -> str:
    words = {"message": "exchange it between servers", "write": "write it", "encode": "compress it"}
    part = max(found.parts, key=lambda name: found.parts[name])
    return words.get(part, f"{part} it")


def _notes(workload: Workload, costs: Costs, machine: Machine, steps: int) -> list[str]:
    notes = list(costs.notes)
    codecs = {v.codec for file in workload.files for v in file.variables} - {"none"}
    if codecs and costs.encode is None:
        names = ", ".join(sorted(codecs))
        notes.append(
            f"no report has compressed files: speed and ratio of {names} are those of {machine.path}, for values that "
            "may compress quite differently (`tailrace advise` tells it for yours)"
        )
    if workload.is_fed:
        notes.append("the configuration has inputs: what the servers read is not counted")
    if workload.files and any(file.gathers for file in workload.files):
        notes.append("files without `write_every` commit less often when servers are behind, which is not counted")
    if steps > followed(steps):
        notes.append(
            f"the first {followed(steps)} of {steps} steps were followed, and the others taken to be like them"
        )
    return notes


def _check_format(plot: Path) -> None:
    from matplotlib.backend_bases import FigureCanvasBase

    known = FigureCanvasBase.get_supported_filetypes()
    suffix = plot.suffix[1:].lower() or "png"
    if suffix not in known:
        raise SizingError(f"{plot}: expected the suffix of a picture, such as .png, .svg or .pdf")
