"""report.html: one page that needs nothing but itself."""

from __future__ import annotations

from html import escape

from tailrace._text import bytes_text, count_text, plural, seconds_text
from tailrace.report import plots
from tailrace.report.facts import Report, compression, findings, headline, inputs, outputs

# Okabe-Ito, which colour-blind readers tell apart; lighter on dark ground.
CSS = """
:root { color-scheme: light dark; --paper: #fdfdfc; --card: #f4f4f1; --ink: #22262a; --soft: #62686e; --faint: #d5d7d6;
  --alarm: #a33c00; --c0: #0072b2; --c1: #d55e00; --c2: #009e73; --c3: #cc79a7; --c4: #e69f00; --c5: #56b4e9;
  --c6: #b3a800; --c7: #777; }
@media (prefers-color-scheme: dark) { :root { --paper: #16191c; --card: #1f2428; --ink: #e4e6e7; --soft: #9aa2a9;
  --faint: #3a4046; --alarm: #ff9d66; --c0: #4fa8e0; --c1: #f08540; --c2: #3cc79c; --c3: #dd9cc1; --c4: #f0b93a;
  --c5: #8fd0f5; --c6: #d8cd3d; --c7: #aaa; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 60rem; padding: 2.5rem 1.25rem 4rem; background: var(--paper); color: var(--ink);
  font: 1rem/1.55 system-ui, -apple-system, "Segoe UI", "Helvetica Neue", sans-serif; }
h1 { font-size: 1.6rem; line-height: 1.2; margin: 0 0 .25rem; font-weight: 650; }
h2 { font-size: 1.15rem; margin: 3rem 0 .25rem; font-weight: 650; }
p { margin: .25rem 0 1rem; max-width: 44rem; }
.soft, td small, figcaption { color: var(--soft); }
.numbers { display: grid; grid-template-columns: repeat(auto-fit, minmax(10.5rem, 1fr)); gap: .75rem;
  margin: 1.75rem 0; }
.numbers div { background: var(--card); border-radius: .5rem; padding: .8rem 1rem; }
.numbers b { display: block; font-size: 1.45rem; line-height: 1.3; font-weight: 650; }
.numbers span { display: block; font-size: .85rem; color: var(--soft); line-height: 1.35; }
.findings { border-left: 3px solid var(--alarm); padding: .1rem 0 .1rem 1rem; margin: 1.5rem 0; list-style: none; }
.findings li { margin: .4rem 0; }
figure { margin: 1rem 0 1.5rem; overflow-x: auto; }
svg { width: 100%; height: auto; display: block; font-family: inherit; }
svg text { font-family: inherit; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; font-size: .9rem; font-variant-numeric: tabular-nums; width: 100%; }
th { text-align: right; font-weight: 600; color: var(--soft); white-space: nowrap; }
td { text-align: right; white-space: nowrap; border-top: 1px solid var(--faint); }
th, td { padding: .3rem .6rem; } th:first-child, td:first-child { text-align: left; padding-left: 0; }
details { margin: .5rem 0 1rem; } summary { cursor: pointer; color: var(--soft); }
@media print { body { max-width: none; } h2 { break-after: avoid; } figure { break-inside: avoid; } }
"""


def page(report: Report) -> str:
    """The whole page. Every name from the report is escaped; nothing is loaded from elsewhere."""
    run = report["run"]
    title = f"{run['configuration']}: {run['outcome']}"
    return "\n".join(
        [
            '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            f"<title>Tailrace: {escape(title)}</title>",
            f"<style>{CSS}</style>\n</head>\n<body>",
            _head(report),
            _model(report),
            _inputs(report),
            _servers(report),
            _files(report),
            _memory(report),
            f'<p class="soft">Tailrace {escape(run["tailrace"])}, {escape(run["started"])} to '
            f"{escape(run['finished'])}. The numbers are in report.json.</p>",
            "</body>\n</html>\n",
        ]
    )


def _head(report: Report) -> str:
    run = report["run"]
    cards = "".join(
        f"<div><span>{escape(what)}</span><b>{escape(value)}</b><span>{escape(context)}</span></div>"
        for what, value, context in headline(report)
    )
    items = "".join(f"<li>{escape(sentence)}</li>" for sentence in findings(report))
    return (
        f"<h1>{escape(run['configuration'])}</h1>"
        f'<p class="soft">{escape(run["outcome"])} after {seconds_text(run["seconds"])}; '
        f"{plural(run['clients'], 'model rank')}, {plural(run['servers'], 'server')} "
        f"({escape(run['mode'])}, {escape(run['transport'])})</p>"
        f'<div class="numbers">{cards}</div>' + (f'<ul class="findings">{items}</ul>' if items else "")
    )


def _figure(svg: str) -> str:
    return f"<figure>{svg}</figure>"


