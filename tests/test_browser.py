"""The course as a person meets it: a real JupyterLab, a real browser, a real kernel."""

import contextlib
import importlib.metadata
import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import nbformat
import psutil
import pytest

TOP = Path(__file__).parent.parent
PATIENCE = 180  # seconds; a busy machine starts JupyterLab in half a minute
CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)

# Nothing but the pages under test is asked for; as root, in a container, Chromium has no sandbox.
BROWSER_FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]

pytestmark = pytest.mark.slow
needs_browser = pytest.mark.skipif(not CHROMIUM, reason="no Chromium on this system")
installed = any(
    file.name == "zz-attnlab.json"
    for found in importlib.metadata.distributions(name="attnlab")
    for file in found.files or ()
)


@contextlib.contextmanager
def started(root, *command):
    """Run `python -m <command>` in the folder, with no settings of this machine's user; end it afterwards."""
    own = root.parent / "settings"
    environment = {
        **os.environ,
        "PYTHONPATH": str(TOP),
        "JUPYTER_CONFIG_DIR": str(own / "config"),
        "JUPYTER_DATA_DIR": str(own / "data"),
        "JUPYTER_RUNTIME_DIR": str(own / "runtime"),
        "LITELLM_LOCAL_MODEL_COST_MAP": "True",
        "LANG": "C",
    }
    # Containers run as root, which JupyterLab refuses unless asked.
    root_too = ["--allow-root"] if hasattr(os, "getuid") and os.getuid() == 0 else []
    with (root.parent / "log.txt").open("w") as log:
        process = subprocess.Popen(
            [sys.executable, "-m", *command, "--no-browser", *root_too],
            cwd=root,
            env=environment,
            stdout=log,
            stderr=log,
        )
        try:
            yield process
        finally:
            process.terminate()
            process.wait(60)


@contextlib.contextmanager
def opened(root, *options):
    """Start `attnlab lab` and yield a page of a browser that has opened it."""
    from playwright.sync_api import sync_playwright

    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    address = f"http://127.0.0.1:{port}"
    line = ["attnlab", "lab", *options, f"--port={port}", "--IdentityProvider.token=secret"]
    with started(root, *line) as process, sync_playwright() as driver:
        wait_until(lambda: answers(f"{address}/api/status?token=secret"), process, root)
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=BROWSER_FLAGS)
        page = browser.new_page(viewport={"width": 1400, "height": 1000})
        page.set_default_timeout(PATIENCE * 1000)
        page.goto(f"{address}/?token=secret")
        yield page
        browser.close()


def answers(address):
    with contextlib.suppress(OSError):
        return urllib.request.urlopen(address, timeout=10).status == 200
    return False


def wait_until(true, process, root):
    end = time.monotonic() + PATIENCE
    while not true():
        log = (root.parent / "log.txt").read_text(encoding="utf-8", errors="replace")
        assert process.poll() is None, log
        assert time.monotonic() < end, log
        time.sleep(0.3)


@needs_browser
def test_a_learner_opens_runs_and_validates_lesson_1(course):
    name = "01_simplified_attention"
    with opened(course) as page:
        page.locator(".jp-RenderedMarkdown h1").first.wait_for()
        assert page.url.endswith(f"/lab/tree/{name}/{name}.ipynb")
        # A kernel and nothing to click away: no news, no question which kernel.
        page.get_by_text("| Idle").wait_for()
        assert page.locator("dialog, .jp-Dialog").count() == 0
        # nbgrader's menu leads to an instructor's pages.
        menus = page.locator(".lm-MenuBar-itemLabel").all_inner_texts()
        assert "Run" in menus
        assert "Nbgrader" not in menus

        page.locator(".lm-MenuBar-itemLabel", has_text="Run").click()
        page.get_by_text("Run All Cells", exact=True).click()
        page.get_by_text("| Busy").wait_for()
        page.get_by_text("| Idle").wait_for()
        page.get_by_text("Validate", exact=True).click()
        said = page.locator(".jp-Dialog", has_text="Validation Results").inner_text()
    assert "✗ attention_scores：" in said
    assert "还没有写" in said
    assert "Traceback" not in said

    # Pressing Validate has saved the learner's copy: what Run All printed stands in it.
    saved = nbformat.read(course / "work" / "zh" / name / f"{name}.ipynb", as_version=4)
    outputs = [output for cell in saved.cells for output in cell.get("outputs", [])]
    assert any("attention_scores" in output.get("evalue", "") for output in outputs)
    assert not any(output.get("name") == "stderr" for output in outputs)


@needs_browser
def test_formgrader_lists_the_lessons_for_an_instructor(course):
    lessons = sorted(folder.name for folder in (course / "source").iterdir() if folder.is_dir())
    with opened(course, "--instructor") as page:
        page.locator(".lm-MenuBar-itemLabel", has_text="Nbgrader").click()
        page.get_by_text("Formgrader", exact=True).click()
        formgrader = page.frame_locator("iframe")
        for lesson in lessons:
            formgrader.get_by_role("link", name=lesson, exact=True).wait_for()
    assert not (course / "work").exists()


@pytest.mark.parametrize(
    "command",
    [
        ("attnlab", "lab"),
        pytest.param(
            ("jupyterlab",),
            marks=pytest.mark.skipif(not installed, reason="attnlab is not installed, as `pip install .` does"),
        ),
    ],
)
def test_two_side_by_side_listen_on_their_own_port_alone(course, command):
    with started(course, *command) as first, started(course, *command) as second:
        for process in (first, second):
            wait_until(lambda process=process: listening(process), process, course)
        # The other port would open a moment after the first, when the server runs.
        for process in (first, second):
            (port,) = listening(process)
            wait_until(lambda port=port: answers(f"http://127.0.0.1:{port}/api"), process, course)
        time.sleep(3)
        ports = [listening(process) for process in (first, second)]
    assert [len(own) for own in ports] == [1, 1]
    assert ports[0] != ports[1]


def listening(process):
    """Return the ports on which the process and its children wait for connections."""
    ports = set()
    family = [psutil.Process(process.pid), *psutil.Process(process.pid).children(recursive=True)]
    for member in family:
        # Children come and go: one that has just ended listens on nothing.
        with contextlib.suppress(psutil.NoSuchProcess):
            ports |= {one.laddr.port for one in member.net_connections(kind="inet") if one.status == psutil.CONN_LISTEN}
    return ports
