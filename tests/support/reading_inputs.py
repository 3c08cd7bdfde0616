"""The values that the ranks of a player got of an input."""

from pathlib import Path

import numpy as np


def got(folder: Path, name: str, shape: tuple[int, ...], component: str = "model") -> np.ndarray:
    """All that was got of the input: (time, *shape). Cells that several ranks have must be equal on all of them."""
    cells = int(np.prod(shape, dtype=int))
    whole = None
    for path in sorted(folder.glob(f"{component}.got.{name}.*")):
        content = path.read_bytes()
        count = int(np.frombuffer(content, "i8", 1)[0])
        positions = np.frombuffer(content, "i8", count, 8)
        if count == 0:
            continue
        values = np.frombuffer(content, "f8", offset=8 + 8 * count).reshape(-1, count)
        if whole is None:
            whole = np.full((len(values), cells), np.inf)
        assert len(values) == len(whole), f"{path}: {len(values)} times, {len(whole)} in the files before"
        known = ~np.isinf(whole[:, positions])
        assert np.array_equal(np.where(known, whole[:, positions], values), values, equal_nan=True), (
            f"{path} has other values"
        )
        whole[:, positions] = values
    assert whole is not None, f"no rank got {name}"
    assert not np.isinf(whole).any(), f"no rank got some cells of {name}"
    return whole.reshape(-1, *shape)
