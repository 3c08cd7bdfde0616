"""From "so many model ranks, so many servers" to a command line for the MPI that is here."""

from tailrace.launch.command_line import Job, command_line, handed_on, server_command
from tailrace.launch.launcher import HYDRA, OPEN_MPI, OTHER, Launcher, LaunchError, detect, kind_of, stop_signal
from tailrace.launch.machine import Machine, physical_cores, this_machine

__all__ = [
    "HYDRA",
    "OPEN_MPI",
    "OTHER",
    "Job",
    "LaunchError",
    "Launcher",
    "Machine",
    "command_line",
    "detect",
    "handed_on",
    "kind_of",
    "physical_cores",
    "server_command",
    "stop_signal",
    "this_machine",
]
