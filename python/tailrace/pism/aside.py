"""An existing file makes room for one of PISM's, as PISM itself does it: `a.nc` becomes `a.nc~`."""

from __future__ import annotations

import os
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
            os.link(path, aside, follow_symlinks=False)  # unlike a rename it fails if there is one
        except FileExistsError:
            continue
        except OSError as error:
            raise CouplingError(
                f"{path} exists, and cannot be moved to {aside} ({error.strerror}); expected it to be moved away, or "
                "`if_exists: replace` for `{file}`"
            ) from None
        path.unlink()
        return aside
    raise AssertionError
