"""The work of `tailrace advise`."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from ..weights.placing import check_place, folder_beside, put
from .errors import AdviceError
from .samples import samples_of
from .table import json_of, text_of
from .trials import BOUNDS, CODECS, bound_of, check_bounds, tried


def advise(
    files: Sequence[Path],
    keep: Sequence[str] = (),
    codecs: Sequence[str] = (),
    variables: Sequence[str] = (),
    picture: Path | None = None,
    output: Path | None = None,
    force: bool = False,
) -> str:
    """The table, and the lines for a configuration. Writes nothing but `picture` and `output` (JSON)."""
    for path in (picture, output):
        if path is not None:
            check_place(path, force, files)
            _check_outside(path, files)
    if picture is not None and picture == output:
        raise AdviceError(f"{picture}: is the file of --picture and of --output; expected two files")
    bounds = [bound_of(text) for text in keep] or list(BOUNDS)
    chosen = list(codecs) or list(CODECS)
    check_bounds(bounds, chosen)
    all_advice = [tried(sample, bounds, chosen) for path in files for sample in samples_of(path, variables)]
    if picture is not None:
        from .picture import draw

        with folder_beside(picture) as folder:
            draw(all_advice, folder / picture.name, picture)
            put(folder / picture.name, picture, force)
    if output is not None:
        with folder_beside(output) as folder:
            (folder / output.name).write_text(json.dumps(json_of(all_advice), indent=1) + "\n", encoding="utf-8")
            put(folder / output.name, output, force)
    return text_of(all_advice, bounds)


def _check_outside(path: Path, files: Sequence[Path]) -> None:
    """A store that is read must not get a file of ours."""
    for file in files:
        if file.is_dir() and file.resolve() in path.resolve().parents:
            raise AdviceError(f"{path}: is in {file}, which is read; expected another place")
