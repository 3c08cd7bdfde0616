"""`tailrace watch` over HTTP: what it answers, and what it does with requests of others."""

import json
import os
import re
import resource
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

pytest.importorskip("starlette")
pytest.importorskip("uvicorn")

from runs import ENVIRONMENT, begin_run, finish, until, watching
from tailrace.watch.guard import MOST_CONNECTIONS

GLOBE = "/api/picture?file=globe.nc&variable=ta&view=map:lat:lon"


@pytest.fixture(scope="module")
def page(finished, shifted):
    (finished.parent / "secret.nc").write_bytes((finished / "globe.nc").read_bytes())
    with watching(finished, "--compare", str(shifted), "--until", "1 day") as page:
        yield page


def test_the_page_and_its_parts_need_nothing_from_elsewhere(page):
    status, headers, body = page.get("/", Authorization="")
    assert status == 200 and "text/html" in headers["content-type"]
    assert "default-src 'none'" in headers["content-security-policy"]
    assert headers["x-content-type-options"] == "nosniff" and headers["cache-control"] == "no-store"
    text = body.decode()
    for name in re.findall(r'(?:src|href)="([^"]+)"', text):
        if name.startswith("data:"):
            continue
        status, _, part = page.get(f"/{name}", Authorization="")
        assert status == 200, name
        text += part.decode()
    assert not re.search(r"https?://", text), "nothing is fetched from elsewhere"
    assert page.token not in text, "who has no token learns nothing"


def test_it_listens_on_loopback_only(page):
    lines = Path("/proc/net/tcp").read_text().splitlines()[1:]
    listening = [line.split()[1] for line in lines if line.split()[3] == "0A"]
    mine = [one for one in listening if int(one.split(":")[1], 16) == page.port]
    assert mine == [f"0100007F:{page.port:04X}"]


def test_numbers_come_as_events(page):
    connection = socket.create_connection(("127.0.0.1", page.port), timeout=30)
    request = f"GET /events HTTP/1.1\r\nHost: localhost:{page.port}\r\nAuthorization: Bearer {page.token}\r\n\r\n"
    connection.sendall(request.encode())
    text = b""
    while b"data: " not in text or b"\n\n" not in text.partition(b"data: ")[2]:
        text += connection.recv(1 << 16)
    connection.close()
    first, other = json.loads(text.partition(b"data: ")[2].partition(b"\n\n")[0])
    assert first["components"][0]["step"] == 8 and first["until"] == 86400
    assert other["directory"].endswith("shifted/tailrace_report")


def test_pictures_and_contents(page, finished):
    status, _, body = page.get("/api/contents?file=globe.nc")
    assert status == 200 and json.loads(body)[0]["name"] == "ta"
    for run, mean in (("0", 8.0), ("1", 8.25), ("difference", -0.25)):
        status, _, body = page.get(f"{GLOBE}&run={run}&at=time:7&at=height:0")
        length = int.from_bytes(body[:4], "little")
        assert status == 200 and json.loads(body[4 : 4 + length])["mean"] == pytest.approx(mean)


def test_metrics_in_both_formats(page):
    parser = pytest.importorskip("prometheus_client.openmetrics.parser")
    status, headers, body = page.get("/metrics")
    assert status == 200 and headers["content-type"] == "text/plain; version=0.0.4; charset=utf-8"
    assert b'tailrace_step{component="globe"} 8' in body
    status, headers, body = page.get("/metrics", Accept="application/openmetrics-text;version=1.0.0")
    assert headers["content-type"] == "application/openmetrics-text; version=1.0.0; charset=utf-8"
    assert len(list(parser.text_string_to_metric_families(body.decode()))) > 10


@pytest.mark.parametrize("path", ["/events", "/metrics", "/api/contents?file=globe.nc", GLOBE, "/nothing"])
@pytest.mark.parametrize("given", ["", "Bearer ", "Bearer x", "Basic {token}", "Bearer {token}x", "{token}"])
def test_no_token_or_a_wrong_one(page, path, given):
    status, _, body = page.get(path, Authorization=given.format(token=page.token))
    assert status == 401 and b"the token is missing or wrong" in body


