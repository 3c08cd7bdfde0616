"""Makes weights for servers: `python -m tailrace.weights.maker REQUEST.json`.

The request says what to do ("make" a slice of the rows, or "join" slices into the file), for which grids, and where.
Nothing is printed. Exit status 0: the file `out` is whole. 1: the file `error` has the text for the user.
docs/formats/weights.md describes the request.
"""

from __future__ import annotations

import contextlib
import json
import signal
import sys
import tempfile
import traceback
from pathlib import Path
from typing import Any

from .errors import WeightsError
from .lifetime import end_with_parent


def carry_out(request: dict[str, Any]) -> None:
    match request.get("do"):
        case "make":
            _make(request)
        case "join":
            from .joining import join

            join([Path(path) for path in request["slices"]], Path(request["out"]), request["digest"])
        case other:
            raise WeightsError(f"there is no request {other!r} (known: make, join)")


def _make(request: dict[str, Any]) -> None:
    from .canonical import Header, write
    from .grids import Healpix
    from .methods import make_rows, rows_of_others
    from .requests import grid_of

    source, target = grid_of(request["source"], "source"), grid_of(request["target"], "target")
    if isinstance(source, Healpix) and isinstance(target, Healpix):
        source.equal = target.equal = True  # their rows are made of parents and children
    part, parts = request.get("slice") or (0, 1)
    first, count = target.share(part, parts)
    if request.get("weights"):
        made, map_method = rows_of_others(Path(request["weights"]), source, target, first, count)
    else:
        made, map_method = make_rows(source, target, request["method"], first, count), ""
    header = Header(request["method"], request["digest"], made.made_by, map_method)
    write(Path(request["out"]), source, target, made.rows, header, part=part)


def main(arguments: list[str]) -> int:
    request: dict[str, Any] = {}
    try:
        request = json.loads(Path(arguments[0]).read_text(encoding="utf-8"))
        carry_out(request)
        return 0
    except WeightsError as error:
        text = str(error)
    except MemoryError:
        text = "there is not enough memory to make weights"
    except Exception as error:  # of a library, or our own mistake: the last lines of the traceback say where
        place = traceback.extract_tb(error.__traceback__)[-1]
        text = f"{type(error).__name__}: {error} ({Path(place.filename).name}:{place.lineno})"
    if "error" not in request:
        print(f"tailrace.weights.maker: {text}", file=sys.stderr)
        return 1
    Path(request["error"]).write_text(text, encoding="utf-8")
    return 1


def serve(arguments: list[str]) -> int:
    """main() in a process of its own. Temporary files lie beside the result, in a folder that the server removes even
    if this process is killed."""
    with contextlib.suppress(OSError, ValueError, LookupError, TypeError):  # main() says what is wrong with the request
        request = json.loads(Path(arguments[0]).read_text(encoding="utf-8"))
        tempfile.tempdir = str(Path(request["out"]).parent)
        end_with_parent(request["parent"])
    return main(arguments)


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(128 + number))  # removes temporary files
    sys.exit(serve(sys.argv[1:]))
