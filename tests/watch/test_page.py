"""The page in a real browser: what it shows is what the report and the files say, by mouse and by keyboard alone.

Needs Chromium (apt-get install chromium) and Playwright's client (pip install playwright), which CI does without.
"""

import json
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("starlette")
pytest.importorskip("uvicorn")
pytest.importorskip("scipy")
playwright = pytest.importorskip("playwright.sync_api")
CHROMIUM = Path("/usr/bin/chromium")
if not CHROMIUM.exists():
    pytest.skip(f"there is no {CHROMIUM}: apt-get install chromium", allow_module_level=True)

from globe import LAT  # noqa: E402
from runs import STEPS, begin_run, finish, until, watching  # noqa: E402

SIZES = {"phone": (400, 800), "laptop": (1280, 900), "4k": (3840, 2160)}


@pytest.fixture(scope="module")
def browser():
    with playwright.sync_playwright() as tool:
        started = tool.chromium.launch(executable_path=str(CHROMIUM), args=["--no-sandbox"])
        yield started
        started.close()


@pytest.fixture(scope="module")
def served(finished, shifted):
    with watching(finished, "--compare", str(shifted)) as page:
        yield page


def opened(browser, address, size="laptop", theme="light"):
    """The page, once a picture is drawn. Its complaints and its requests to others are kept."""
    width, height = SIZES[size]
    context = browser.new_context(viewport={"width": width, "height": height}, color_scheme=theme)
    page = context.new_page()
    page.set_default_timeout(60_000)
    page.complaints = []
    page.on("console", lambda one: page.complaints.append(one.text) if one.type == "error" else None)
    page.on("pageerror", lambda one: page.complaints.append(str(one)))
    page.on(
        "request",
        lambda one: None if "127.0.0.1" in one.url or one.url[:5] == "data:" else page.complaints.append(one.url),
    )
    page.goto(address)
    page.wait_for_selector("#caption:not(:empty)")
    return page


@pytest.fixture
def page(browser, served):
    page = opened(browser, served.address)
    yield page
    page.context.close()
    assert page.complaints == []


def settled(page, text: str) -> str:
    """The caption, once it has the text."""
    page.wait_for_selector(f"#caption:has-text({json.dumps(text)})")
    return page.inner_text("#caption")


def figure(page, name: str) -> float:
    return float(page.get_attribute("#caption", f"data-{name}"))


def card(page, name: str) -> str:
    return page.get_attribute(f'#cards b[data-name="{name}"]', "data-value")


def test_its_numbers_are_those_of_the_report(page, finished):
    report = json.loads((finished / "tailrace_report" / "report.json").read_text())
    assert page.inner_text("#state") == "complete"
    assert int(card(page, "step")) == report["clients"][0]["steps"] == STEPS
    assert float(card(page, "model time")) == report["files"][0]["last_model_time"] == 10.0 * STEPS
    assert int(card(page, "written")) == report["totals"]["encoded_bytes_out"]
    assert float(card(page, "lag")) == report["servers"][0]["last_lag_seconds"]
    rows = page.locator("#files tr").all_inner_texts()[1:]
    assert [(row.split("\t")[0], int(row.split("\t")[1])) for row in rows] == sorted(
        (file["path"], file["commits"]) for file in report["files"]
    )
    assert page.inner_text('#report b[data-name="lag"]') in page.inner_text("#report")


def test_the_token_leaves_the_address_and_survives_a_reload(page, served):
    assert served.token not in page.url
    page.reload()
    page.wait_for_selector("#caption:not(:empty)")
    assert page.inner_text("#state") == "complete"


def test_without_a_token_it_says_what_to_do(browser, served):
    context = browser.new_context()
    page = context.new_page()
    page.goto(served.address.partition("#")[0])
    assert "open the address that `tailrace watch` printed" in page.inner_text("#trouble")
    context.close()


def test_each_view_by_the_mouse(page):
    settled(page, "ta (K) at time 2026-01-01 00:01:20, height 100 m")
    assert figure(page, "mean") == pytest.approx(STEPS) and figure(page, "largest") == pytest.approx(
        STEPS + np.sin(np.radians(LAT[-1]))
    )
    page.select_option("#view", label="section along lat")
    settled(page, "lon 4 degrees_east")
    page.select_option("#view", label="profile")
    settled(page, "lat -87 degrees_north, lon 4 degrees_east")
    assert figure(page, "largest") == pytest.approx(STEPS + 300.0 + np.sin(np.radians(LAT[0])))
    page.select_option("#view", label="time series")
    settled(page, "at height 100 m, lat -87")
    assert figure(page, "smallest") == pytest.approx(1.0 + np.sin(np.radians(LAT[0])))
    for file, text in (("mesh.nc", "me (K) at time"), ("pix.zarr", "hp (K) at time")):
        page.select_option("#file", file)
        page.select_option("#view", label="map")
        settled(page, text)
        assert STEPS - 1 <= figure(page, "smallest") < figure(page, "largest") <= STEPS + 1
    page.select_option("#file", "series.nc")
    settled(page, "energy (J): smallest 1, mean 4.5, largest 8")


def test_records_levels_and_the_value_under_the_pointer(page):
    settled(page, "00:01:20")
    page.locator('input[data-dim="time"]').fill("2")
    settled(page, "00:00:30, height 100 m")
    assert not page.is_checked("#newest")
    page.locator('input[data-dim="height"]').fill("3")
    settled(page, "height 6400 m")
    assert figure(page, "mean") == pytest.approx(303.0)
    box = page.locator("#canvas").bounding_box()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    text = page.inner_text("#reading")
    value, lat = float(page.get_attribute("#reading", "data-value")), float(text.split()[2].rstrip(","))
    assert value == pytest.approx(303.0 + np.sin(np.radians(lat)), rel=1e-5), text
    page.check("#newest")
    settled(page, "00:01:20, height 6400 m")