def test_the_token_is_not_taken_from_the_address(page):
    assert page.get(f"/metrics?token={page.token}", Authorization="")[0] == 401
    assert page.get("/metrics", Authorization="", Cookie=f"token={page.token}")[0] == 401


FOREIGN = "evil.example evil.example:80 127.0.0.1.evil.example localhost@evil.example 10.0.0.1 [ ::"


@pytest.mark.parametrize("host", ["", *FOREIGN.split()])
def test_a_foreign_host_is_turned_away(page, host):
    """So that a name of another site that leads to 127.0.0.1 is of no use to it."""
    assert page.get("/metrics", Host=host)[0] in (400, 421)
    assert page.get("/", Host=host)[0] in (400, 421)


def test_hosts_of_a_tunnel(page):
    for host in ("localhost:9999", "127.0.0.1:1", "[::1]:7", "localhost"):
        assert page.get("/metrics", Host=host)[0] == 200


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "https://127.0.0.1:{port}", "http://127.0.0.1:1"])
def test_a_foreign_origin_is_turned_away(page, origin):
    status, headers, _ = page.get("/metrics", Origin=origin.format(port=page.port))
    assert status == 403
    assert "access-control-allow-origin" not in headers
    assert page.get("/metrics", Origin=f"http://127.0.0.1:{page.port}")[0] == 200


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "OPTIONS", "TRACE", "PATCH"])
def test_nothing_can_be_changed(page, method):
    assert page.ask(method, "/metrics", {"Authorization": f"Bearer {page.token}"})[0] == 405


@pytest.mark.parametrize(
    "file",
    [
        "../secret.nc",
        "..%2Fsecret.nc",
        "%2e%2e/secret.nc",
        "/etc/passwd",
        "globe.nc/../../secret.nc",
        "tailrace_report/report.json",
        "globe.nc%00",
        "run.yaml",
        "",
        "a" * 2000,
    ],
)
def test_only_files_that_the_run_lists(page, file):
    status, _, body = page.get(f"/api/contents?file={file}")
    assert status == 404 and "is no file of this run" in json.loads(body)["error"]
    assert len(body) < 400
    assert page.get(f"/api/picture?file={file}&variable=ta&view=map:lat:lon")[0] == 404


@pytest.mark.parametrize(
    "path", ["/../secret.nc", "/%2e%2e/secret.nc", "/page/index.html", "/app.py", "//etc/passwd", "/."]
)
def test_no_path_leads_to_a_file(page, path):
    assert page.get(path)[0] == 404


def test_odd_requests_get_an_error(page):
    assert page.get(f"{GLOBE}&at=time:x")[0] == 409
    assert page.get(f"{GLOBE}&at=time:{'9' * 5000}")[0] == 414
    assert page.get(f"{GLOBE}&at=time:{'9' * 400}")[0] == 409
    assert page.get("/api/picture?file=globe.nc&variable=../x&view=map")[0] == 409
    two_hosts = b"GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n"
    for raw in (b"\0\0\0\n\r\n", b"GET / HTTP/9.9\r\n\r\n", b"GET /\r\n\r\n", b"A" * 100_000, two_hosts):
        with socket.create_connection(("127.0.0.1", page.port), timeout=30) as connection:
            connection.sendall(raw)
            answer = connection.recv(1 << 16)
            assert answer == b"" or answer.startswith((b"HTTP/1.1 4",)), raw[:20]
    assert page.get("/metrics")[0] == 200


def test_thousands_of_connections(page):
    """They are closed, or end by themselves; the page answers again, and has not grown."""
    most = min(3000, resource.getrlimit(resource.RLIMIT_NOFILE)[0] - 200)
    held = []
    try:
        for _ in range(most):
            connection = socket.socket()
            connection.setblocking(False)
            connection.connect_ex(("127.0.0.1", page.port))
            held.append(connection)
        place = Path(f"/proc/{page.process.pid}/fd")
        until(lambda: len(list(place.iterdir())) < MOST_CONNECTIONS + 50, "connections that are closed")
    finally:
        for connection in held:
            connection.close()

    def answers() -> bool:
        try:
            return page.get("/metrics")[0] == 200
        except OSError:
            return False

    until(answers, "an answer", 30.0)


