"""The configuration of the session: that of the user, and what YAC knows."""

from __future__ import annotations

import json
import os
from pathlib import Path
from urllib.parse import quote

from .definitions import Definitions
from .errors import CouplingError
from .own_files import FOLDER, make_room
from .request import Request

HEADING = "# Made by `tailrace serve --yac`: the configuration, and what it takes from YAC."
MODES = ("attached", "inline")


def check_mode(request: Request, option: str) -> None:
    """Each process has a part of the grids, so none can be a server alone."""
    mode = request.given.get("servers.mode")
    if mode and mode["value"] not in MODES:
        raise CouplingError(
            f"{mode['place']}  servers.mode: {mode['value']} cannot be used with {option}; expected attached or "
            "inline: the servers run in the processes of the component"
        )


def write_derived(request: Request, known: Definitions) -> Path:
    """Writes the file for the session, which includes the user's. Only one process calls it. Replaces the file of an
    earlier run of this component."""
    path = derived_path(request)
    make_room(path, HEADING)
    included = os.path.relpath(request.path, path.parent)
    lines = [HEADING, "tailrace: 1", f"include: [{json.dumps(included, ensure_ascii=False)}]"]
    time = {"calendar": known.calendar, "start": known.start_date.removesuffix(".000")}
    left = [f"{name}: {value}" for name, value in time.items() if f"model_time.{name}" not in request.given]
    if left:
        lines.append(f"model_time: {{{', '.join(left)}}}")
    with path.open("x", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")
    return path


def derived_path(request: Request) -> Path:
    return FOLDER / f"{quote(request.component, safe='')}.yaml"