def colour_at(page, x: float, y: float) -> list[int]:
    """At a place of the canvas, whose width and height are 1."""
    return page.evaluate(
        "([x, y]) => { const c = document.getElementById('canvas'); const [px, py] = [x * c.width, y * c.height];"
        "return [...c.getContext('2d').getImageData(Math.round(px), Math.round(py), 1, 1).data.slice(0, 3)] }",
        [x, y],
    )


def test_colours_are_those_of_matplotlib(page):
    import matplotlib

    for name in ("viridis", "cividis"):
        page.select_option("#colours", name)
        for low, high, share in (("8", "18", 0.0), ("-2", "8", 1.0), ("-2", "18", 0.5)):
            page.fill("#low", low)
            page.fill("#high", high)
            # The equator lies in the middle of the plot; its values are 8 with an error of half a cell.
            wanted = np.array(matplotlib.colormaps[name](share)[:3]) * 255
            assert np.abs(np.array(colour_at(page, 0.5, 0.47)) - wanted).max() < 20, (name, share)


def test_the_table_of_colours_is_matplotlibs(page):
    import matplotlib

    for name in ("viridis", "cividis", "PuOr"):
        table = page.evaluate(f"import('/colours.js').then((module) => module.table('{name}'))")
        wanted = matplotlib.colormaps[name](np.arange(256))[:, :3] * 255
        assert np.abs(np.array(table) - wanted).max() < 6, name


def test_another_run_and_the_difference(page):
    settled(page, "00:01:20")
    page.select_option("#run", "1")
    settled(page, "mean 8.25")
    page.select_option("#run", "difference")
    settled(page, "mean -0.25")
    page.select_option("#file", "series.nc")
    settled(page, "energy (J): smallest -0.25, mean -0.25")
    page.select_option("#run", "0")
    settled(page, "dashed: the other run")


def test_by_keyboard_alone(browser, served):
    """Tab reaches each control in their order; arrows choose; the picture is read by arrows too."""
    page = opened(browser, served.address)
    order = []
    for _ in range(20):
        page.keyboard.press("Tab")
        order.append(page.evaluate("document.activeElement.id || document.activeElement.dataset.dim || ''"))
        if order[-1] == "canvas":
            break
    assert order == [
        "theme",
        "file",
        "variable",
        "view",
        "run",
        "colours",
        "low",
        "high",
        "time",
        "newest",
        "height",
        "canvas",
    ]
    assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") == "solid", "the focus is seen"
    page.keyboard.press("ArrowUp")
    page.keyboard.press("Shift+ArrowRight")
    assert page.inner_text("#reading").startswith("at lat -81, lon 84: ")
    page.keyboard.press("[")
    settled(page, "00:01:10")
    page.keyboard.press("]")
    settled(page, "00:01:20")
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("ArrowRight")
    settled(page, "height 400 m")
    while page.evaluate("document.activeElement.id") != "view":
        page.keyboard.press("Shift+Tab")
    page.keyboard.press("ArrowDown")
    settled(page, "lat -87 degrees_north")
    assert page.complaints == []
    page.context.close()


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("size", SIZES)
def test_it_is_readable_at_each_size(browser, served, size, theme, tmp_path):
    page = opened(browser, served.address, size, theme)
    assert page.evaluate("document.documentElement.scrollWidth") <= SIZES[size][0], "nothing sticks out"
    assert page.evaluate("document.documentElement.dataset.theme") == theme
    assert page.evaluate("parseFloat(getComputedStyle(document.body).fontSize)") >= 15
    paper, ink, soft = page.evaluate(
        "['--paper', '--ink', '--soft']"
        ".map((name) => getComputedStyle(document.documentElement).getPropertyValue(name))"
    )
    assert contrast(paper, ink) > 10 and contrast(paper, soft) > 4.5
    page.select_option("#theme", "dark" if theme == "light" else "light")
    assert page.evaluate("document.documentElement.dataset.theme") != theme
    assert page.complaints == []
    page.context.close()


def contrast(one: str, other: str) -> float:
    """That of WCAG 2.1."""

    def luminance(colour: str) -> float:
        parts = np.array([int(colour.strip()[k : k + 2], 16) / 255 for k in (1, 3, 5)])
        return float(
            np.where(parts <= 0.03928, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4) @ [0.2126, 0.7152, 0.0722]
        )

    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def test_a_run_that_goes_on(browser, tmp_path):
    """The numbers and the newest record come by themselves, and so does the end."""
    folder = tmp_path / "run"
    run = begin_run(folder, pause="-", steps=6)
    until((folder / "tailrace_report" / "status.json").exists, "a status")
    (folder / "go.1").touch()
    (folder / "go.2").touch()
    until((folder / "tailrace_report" / "commits.jsonl").exists, "a commit")
    with watching(folder, "--until", "1 h") as served:
        page = opened(browser, served.address)
        assert page.inner_text("#state") == "running"
        settled(page, "00:00:20")
        (folder / "go.3").touch()
        (folder / "go.4").touch()
        settled(page, "00:00:40")
        page.wait_for_selector('#cards b[data-name="step"][data-value="5"]')
        assert page.inner_text('#cards b[data-name="ends in"]') != ""
        (folder / "go").touch()
        finish(run, folder)
        page.wait_for_selector("#state:has-text('complete')")
        page.wait_for_selector('#report b[data-name="lag"]')
        settled(page, "00:01:00")
        assert page.complaints == []
        page.context.close()
