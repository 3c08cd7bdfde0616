"""The files that a coupled run makes for itself: what YAC knows, and the configurations of sessions."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

from .errors import CouplingError

FOLDER = Path(".tailrace/yac")


def make_room(path: Path, sign: str) -> None:
    """Makes the folder, and removes the file of an earlier run, in which there is `sign`, or nothing if that run was
    killed. Raises CouplingError for what is not ours: links too, which the next writer would follow."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise CouplingError(
            f"{path.parent}: the folder for files of `tailrace serve --yac` cannot be made: {error.strerror}"
        ) from None
    with suppress(FileNotFoundError):  # another component of the job may remove the same file
        if path.is_symlink() or (path.exists() and not _is_ours(path, sign)):
            raise CouplingError(f"{path} was not made by `tailrace serve --yac`; expected nothing there: move it away")
        path.unlink()


def _is_ours(path: Path, sign: str) -> bool:
    return path.is_file() and (path.stat().st_size == 0 or sign in path.read_text(encoding="utf-8", errors="replace"))
