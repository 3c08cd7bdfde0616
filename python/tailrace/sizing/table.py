"""The output of `tailrace plan`, as text and as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tailrace._text import bytes_text, percent_text, plural, seconds_text

from .choices import Choice
from .costs import Costs
from .predict import Prediction

HEADS = (
    "servers",
    "a node",
    "nodes",
    "keeps up",
    "margin",
    "stall",
    "lag",
    "memory",
    "time",
    "+/-",
    "node-hours",
    "limit",
)


def text_of(
    predictions: Sequence[Prediction],
    choice: Choice,
    lines: tuple[list[str], str] | None,
    costs: Costs,
    notes: Sequence[str],
) -> str:
    best = choice.best
    rows = [HEADS, *(_row(one) for one in predictions)]
    widths = [max(len(row[i]) for row in rows) for i in range(len(HEADS))]
    first = predictions[0]
    text = [
        f"{plural(first.layout.ranks, 'rank')}, {plural(first.steps, 'step')}; a step of the model takes "
        f"{seconds_text(costs.model.step(first.layout.ranks))}; a rank's buffer is {bytes_text(first.rank_memory)}",
        "",
    ]
    for row, one in zip(rows, [None, *predictions], strict=True):
        mark = "> " if one is best and best is not None else "  "
        text.append(mark + "  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True)).rstrip())
    text += ["", f"choice: {choice.reason}"]
    if lines:
        text += ["", *lines[0], f"with {lines[1]}"]
    if notes:
        text += ["", *(f"note: {note}" for note in notes)]
    return "\n".join(text)


def _row(one: Prediction) -> tuple[str, ...]:
    return (
        str(one.layout.servers),
        str(one.layout.per_node or "-"),
        str(one.layout.nodes),
        "yes" if one.keeps_up else "no",
        percent_text(one.margin) if one.margin >= 0 else f"-{percent_text(-one.margin)}",
        seconds_text(one.stall_seconds),
        seconds_text(one.lag_seconds),
        bytes_text(one.server_memory) + ("" if one.memory_suffices else "!"),
        seconds_text(one.seconds),
        percent_text(one.error),
        f"{one.node_hours:.3g}",
        one.limit,
    )


def page_of(
    predictions: Sequence[Prediction],
    choice: Choice,
    lines: tuple[list[str], str] | None,
    costs: Costs,
    notes: Sequence[str],
) -> dict[str, Any]:
    prices = {}
    for name in ("receive", "accumulate", "assemble", "message", "commit", "write", "put", "encode"):
        price = getattr(costs, name)
        if price is not None:
            prices[name] = {"seconds": price.value, "relative_error": price.error, "source": price.source}
    return {
        "schema": "tailrace-plan",
        "version": 1,
        "model": {
            "step_seconds": costs.model.step(predictions[0].layout.ranks),
            "fixed_seconds": costs.model.fixed,
            "shared_seconds": costs.model.shared,
            "relative_error": costs.model.error,
        },
        "costs": prices,
        "choices": [one.page() for one in predictions],
        "best": None if choice.best is None else choice.best.layout.servers,
        "reason": choice.reason,
        "batch": lines[0] if lines else [],
        "configuration": lines[1] if lines else None,
        "notes": list(notes),
    }


def memory_note(predictions: Sequence[Prediction]) -> list[str]:
    lacking = [one for one in predictions if not one.memory_suffices]
    if not lacking:
        return []
    worst = max(lacking, key=lambda one: one.option_bytes)
    return [
        f"! `servers: memory` is too small for {_counts(lacking)}: with {worst.layout.servers} it has to be "
        f"{bytes_text(worst.option_bytes)} or more"
    ]


def _counts(predictions: Sequence[Prediction]) -> str:
    numbers = [one.layout.servers for one in predictions]
    most = max(numbers)
    return plural(most, "server") if len(numbers) == 1 else f"{min(numbers)} to {most} servers"
