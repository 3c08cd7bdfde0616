"""Reads report.json and interprets it, for both the terminal and the page."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tailrace._text import bytes_text, count_text, percent_text, plural, seconds_text

Report = dict[str, Any]

BUSY_PHASES = ("receive", "analyse", "accumulate", "regrid", "assemble", "encode", "write", "message")


class ReportError(Exception):
    """There is no report, or it is not one that this version can read."""


def load(directory: Path | str) -> Report:
    """The report in `directory` (or the file itself). Raises ReportError with the remedy."""
    path = Path(directory)
    if path.is_dir():
        path = path / "report.json"
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise ReportError(
            f"there is no {path}. A run writes it at its end into `servers: report_directory:` "
            "(default: tailrace_report). A run that was killed leaves none, but its commits.jsonl lists what it "
            "committed."
        ) from None
    except OSError as error:
        raise ReportError(f"cannot read {path}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise ReportError(f"{path} is not a Tailrace report (it is not text in UTF-8)") from None
    try:
        report = json.loads(text)
    except json.JSONDecodeError as error:
        raise ReportError(f"{path}:{error.lineno}:{error.colno}: not JSON: {error.msg}") from None
    if not isinstance(report, dict) or report.get("schema") != "tailrace-report":
        raise ReportError(f"{path} is not a Tailrace report (its schema is not tailrace-report)")
    if report.get("version") != 1:
        raise ReportError(f"{path} has version {report.get('version')} of the report; this Tailrace reads version 1")
    return report


def share_of_run(report: Report, key: str) -> float:
    """How much of its run the model spent in `key` (put_seconds, wait_seconds), over all clients."""
    run = sum(client["run_seconds"] for client in report["clients"])
    return sum(client.get(key, 0.0) for client in report["clients"]) / run if run > 0 else 0.0


def compression(raw: float, small: float) -> float:
    return raw / small if small > 0 else 1.0


def busy_share(server: dict[str, Any]) -> float:
    """The busy share of the server's wall clock; over 1 where several threads worked."""
    busy = sum(server["phases"][phase]["seconds"] for phase in BUSY_PHASES if phase in server["phases"])
    return busy / server["run_seconds"] if server["run_seconds"] > 0 else 0.0


def headline(report: Report) -> list[tuple[str, str, str]]:
    """The numbers one asks first: (what, how much, a word of context)."""
    totals, run = report["totals"], report["run"]
    seconds = run["seconds"] or 0.0
    out = totals["encoded_bytes_out"]
    mean_put = totals["put_seconds"] / totals["puts"] if totals["puts"] else 0.0
    rate = f"{bytes_text(out / seconds)}/s" if seconds > 0 else ""
    return [
        (
            "cost for the model",
            percent_text(share_of_run(report, "put_seconds")),
            f"of its time in puts, {seconds_text(mean_put)} each",
        ),
        (
            "stalls",
            seconds_text(totals["most_stall_seconds_of_a_client"]),
            f"the longest of a rank; {plural(totals['stalls'], 'stall')} in all",
        ),
        (
            "lag",
            seconds_text(totals["mean_lag_seconds"]),
            f"from put to disk, at most {seconds_text(totals['most_lag_seconds'])}",
        ),
        (
            "written",
            bytes_text(out),
            f"of {bytes_text(totals['raw_bytes_out'])} "
            f"({compression(totals['raw_bytes_out'], out):.1f} to 1){', ' + rate if rate else ''}",
        ),
        (
            "memory",
            bytes_text(totals["most_resident_bytes_of_a_server"]),
            "high-water mark of the largest server",
        ),
        *reads(report),
        *checkpoints(report),
    ]


def reads(report: Report) -> list[tuple[str, str, str]]:
    """Nothing of a run without input fields."""
    fields = report.get("inputs", [])
    if not fields:
        return []
    late = sum(field["late"]["count"] for field in fields)
    longest = max(field["late"]["most_seconds"] for field in fields)
    failures = sum(field["failures"] for field in fields)
    return [
        (
            "read",
            bytes_text(sum(field["bytes_read"] for field in fields)),
            f"in {plural(sum(field['reads']['count'] for field in fields), 'record')} of input"
            + (f"; {late} came late, at most by {seconds_text(longest)}" if late else "")
            + (f"; {failures} could not be read" if failures else ""),
        )
    ]


