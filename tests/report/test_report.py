"""The report on the terminal and as a page, from made-up numbers."""

import json
import re
import xml.etree.ElementTree as ElementTree
from html.parser import HTMLParser

import made_up
import pytest
from rich.console import Console
from tailrace._text import bytes_text, count_text, percent_text, plural, seconds_text
from tailrace.report import ReportError, html, load, print_report, show
from tailrace.report.facts import checkpoints, findings, headline, reads


def terminal(report, width=150):
    console = Console(record=True, width=width, file=open("/dev/null", "w"))  # noqa: SIM115, PTH123
    print_report(report, console)
    return console.export_text()


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "0 s"),
        (3.2e-9, "3.2 ns"),
        (1.25e-6, "1.25 µs"),
        (0.0042, "4.2 ms"),
        (0.5, "500 ms"),
        (12.34, "12.3 s"),
        (59.94, "59.9 s"),
        (75, "1 min 15 s"),
        (3599.7, "60 min 00 s"),
        (7500, "2 h 05 min"),
        (-90, "-1 min 30 s"),
    ],
)
def test_seconds(value, text):
    if value == 3599.7:  # rounds up to a whole hour
        text = "1 h 00 min"
    assert seconds_text(value) == text


def test_other_numbers():
    assert [bytes_text(n) for n in (0, 1023, 1536, 150 << 20, 5 << 40, 2000 << 40)] == [
        "0 B", "1023 B", "1.5 KiB", "150 MiB", "5.0 TiB", "2000 TiB",
    ]  # fmt: skip
    assert [percent_text(f) for f in (0, 0.0001, 0.012, 0.5, 1.7)] == ["0.0 %", "under 0.1 %", "1.2 %", "50 %", "170 %"]
    assert count_text(1234567) == "1\u202f234\u202f567"
    assert plural(1, "server") == "1 server"
    assert plural(2, "server") == "2 servers"


def test_terminal_shows_the_essentials():
    text = terminal(made_up.report())
    assert "complete" in text
    assert "straka.yaml" in text
    assert re.search(r"cost for the model\s+0\.5 %\s+of its time in puts, 250 µs each", text)
    assert re.search(r"written\s+1\.0 GiB\s+of 4\.0 GiB \(4\.0 to 1\), 102 MiB/s", text) or "102.4 MiB/s" in text
    assert re.search(r"lag\s+20 ms\s+from put to disk, at most 30 ms", text)
    assert re.search(r"theta\s+100\s+4\.0 KiB\s+800 µs\s+10 ms\s+80 ms\s+none\s+20", text)
    assert text.index("theta") < text.index(" w "), "the most expensive field is first"
    assert re.search(r"profiles\.nc\s+30\s+3\s+2\.0 GiB\s+512 MiB\s+4\.0\s+300 ms\s+900 s", text)
    assert re.search(r"0 node1\s+20 %\s+receive 333 ms, accumulate 333 ms, assemble 333 ms\s+20 ms\s+1\.0 GiB", text)
    assert "!" not in text


def test_terminal_stays_short_for_a_large_run():
    many = made_up.report(
        fields=[made_up.field(f"f{k}") for k in range(232)],
        servers=[made_up.server(k) for k in range(64)],
    )
    text = terminal(many)
    assert "and 220 more fields" in text
    assert "and 52 more servers" in text
    assert len(text.splitlines()) < 70


@pytest.mark.parametrize("width", [60, 72, 80, 100, 132, 150])
def test_numbers_are_whole_in_narrow_terminals(width):
    """A terminal of 80 columns had "mostly with" in two letters a line, and `30.8 m` for ms."""
    held = {"chunks": 123 << 20, "windows": 34 << 20}
    servers = [
        made_up.server(rank, host=f"node{rank:04d}.cluster", held_high_water_bytes=held, lag=made_up.timings(30, 0.924))
        for rank in (100, 101)
    ]
    path = "a_long_name_of_a_file_with_many_words_20260101-20261231.nc"
    report = made_up.report(servers=servers, files=[made_up.file(path)], fields=[made_up.field("theta" * 6)])
    text = terminal(report, width)
    assert max(len(line) for line in text.splitlines()) <= width
    rows = [line for line in text.splitlines() if re.search(r"10[01] node010[01]\.cluster", line)]
    assert len(rows) == 2 and all("333 ms" in row for row in rows)  # one line each, with the first phase
    tables = text[text.index("Cost for the model") :]
    assert "10 ms" in tables or "median  most" not in re.sub(" +", "  ", tables)
    assert "30.8 ms" in tables or " lag " not in tables
    assert "512 MiB" in tables and "4.0 MiB" in tables
    pieces = [line[2:].split("  ")[0] for line in text[text.index("Files") :].splitlines()]
    assert path in "".join(pieces)  # in as many lines as it takes


