"""Lays out the tree's Markdown for the site generator: the same folders and names, so that links mean the same.

Constructs that GitHub understands and Python-Markdown does not are put right on the way: words behind the language of a
block, a list without a blank line before it, `\\|` in code in a table. A link to a folder becomes one to its README, a
link to a source file one to a page that shows it.
"""

import os
import re
import shutil
from pathlib import Path

PAGES = (
    "*.md",
    "docs/**/*.md",
    "examples/**/README.md",
    "igcm/**/README.md",
    "benchmarks/**/*.md",
    "bindings/**/README.md",
    "src/**/README.md",
)
ASSETS = ("docs/**/*.svg", "docs/**/*.json")
FENCE = re.compile(r"^( *)(`{3,})([^`\n]*)\n(.*?)^\1\2`*[ \t]*$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"(!?\[[^\]]*\]\()([^)#\s]+)([^)]*\))")
CODE = re.compile(r"`[^`]+`")
ITEM = re.compile(r"([-*+]|\d+\.) ")
LANGUAGES = {"h": "c", "hpp": "cpp", "f90": "fortran", "pyi": "python", "cff": "yaml", "txt": "cmake", "": "text"}
OTHER_NAMES = {"nml": "fortran", "console": "text"}  # languages that Pygments calls otherwise


class BrokenLinks(Exception):
    """Its text has a line for each."""


def lay_out(tree: Path, into: Path) -> int:
    """Writes the pages into an emptied folder and returns how many. Raises BrokenLinks."""
    shutil.rmtree(into, ignore_errors=True)
    pages = [path for pattern in PAGES for path in sorted(tree.glob(pattern)) if not is_fragment(path)]
    broken: list[str] = []
    sources: set[Path] = set()
    for page in pages:
        text = page.read_text(encoding="utf-8")
        write(into / page.relative_to(tree), converted(text, Links(tree, page, set(pages), sources, broken)))
    front = into / "README.md"
    write(front, "---\nhide: [navigation]\n---\n" + front.read_text(encoding="utf-8"))
    for source in sorted(sources):
        write(into / "sources" / f"{source.relative_to(tree)}.md", shown(tree, source))
    for pattern in ASSETS:
        for asset in tree.glob(pattern):
            write(into / asset.relative_to(tree), asset.read_text(encoding="utf-8"))
    if broken:
        raise BrokenLinks("\n".join(broken))
    return len(pages) + len(sources)


def is_fragment(page: Path) -> bool:
    """Whether a file is one change of the changelog, which is no page of the site."""
    return page.parent.name == "changelog" and page.name != "README.md"


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def shown(tree: Path, source: Path) -> str:
    """A page that shows a source file."""
    ending = source.suffix.removeprefix(".")
    language = LANGUAGES.get(ending, ending)
    name = source.relative_to(tree)
    return f"# {source.name}\n\n`{name}`\n\n``````{language}\n{source.read_text(encoding='utf-8')}``````\n"


class Links:
    """The links of one page: where each leads on the site."""

    def __init__(self, tree: Path, page: Path, pages: set[Path], sources: set[Path], broken: list[str]):
        self.tree, self.page, self.pages, self.sources, self.broken = tree, page, pages, sources, broken

    def __call__(self, match: re.Match) -> str:
        before, target, after = match.groups()
        if re.match(r"[a-z]+:", target):
            return match.group(0)
        return before + self.on_the_site(target) + after

    def on_the_site(self, target: str) -> str:
        path = Path(os.path.normpath(self.page.parent / target))
        if path.is_dir():
            path /= "README.md"
        if not path.is_file() or not path.is_relative_to(self.tree):
            self.broken.append(f"{self.page.relative_to(self.tree)}: {target} leads nowhere")
        elif path not in self.pages and not any(path.relative_to(self.tree).match(asset) for asset in ASSETS):
            self.sources.add(path)
            path = self.tree / "sources" / f"{path.relative_to(self.tree)}.md"
        return os.path.relpath(path, self.page.parent)


def converted(text: str, links: Links) -> str:
    """Blocks by themselves, and the prose between them."""
    done, end = [], 0
    for block in FENCE.finditer(text):
        done += [prose(text[end : block.start()], links), fence(block)]
        end = block.end()
    return "".join([*done, prose(text[end:], links)])


def fence(block: re.Match) -> str:
    """The name of the file that a block is written to becomes its title."""
    indent, ticks, head, body = block.groups()
    language, *words = head.split() or ["text"]
    name = next((word.removeprefix("file=") for word in words if word.startswith("file=")), None)
    title = f' title="{name}"' if name else ""
    return f"{indent}{ticks}{OTHER_NAMES.get(language, language)}{title}\n{body}{indent}{ticks}"


def prose(text: str, links: Links) -> str:
    lines = [without_escaped_bars(line) for line in with_room_for_lists(text.split("\n"))]
    return LINK.sub(links, "\n".join(lines))


def without_escaped_bars(line: str) -> str:
    return CODE.sub(lambda code: code.group(0).replace("\\|", "|"), line) if line.startswith("|") else line


def with_room_for_lists(lines: list[str]) -> list[str]:
    """A list may follow a paragraph at once."""
    spaced: list[str] = []
    for line in lines:
        if ITEM.match(line) and spaced and spaced[-1].strip() and not in_a_list(spaced):
            spaced.append("")
        spaced.append(line)
    return spaced


def in_a_list(lines: list[str]) -> bool:
    """Whether the last line belongs to an item."""
    for line in reversed(lines):
        if ITEM.match(line):
            return True
        if not line.startswith(" "):
            return False
    return False


def navigation(tree: Path) -> list:
    """The tables of docs/README.md as MkDocs wants them: a tab for each section, a page for each row's first link."""
    index = tree / "docs" / "README.md"
    tabs = [{"Tailrace": "README.md"}]
    for section in index.read_text(encoding="utf-8").split("\n## ")[1:]:
        rows = re.findall(r"^\| \[([^\]]+)\]\(([^)]+)\)", section, re.MULTILINE)
        pages = [{title: from_top(index, path)} for title, path in rows]
        if pages:
            tabs.append({section.split("\n")[0]: pages if len(tabs) > 1 else [{"Overview": "docs/README.md"}, *pages]})
    return [*tabs, {"Changelog": "CHANGELOG.md"}]


def from_top(page: Path, target: str) -> str:
    return os.path.relpath(os.path.normpath(page.parent / target), page.parents[1])
