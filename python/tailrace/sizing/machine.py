"""The figures of a node, as `tailrace measure` writes them and a user may change them (docs/formats/machine.md)."""

from __future__ import annotations

import difflib
import math
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import yaml

from tailrace._text import bytes_text, seconds_text

from .errors import SizingError

VERSION = 1
PREFIXES = {"": 1.0, "k": 1e3, "M": 1e6, "G": 1e9, "T": 1e12}
PREFIXES |= {"Ki": 2.0**10, "Mi": 2.0**20, "Gi": 2.0**30, "Ti": 2.0**40}
TIMES = {"s": 1.0, "ms": 1e-3, "us": 1e-6, "µs": 1e-6, "ns": 1e-9}
NUMBER = r"([0-9]+(?:\.[0-9]*)?(?:[eE][+-]?[0-9]+)?)"


@dataclass(frozen=True)
class Codec:
    bytes_per_second: float  # of values, by one core
    ratio: float  # of values to what is stored, for the values that were measured


@dataclass(frozen=True)
class Disk:
    bytes_per_second: float  # of one process, as long as the system caches what is written
    sustained: float  # bytes a second that reach the disk
    commit_seconds: float  # of a small write that reaches the disk
    processor: float  # the share of the time of a write in which a core works, 0 to 1
    directory: str = ""


@dataclass(frozen=True)
class Network:
    bytes_per_second: float  # between two processes
    latency: float  # seconds


@dataclass(frozen=True)
class Machine:
    cores: int  # of a node
    memory: float  # bytes of a node
    memcpy: float  # bytes a second that one core copies
    disk: Disk
    codecs: dict[str, Codec] = field(default_factory=dict)
    network: Network | None = None
    file_system: float | None = None  # bytes a second that all nodes together can write; None: no bound
    path: str = "MACHINE.yaml"


def text_of(machine: Machine, host: str, date: str, load: float) -> str:
    """The file, with units."""

    def rate(value: float) -> str:
        return f"{bytes_text(value)}/s"

    lines = [
        f"# By `tailrace measure` on {host}, {date}, at a load of {load:.1f}. Change what you know better;",
        "# `file_system: {write: 40 GiB/s}` bounds what all nodes write together.",
        f"tailrace_machine: {VERSION}",
        f"node: {{cores: {machine.cores}, memory: {bytes_text(machine.memory)}}}",
        f"memcpy: {rate(machine.memcpy)}",
        *(["codecs:"] if machine.codecs else []),
    ]
    for name, codec in machine.codecs.items():
        lines.append(f"  {name}: {{speed: {rate(codec.bytes_per_second)}, ratio: {codec.ratio:.3g}}}")
    disk = machine.disk
    lines += [
        "disk:",
        f"  directory: {yaml.safe_dump(disk.directory, default_flow_style=True).splitlines()[0]}",
        f"  write: {rate(disk.bytes_per_second)}",
        f"  sustained: {rate(disk.sustained)}",
        f"  commit: {seconds_text(disk.commit_seconds)}",
        f"  processor: {disk.processor:.2f}",
    ]
    if machine.network:
        latency = seconds_text(machine.network.latency)
        lines.append(f"network: {{bandwidth: {rate(machine.network.bytes_per_second)}, latency: {latency}}}")
    if machine.file_system:
        lines.append(f"file_system: {{write: {rate(machine.file_system)}}}")
    return "\n".join(lines) + "\n"


def read(path: Path) -> Machine:
    """Raises SizingError that names each place."""
    try:
        text = path.read_text(encoding="utf-8")
        root = yaml.compose(text, Loader=yaml.SafeLoader)
    except OSError as error:
        raise SizingError(f"{path}: cannot be read: {error.strerror}; `tailrace measure` makes such a file") from None
    except UnicodeDecodeError:
        raise SizingError(f"{path}: is not text in UTF-8; `tailrace measure` makes such a file") from None
    except yaml.reader.ReaderError as error:
        lines = text[: error.position].split("\n")
        place = f"{path}:{len(lines)}:{len(lines[-1]) + 1}"
        raise SizingError(f"{place}: is not YAML: the character {text[error.position]!a} is not allowed") from None
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        place = f":{mark.line + 1}:{mark.column + 1}" if mark else ""
        raise SizingError(f"{path}{place}: is not YAML: {getattr(error, 'problem', None) or error}") from None
    return _Reader(path).machine(root)