def _table(head: list[str], rows: list[list[str]], summary: str) -> str:
    """Cells are escaped here."""
    header = "".join(f"<th>{escape(cell)}</th>" for cell in head)
    body = "".join("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in rows)
    return (
        f'<details><summary>{escape(summary)}</summary><div class="scroll"><table><thead><tr>{header}</tr>'
        f"</thead><tbody>{body}</tbody></table></div></details>"
    )


def _model(report: Report) -> str:
    if not report["fields"]:
        return ""
    some = any(field["put"]["count"] for field in outputs(report))
    rows = [
        [
            f"{field['component']}.{field['name']}",
            count_text(field["put"]["count"]),
            count_text(field["unwanted"]),
            bytes_text(field["bytes"]),
            seconds_text(field["put"]["median_seconds"]),
            seconds_text(field["put"]["most_seconds"]),
            seconds_text(field["put"]["seconds"]),
            count_text(field["stall"]["count"]),
            seconds_text(field["stall"]["seconds"]),
        ]
        for field in outputs(report)
    ]
    head = ["field", "puts", "unwanted", "bytes", "median", "longest", "total", "stalls", "stalled"]
    return (
        "<h2>Cost for the model</h2><p>Time inside <code>put</code>, summed over all model ranks. A stall is a wait "
        "for room in the buffer; a put waits for nothing else.</p>"
        + (_figure(plots.put_total(report)) + _figure(plots.put_each(report)) if some else "<p>Nothing was put.</p>")
        + _table(head, rows, f"All {plural(len(rows), 'field')}")
    )


def _inputs(report: Report) -> str:
    rows = [
        [
            f"{field['component']}.{field['name']}",
            count_text(field["get"]["count"]),
            bytes_text(field["got_bytes"]),
            seconds_text(field["get"]["median_seconds"]),
            seconds_text(field["get"]["most_seconds"]),
            seconds_text(field["get"]["seconds"]),
            count_text(field["wait"]["count"]),
            seconds_text(field["wait"]["seconds"]),
        ]
        for field in inputs(report)
    ]
    if not rows:
        return ""
    head = ["field", "gets", "bytes", "median", "longest", "total", "waits", "waited"]
    return (
        "<h2>Input of the model</h2><p>Time inside <code>get</code>, summed over all model ranks. A get waits only for "
        "a record that is late.</p>" + _table(head, rows, f"All {plural(len(rows), 'field')}")
    )


def _servers(report: Report) -> str:
    if not report["servers"]:
        return ""
    names = list(report["servers"][0]["phases"])
    rows = [
        [f"{server['rank']} {server['host']}"]
        + [seconds_text(server["phases"][name]["seconds"]) for name in names]
        + [bytes_text(server["bytes_in"]), bytes_text(server["encoded_bytes_out"]), count_text(server["messages_sent"])]
        for server in report["servers"]
    ]
    text = (
        "<h2>Work of the servers</h2><p>Busy time of all threads by phase. Work on several threads adds up to more "
        "than the wall clock.</p>" + _figure(plots.phases(report))
    )
    if any(server["lag_series"] for server in report["servers"]):
        text += (
            "<h2>Lag of the servers</h2><p>The time from the put that completes a commit until it is on disk. "
            "A growing lag means that the servers do not keep up.</p>" + _figure(plots.lag(report))
        )
    return text + _table(["server", *names, "in", "out", "messages"], rows, f"All {plural(len(rows), 'server')}")


def _files(report: Report) -> str:
    if not report["files"]:
        return ""
    rows = [
        [
            file["path"],
            count_text(file["records"]),
            count_text(file["commits"]),
            bytes_text(file["raw_bytes"]),
            bytes_text(file["encoded_bytes"]),
            bytes_text(file["disk_bytes"]),
            f"{compression(file['raw_bytes'], file['encoded_bytes']):.2f}",
            seconds_text(file["write"]["seconds"]),
            seconds_text(file["write"]["most_seconds"]),
            f"{file['last_model_time']:g} s" if file["commits"] else "-",
        ]
        for file in report["files"]
    ]
    head = ["path", "records", "commits", "raw", "encoded", "on disk", "ratio", "write", "longest", "up to"]
    bytes_in = bytes_text(report["totals"]["bytes_in"])
    return (
        f"<h2>Output</h2><p>The model sent {bytes_in}. The records made from them are "
        "encoded as the configuration says.</p>"
        + _figure(plots.files(report))
        + _table(head, rows, f"All {plural(len(rows), 'file')}")
    )


def _memory(report: Report) -> str:
    if not report["servers"] and not report["clients"]:
        return ""
    return (
        "<h2>Memory</h2><p>The largest resident memory of a process, and the fill level of the buffers.</p>"
        + _figure(plots.memory(report))
    )
