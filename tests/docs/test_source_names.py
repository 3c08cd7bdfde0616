"""The folders and files of src/ that documents name as `room/file` are there."""

import re

import pytest
from support.harness import TREE

SOURCES = TREE / "src"
ROOMS = sorted(path.name for path in SOURCES.iterdir() if path.is_dir())
NAME = re.compile(rf"`((?:{'|'.join(ROOMS)})/[a-z0-9_/]+)`")
PAGES = sorted([*(TREE / "docs").rglob("*.md"), *SOURCES.rglob("*.md"), TREE / "CONTRIBUTING.md"])


def missing(text: str) -> list[str]:
    places = [SOURCES / name.rstrip("/") for name in NAME.findall(text)]
    return [
        str(place.relative_to(SOURCES))
        for place in places
        if not place.exists() and not [*place.parent.glob(f"{place.name}.*")]
    ]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(TREE)))
def test_each_named_source_is_there(page):
    assert missing(page.read_text(encoding="utf-8")) == []


def test_a_missing_source_is_found():
    assert missing("`plan/plan`, `output/netcdf/`, `plan/continuing` and `output/netcdf/placed`") == [
        "plan/continuing",
        "output/netcdf/placed",
    ]
