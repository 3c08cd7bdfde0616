"""An existing file makes room for one of PISM's, as PISM itself does it: `a.nc` becomes `a.nc~`."""

from __future__ import annotations

from itertools import count
from pathlib import Path

from tailrace.yac.errors import CouplingError


def move_aside(path: Path) -> Path | None:
    """To `NAME~`, or where there is one already to `NAME~2`, `NAME~3`: nothing is replaced. Returns the new path, or
    None if nothing was there. A link is moved as it is. Raises CouplingError."""
    if not path.is_symlink() and not path.exists():
        return None
    if path.is_dir() and not path.is_symlink():
        raise CouplingError(f"{path} is a folder, and PISM makes a file of this name; expected another name, or none")
    for number in count(1):
        aside = path.with_name(f"{path.name}~{number if number > 1 else ''}")
        try:
            _move(path, aside)
        except FileExistsError:
            continue
        except OSError as error:
            raise CouplingError(
                f"{path} exists, and cannot be moved to {aside} ({error.strerror}); expected it to be moved away, or "
                "`if_exists: replace` for `{file}`"
            ) from None
        return aside
    raise AssertionError


def move_back(aside: Path, path: Path) -> bool:
    """Undoes `move_aside`. Returns False if the file stays, as there is something at `path`."""
    try:
        _move(aside, path)
    except OSError:
        return False
    return True


def _move(path: Path, to: Path) -> None:
    """Raises FileExistsError where there is something. A rename would replace it, and not all file systems have hard
    links, so an empty file takes the name first."""
    to.touch(exist_ok=False)
    try:
        path.replace(to)
    except OSError:
        to.unlink()
        raise
