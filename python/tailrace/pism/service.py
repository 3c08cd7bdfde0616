"""The component `pism_output`: takes PISM's orders one after the other until its last."""

from __future__ import annotations

from pathlib import Path

from tailrace.yac.couples import near
from tailrace.yac.derived import check_mode
from tailrace.yac.errors import CouplingError
from tailrace.yac.request import Request, read_request_with
from tailrace.yac.running import end_sessions, run_within_yac
from tailrace.yac.waiting import Patience, Watcher

from .files import Files
from .orders import Action, Order
from .partner import OUTPUT, PISM, Partner

# Stands for PISM's definitions while the configuration is read for the first time: it may have options of files alone.
ANY_FILE = """\
fields: {pism: {every: 1 step, names: ["*"], optional: true}}
output: {"{file}": {variables: [{fields: "*", every: 1 step}]}}
"""


def serve(config: Path) -> None:
    """Collective over all processes that run this command, as tailrace.yac.serve."""
    run_within_yac("--pism", lambda: Service(config))


class Service:
    def __init__(self, config: Path):
        """Blocks until all components of the job are defined."""
        import yac

        self.request: Request = read_request_with(config, ANY_FILE)
        check_request(self.request)
        times = self.request.watchdog_seconds, self.request.wait_seconds
        self._files: Files | None = None
        self._watcher = Watcher(*times)
        self._watcher.phase(_waits("all processes of the job have started YAC and defined their components"))
        self._yac = yac.YAC()
        self._component = self._yac.def_comp(OUTPUT)
        self.is_first = self._component.comp_comm.rank == 0
        names = self._yac.component_names
        if PISM not in names:
            raise CouplingError(
                f"the job has no component {PISM}{near(PISM, names)}; expected a PISM that was built with YAC "
                "(Pism_USE_YAC), in one job with this command: "
                f"mpirun -n 8 pism ... : -n 1 tailrace serve --pism {config}"
            )
        if not self.is_first:  # from here on all processes of the component wait together
            self._watcher.end()
        self._patience = Patience(*times, self.is_first)
        self._idle = Patience(self.request.wait_seconds, 0.0, self.is_first)  # PISM may compute for days

    def run(self) -> None:
        """Raises CouplingError and tailrace.Error."""
        self._watcher.phase(_waits("PISM makes its output writer"))
        self._partner = Partner(self._yac, self._component, self._patience, self._idle)
        self._files = Files(self.request, self._partner.comm, self._partner.grid_of)
        self._watcher.phase(_waits("PISM gives its first orders and defines its fields"))
        while (order := self._partner.next_order()).action != Action.FINISH:
            self._take(order)
        self._watcher.end()
        self._files.close()
        self._yac.cleanup()

    def _take(self, order: Order) -> None:
        partner = self._partner
        match order.action:
            case Action.DEFINE_YAC_GRID:
                partner.define_grid(order["grid_name"])
            case Action.DEFINE_YAC_FIELD:
                partner.define_field(order)
            case Action.FINISH_YAC_INITIALIZATION:
                self._watcher.phase(_waits("YAC exchanges the definitions with PISM"))
                partner.end_definitions()
                self._watcher.end()
            case Action.SYNC:
                pass  # records are committed when they are complete
            case _:
                self._files.take(order, partner)

    def end_files(self) -> None:
        """After a failure: ends the files with all that is complete."""
        self._watcher.end()
        end_sessions(self._files.sessions() if self._files else [])


def check_request(request: Request) -> None:
    """Raises CouplingError for what has no meaning here."""
    check_mode(request, "--pism")
    for place in request.inputs.values():
        raise CouplingError(f"{place}  input: PISM gets no fields from Tailrace; expected no section `input`")
    if request.checkpoints:
        raise CouplingError(
            f"{request.path}  checkpoint: PISM restarts from files of its own; expected no section `checkpoint`"
        )


def _waits(what: str) -> str:
    return f"tailrace serve --pism waits until {what}; it has waited"
