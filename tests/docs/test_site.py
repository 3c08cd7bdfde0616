"""The documentation as a site: builds without a warning, every link leads somewhere, nothing comes from elsewhere, and
each page has the structure that GitHub shows (by another reader of Markdown, markdown-it)."""

import collections
import os
import re
import shutil
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path

import pytest
from markdown_it import MarkdownIt
from support.harness import TREE

pytest.importorskip("mkdocs", reason="tools/requirements_docs.txt is installed by ./quickstart test and docs")

COUNTED = (
    "h1",
    "h2",
    "h3",
    "h4",
    "p",
    "ul",
    "ol",
    "li",
    "table",
    "tr",
    "th",
    "td",
    "pre",
    "code",
    "a",
    "img",
    "strong",
)
PAGES = sorted(
    [TREE / "README.md", TREE / "CHANGELOG.md", TREE / "CONTRIBUTING.md", *(TREE / "benchmarks").glob("*.md")]
    + [page for folder in ("docs", "examples", "src", "bindings", "igcm") for page in (TREE / folder).rglob("*.md")]
)
FRAGMENTS = set((TREE / "docs" / "changelog").glob("*.md")) - {TREE / "docs" / "changelog" / "README.md"}
PAGES = [page for page in PAGES if page not in FRAGMENTS]


def build(tree: Path, into: Path) -> subprocess.CompletedProcess:
    command = [sys.executable, str(TREE / "tools" / "build_site"), "--tree", str(tree), "--into", str(into)]
    return subprocess.run(command, env=os.environ, capture_output=True, text=True, timeout=300)


@pytest.fixture(scope="module")
def site(tmp_path_factory) -> Path:
    into = tmp_path_factory.mktemp("site")
    done = build(TREE, into)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "WARNING" not in done.stderr
    return into / "site"


def of_page(site: Path, page: Path) -> Path:
    name = page.relative_to(TREE).with_suffix(".html")
    return site / (name.with_name("index.html") if page.name == "README.md" else name)


class Article(HTMLParser):
    """Counts the elements of a page's own text, without the anchors and titles that the theme adds."""

    def __init__(self, html: str):
        super().__init__()
        self.count = collections.Counter()
        self.inside_pre = False
        body = re.search(r"<article[^>]*>(.*?)</article>", html, re.DOTALL).group(1)
        self.feed(re.sub(r'<a class="headerlink".*?</a>', "", body))

    def handle_starttag(self, tag, attributes):
        self.inside_pre = self.inside_pre or tag == "pre"
        if not (self.inside_pre and tag in ("code", "a")):
            self.count[tag] += 1

    def handle_endtag(self, tag):
        self.inside_pre = self.inside_pre and tag != "pre"


def as_on_github(text: str) -> collections.Counter:
    html = MarkdownIt("commonmark").enable("table").render(text)
    return Article(f"<article>{html}</article>").count


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(TREE)))
def test_a_page_has_the_structure_that_github_shows(page, site):
    got = Article(of_page(site, page).read_text(encoding="utf-8")).count
    expected = as_on_github(page.read_text(encoding="utf-8"))
    assert {tag: got[tag] for tag in COUNTED} == {tag: expected[tag] for tag in COUNTED}


def test_the_search_finds_every_page(site):
    index = (site / "search" / "search_index.js").read_text(encoding="utf-8")
    missing = [page for page in PAGES if f'"location":"{of_page(site, page).relative_to(site)}"' not in index]
    assert missing == []


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("[x](nowhere.md)", "nowhere.md"),
        ("[x](../../src/nowhere.hpp)", "nowhere.hpp"),
        ("[x](../../src)", "src"),
        ("[x](time.md#no-such-heading)", "no-such-heading"),
        ("[x](#no-such-heading-here)", "no-such-heading-here"),
        ("[x](https://nodots/page)", "https://nodots/page"),
        ("![x](https://elsewhere.org/picture.png)", "https://elsewhere.org/picture.png"),
    ],
)
def test_a_broken_link_is_found(words, said, broken_site):
    assert said in broken_site.stderr, f"{words} was not reported:\n{broken_site.stderr}"


def test_a_page_that_no_table_lists_is_found(broken_site):
    assert "docs/guide/unlisted.md" in broken_site.stderr


@pytest.fixture(scope="module")
def broken_site(request, tmp_path_factory) -> subprocess.CompletedProcess:
    """The whole tree, with one page that has all the broken links of the test above, and one that no table lists."""
    tree = tmp_path_factory.mktemp("broken") / "tree"
    shutil.copytree(TREE, tree, ignore=shutil.ignore_patterns(".*", "build*", "demo", "tests"))
    (marker,) = test_a_broken_link_is_found.pytestmark
    with (tree / "docs" / "guide" / "output.md").open("a") as page:
        page.writelines(f"\n{words}\n" for words, _ in marker.args[1])
    (tree / "docs" / "guide" / "unlisted.md").write_text("# A page that no table lists\n")
    done = build(tree, tree.parent)
    assert done.returncode != 0
    return done
