"""The component from the command line to the end of the run."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from .dates import MS
from .definitions import SIGN, Definitions, await_definitions, check_output_of_definitions, read_definitions
from .derived import check_mode, derived_path, write_derived
from .errors import CouplingError
from .exchange import ExchangedField
from .foreign import check_protocol
from .grids import OwnGrid
from .levels import Levels
from .own_files import FOLDER, make_room
from .plan import make_plan
from .request import Request, read_request
from .running import end_sessions, run_within_yac
from .waiting import Patience, Watcher, say


def serve(coupling: Path, config: Path) -> None:
    """Collective over all processes that run this command."""
    run_within_yac("--yac", lambda: Component(coupling, config))


class Component:
    def __init__(self, coupling: Path, config: Path):
        """Blocks until all components of the job are defined."""
        import yac

        self._io = None
        self.coupling = coupling
        self.request: Request = read_request(config)
        check_mode(self.request, "--yac")
        check_output_of_definitions(coupling)
        times = self.request.watchdog_seconds, self.request.wait_seconds
        self._watcher = Watcher(*times)
        self._watcher.phase(self._waits("all processes of the job have started YAC and defined their components"))
        self._yac = yac.YAC()
        self._yac.read_config_yaml(str(coupling))
        self._component = self._yac.def_comp(self.request.component)
        check_protocol(self.request, self._yac.component_names)
        self._comm = self._component.comp_comm
        self.is_first = self._comm.rank == 0
        self.patience = Patience(*times, self.is_first)
        if not self.is_first:  # from here on all processes of the component wait together
            self._watcher.end()

    def run(self) -> None:
        """Raises CouplingError and tailrace.Error."""
        grids = {
            name: OwnGrid(name, entry, self._comm.rank, self._comm.size) for name, entry in self.request.grids.items()
        }
        self._levels = {dim: Levels(dim, entry) for dim, entry in self.request.levels.items()}
        points = {name: grid.define() for name, grid in grids.items()}
        self.known = self._synchronise()
        self.plan = make_plan(self.request, self.coupling, self.known)
        if self.is_first:
            for warning in self.plan.warnings:
                say("warning", warning)
        fields = [
            ExchangedField(each, grids[each.name.grid], self._component, points[each.name.grid])
            for each in self.plan.exchanges
        ]
        restarted = self._start_session(fields)
        self._watcher.phase(self._waits("the other components reach enddef and YAC makes its weights"))
        self._yac.enddef()
        self._watcher.end()
        self._exchange_all(fields, restarted)
        self._io.finish()
        self._yac.cleanup()

    def _waits(self, what: str) -> str:
        return f"{self.coupling}: the component {self.request.component} waits until {what}; it has waited"

    def _synchronise(self) -> Definitions:
        """Exchanges the definitions, and reads what YAC then knows."""
        import yac

        # An absolute path in the folder of the run: the first process of the whole job writes it, wherever that is.
        # YAC takes one path for all components, so several of Tailrace's in one folder share it.
        path = Path(self._comm.bcast(str((FOLDER / "definitions.json").absolute())))
        if self.is_first:
            make_room(path, SIGN)
        self._comm.barrier()
        at, form = yac.ConfigOutputSyncLoc.SYNC_DEF, yac.ConfigOutputFormat.JSON
        self._yac.set_config_output_file(str(path), form, at, True)
        self._watcher.phase(self._waits("the other components reach sync_def or enddef"))
        self._yac.sync_def()
        await_definitions(path)
        return read_definitions(path)

    def _start_session(self, fields: list[ExchangedField]) -> int | None:
        """Starts and declares. Returns the time of the checkpoint from which the run goes on, in milliseconds."""
        from tailrace import _core

        path = derived_path(self.request)
        if self.is_first:
            write_derived(self.request, self.known)
        self._comm.barrier()
        begin = self.plan.begin
        io = self._io = _core.Session.start(
            self._comm,
            str(path),
            component=self.request.component,
            initial_time=self.plan.seconds_of(begin),
            initial_step=self.plan.step_of(begin),
        )
        restart = io.restarting()
        if restart is not None and round(restart[1] * MS) != self.known.start - self.plan.epoch:
            raise CouplingError(
                f"the newest checkpoint is of the model time {restart[1]:g} s, but the coupled run starts at "
                f"{self.known.start_date} ({self.coupling}), which is {self.plan.seconds_of(self.known.start):g} s; "
                "expected a `start_date` that is the date of the checkpoint"
            )
        self._declare(io, fields)
        io.ready()
        return None if restart is None else self.known.start

    def _declare(self, io: Any, fields: list[ExchangedField]) -> None:
        declared: dict[tuple[str, int, str], str] = {}
        for field in fields:
            each = field.exchange
            key = (each.name.grid, each.collection, each.levels if each.collection > 1 else "")
            if key not in declared:
                declared[key] = field.grid.declare(io, each.levels, each.collection)
                if each.collection > 1 and each.levels in self._levels:
                    self._levels[each.levels].declare(io, declared[key], each.collection)
            field.declare(io, declared[key], self.is_first)

    def _exchange_all(self, fields: list[ExchangedField], restarted: int | None) -> None:
        """At each time inputs go out before values are awaited, since their sources may need them. The values of the
        time at which a job goes on are those that the job before it has had."""
        io, calendar, end = self._io, self.known.calendar, self.known.end
        given = [field for field in fields if not field.exchange.receives]
        received = [field for field in fields if field.exchange.receives]
        for field in fields:
            field.advance(calendar, end)
        while times := [field.time for field in fields if field.time is not None]:
            now = min(times)
            is_new = restarted is None or now > restarted
            outgoing = [field for field in given if field.time == now]
            if is_new and outgoing:
                io.step(self.plan.step_of(now), self.plan.seconds_of(now))
            for field in outgoing:
                field.give(np.asarray(io.get(field.name)), self.patience, self.coupling)
                field.advance(calendar, end)
            come = [(field, field.receive(self.patience, self.coupling)) for field in received if field.time == now]
            if is_new and not outgoing:  # a step begins when its values are here, so that none is left half done
                io.step(self.plan.step_of(now), self.plan.seconds_of(now))
            for field, values in come:
                if is_new and io.wants(field.name):
                    io.put(field.name, values)
                field.advance(calendar, end)
            if is_new and io.checkpoint_due():
                io.checkpoint()
        for field in given:
            field.settle(self.patience, self.coupling)

    def end_files(self) -> None:
        """After a failure: ends the files with all that is complete, if the other processes do the same in time."""
        self._watcher.end()
        end_sessions([] if self._io is None else [self._io])
