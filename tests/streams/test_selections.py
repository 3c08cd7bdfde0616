"""The part of an ADIOS2 step that is read for a selection of a variable."""

import numpy as np
import pytest
from tailrace.streams.adios_step import StepArray
from xarray.core import indexing

CELLS = 10**12  # too many to visit one by one


class Opened:
    """A fake step, in which the value of a cell is its position, computed on demand."""

    def __init__(self) -> None:
        self.boxes = []

    def read(self, name, start, count):
        self.boxes.append((start, count))
        return np.arange(start[0], start[0] + count[0], dtype="i8")[:, np.newaxis]


@pytest.mark.parametrize(
    ("part", "start", "count"),
    [
        (slice(CELLS - 7, CELLS), CELLS - 7, 7),
        (slice(5, 30, 4), 5, 25),
        (slice(30, 5, -4), 6, 25),
        (slice(None, CELLS - 4, -1), CELLS - 3, 3),
        (3, 3, 1),
    ],
)
def test_the_smallest_box_around_a_selection_is_read(part, start, count):
    opened = Opened()
    array = StepArray(opened, "q", {"Type": "int64_t", "Shape": f"{CELLS}, 1"})
    got = array[indexing.BasicIndexer((part, slice(None)))]
    assert opened.boxes == [([start, 0], [count, 1])]
    wanted = range(*part.indices(CELLS)) if isinstance(part, slice) else part
    np.testing.assert_array_equal(got[..., 0], np.asarray(wanted))


def test_the_box_around_all_cells_is_found_at_once():
    array = StepArray(None, "q", {"Type": "int64_t", "Shape": f"{CELLS}, 1"})
    boxes = []
    array._box = lambda start, count: boxes.append((start, count)) or np.empty((3, 1))
    array[indexing.BasicIndexer((slice(None), slice(None)))]
    assert boxes == [([0, 0], [CELLS, 1])]