def test_a_connection_that_sends_nothing_is_closed(page):
    with socket.create_connection(("127.0.0.1", page.port), timeout=60) as connection:
        begin = time.monotonic()
        connection.sendall(b"GET /metr")  # never the rest
        assert connection.recv(10) == b""
        assert time.monotonic() - begin < 30


def test_a_status_that_is_being_written_or_is_none_of_ours(finished, tmp_path):
    report = tmp_path / "tailrace_report"
    report.mkdir()
    (report / "status.json").write_bytes((finished / "tailrace_report" / "status.json").read_bytes())
    with watching(tmp_path) as page:
        until(lambda: page.get("/metrics")[0] == 200, "the first look")
        for odd in ('{"schema": "tailrace-status", "version": 1}', "{ half", "[]", "null", "\xff"):
            (report / "status.json").write_text(odd)
            (report / "report.json").write_text(odd)
            (report / "commits.jsonl").write_text(odd)
            time.sleep(0.7)  # a look at each: there is no event to wait for
            assert page.get("/")[0] == 200
        (report / "status.json").write_bytes((finished / "tailrace_report" / "status.json").read_bytes())
        until(lambda: page.get("/metrics")[0] == 200, "a whole status")


def listening(group: int) -> set[str]:
    """The inodes of the listening sockets of a run's processes: MPI has some."""
    names = {line.split()[9] for line in Path("/proc/net/tcp").read_text().splitlines()[1:] if line.split()[3] == "0A"}
    found = set()
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if os.getpgid(int(process.name)) != group:
                continue
            found |= {str(one.readlink()) for one in (process / "fd").iterdir()}
        except OSError:  # it has ended
            continue
    return {name for name in names if f"socket:[{name}]" in found}


def test_a_run_is_watched_while_it_goes_on_and_listens_no_more_than_before(tmp_path):
    folder = tmp_path / "run"
    run = begin_run(folder, pause="-", steps=4)
    until((folder / "tailrace_report" / "status.json").exists, "a status")
    before = listening(os.getpgid(run.pid))
    with watching(folder) as page:
        (folder / "go.1").touch()
        (folder / "go.2").touch()
        until(lambda: b'tailrace_file_safe_time_seconds{path="globe.nc"} 20' in page.get("/metrics")[2], "step 2")
        assert page.get(GLOBE)[0] == 200
        assert listening(os.getpgid(run.pid)) == before
        (folder / "go").touch()
        finish(run, folder)
        until(lambda: b'tailrace_run_state{state="complete"} 1' in page.get("/metrics")[2], "its end")


def test_what_it_refuses_to_start_with(finished, tmp_path):
    def output(*arguments) -> str:
        command = [sys.executable, "-m", "tailrace.cli", "watch", *arguments]
        done = subprocess.run(command, env=ENVIRONMENT, capture_output=True, text=True, timeout=60, check=False)
        assert done.returncode == 2 and "Traceback" not in done.stderr
        return done.stderr

    assert "no run has reported here" in output(str(tmp_path))
    assert "no run has reported here" in output(str(finished), "--compare", str(tmp_path))
    assert "is no length of time" in output(str(finished), "--until", "soon")
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        assert f"--port {port}: Address already in use; expected a free port" in output(str(finished), "--port", port)


def test_without_its_packages_it_says_what_to_install(finished):
    program = "import sys; sys.modules['uvicorn'] = None; from tailrace.cli import main; main(['watch', sys.argv[1]])"
    command = [sys.executable, "-c", program, str(finished)]
    done = subprocess.run(command, env=ENVIRONMENT, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 2 and "pip install 'tailrace[watch]'" in done.stderr
