"""The steps of an ADIOS2 BP dataset, as it grows, and of a running job over SST."""

from collections.abc import Iterator

import xarray as xr

from .adios_source import BpDataset, SstStream
from .adios_step import described, names_in, plain, words_in
from .errors import StreamError
from .records import NewRecords, Position
from .selection import Selection, hint
from .snapshots import growing_dims
from .turn import Turn

UNLIMITED_ATTRIBUTE = "__unlimited_dimensions__"
OWN_ATTRIBUTE = "tailrace_configuration"  # of each dataset that Tailrace writes
NUMBER_VARIABLE = "tailrace_step"  # in a stream of Tailrace: of the step, among all steps of the run


class AdiosSteps:
    """One ADIOS step is one commit of the job and holds its new records. Variables that do not grow are given once."""

    decodes = True

    def __init__(self, source: BpDataset | SstStream, selection: Selection, start: str | int, every: int):
        if isinstance(start, int) and not source.may_begin_anywhere:
            raise StreamError(
                f"{source.path}: a running job's stream begins where the job is; expected start='first' or 'last'"
            )
        self.source = source
        self.status = source.status
        self.selection = selection
        self.only_newest = start == "last"
        self.turn = Turn(start if isinstance(start, int) else 0, every)
        self.fixed: dict[str, xr.Variable] = {}
        self.attributes: dict[str, object] = {}
        self.given = 0  # ADIOS steps read
        self.missed = 0
        self.broke_off = False

    def steps(self) -> Iterator[xr.Dataset]:
        if self.only_newest and self.source.may_begin_anywhere:
            self.turn.left_out = max(self._count() - 1, 0)
            self.only_newest = False
        yield from self._of_one_opening()
        while self.broke_off:  # the job begins its stream anew, where it is
            self.source.await_renewal()
            yield from self._of_one_opening()
        self.source.check_end()

    def _count(self) -> int:
        """How many steps there are now. No values of them are read."""
        count = 0
        with self.source.open() as opened:
            while self.source.begin(opened, 0.0) == self.status.OK:
                count += len(self._steps_of(opened)[2])
                opened.end_step()
        return count

    def _of_one_opening(self) -> Iterator[xr.Dataset]:
        newest: list[xr.Dataset] = []
        with self.source.open() as opened:
            while True:
                status = self.source.begin(opened, 0.0 if newest else None)
                if status != self.status.OK:
                    if newest:
                        yield newest[-1]
                        newest, self.only_newest = [], False
                        self.turn.go_on()
                    if status == self.status.NotReady:
                        continue
                    break
                found = list(self._read(opened, Turn() if self.only_newest else self.turn))
                opened.end_step()
                if self.only_newest:
                    newest = found or newest
                else:
                    yield from found
        self.broke_off = status == self.status.OtherError

    def _read(self, opened, turn: Turn) -> Iterator[xr.Dataset]:
        is_stream = not self.source.may_begin_anywhere
        own_number = opened.inquire_variable(NUMBER_VARIABLE) if is_stream else None
        number = int(opened.read(NUMBER_VARIABLE)) if own_number else opened.current_step()
        if self.given and is_stream:
            if number <= self.source.last:
                return  # given before the stream was begun anew
            self.missed += number - self.source.last - 1
        self.given += 1
        self.source.last = number
        records, selection, steps = self._steps_of(opened)
        for step in steps:
            if turn.has_come():
                read = records.read(step, selection, str(self.source.path))
                read.encoding |= {"step": number, "missed": self.missed}
                yield read
            turn.go_on()

    def _steps_of(self, opened) -> tuple[NewRecords, Selection, list[dict[str, int]]]:
        """The records of the open ADIOS step, what is asked for of it, and its steps that have some of that."""
        for name in opened.available_attributes():
            if name not in self.attributes:  # SST brings each once, or with every step
                self.attributes[name] = opened.read_attribute(name)
        self.source.has_marks |= OWN_ATTRIBUTE in self.attributes
        own = {key: value for key, value in self.attributes.items() if "/" not in key}
        named = words_in(own.pop(UNLIMITED_ATTRIBUTE, ""))
        known = {NUMBER_VARIABLE} | self.fixed.keys()
        variables = self.fixed | described(opened, self.attributes, known, str(self.source.path))
        raw = xr.Dataset(variables, attrs=plain(own))
        dims = growing_dims(raw, named)
        self.fixed = {str(name): one.load() for name, one in raw.variables.items() if not set(one.dims) & set(dims)}
        records = NewRecords(raw, dims, self.decodes)
        selection = self._selected(raw)
        return records, selection, [one for one in records.steps(Position()) if records.has_any(one, selection)]

    def _selected(self, raw: xr.Dataset) -> Selection:
        """The selection within this step, which need not have all fields."""
        if self.selection.fields is None:
            return self.selection
        known = names_in(self.attributes) | {str(name) for name in raw.variables}
        for name in self.selection.fields:
            if name not in known:
                raise StreamError(f"{self.source.path}: there is no field {name!r}.{hint(name, sorted(known))}")
        return Selection([name for name in self.selection.fields if name in raw.variables], self.selection.region)
