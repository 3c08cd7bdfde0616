"""The variables of an ADIOS2 step as xarray has them, read when and as far as they are asked for."""

import numpy as np
import xarray as xr
from xarray.backends import BackendArray
from xarray.core import indexing

from .errors import StreamError

DIMS_ATTRIBUTE = "__xarray_dimensions__"
TYPES = {"float": "f4", "double": "f8", "char": "S1", "string": "O"}  # others bear NumPy's names: int32_t


class StepArray(BackendArray):
    """A variable of the open step. It reads the smallest box around a selection."""

    def __init__(self, opened, name: str, description: dict[str, str]):
        self.opened = opened
        self.name = name
        self.is_text = description["Type"] == "char"
        self.shape = tuple(int(extent) for extent in description["Shape"].split(",") if extent.strip())
        self.dtype = np.dtype(TYPES.get(description["Type"], description["Type"].removesuffix("_t")))

    def __getitem__(self, key: indexing.ExplicitIndexer) -> np.ndarray:
        return indexing.explicit_indexing_adapter(key, self.shape, indexing.IndexingSupport.BASIC, self._selected)

    def _selected(self, key: tuple[int | slice, ...]) -> np.ndarray:
        within = []
        start, count = [], []
        for one, extent in zip(key, self.shape, strict=True):
            wanted = range(*one.indices(extent)) if isinstance(one, slice) else range(one, one + 1)
            first, last = sorted((wanted[0], wanted[-1])) if wanted else (0, -1)  # min() would go through all
            start.append(first)
            count.append(last + 1 - first)
            within.append(slice(None, None, one.step) if isinstance(one, slice) else 0)
        return self._box(start, count)[tuple(within)]

    def _box(self, start: list[int], count: list[int]) -> np.ndarray:
        if 0 in count:
            return np.empty(count, dtype=self.dtype)
        values = np.asarray(self.opened.read(self.name, start, count) if count else self.opened.read(self.name))
        return (values.astype("i1").view("S1") if self.is_text else values).reshape(count)


def described(opened, attributes: dict[str, object], known: set[str], source: str) -> dict[str, xr.Variable]:
    """The variables of the open step, besides the `known` ones. `attributes`: those of the dataset, by their names."""
    variables = {}
    for name, description in opened.available_variables().items():
        if name in known:
            continue
        array = StepArray(opened, name, description)
        own = {key[len(name) + 1 :]: value for key, value in attributes.items() if key.startswith(f"{name}/")}
        dims = words_in(own.pop(DIMS_ATTRIBUTE, ""))
        if len(dims) != len(array.shape):
            if array.shape:
                raise StreamError(
                    f"{source}: no {name}/{DIMS_ATTRIBUTE} that names {len(array.shape)} dimensions: not of Tailrace"
                )
            dims = []
        variables[name] = xr.Variable(dims, indexing.LazilyIndexedArray(array), plain(own))
    return variables


def names_in(attributes: dict[str, object]) -> set[str]:
    """All variables of the dataset, also those of which the step has no value."""
    return {name.removesuffix(f"/{DIMS_ATTRIBUTE}") for name in attributes if name.endswith(f"/{DIMS_ATTRIBUTE}")}


def words_in(value) -> list[str]:
    """A list of texts, or one with words: SST's own form of messages loses lists of texts."""
    return value.split() if isinstance(value, str) else [str(word) for word in np.atleast_1d(value)]


def plain(attributes: dict) -> dict:
    """Attributes as other readers have them: one value is no array."""
    found = {}
    for name, value in attributes.items():
        array = np.asarray(value)
        found[name] = value if isinstance(value, str) else array.reshape(-1)[0] if array.size == 1 else value
    return found
