import pytest
from support.harness import BUILD


@pytest.fixture(params=["netcdf"])
def reader_command(request):
    """The command of each process that reads, without the number of its socket."""
    return [str(BUILD / f"tailrace_read_{request.param}")]