def test_names_are_not_taken_for_markup():
    text = terminal(made_up.report(fields=[made_up.field("[red]w[/red]")]))
    assert "[red]w[/red]" in text


def test_nothing_to_say_about_a_good_run():
    assert findings(made_up.report()) == []


def test_findings_name_the_problem_and_the_remedy():
    bad = made_up.report(
        fields=[made_up.field("w", stalled=3.0), made_up.field("never", count=0, seconds=0, unwanted=500)],
        clients=[made_up.client(0, stall_seconds=2.0, spilled_bytes=3 << 20), made_up.client(1)],
        servers=[made_up.server(0, busy=9.0), made_up.server(1, busy=0.1), made_up.server(2, busy=0.1)],
    )
    bad["run"]["outcome"] = "cannot write maps.nc: No space left on device"
    said = "\n".join(findings(bad))
    assert "failed: cannot write maps.nc: No space left on device" in said
    assert "The model waited 10 % of its time for room in the buffer. Raise `servers: buffer:`" in said
    assert "3.0 MiB went through the spill directory" in said
    assert "Server 0 had more than twice the work" in said
    assert "never wanted by any file: never." in said


def test_input_fields_have_a_table_of_their_own():
    report = made_up.report()
    assert "Input of the model" not in terminal(report)
    assert "Input of the model" not in html.page(report)
    report["fields"] += [made_up.input_field("sst", waited=0.5), made_up.input_field("sic")]
    assert findings(report) == []
    text = terminal(report)
    costs, inputs = text.split("Input of the model")
    assert re.search(r"sst\s+50\s+8\.0 KiB\s+400 µs\s+10 ms\s+20 ms\s+500 ms", inputs)
    assert re.search(r"sic\s+50\s+8\.0 KiB\s+400 µs\s+10 ms\s+20 ms\s+none", inputs)
    assert "sst" not in costs
    assert "<h2>Input of the model</h2>" in html.page(report)
    report["clients"][0]["wait_seconds"] = 2.0
    assert findings(report) == [
        "The model waited 10 % of its time for records of input, most for sst. Raise `lead`, use more servers, or "
        "store the files in chunks that a record needs as a whole."
    ]


def test_burst_buffers_are_shown_if_there_are_any():
    counts = {"to_nodes": made_up.timings(4, 2.0, most=0.75), "bytes": 3 << 20, "high_water_bytes": 2 << 20}
    made = {"checkpoints": 4, "checkpoint_bytes": 5 << 20, "checkpoint": made_up.timings(4, 9.0, most=3.0)}
    for overflowed, end in ((0, "2.0 MiB waited"), (3, "3 members did not fit and went to the directory at once")):
        server = made_up.server(0, **made, burst_buffer=counts | {"overflowed_members": overflowed})
        told = checkpoints({"servers": [server], "clients": []})
        assert told[1][:2] == ("burst buffers", "3.0 MiB")
        assert told[1][2].startswith("on the nodes within 750 ms; at most ") and told[1][2].endswith(end)
    none = counts | {"to_nodes": made_up.timings(0, 0.0), "bytes": 0, "overflowed_members": 0}
    server = made_up.server(0, **made, burst_buffer=none)
    assert len(checkpoints({"servers": [server], "clients": []})) == 1


def test_a_nearly_full_buffer_is_reported_early():
    near = made_up.report(clients=[made_up.client(0, buffer_high_water_bytes=250 << 20), made_up.client(1)])
    assert findings(near) == [
        "The buffer of 1 rank was over 90 % full at some moment: "
        "a slower disk or a little more output would make the model wait."
    ]


def test_an_empty_run_has_a_report_too():
    empty = made_up.report(fields=[], files=[], clients=[], servers=[])
    empty["totals"] = dict.fromkeys(empty["totals"], 0)
    empty["run"]["seconds"] = 0.0
    assert headline(empty)[0][1] == "0.0 %"
    assert "complete" in terminal(empty)
    assert "<svg" not in html.page(empty)


class Page(HTMLParser):
    """Collects ids and everything that would be fetched, and checks that elements are closed in order."""

    VOID = frozenset({"meta", "br", "hr", "img", "link", "input"})

    def __init__(self, text):
        super().__init__()
        self.ids, self.fetched, self.open = [], [], []
        self.feed(text)
        assert not self.open, f"left open: {self.open}"

    def handle_starttag(self, tag, attributes):
        if tag not in self.VOID:
            self.open.append(tag)
        self.collect(tag, attributes)

    def handle_startendtag(self, tag, attributes):
        self.collect(tag, attributes)

    def collect(self, tag, attributes):
        for name, value in attributes:
            if name == "id":
                self.ids.append(value)
            if name in {"src", "href", "xlink:href"} and not value.startswith("#"):
                self.fetched.append(value)
        if tag in {"link", "script", "img", "iframe", "image"}:
            self.fetched.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def test_the_page_is_complete_and_self_contained():
    text = html.page(made_up.report())
    page = Page(text)
    assert page.fetched == []
    assert len(page.ids) == len(set(page.ids)), "two plots have the same id"
    assert "@import" not in text
    assert not re.search(r"url\((?!#)", text)
    references = set(re.findall(r"url\(#([^)]*)\)", text)) | set(re.findall(r'href="#([^"]*)"', text))
    assert references <= set(page.ids)


