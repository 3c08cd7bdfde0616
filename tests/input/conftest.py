import sys

import pytest
from support.harness import BUILD

COMMANDS = {
    "netcdf": [str(BUILD / "bindings" / "c" / "tailrace_read_netcdf")],
    "python": [sys.executable, "-P", "-m", "tailrace.input_source"],
}


@pytest.fixture(params=COMMANDS)
def reader(request):
    """The name of a process that reads, and its command without the number of its socket."""
    return request.param, COMMANDS[request.param]
