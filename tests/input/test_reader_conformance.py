"""Every process that reads gives the same header and the same bits of every file, by all libraries that write."""

import numpy as np
import pytest
from support.reader_cases import NAMES, WRITERS, Case, Var, cases
from support.reader_client import ReaderClient, ReaderRefused

from .conftest import COMMANDS

CASES = cases()


@pytest.fixture(scope="module")
def clients():
    started = {name: ReaderClient(command) for name, command in COMMANDS.items()}
    yield started
    for client in started.values():
        client.__exit__()


def pairs():
    found = []
    for name, writer in WRITERS.items():
        for process in COMMANDS:
            if process == "python" or writer.for_netcdf_c:
                found.append(pytest.param(process, writer, id=f"{process}-{name}".replace(" ", "_")))
    return found


def attributes(one: Var) -> dict:
    """As the protocol has them: texts, or lists of numbers."""
    return {
        key: value
        if isinstance(value, str)
        else [float(x) if np.isfinite(x) else str(float(x)) for x in np.atleast_1d(value).astype("f8")]
        for key, value in one.attributes.items()
    }


def check_header(found: dict, name: str, one: Var) -> None:
    assert found["dims"] == [*one.dims], name
    assert found["shape"] == [*one.values.shape], name
    assert found["type"] == NAMES[one.values.dtype.str[1:]], name
    own = {key: value for key, value in found["attributes"].items() if key != "_FillValue"}
    assert own == attributes(one), name
    if one.chunks:
        assert found["chunk"] == [*one.chunks], name


def check_values(client: ReaderClient, file: int, name: str, one: Var) -> None:
    """The whole of it, and boxes at random: bit for bit."""
    rng = np.random.default_rng(len(name))
    if one.values.size == 0:
        return
    boxes = [([0] * one.values.ndim, [*one.values.shape])]
    for _ in range(5 if one.values.ndim else 0):
        start = [int(rng.integers(0, length)) for length in one.values.shape]
        boxes.append((start, [int(rng.integers(1, n - s + 1)) for s, n in zip(start, one.values.shape, strict=True)]))
    for start, count in boxes:
        got = client.read(file, name, start, count)
        wanted = one.values[tuple(slice(s, s + c) for s, c in zip(start, count, strict=True))]
        expected = wanted if wanted.dtype.kind == "S" else wanted.astype(got.dtype)
        assert got.shape == wanted.shape and got.tobytes() == expected.tobytes(), (name, start, count)


def check_errors(client: ReaderClient, file: int, name: str, one: Var) -> None:
    """Each names the variable, and the process goes on."""
    if one.values.ndim == 0:
        return
    ndim, last, length = one.values.ndim, one.dims[-1], one.values.shape[-1]
    ones = [1] * ndim
    for start, count, message in [
        ([0] * ndim, [*[max(n, 1) for n in one.values.shape[:-1]], length + 1], f"along {last} are outside: it has"),
        ([*one.values.shape], ones, "1 cells from .* are outside"),
        ([0] * ndim, [0] * ndim, "0 cells from 0 along .* are outside"),
        ([0], [*ones, 1], f"it has {ndim} dims; the request is for {ndim + 1}"),
    ]:
        if one.values.size == 0 and "outside: it has" in message:
            continue  # another dim of it is outside too
        with pytest.raises(ReaderRefused, match=message) as refused:
            client.ask({"do": "read", "file": file, "variable": name, "start": start, "count": count})
        assert str(refused.value).startswith(f"{name}: ")


def check(client: ReaderClient, path, case: Case) -> None:
    file = client.open(path)
    assert {*case.variables} <= {*client.variables[file]}
    for name, one in case.variables.items():
        check_header(client.variables[file][name], name, one)
        check_values(client, file, name, one)
        check_errors(client, file, name, one)
    with pytest.raises(ReaderRefused, match="no_such_variable"):
        client.ask({"do": "read", "file": file, "variable": "no_such_variable", "start": [], "count": []})
    client.close(file)
    with pytest.raises(ReaderRefused, match="no file of this number is open"):
        client.close(file)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("process", "writer"), pairs())
def test_all_cases(clients, tmp_path, process, writer):
    holds = writer.holds - ({"groups"} if process == "python" else set())  # xarray opens one group at a time
    held = [name for name, case in CASES.items() if case.needs <= holds]
    assert len(held) >= 6
    for number, name in enumerate(held):
        folder = tmp_path / str(number)
        folder.mkdir()
        check(clients[process], writer.write(folder, CASES[name]), CASES[name])
