"""How the job fares that writes a file: by the mark on the open file, and by its report directory."""

import fcntl
import json
import os
import re
import struct
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

MARK = 2**63 - 2  # the byte that a writer's lock is on; docs/formats/netcdf.md
REPORT_DIRECTORY = "tailrace_report"


def is_marked(path: Path) -> bool:
    """Whether some process of this machine has the file open as its writer."""
    while True:
        try:
            descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        except OSError:
            return False
        try:
            asked = struct.pack("@hhqqi4x", fcntl.F_WRLCK, os.SEEK_SET, MARK, 1, 0)
            answer = fcntl.fcntl(descriptor, fcntl.F_OFD_GETLK, asked)
            if struct.unpack("@hhqqi4x", answer)[0] != fcntl.F_UNLCK:
                return True
            if os.path.samestat(os.fstat(descriptor), path.stat()):
                return False
        except OSError:
            return False
        finally:
            os.close(descriptor)
        # The metadata of a store were replaced meanwhile, and the mark lies on the new ones.


@dataclass
class Job:
    """The job that writes `source`, as far as it can be found. `report`: its report directory, where it is known."""

    source: Path
    report: Path | None = None

    def directory(self) -> Path | None:
        if self.report is not None:
            return self.report
        source = self.source.resolve()
        for folder in source.parents:
            directory = folder / REPORT_DIRECTORY
            if directory.is_dir() and self._speaks_of(directory, folder, source):
                self.report = directory
                return directory
        return None

    def _speaks_of(self, directory: Path, folder: Path, source: Path) -> bool:
        def is_it(path: str) -> bool:
            return (folder / path).resolve() == source

        with suppress(OSError, ValueError), (directory / "commits.jsonl").open() as lines:
            if any(is_it(json.loads(line)["path"]) for line in lines if line.endswith("\n")):
                return True
        return any(is_it(file["path"]) for status in self.statuses(directory) for file in status.get("files", []))

    @staticmethod
    def statuses(directory: Path) -> list[dict]:
        found = []
        for path in sorted(directory.glob("status*.json")):
            with suppress(OSError, ValueError):
                found.append(json.loads(path.read_text()))
        return found

    def is_running(self) -> bool:
        directory = self.directory()
        return directory is not None and is_marked(directory / ".session")

    def outcome(self) -> str | None:
        """`complete`, or what went wrong; None while nothing is known."""
        directory = self.directory()
        if directory is None:
            return None
        try:
            report = json.loads((directory / "report.json").read_text())
        except (OSError, ValueError):
            return None
        for file in report.get("files", []):
            if file.get("skipped") and self._is_of(str(directory.parent / file["path"])):
                return f"the file was given up: {file['skipped']}"
        return report["run"]["outcome"]

    def _is_of(self, entry: str) -> bool:
        """Whether the source is the file of this entry of a report, or one of its series."""
        source = str(self.source.resolve())
        if str(Path(entry).resolve()) == source:
            return True
        limits = [re.escape(part) for part in re.split(r"\{[^{}]*\}", entry)]
        if len(limits) == 1:  # without limits in its name a series gets them before the ending
            ending = Path(entry).suffix
            pattern = re.escape(entry.removesuffix(ending)) + r"_[-0-9T.]+" + re.escape(ending)
            return re.fullmatch(pattern, source) is not None
        return re.fullmatch(".+".join(limits), source) is not None

    def is_one_nearby(self) -> bool:
        """Whether some job runs whose report lies beside the source or above, be it of the source or not."""
        folders = self.source.resolve().parents
        return any(is_marked(folder / REPORT_DIRECTORY / ".session") for folder in folders)

    def words(self) -> str:
        """A description of the job for messages."""
        directory = self.directory()
        if directory is None:
            return f"no {REPORT_DIRECTORY} was found that speaks of it"
        for status in self.statuses(directory):
            steps = [f"{one['name']} is at step {one['step']}" for one in status.get("components", [])]
            return f"{directory / 'status.json'}: {', '.join([status['state'], *steps])}, at {status['wall_time']}"
        return f"{directory} has no status"
