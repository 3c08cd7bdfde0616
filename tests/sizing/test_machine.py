"""The figures of a machine: what is written is read again, and mistakes have their place."""

import made_up_runs as made
import pytest
from tailrace.sizing.errors import SizingError
from tailrace.sizing.machine import Network, read, text_of

GOOD = """tailrace_machine: 1
node: {cores: 128, memory: 256 GiB}
memcpy: 9 GiB/s
codecs:
  zlib: {speed: 90 MiB/s, ratio: 1.5}
disk: {directory: /scratch, write: 1.2 GB/s, sustained: 900 MiB/s, commit: 3 ms, processor: 0.8}
network: {bandwidth: 10 GiB/s, latency: 2 us}
file_system: {write: 40 GiB/s}
"""


def test_units(tmp_path):
    (tmp_path / "m.yaml").write_text(GOOD)
    machine = read(tmp_path / "m.yaml")
    assert (machine.cores, machine.memory, machine.memcpy) == (128, 256 * 2**30, 9 * 2**30)
    assert machine.codecs["zlib"].bytes_per_second == 90 * 2**20 and machine.codecs["zlib"].ratio == 1.5
    assert machine.disk.bytes_per_second == 1.2e9 and machine.disk.commit_seconds == 0.003
    assert machine.network == Network(10 * 2**30, 2e-6)
    assert machine.file_system == 40 * 2**30


@pytest.mark.parametrize("directory", ["/scratch", "/a: b", "- x", "#1", "", "café 'x'"])
def test_what_is_written_is_read(tmp_path, directory):
    disk = made.Disk(2.0**30, 2.0**29, 0.004, 0.5, directory)
    given = made.machine(network=Network(2.0**33, 1.5e-6), disk=disk, file_system=2.0**35)
    (tmp_path / "m.yaml").write_text(text_of(given, "node0", "2026-11-27", 0.1))
    found = read(tmp_path / "m.yaml")
    assert found.disk == disk and found.network == given.network and found.codecs == given.codecs
    assert found.file_system == given.file_system
    assert (found.cores, found.memory, found.memcpy) == (given.cores, given.memory, given.memcpy)


@pytest.mark.parametrize(
    ("old", "new", "piece"),
    [
        (
            "memcpy: 9 GiB/s",
            "memcpy: 9 GiB",
            r"m\.yaml:3:9  memcpy: expected bytes a second such as 1.5 GiB/s, but got '9 GiB'",
        ),
        ("memcpy:", "memcpi:", r'm\.yaml:3:1  memcpi: this key is unknown; did you mean "memcpy"\?'),
        ("memcpy: 9 GiB/s\n", "", r"m\.yaml:1:1  memcpy: is missing; `tailrace measure` gives it"),
        ("cores: 128", "cores: 0", r"m\.yaml:2:15  node\.cores: expected a number of cores such as 128, but got '0'"),
        ("cores: 128", "cores: 1.5", r"node\.cores: expected a number of cores"),
        ("256 GiB", "nan GiB", r"node\.memory: expected bytes such as 256 GiB"),
        ("256 GiB", "1e400 GiB", r"node\.memory: expected bytes"),
        ("3 ms", "3", r"disk\.commit: expected a time such as 2 ms, but got '3'"),
        ("processor: 0.8", "processor: 80 %", r"disk\.processor: expected a number from 0 to 1"),
        ("ratio: 1.5", "ratio: -1", r"codecs\.zlib\.ratio: expected a ratio such as 1.5"),
        ("{speed: 90 MiB/s, ratio: 1.5}", "fast", r"m\.yaml:5:9  codecs\.zlib: expected a map, but got 'fast'"),
        ("tailrace_machine: 1", "tailrace_machine: 2", r"m\.yaml:1:19  tailrace_machine: expected 1, but got '2'"),
        ("memcpy: 9 GiB/s", "memcpy: 9 GiB/s\nmemcpy: 8 GiB/s", r"m\.yaml:4:1  memcpy: is given twice"),
        ("memcpy: 9 GiB/s", "memcpy: [", r"m\.yaml:\d+:\d+: is not YAML"),
        (GOOD, "", r"m\.yaml: is empty; `tailrace measure`"),
        (GOOD, "[1]", r"m\.yaml:1:1  expected a map"),
        ("memcpy:", "[1, 2]:", r"m\.yaml:3:1  expected a word as the key"),
        ("9 GiB", "9\0GiB", r"m\.yaml:3:10: is not YAML: the character '\\x00' is not allowed$"),
    ],
)
def test_a_mistake_has_its_place(tmp_path, old, new, piece):
    assert old in GOOD
    (tmp_path / "m.yaml").write_text(GOOD.replace(old, new))
    with pytest.raises(SizingError, match=piece):
        read(tmp_path / "m.yaml")


def test_other_files(tmp_path):
    (tmp_path / "b.yaml").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(SizingError, match="is not text in UTF-8"):
        read(tmp_path / "b.yaml")
    with pytest.raises(SizingError, match="cannot be read: No such file"):
        read(tmp_path / "none.yaml")