def test_the_plots_follow_light_and_dark():
    text = html.page(made_up.report())
    pictures = re.findall(r"<svg.*?</svg>", text, re.DOTALL)
    assert len(pictures) == 6
    for picture in pictures:
        ElementTree.fromstring(picture)
        assert "var(--ink)" in picture
        assert 'role="img"' in picture
        assert not re.search(r"#0[123]0[123][0-9a-f]{2}", picture), "a colour was not replaced"
        assert "viewBox" in picture.split(">")[0]
    assert "prefers-color-scheme: dark" in text


def test_the_plots_show_the_numbers():
    text = html.page(made_up.report())
    assert "4.0 to 1" in text
    assert "1.0 to 1" in text
    assert "waiting for room (stalls)" in text
    assert "bubble, largest rank" in text


def test_the_same_numbers_give_the_same_page():
    assert html.page(made_up.report()) == html.page(made_up.report())


def test_names_do_no_harm_in_the_page():
    evil = '<script>alert("1")</script> & $x_1$'
    text = html.page(
        made_up.report(fields=[made_up.field(evil)], files=[made_up.file(evil)], servers=[made_up.server(0, host=evil)])
    )
    assert "<script" not in text
    assert "&lt;script&gt;" in text
    Page(text)


def test_show_writes_the_page_beside_the_report(tmp_path):
    made_up.write(made_up.report(), tmp_path / "report.json")
    console = Console(record=True, width=150, file=open("/dev/null", "w"))  # noqa: SIM115, PTH123
    show(tmp_path, console=console)
    assert (tmp_path / "report.html").read_text(encoding="utf-8").startswith("<!doctype html>")
    assert str(tmp_path / "report.html") in console.export_text()
    (tmp_path / "report.html").unlink()
    show(tmp_path, html=False, console=console)
    assert not (tmp_path / "report.html").exists()


def test_traces_of_all_ranks_become_one(tmp_path):
    made_up.write(made_up.report(), tmp_path / "report.json")
    for number, rank in enumerate(("client.0", "server.0")):
        event = {"ph": "X", "name": rank, "pid": 77, "tid": 0, "ts": 1.0 + number, "dur": 2.0}
        made_up.write({"otherData": {"dropped": number}, "traceEvents": [event]}, tmp_path / f"trace.{rank}.json")
    show(tmp_path, html=False, console=Console(file=open("/dev/null", "w")))  # noqa: SIM115, PTH123
    joined = json.loads((tmp_path / "trace.json").read_text(encoding="utf-8"))
    assert [event["name"] for event in joined["traceEvents"]] == ["client.0", "server.0"]
    assert len({event["pid"] for event in joined["traceEvents"]}) == 2, "equal process numbers of two nodes"
    assert joined["otherData"]["dropped"] == 1


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{\n  oops", r"report\.json:2:3: not JSON: "),
        ("[]", r"is not a Tailrace report \(its schema is not tailrace-report\)"),
        ('{"schema": "tailrace-report", "version": 9}', r"has version 9 of the report; this Tailrace reads version 1"),
    ],
)
def test_an_invalid_report_is_an_error(tmp_path, text, message):
    (tmp_path / "report.json").write_text(text)
    with pytest.raises(ReportError, match=message):
        load(tmp_path)


def test_a_missing_report_names_the_place_and_the_reason(tmp_path):
    with pytest.raises(ReportError, match=r"there is no .*report\.json\. A run writes it at its end into `servers:"):
        load(tmp_path)


def test_the_headline_tells_what_was_read():
    one = {"component": "bubble", "field": "sst", "bytes_read": 3 << 20, "failures": 0}
    one |= {"reads": made_up.timings(12, 0.5), "late": made_up.timings(0, 0.0)}
    assert reads({"inputs": []}) == []
    assert reads({"inputs": [one]}) == [("read", "3.0 MiB", "in 12 records of input")]
    late = one | {"field": "ozone", "late": made_up.timings(2, 0.5, most=0.4), "failures": 1}
    assert reads({"inputs": [one, late]}) == [
        ("read", "6.0 MiB", "in 24 records of input; 2 came late, at most by 400 ms; 1 could not be read")
    ]