def checkpoints(report: Report) -> list[tuple[str, str, str]]:
    """Nothing of a run without any."""
    made = [server for server in report["servers"] if server.get("checkpoints")]
    if not made:
        return []
    size = sum(server["checkpoint_bytes"] for server in made) / sum(server["checkpoints"] for server in made)
    slowest = max(server["checkpoint"]["most_seconds"] for server in made)
    paid = max((client["checkpoint_seconds"] for client in report["clients"]), default=0.0)
    buffers = [
        server["burst_buffer"] for server in made if server.get("burst_buffer", {}).get("to_nodes", {}).get("count")
    ]
    return [
        (
            "checkpoints",
            count_text(sum(server["checkpoints"] for server in made)),
            f"of {bytes_text(size)}, durable within {seconds_text(slowest)}; {seconds_text(paid)} in the model's calls",
        ),
        *burst_buffers([one for one in buffers if one.get("bytes") or one.get("overflowed_members")]),
    ]


def burst_buffers(counted: list[dict[str, Any]]) -> list[tuple[str, str, str]]:
    """The line about burst buffers, from the servers whose checkpoints used them."""
    if not counted:
        return []
    slowest = max(one["to_nodes"]["most_seconds"] for one in counted)
    full = sum(one["overflowed_members"] for one in counted)
    return [
        (
            "burst buffers",
            bytes_text(sum(one["bytes"] for one in counted)),
            f"on the nodes within {seconds_text(slowest)}; at most "
            f"{bytes_text(max(one['high_water_bytes'] for one in counted))} waited"
            + (f"; {plural(full, 'member')} did not fit and went to the directory at once" if full else ""),
        )
    ]


def inputs(report: Report) -> list[dict[str, Any]]:
    """The fields that the model got from files."""
    return [field for field in report["fields"] if "get" in field]


def outputs(report: Report) -> list[dict[str, Any]]:
    """The other fields."""
    return [field for field in report["fields"] if "get" not in field]


def findings(report: Report) -> list[str]:
    """Findings that deserve attention, each with a remedy. Empty for a run without trouble."""
    sentences = []
    outcome = report["run"]["outcome"]
    if outcome.startswith("ended by SIG"):
        sentences.append(f"The run was {outcome}; the files hold what was complete by then.")
    elif outcome != "complete":
        sentences.append(f"The run failed: {outcome}")
    stall = share_of_run(report, "stall_seconds")
    if stall > 0.01:
        sentences.append(
            f"The model waited {percent_text(stall)} of its time for room in the buffer. "
            "Raise `servers: buffer:`, use more servers, or write less often."
        )
    else:
        full = [
            client
            for client in report["clients"]
            if client["buffer_capacity_bytes"] > 0
            and client["buffer_high_water_bytes"] > 0.9 * client["buffer_capacity_bytes"]
        ]
        if full:
            sentences.append(
                f"The buffer of {plural(len(full), 'rank')} was over 90 % full at some moment: "
                "a slower disk or a little more output would make the model wait."
            )
    wait = share_of_run(report, "wait_seconds")
    if inputs(report) and wait > 0.01:
        slowest = max(inputs(report), key=lambda field: field["wait"]["seconds"])
        sentences.append(
            f"The model waited {percent_text(wait)} of its time for records of input, most for {slowest['name']}. "
            "Raise `lead`, use more servers, or store the files in chunks that a record needs as a whole."
        )
    spilled = sum(client["spilled_bytes"] for client in report["clients"])
    if spilled:
        sentences.append(f"{bytes_text(spilled)} went through the spill directory, because buffers were full.")
    shares = [busy_share(server) for server in report["servers"]]
    if len(shares) > 1 and max(shares) > 0.5 and max(shares) > 2 * sum(shares) / len(shares):
        busiest = report["servers"][shares.index(max(shares))]["rank"]
        sentences.append(f"Server {busiest} had more than twice the work of an average server.")
    idle = [field["name"] for field in report["fields"] if field["put"]["count"] == 0 and field["unwanted"] > 0]
    if idle:
        names = ", ".join(idle[:6]) + (", ..." if len(idle) > 6 else "")
        sentences.append(f"Put but never wanted by any file: {names}.")
    return sentences
