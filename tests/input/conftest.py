import sys

import pytest
from support.harness import BUILD
from support.reader_client import ReaderClient

COMMANDS = {
    "netcdf": [str(BUILD / "bindings" / "c" / "tailrace_read_netcdf")],
    "python": [sys.executable, "-P", "-m", "tailrace.input_source"],
}


@pytest.fixture(params=COMMANDS, scope="module")
def reader(request):
    """The name of a process that reads, and its command without the number of its socket."""
    return request.param, COMMANDS[request.param]


@pytest.fixture(scope="module")
def client(reader):
    """One process for all tests of a file: it must go on after each."""
    with ReaderClient(reader[1]) as client:
        yield client
