"""The identity of a file: what its name meant when it was opened, to tell when it means another one."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

from .refusal import Refusal

# These files stand for a store: the descriptions of its arrays at its top. Its chunks are not looked at.
OF_STORES = ("zarr.json", ".zmetadata", ".zgroup", ".zattrs", "md.idx")


def identity_of(path: str) -> str:
    """Four numbers, device, inode, size and mtime_ns, for the file, or for each file that stands for a store. Empty for
    a name that is none of a file here, such as an URL."""
    return " ".join(str(number) for file in _files(Path(path)) for number in _numbers(file))


def check_identity(path: str, expected: str) -> None:
    """Refusal ("changed") that says what became of the file, where it is not the `expected` one any more."""
    if not expected:
        return
    now, old = identity_of(path).split(), expected.split()
    if now == old:
        return
    was = f"; expected the file of {_described(old)}"
    if not now:
        raise Refusal(f"was removed since it was opened{was}", "changed")
    word = "changed"
    if len(now) == len(old) == 4:
        if now[:2] != old[:2]:
            word = "replaced"
        elif int(now[2]) < int(old[2]):
            word = "truncated"
    raise Refusal(f"was {word} since it was opened: it has {_described(now)}{was}", "changed")


def _files(path: Path) -> list[Path]:
    try:
        if path.is_dir():
            return [path / name for name in OF_STORES if (path / name).exists()]
        return [path] if path.exists() else []
    except (OSError, ValueError):
        return []


def _numbers(file: Path) -> tuple[int, int, int, int]:
    found = file.stat()
    return found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns


def _described(numbers: list[str]) -> str:
    size, changed = sum(map(int, numbers[2::4])), max(map(int, numbers[3::4]))
    moment = datetime.fromtimestamp(changed // 1_000_000_000, UTC).strftime("%Y-%m-%dT%H:%M:%S")
    return f"{size} bytes of {moment}.{changed % 1_000_000_000:09d}Z"