class _Reader:
    def __init__(self, path: Path):
        self.path = path

    def machine(self, root: yaml.Node | None) -> Machine:
        if root is None:
            raise SizingError(f"{self.path}: is empty; `tailrace measure` makes such a file")
        top = self.map(root, "", ["tailrace_machine", "node", "memcpy", "codecs", "disk", "network", "file_system"])
        version = self.need(top, "tailrace_machine", root, "")
        if getattr(version, "value", None) != str(VERSION):
            raise self.wrong(version, "tailrace_machine", f"expected {VERSION}")
        node = self.section(top, "node", root, ["cores", "memory"])
        disk = self.section(top, "disk", root, ["directory", "write", "sustained", "commit", "processor"])
        at = top["disk"]
        directory = disk.get("directory")
        return Machine(
            cores=self.whole(self.need(node, "cores", top["node"], "node"), "node.cores"),
            memory=self.size(self.need(node, "memory", top["node"], "node"), "node.memory"),
            memcpy=self.rate(self.need(top, "memcpy", root, ""), "memcpy"),
            codecs=self.codecs(top.get("codecs")),
            disk=Disk(
                bytes_per_second=self.rate(self.need(disk, "write", at, "disk"), "disk.write"),
                sustained=self.rate(self.need(disk, "sustained", at, "disk"), "disk.sustained"),
                commit_seconds=self.time(self.need(disk, "commit", at, "disk"), "disk.commit"),
                processor=self.share(self.need(disk, "processor", at, "disk"), "disk.processor"),
                directory=str(directory.value) if isinstance(directory, yaml.ScalarNode) else "",
            ),
            network=self.network(top, root),
            file_system=self.file_system(top, root),
            path=str(self.path),
        )

    def codecs(self, node: yaml.Node | None) -> dict[str, Codec]:
        if node is None:
            return {}
        found = {}
        for name, one in self.map(node, "codecs", None).items():
            parts = self.map(one, f"codecs.{name}", ["speed", "ratio"])
            speed = self.rate(self.need(parts, "speed", one, f"codecs.{name}"), f"codecs.{name}.speed")
            ratio = self.number(self.need(parts, "ratio", one, f"codecs.{name}"), f"codecs.{name}.ratio", "a ratio")
            found[name] = Codec(speed, ratio)
        return found

    def network(self, top: dict[str, yaml.Node], root: yaml.Node) -> Network | None:
        if "network" not in top:
            return None
        parts, at = self.section(top, "network", root, ["bandwidth", "latency"]), top["network"]
        return Network(
            self.rate(self.need(parts, "bandwidth", at, "network"), "network.bandwidth"),
            self.time(self.need(parts, "latency", at, "network"), "network.latency"),
        )

    def file_system(self, top: dict[str, yaml.Node], root: yaml.Node) -> float | None:
        if "file_system" not in top:
            return None
        parts = self.section(top, "file_system", root, ["write"])
        return self.rate(self.need(parts, "write", top["file_system"], "file_system"), "file_system.write")

    def section(self, top: dict[str, yaml.Node], name: str, root: yaml.Node, known: list[str]) -> dict[str, yaml.Node]:
        return self.map(self.need(top, name, root, ""), name, known)

    def map(self, node: yaml.Node, where: str, known: list[str] | None) -> dict[str, yaml.Node]:
        if not isinstance(node, yaml.MappingNode):
            raise self.wrong(node, where, "expected a map")
        found: dict[str, yaml.Node] = {}
        for key, value in node.value:
            if not isinstance(key, yaml.ScalarNode):
                raise self.wrong(key, where, "expected a word as the key")
            name = str(key.value)
            path = f"{where}.{name}" if where else name
            if known is not None and name not in known:
                near = difflib.get_close_matches(name, known, 1)
                hint = f'; did you mean "{near[0]}"?' if near else ""
                raise self.wrong(key, path, f"this key is unknown{hint} (known: {', '.join(known)})")
            if name in found:
                raise self.wrong(key, path, "is given twice")
            found[name] = value
        return found

    def need(self, parts: dict[str, yaml.Node], name: str, at: yaml.Node, where: str) -> yaml.Node:
        if name not in parts:
            raise self.wrong(at, f"{where}.{name}" if where else name, "is missing; `tailrace measure` gives it")
        return parts[name]

    def wrong(self, node: yaml.Node, what: str, why: str) -> SizingError:
        mark = node.start_mark
        place = f"{self.path}:{mark.line + 1}:{mark.column + 1}"
        got = f", but got {node.value!r}" if isinstance(node, yaml.ScalarNode) and "expected" in why else ""
        return SizingError(f"{place}  {what + ': ' if what else ''}{why}{got}")

    def value(self, node: yaml.Node, what: str, expected: str, pattern: str, of: Callable[[re.Match], float]) -> float:
        text = str(node.value) if isinstance(node, yaml.ScalarNode) else ""
        match = re.fullmatch(pattern, text.strip())
        found = of(match) if match else math.nan
        if not (math.isfinite(found) and found > 0.0):
            raise self.wrong(node, what, f"expected {expected}")
        return found

    def rate(self, node: yaml.Node, what: str) -> float:
        units = "|".join(sorted(PREFIXES, key=len, reverse=True))
        return self.value(
            node,
            what,
            "bytes a second such as 1.5 GiB/s",
            rf"{NUMBER}\s*({units})B/s",
            lambda m: float(m[1]) * PREFIXES[m[2]],
        )

    def size(self, node: yaml.Node, what: str) -> float:
        units = "|".join(sorted(PREFIXES, key=len, reverse=True))
        expected = "bytes such as 256 GiB"
        return self.value(node, what, expected, rf"{NUMBER}\s*({units})B", lambda m: float(m[1]) * PREFIXES[m[2]])

    def time(self, node: yaml.Node, what: str) -> float:
        units = "|".join(TIMES)
        return self.value(
            node, what, "a time such as 2 ms", rf"{NUMBER}\s*({units})", lambda m: float(m[1]) * TIMES[m[2]]
        )

    def number(self, node: yaml.Node, what: str, expected: str) -> float:
        return self.value(node, what, f"{expected} such as 1.5", NUMBER, lambda m: float(m[1]))

    def whole(self, node: yaml.Node, what: str) -> int:
        return int(self.value(node, what, "a number of cores such as 128", r"([0-9]+)", lambda m: float(m[1])))

    def share(self, node: yaml.Node, what: str) -> float:
        text = str(getattr(node, "value", ""))
        if re.fullmatch(NUMBER, text.strip()) and 0.0 <= float(text) <= 1.0:
            return float(text)
        raise self.wrong(node, what, "expected a number from 0 to 1")
